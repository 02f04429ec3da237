#pragma once

#include <cstddef>
#include <span>
#include <string_view>

// The exact functions (engine/math/exact_math.hpp) at a PC's speed: the same bits from hardware doubles with
// fused multiply-add, and e^x for whole vectors. Which variant runs is chosen once, when the program starts.
namespace pspllm::host {

enum class MathVariant {
  portable,  // integers: any processor
  fma,       // scalar doubles with fused multiply-add
  avx2,      // fma, and four doubles at a time in exp_many
  avx512,    // fma, and eight doubles at a time in exp_many
};

// One variant's functions; all variants give the same bits for every argument.
struct ExactMath {
  MathVariant variant = MathVariant::portable;
  std::string_view name;
  float (*exp)(float x) noexcept = nullptr;
  float (*pow)(float x, float y) noexcept = nullptr;
  float (*sin)(float x) noexcept = nullptr;
  float (*cos)(float x) noexcept = nullptr;
  // in, out: [count]; out may be in.
  void (*exp_many)(const float* in, float* out, std::size_t count) noexcept = nullptr;
};

// Those that this processor can run, slowest first. Never empty: the portable one is always there.
[[nodiscard]] std::span<const ExactMath> supported_exact_math() noexcept;

// The last of them.
[[nodiscard]] const ExactMath& fastest_exact_math() noexcept;

// out[i] = e^in[i] with the fastest variant. in, out: the same length; out may be in itself.
void exp_many(std::span<const float> in, std::span<float> out) noexcept;

}  // namespace pspllm::host
