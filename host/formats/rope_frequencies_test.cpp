#include "host/formats/rope_frequencies.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace pspllm::host {

TEST_CASE("frequencies fall from 1 by the base") {
  ModelConfig config;
  config.dim = 16;
  config.n_heads = 2;
  config.rope_base = 10000.0F;
  const std::vector<float> frequencies = rope_frequencies(config);
  REQUIRE(frequencies.size() == 4);
  CHECK(frequencies[0] == 1.0F);
  CHECK(frequencies[1] == doctest::Approx(0.1));
  CHECK(frequencies[3] == doctest::Approx(0.001));
}

TEST_CASE("Llama 3's scaling keeps short waves, divides long ones and interpolates between") {
  // Wave lengths 2 pi / frequency of 6.28, 4189 and 62832 against 8192 / 4 = 2048 and 8192 / 1.
  std::vector<float> frequencies{1.0F, 0.0015F, 0.0001F};
  scale_rope_like_llama3(frequencies, {8.0, 1.0, 4.0, 8192.0});
  CHECK(frequencies[0] == 1.0F);
  const double share = (8192.0 / (2.0 * 3.141592653589793 / 0.0015) - 1.0) / 3.0;
  CHECK(frequencies[1] == doctest::Approx((1.0 - share) * 0.0015 / 8.0 + share * 0.0015));
  CHECK(frequencies[2] == doctest::Approx(0.0001 / 8.0));
}

TEST_CASE("linear scaling divides every frequency") {
  std::vector<float> frequencies{1.0F, 0.5F};
  scale_rope_linearly(frequencies, 2.0F);
  CHECK(frequencies == std::vector<float>{0.5F, 0.25F});
}

}  // namespace pspllm::host
