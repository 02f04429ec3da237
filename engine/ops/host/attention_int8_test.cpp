// Integer attention of every host set against the reference, over caches in the sets' own layouts.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <limits>

#include "engine/ops/host/attention_int8.hpp"
#include "engine/ops/host/host_kernels.hpp"
#include "engine/ops/host/kernel_test_data.hpp"
#include "engine/ops/host/packed_q80.hpp"
#include "engine/testing/int8_attention_case.hpp"
#include "engine/testing/rolling_text.hpp"

namespace pspllm::host {
namespace {

using testing::attend_with_kernels;
using testing::Int8AttentionInputs;
using testing::Int8AttentionShape;

/// AVX-512 VNNI's arithmetic and layout in plain code, narrower, so that processors without it test its
/// unsigned keys of four columns.
struct VnniModel {
  static constexpr std::uint32_t lanes = 4;
  static constexpr std::uint32_t attending_tokens = 4;
  static constexpr PackedFormat format{.lanes = lanes, .columns_per_step = 4, .value_flip = 0x80};
  using Activation = std::int8_t;
  using WeightStep = Vector<std::uint8_t, 16>;
  using Pairs = Vector<std::int16_t, 8>;

  static WeightStep load_weights(const std::byte* from) noexcept {
    WeightStep step;
    __builtin_memcpy(&step, from, sizeof step);
    return step;
  }
  static Ints<lanes> multiply_add(Ints<lanes> sum, WeightStep weights, std::int32_t activations) noexcept {
    std::int8_t x[4];
    __builtin_memcpy(x, &activations, sizeof x);
    for (std::uint32_t i = 0; i < 16; ++i) sum[i / 4] += weights[i] * x[i % 4];
    return sum;
  }
  static Pairs load_pairs(const std::byte* from) noexcept {
    Pairs pairs{};
    for (std::uint32_t i = 0; i < 8; ++i) pairs[i] = static_cast<std::int8_t>(from[i]);
    return pairs;
  }
  static Ints<lanes> multiply_add_pairs(Ints<lanes> sum, Pairs pairs, std::int32_t weights) noexcept {
    std::int16_t w[2];
    __builtin_memcpy(w, &weights, sizeof w);
    for (std::uint32_t i = 0; i < 8; ++i) sum[i / 2] += pairs[i] * w[i % 2];
    return sum;
  }
};

std::vector<KernelSet> all_sets() {
  static const Kernels model = [] {
    Kernels kernels = reference_kernels();
    kernels.key_tile = VnniModel::lanes;
    kernels.store_key_value_int8 = store_key_value_int8<VnniModel>;
    kernels.attention_int8 = attention_int8<VnniModel>;
    return kernels;
  }();
  std::vector<KernelSet> sets(available_kernels().begin(), available_kernels().end());
  sets.push_back({"model of avx512vnni", &model});
  return sets;
}

void check(const Int8AttentionShape& shape, const Int8AttentionInputs& inputs) {
  const std::vector<float> expected = attend_with_kernels(reference_kernels(), shape, inputs);
  for (const KernelSet& set : all_sets()) {
    CAPTURE(set.name);
    CAPTURE(shape.head_dim);
    CAPTURE(shape.n_tokens);
    CAPTURE(shape.first_slot);
    CAPTURE(shape.older);
    CHECK(same_bits(attend_with_kernels(*set.kernels, shape, inputs), expected));
  }
}

TEST_CASE("integer attention of the models' shapes, before and after the window has wrapped") {
  std::mt19937 random(1);
  for (const std::uint32_t head_dim : {8U, 16U, 48U, 64U, 128U}) {
    for (const std::uint32_t first_slot : {0U, 1U, 15U, 16U, 100U, 255U}) {
      for (const std::uint32_t older : {0U, 1U, 40U}) {
        const Int8AttentionShape decode{1, first_slot, older, 0, 3, 3, head_dim};
        check(decode, testing::random_inputs(decode, random, 1.0F));
        const Int8AttentionShape prefill{9, first_slot, older, 5, 2, 1, head_dim};
        check(prefill, testing::random_inputs(prefill, random, 3.0F));
      }
    }
  }
}

TEST_CASE("integer attention of random shapes") {
  CHECK(rc::check([] {
    Int8AttentionShape shape;
    shape.n_tokens = *rc::gen::inRange<std::uint32_t>(1, 12);
    shape.first_slot = *rc::gen::inRange<std::uint32_t>(0, 140);
    shape.older = *rc::gen::element<std::uint32_t>(0, 0, 1, 30);
    shape.hidden = *rc::gen::inRange<std::uint32_t>(0, 9);
    shape.n_kv_heads = *rc::gen::inRange<std::uint32_t>(1, 4);
    shape.heads_per_kv_head = *rc::gen::inRange<std::uint32_t>(1, 5);
    shape.head_dim = 2 * *rc::gen::inRange<std::uint32_t>(1, 70);
    std::mt19937 random(*rc::gen::inRange<std::uint32_t>(1, 1 << 20));
    check(shape, testing::random_inputs(shape, random, *rc::gen::element(0.0F, 0.5F, 5.0F, 50.0F)));
  }));
}

TEST_CASE("integer attention of the largest sums, zeros, nearly zeros and infinities") {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const std::uint32_t n_slots : {1U, 300U, 517U, 3000U}) {
    const Int8AttentionShape shape{1, n_slots - 1, 0, 0, 1, 2, 32};
    for (const float fill : {-2.5F, 0.0F, 1e-44F, 1e-39F, infinity, -1e38F}) {
      const std::vector<float> rows(std::size_t{n_slots} * 32, fill);
      check(shape, {std::vector<float>(64, fill), rows, rows});
    }
  }
}

TEST_CASE("a text in a rolling window is the reference's with every set") {
  const std::vector<std::int32_t> expected = testing::rolling_text(reference_kernels());
  CHECK(expected.size() == 200);
  for (const KernelSet& set : available_kernels()) {
    CAPTURE(set.name);
    CHECK(testing::rolling_text(*set.kernels) == expected);
  }
}

}  // namespace
}  // namespace pspllm::host
