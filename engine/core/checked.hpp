// 64-bit sizes that remember whether any step overflowed: untrusted shapes are multiplied here and nowhere
// else.
#pragma once

#include <cstdint>

namespace pspllm {

/// A byte or element count from untrusted fields. Arithmetic saturates into "overflowed", which is sticky.
class CheckedSize {
 public:
  constexpr CheckedSize() = default;
  constexpr CheckedSize(std::uint64_t value) noexcept
      : value_(value) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] constexpr bool overflowed() const noexcept { return overflowed_; }
  /// Only meaningful where !overflowed().
  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }

  friend constexpr CheckedSize operator+(CheckedSize a, CheckedSize b) noexcept {
    CheckedSize sum(a.value_ + b.value_);
    sum.overflowed_ = a.overflowed_ || b.overflowed_ || sum.value_ < a.value_;
    return sum;
  }

  friend constexpr CheckedSize operator*(CheckedSize a, CheckedSize b) noexcept {
    // Schoolbook on 32-bit halves: no compiler builtin, since those call library helpers on a 32-bit machine.
    const std::uint64_t a_low = a.value_ & 0xffffffffU;
    const std::uint64_t a_high = a.value_ >> 32;
    const std::uint64_t b_low = b.value_ & 0xffffffffU;
    const std::uint64_t b_high = b.value_ >> 32;
    const std::uint64_t low = a_low * b_low;
    const std::uint64_t cross = a_high != 0 ? a_high * b_low : a_low * b_high;
    CheckedSize product(low + (cross << 32));
    product.overflowed_ = a.overflowed_ || b.overflowed_ || (a_high != 0 && b_high != 0) ||
                          (cross >> 32) != 0 || product.value_ < low;
    return product;
  }

 private:
  std::uint64_t value_ = 0;
  bool overflowed_ = false;
};

/// `value` rounded up to a multiple of `alignment` (a power of two).
[[nodiscard]] constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) noexcept {
  return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace pspllm
