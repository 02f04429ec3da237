// Integer attention on the VFPU against the scalar reference, bit for bit, on the model of the VFPU.
#include <doctest/doctest.h>

#include <bit>
#include <random>
#include <vector>

#include "engine/ops/psp/vfpu_kernels.hpp"
#include "engine/testing/int8_attention_case.hpp"
#include "engine/testing/rolling_text.hpp"

namespace pspllm {
namespace {

void check_int8_attention(const testing::Int8AttentionShape& shape,
                          const testing::Int8AttentionInputs& inputs) {
  CAPTURE(shape.head_dim);
  CAPTURE(shape.n_tokens);
  CAPTURE(shape.first_slot);
  CAPTURE(shape.older);
  const std::vector<float> expected = testing::attend_with_kernels(reference_kernels(), shape, inputs);
  const std::vector<float> found = testing::attend_with_kernels(psp::vfpu_kernels(), shape, inputs);
  for (std::size_t i = 0; i < expected.size(); ++i)
    REQUIRE(std::bit_cast<std::uint32_t>(found[i]) == std::bit_cast<std::uint32_t>(expected[i]));
}

TEST_CASE(
    "the VFPU's integer attention gives the reference's bits, before and after the window has wrapped") {
  std::mt19937 random(9);
  for (const std::uint32_t head_dim : {16U, 48U, 64U, 8U, 6U}) {
    for (const std::uint32_t first_slot : {0U, 1U, 3U, 14U, 35U, 130U}) {
      for (const std::uint32_t older : {0U, 1U, 22U}) {
        for (const float spread : {0.2F, 1.0F, 4.0F}) {
          const testing::Int8AttentionShape decode{1, first_slot, older, 0, 2, 3, head_dim};
          check_int8_attention(decode, testing::random_inputs(decode, random, spread));
          const testing::Int8AttentionShape prefill{6, first_slot, older, 3, 2, 2, head_dim};
          check_int8_attention(prefill, testing::random_inputs(prefill, random, spread));
        }
      }
    }
  }
}

TEST_CASE("the VFPU's integer attention sums exactly in one run or many, and at the limits") {
  std::mt19937 random(10);
  for (const std::uint32_t n_slots : {1U, 5U, 200U, 516U, 600U, 3000U}) {
    const testing::Int8AttentionShape shape{1, n_slots - 1, 0, 0, 1, 4, 16};
    for (const float fill : {-2.5F, 0.0F, 1e-44F}) {
      const std::vector<float> rows(std::size_t{n_slots} * 16, fill);
      check_int8_attention(shape, {std::vector<float>(64, fill), rows, rows});
    }
    for (const float spread : {0.01F, 1.0F, 1.5F}) {
      check_int8_attention(shape, testing::random_inputs(shape, random, spread));
    }
  }
}

TEST_CASE("a text in a rolling window is the reference's") {
  const std::vector<std::int32_t> expected = testing::rolling_text(reference_kernels());
  CHECK(expected.size() == 200);
  CHECK(testing::rolling_text(psp::vfpu_kernels()) == expected);
}

}  // namespace
}  // namespace pspllm
