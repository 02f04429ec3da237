#include "engine/math/host/exact_math_host.hpp"

#include <array>

#include "engine/math/exact_math.hpp"
#include "engine/math/host/exp_many.hpp"
#include "engine/math/host/fma_math.hpp"

namespace pspllm::host {
namespace {

struct SupportedVariants {
  std::array<ExactMath, 4> variants;
  std::size_t count = 0;

  void append(const ExactMath& variant) noexcept { variants[count++] = variant; }
};

#if defined(__x86_64__)
bool has_fma() noexcept {
  return __builtin_cpu_supports("fma") != 0;
}
bool has_avx2() noexcept {
  return has_fma() && __builtin_cpu_supports("avx2") != 0;
}
bool has_avx512() noexcept {
  return has_avx2() && __builtin_cpu_supports("avx512f") != 0;
}
#elif defined(__aarch64__)
bool has_fma() noexcept {
  return true;
}
#endif

SupportedVariants find_supported() noexcept {
  SupportedVariants found;
  found.append({.variant = MathVariant::portable,
                .name = "portable",
                .exp = &exact_exp,
                .pow = &exact_pow,
                .sin = &exact_sin,
                .cos = &exact_cos,
                .exp_many = &exact_exp_many});
#if defined(__x86_64__) || defined(__aarch64__)
  if (has_fma()) {
    found.append({.variant = MathVariant::fma,
                  .name = "fma",
                  .exp = &fma_exp,
                  .pow = &fma_pow,
                  .sin = &fma_sin,
                  .cos = &fma_cos,
                  .exp_many = &exp_many_fma});
  }
#endif
#if defined(__x86_64__)
  if (has_avx2()) {
    ExactMath variant = found.variants[1];
    variant.variant = MathVariant::avx2;
    variant.name = "avx2";
    variant.exp_many = &exp_many_avx2;
    found.append(variant);
  }
  if (has_avx512()) {
    ExactMath variant = found.variants[1];
    variant.variant = MathVariant::avx512;
    variant.name = "avx512";
    variant.exp_many = &exp_many_avx512;
    found.append(variant);
  }
#endif
  return found;
}

}  // namespace

std::span<const ExactMath> supported_exact_math() noexcept {
  static const SupportedVariants found = find_supported();
  return {found.variants.data(), found.count};
}

const ExactMath& fastest_exact_math() noexcept {
  return supported_exact_math().back();
}

void exp_many(std::span<const float> in, std::span<float> out) noexcept {
  static const auto implementation = fastest_exact_math().exp_many;
  implementation(in.data(), out.data(), in.size());
}

}  // namespace pspllm::host
