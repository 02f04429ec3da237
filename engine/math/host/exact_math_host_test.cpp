#include "engine/math/host/exact_math_host.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <vector>

#include "engine/math/exact_math_samples.hpp"
#include "engine/math/float_bits.hpp"

namespace pspllm::host {
namespace {

TEST_CASE("every variant gives glibc's bits over the samples") {
  for (const ExactMath& math : supported_exact_math()) {
    CAPTURE(math.name);
    CHECK(samples::hash_of_samples(math.exp) == samples::exp_hash);
    CHECK(samples::hash_of_samples(math.sin) == samples::sin_hash);
    CHECK(samples::hash_of_samples(math.cos) == samples::cos_hash);
    CHECK(samples::hash_of_pow_samples(math.pow) == samples::pow_hash);
  }
}

TEST_CASE("every exp_many gives glibc's bits over the samples, in place") {
  std::vector<float> arguments;
  samples::visit_arguments([&](float x) { arguments.push_back(x); });
  for (const ExactMath& math : supported_exact_math()) {
    CAPTURE(math.name);
    std::vector<float> values = arguments;
    math.exp_many(values.data(), values.data(), values.size());
    samples::BitHash hash;
    for (const float value : values) {
      hash.add(value);
    }
    CHECK(hash.value() == samples::exp_hash);
  }
}

TEST_CASE("exp_many of any length and alignment writes its own elements only") {
  constexpr std::size_t longest = 67;
  constexpr float untouched = -7.0F;
  for (const ExactMath& math : supported_exact_math()) {
    for (std::size_t offset = 0; offset < 5; ++offset) {
      for (std::size_t count = 0; count <= longest; ++count) {
        std::vector<float> in(offset + longest + 20);
        for (std::size_t i = 0; i < in.size(); ++i) {
          // A few arguments beyond the vector kernels' range among ordinary ones.
          in[i] = i % 13 == 5 ? -90.0F - static_cast<float>(i) : static_cast<float>(i) * 0.37F - 11.0F;
        }
        std::vector<float> out(in.size(), untouched);
        math.exp_many(in.data() + offset, out.data() + offset, count);
        for (std::size_t i = 0; i < out.size(); ++i) {
          const bool inside = i >= offset && i < offset + count;
          const float expected = inside ? math.exp(in[i]) : untouched;
          if (to_bits(out[i]) != to_bits(expected)) {
            FAIL(math.name, " offset ", offset, " count ", count, " element ", i);
          }
        }
      }
    }
  }
}

TEST_CASE("the dispatching exp_many is one of the variants") {
  std::vector<float> values{-1.0F, 0.0F, 1.0F, -200.0F, 200.0F};
  exp_many(values, values);
  CHECK(to_bits(values[0]) == 0x3ebc5ab2);
  CHECK(values[1] == 1.0F);
  CHECK(to_bits(values[2]) == 0x402df854);
  CHECK(values[3] == 0.0F);
  CHECK(to_bits(values[4]) == float_infinity_bits);
  std::printf("fastest variant here: %s\n", fastest_exact_math().name.data());
}

}  // namespace
}  // namespace pspllm::host
