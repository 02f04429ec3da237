// The reference of integer attention against its definition in docs/numerics.md, written down a second time.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "engine/math/exact_math.hpp"
#include "engine/ops/kernels.hpp"
#include "engine/testing/int8_attention_case.hpp"

namespace pspllm {
namespace {

using testing::attend_with_kernels;
using testing::random_inputs;
using Shape = testing::Int8AttentionShape;
using Inputs = testing::Int8AttentionInputs;

struct Quantized {
  std::vector<int> values;
  float scale = 0.0F;
};

Quantized quantize_plainly(const float* x, std::size_t n) {
  Quantized result{std::vector<int>(n), 0.0F};
  float largest = 0.0F;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::fabs(x[i]));
  const float scale = largest / 127.0F;
  if (!std::isnormal(scale)) return result;
  result.scale = scale;
  for (std::size_t i = 0; i < n; ++i) {
    result.values[i] = static_cast<int>(std::lround(x[i] / scale));
    REQUIRE(std::abs(result.values[i]) <= 127);
  }
  return result;
}

/// Keys and values of one head, slot by slot; the query of one token.
struct PlainHead {
  std::vector<Quantized> keys, values;
  Quantized query;
};

/// Every sum in 64 bits, and checked to fit 32.
std::vector<float> attend_plainly(const PlainHead& head, std::uint32_t window) {
  const auto fits = [](std::int64_t sum) { return sum >= INT32_MIN && sum <= INT32_MAX; };
  const std::size_t head_dim = head.query.values.size();
  std::vector<float> weights;
  for (const Quantized& key : head.keys) {
    std::int64_t dot = 0;
    for (std::size_t i = 0; i < head_dim; ++i) dot += std::int64_t{head.query.values[i]} * key.values[i];
    REQUIRE(fits(dot));
    weights.push_back(((static_cast<float>(dot) * head.query.scale) * key.scale) /
                      std::sqrt(static_cast<float>(head_dim)));
  }
  const float largest_score = *std::max_element(weights.begin(), weights.end());
  float sum = 0.0F;
  for (float& weight : weights) {
    weight = exact_exp(weight - largest_score);
    sum += weight;
  }
  float largest = 0.0F;
  for (std::size_t slot = 0; slot < weights.size(); ++slot) {
    weights[slot] = (weights[slot] / sum) * head.values[slot].scale;
    largest = std::max(largest, weights[slot]);
  }
  const auto limit =
      static_cast<float>(std::min<std::int64_t>(32767, INT32_MAX / (std::int64_t{127} * window)));
  std::vector<float> out(head_dim, 0.0F);
  if (!std::isnormal(largest)) return out;
  for (std::size_t i = 0; i < head_dim; ++i) {
    std::int64_t total = 0;
    for (std::size_t slot = 0; slot < weights.size(); ++slot) {
      const std::int64_t weight = std::lround((weights[slot] / largest) * limit);
      total += weight * head.values[slot].values[i];
      REQUIRE(fits(total));
    }
    out[i] = static_cast<float>(total) * (largest / limit);
  }
  return out;
}

void check(const Shape& shape, const Inputs& inputs) {
  const std::vector<float> out = attend_with_kernels(reference_kernels(), shape, inputs);
  const std::size_t kv_dim = std::size_t{shape.n_kv_heads} * shape.head_dim;
  for (std::uint32_t token = 0; token < shape.n_tokens; ++token) {
    for (std::uint32_t head_index = 0; head_index < shape.n_heads(); ++head_index) {
      CAPTURE(token);
      CAPTURE(head_index);
      PlainHead head;
      const std::size_t at = (std::size_t{token} * shape.n_heads() + head_index) * shape.head_dim;
      head.query = quantize_plainly(inputs.query.data() + at, shape.head_dim);
      for (std::uint32_t slot = 0; slot < shape.n_slots(); ++slot) {
        if (slot > shape.first_slot + token && slot < shape.older_begin()) continue;
        const std::size_t row =
            slot * kv_dim + std::size_t{head_index / shape.heads_per_kv_head} * shape.head_dim;
        head.keys.push_back(quantize_plainly(inputs.keys.data() + row, shape.head_dim));
        head.values.push_back(quantize_plainly(inputs.values.data() + row, shape.head_dim));
      }
      const std::vector<float> expected = attend_plainly(head, shape.n_slots());
      CHECK(std::memcmp(out.data() + at, expected.data(), expected.size() * sizeof(float)) == 0);
    }
  }
}

}  // namespace

TEST_CASE("attention with int8 keys and values has the contract's bits") {
  std::mt19937 random(7);
  for (const std::uint32_t head_dim : {2U, 8U, 10U, 48U, 64U}) {
    for (const std::uint32_t first_slot : {0U, 1U, 17U, 120U}) {
      for (const float spread : {0.3F, 3.0F, 30.0F}) {
        CAPTURE(head_dim);
        CAPTURE(first_slot);
        const Shape one{1, first_slot, 0, 0, 2, 2, head_dim};
        check(one, random_inputs(one, random, spread));
        const Shape batch{5, first_slot, 9, 3, 3, 1, head_dim};
        check(batch, random_inputs(batch, random, spread));
      }
    }
  }
}

TEST_CASE("sums stay within int32 where every value is the largest and all positions weigh the same") {
  for (const std::uint32_t n_slots : {1U, 300U, 516U, 517U, 5000U}) {
    CAPTURE(n_slots);
    const Shape shape{1, n_slots - 1, 0, 0, 1, 1, 4};
    const std::vector<float> same(std::size_t{n_slots} * 4, -2.5F);
    check(shape, {std::vector<float>(4, 1.0F), same, same});
  }
}

TEST_CASE("zeros, nearly zeros and infinities give zeros, never NaN") {
  const Shape shape{1, 4, 0, 0, 1, 1, 8};
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float fill : {0.0F, -0.0F, 1e-44F, 1e-39F, infinity}) {
    CAPTURE(fill);
    const std::vector<float> rows(5 * 8, fill);
    const std::vector<float> out =
        attend_with_kernels(reference_kernels(), shape, {std::vector<float>(8, fill), rows, rows});
    for (const float value : out) CHECK(std::bit_cast<std::uint32_t>(value) == 0);
  }
}

TEST_CASE("the integer result is close to attention in floats") {
  std::mt19937 random(3);
  const Shape shape{1, 99, 0, 0, 1, 1, 64};
  const Inputs inputs = random_inputs(shape, random, 1.0F);
  const std::vector<float> out = attend_with_kernels(reference_kernels(), shape, inputs);
  std::vector<float> keys = inputs.keys;
  std::vector<float> values = inputs.values;
  std::vector<float> scores(100);
  std::vector<float> exact(64);
  AttentionJob job;
  job.query = inputs.query.data();
  job.cache = {keys.data(), values.data(), 100};
  job.scores = scores.data();
  job.out = exact.data();
  job.n_tokens = 1;
  job.first_position = 99;
  job.n_heads = 1;
  job.n_kv_heads = 1;
  job.head_dim = 64;
  reference_kernels().attention(job, {0, 1});
  for (std::size_t i = 0; i < exact.size(); ++i) CHECK(std::fabs(out[i] - exact[i]) < 0.02F);
}

}  // namespace pspllm
