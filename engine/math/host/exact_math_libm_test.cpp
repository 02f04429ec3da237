// The exact functions beside this machine's own libm, where that is the one they imitate.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "engine/math/exact_math_samples.hpp"
#include "engine/math/host/exact_math_host.hpp"

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

namespace pspllm::host {
namespace {

bool libm_is_the_imitated_one() {
#if defined(__GLIBC__) && defined(__x86_64__)
  return std::strcmp(gnu_get_libc_version(), "2.36") == 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

// Through a volatile pointer, so that the compiler calls the library rather than computing itself.
using Unary = float (*)(float);
using Binary = float (*)(float, float);

std::uint64_t count_differences(Unary ours, Unary theirs) {
  std::uint64_t differences = 0;
  samples::visit_arguments([&](float x) { differences += to_bits(ours(x)) != to_bits(theirs(x)) ? 1U : 0U; });
  return differences;
}

TEST_CASE("every variant agrees with libm bit for bit") {
  if (!libm_is_the_imitated_one()) {
    std::printf("skipped: libm is not glibc 2.36 with FMA\n");
    return;
  }
  Unary volatile libm_exp = &::expf;
  Unary volatile libm_sin = &::sinf;
  Unary volatile libm_cos = &::cosf;
  Binary volatile libm_pow = &::powf;
  const Binary pow_function = libm_pow;
  for (const ExactMath& math : supported_exact_math()) {
    CAPTURE(math.name);
    CHECK(count_differences(math.exp, libm_exp) == 0);
    CHECK(count_differences(math.sin, libm_sin) == 0);
    CHECK(count_differences(math.cos, libm_cos) == 0);
    std::uint64_t differences = 0;
    samples::visit_pow_arguments([&](float x, float y) {
      differences += to_bits(math.pow(x, y)) != to_bits(pow_function(x, y)) ? 1U : 0U;
    });
    CHECK(differences == 0);
  }
}

}  // namespace
}  // namespace pspllm::host
