// Reproducible random numbers, the same on every machine.
#pragma once

#include <cstdint>

namespace pspllm::host {

/// SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators").
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) noexcept : state_(seed) {}

  [[nodiscard]] std::uint64_t next() noexcept {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// In [0, n), n below 2^32.
  [[nodiscard]] std::uint64_t below(std::uint64_t n) noexcept { return (next() >> 32) * n >> 32; }
  /// In [0, 1).
  [[nodiscard]] double unit() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace pspllm::host
