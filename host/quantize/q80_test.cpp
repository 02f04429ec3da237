#include "host/quantize/q80.hpp"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <vector>

namespace pspllm::host {
namespace {

struct Quantized {
  std::vector<std::int8_t> values;
  std::vector<float> scales;
};

Quantized quantized(const std::vector<float>& weights, std::uint32_t group_size) {
  Quantized result;
  result.values.resize(weights.size());
  result.scales.resize(weights.size() / group_size);
  quantize_q80(weights, group_size, result.values, result.scales);
  return result;
}

}  // namespace

TEST_CASE("the largest magnitude becomes 127, each group by itself") {
  const Quantized result = quantized({-2.0F, 1.0F, 0.25F, 0.0F}, 2);
  CHECK(result.values == std::vector<std::int8_t>{-127, 64, 127, 0});
  CHECK(result.scales == std::vector<float>{2.0F / 127.0F, 0.25F / 127.0F});
}

TEST_CASE("halves are rounded to even, as torch.round does") {
  // Scale 1: the quotients are the weights.
  CHECK(quantized({127.0F, 0.5F, 1.5F, 2.5F, -0.5F, -1.5F, -2.5F, 3.5F}, 8).values ==
        std::vector<std::int8_t>{127, 0, 2, 2, 0, -2, -2, 4});
}

TEST_CASE("an all-zero group gives zeros") {
  const Quantized result = quantized({0.0F, -0.0F, 0.0F, 0.0F}, 4);
  CHECK(result.values == std::vector<std::int8_t>(4, 0));
  CHECK(result.scales[0] == 0.0F);
}

TEST_CASE("subnormal weights stay within int8") {
  const float tiny = std::numeric_limits<float>::denorm_min();
  for (const float factor : {1.0F, 60.0F, 100.0F, 189.0F, 190.0F, 200.0F, 1000.0F}) {
    const Quantized result = quantized({tiny * factor, -tiny * factor}, 2);
    CHECK(result.values[0] == -result.values[1]);
    CHECK(result.values[0] >= 0);
  }
  const float largest = std::numeric_limits<float>::max();
  CHECK(quantized({largest, -largest}, 2).values == std::vector<std::int8_t>{127, -127});
}

TEST_CASE("the default group is the largest of 64, 32, 16 ... that divides every row") {
  const auto group = [](std::uint32_t dim, std::uint32_t hidden_dim) {
    ModelConfig config;
    config.dim = dim;
    config.hidden_dim = hidden_dim;
    return largest_q80_group(config);
  };
  CHECK(group(64, 172) == 4);
  CHECK(group(128, 352) == 32);
  CHECK(group(288, 768) == 32);
  CHECK(group(512, 1376) == 32);
  CHECK(group(4096, 11008) == 64);
  CHECK(group(10, 15) == 1);
}

}  // namespace pspllm::host
