// e^x for all singles, every variant. Minutes.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>

#include "engine/math/exact_math_samples.hpp"
#include "engine/math/exp_in_doubles.hpp"
#include "engine/math/float_bits.hpp"
#include "engine/math/host/exact_math_host.hpp"

namespace pspllm::host {
namespace {

// Hash of e^x over all singles with -104 < x < 89 in ascending order of their bits as unsigned integers.
constexpr std::uint64_t ordinary_range_hash = 0x763aff4d2a8c7fca;
constexpr std::uint32_t positive_end = 0x42b20000;        // 89
constexpr std::uint32_t negative_begin = float_sign_bit;  // -0
constexpr std::uint32_t negative_end = 0xc2d00000;        // -104
constexpr std::size_t chunk_size = 4096;

// [first, end) of bit patterns through exp_many, a chunk at a time.
void hash_range(const ExactMath& math, std::uint32_t first, std::uint32_t end, samples::BitHash& hash) {
  std::array<float, chunk_size> values{};
  while (first < end) {
    const std::size_t count = std::min<std::size_t>(chunk_size, end - first);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = from_bits(first + static_cast<std::uint32_t>(i));
    }
    math.exp_many(values.data(), values.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      hash.add(values[i]);
    }
    first += static_cast<std::uint32_t>(count);
  }
}

TEST_CASE("e^x of every single with -104 < x < 89, by every exp_many") {
  for (const ExactMath& math : supported_exact_math()) {
    CAPTURE(math.name);
    samples::BitHash hash;
    hash_range(math, 0, positive_end, hash);
    hash_range(math, negative_begin, negative_end, hash);
    CHECK(hash.value() == ordinary_range_hash);
  }
}

TEST_CASE("e^x of every single with -104 < x < 89, one by one") {
  for (const ExactMath& math : supported_exact_math()) {
    if (math.variant != MathVariant::portable && math.variant != MathVariant::fma) {
      continue;
    }
    CAPTURE(math.name);
    samples::BitHash hash;
    for (std::uint32_t bits = 0; bits < positive_end; ++bits) {
      hash.add(math.exp(from_bits(bits)));
    }
    for (std::uint32_t bits = negative_begin; bits < negative_end; ++bits) {
      hash.add(math.exp(from_bits(bits)));
    }
    CHECK(hash.value() == ordinary_range_hash);
  }
}

TEST_CASE("e^x of every single with -104 < x < 89, the careful way") {
  samples::BitHash hash;
  for (std::uint32_t bits = 0; bits < positive_end; ++bits) {
    hash.add(exp_in_doubles(from_bits(bits)));
  }
  for (std::uint32_t bits = negative_begin; bits < negative_end; ++bits) {
    hash.add(exp_in_doubles(from_bits(bits)));
  }
  CHECK(hash.value() == ordinary_range_hash);
}

// What lies outside has answers without arithmetic.
TEST_CASE("e^x of every other single") {
  for (const ExactMath& math : supported_exact_math()) {
    CAPTURE(math.name);
    std::uint64_t wrong = 0;
    for (std::uint32_t bits = positive_end; bits <= float_infinity_bits; ++bits) {
      wrong += to_bits(math.exp(from_bits(bits))) != float_infinity_bits ? 1U : 0U;
    }
    for (std::uint32_t bits = negative_end; bits <= (float_sign_bit | float_infinity_bits); ++bits) {
      wrong += to_bits(math.exp(from_bits(bits))) != 0 ? 1U : 0U;
    }
    for (std::uint32_t payload = 1; payload <= 0x7fffffU; ++payload) {
      for (const std::uint32_t sign : {0U, float_sign_bit}) {
        const std::uint32_t nan = sign | float_infinity_bits | payload;
        wrong += to_bits(math.exp(from_bits(nan))) != (nan | float_quiet_bit) ? 1U : 0U;
      }
    }
    CHECK(wrong == 0);
  }
}

}  // namespace
}  // namespace pspllm::host
