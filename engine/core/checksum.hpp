// XXH32 (Yann Collet, github.com/Cyan4973/xxHash, doc/xxhash_spec.md, seed 0): fast on a machine with one
// 32-bit multiplier, and what every file of ours carries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pspllm {

/// The checksum of bytes that come in pieces.
class Checksum32 {
 public:
  void update(std::span<const std::byte> bytes) noexcept;
  /// Of everything so far; more may follow.
  [[nodiscard]] std::uint32_t value() const noexcept;

 private:
  static constexpr std::size_t stripe_bytes = 16;

  /// Whole stripes.
  void add_stripes(std::span<const std::byte> stripes) noexcept;

  std::uint32_t accumulators_[4] = {0x24234428U, 0x85EBCA77U, 0U, 0x61C8864FU};
  std::uint32_t total_ = 0;
  std::byte rest_[stripe_bytes] = {};  // [total_ % stripe_bytes] bytes that fill no stripe yet
};

[[nodiscard]] std::uint32_t checksum32(std::span<const std::byte> bytes) noexcept;

}  // namespace pspllm
