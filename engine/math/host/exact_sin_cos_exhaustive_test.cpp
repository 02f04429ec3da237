// Sine and cosine of all 2^32 singles, every variant. Ten minutes on two cores.
#include <doctest/doctest.h>

#include <cstdint>
#include <future>

#include "engine/math/exact_math_samples.hpp"
#include "engine/math/float_bits.hpp"
#include "engine/math/host/exact_math_host.hpp"

namespace pspllm::host {
namespace {

// Made with glibc 2.36's libm on x86-64 with FMA, in ascending order of the bits.
constexpr std::uint64_t all_sines_hash = 0x3748755acd8035bf;
constexpr std::uint64_t all_cosines_hash = 0xa81ed86a55ade497;

std::uint64_t hash_of_all(float (*function)(float) noexcept) {
  samples::BitHash hash;
  std::uint32_t bits = 0;
  do {
    hash.add(function(from_bits(bits)));
    ++bits;
  } while (bits != 0);
  return hash.value();
}

TEST_CASE("sine and cosine of every single") {
  for (const ExactMath& math : supported_exact_math()) {
    if (math.variant != MathVariant::portable && math.variant != MathVariant::fma) {
      continue;
    }
    CAPTURE(math.name);
    auto sines_hash = std::async(std::launch::async, hash_of_all, math.sin);
    CHECK(hash_of_all(math.cos) == all_cosines_hash);
    CHECK(sines_hash.get() == all_sines_hash);
  }
}

}  // namespace
}  // namespace pspllm::host
