// x^y over a quarter of a billion pairs, every variant. Minutes.
#include <doctest/doctest.h>

#include <cstdint>

#include "engine/math/exact_math_samples.hpp"
#include "engine/math/host/exact_math_host.hpp"

namespace pspllm::host {
namespace {

constexpr std::uint32_t pair_count = 250'000'000;
// Made with glibc 2.36's libm on x86-64 with FMA.
constexpr std::uint64_t all_powers_hash = 0xd9d05eaafd3be64d;

TEST_CASE("powers of random pairs") {
  for (const ExactMath& math : supported_exact_math()) {
    if (math.variant != MathVariant::portable && math.variant != MathVariant::fma) {
      continue;
    }
    CAPTURE(math.name);
    samples::BitHash hash;
    samples::visit_random_pairs(pair_count, [&](float x, float y) { hash.add(math.pow(x, y)); });
    CHECK(hash.value() == all_powers_hash);
  }
}

}  // namespace
}  // namespace pspllm::host
