// Attention over a cache that each set lays out in its own way.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "engine/ops/host/host_kernels.hpp"
#include "engine/ops/host/kernel_test_data.hpp"

namespace pspllm::host {
namespace {

struct Shape {
  std::uint32_t n_tokens = 1;
  std::uint32_t first_position = 0;
  std::uint32_t n_kv_heads = 1;
  std::uint32_t heads_per_kv_head = 1;
  std::uint32_t head_dim = 8;

  [[nodiscard]] std::uint32_t n_heads() const { return n_kv_heads * heads_per_kv_head; }
  [[nodiscard]] std::uint32_t n_positions() const { return first_position + n_tokens; }
};

/// The set's own cache, filled by its own store_key_value(). Unused positions hold rubbish, as an engine's
/// block may.
std::vector<float> attend(const Kernels& kernels, const Shape& shape, const std::vector<float>& query,
                          const std::vector<float>& keys, const std::vector<float>& values) {
  const auto capacity = static_cast<std::uint32_t>(align_up(shape.n_positions(), kernels.key_tile));
  const std::size_t kv_dim = std::size_t{shape.n_kv_heads} * shape.head_dim;
  std::vector<float> key_cache(capacity * kv_dim, 1e30F);
  std::vector<float> value_cache(capacity * kv_dim, -1e30F);
  std::vector<float> scores(std::size_t{shape.n_heads()} * capacity);
  std::vector<float> out(query.size());
  AttentionJob job;
  job.query = query.data();
  job.cache = {key_cache.data(), value_cache.data(), capacity};
  job.scores = scores.data();
  job.out = out.data();
  job.n_tokens = shape.n_tokens;
  job.first_position = shape.first_position;
  job.n_heads = shape.n_heads();
  job.n_kv_heads = shape.n_kv_heads;
  job.head_dim = shape.head_dim;
  for (std::uint32_t position = 0; position < shape.n_positions(); ++position) {
    kernels.store_key_value(job.cache, position, keys.data() + position * kv_dim,
                            values.data() + position * kv_dim, shape.n_kv_heads, shape.head_dim);
  }
  const std::uint32_t cut = job.n_heads / 2;
  kernels.attention(job, {0, cut});
  kernels.attention(job, {cut, job.n_heads});
  return out;
}

void check_attention(const Shape& shape, std::uint32_t seed, float spread) {
  Random random(seed);
  const std::size_t kv_floats = std::size_t{shape.n_positions()} * shape.n_kv_heads * shape.head_dim;
  const std::vector<float> query =
      random_floats(std::size_t{shape.n_tokens} * shape.n_heads() * shape.head_dim, random, spread);
  const std::vector<float> keys = random_floats(kv_floats, random, spread);
  const std::vector<float> values = random_floats(kv_floats, random);
  const std::vector<float> expected = attend(reference_kernels(), shape, query, keys, values);
  for (const KernelSet& set : available_kernels()) {
    CAPTURE(set.name);
    CAPTURE(shape.head_dim);
    CAPTURE(shape.n_tokens);
    CAPTURE(shape.first_position);
    CHECK(same_bits(attend(*set.kernels, shape, query, keys, values), expected));
  }
}

TEST_CASE("attention of the models' shapes, decode and prefill, near and far positions") {
  for (const std::uint32_t head_dim : {8U, 16U, 48U, 64U, 128U}) {
    for (const std::uint32_t first_position : {0U, 1U, 15U, 16U, 100U, 255U}) {
      check_attention({1, first_position, 2, 2, head_dim}, head_dim + first_position, 1.0F);
      check_attention({9, first_position, 3, 1, head_dim}, head_dim + first_position, 3.0F);
    }
  }
}

TEST_CASE("attention of random shapes, with scores so far apart that weights vanish") {
  CHECK(rc::check([] {
    Shape shape;
    shape.n_tokens = *rc::gen::inRange<std::uint32_t>(1, 12);
    shape.first_position = *rc::gen::inRange<std::uint32_t>(0, 140);
    shape.n_kv_heads = *rc::gen::inRange<std::uint32_t>(1, 4);
    shape.heads_per_kv_head = *rc::gen::inRange<std::uint32_t>(1, 4);
    shape.head_dim = 2 * *rc::gen::inRange<std::uint32_t>(1, 70);
    check_attention(shape, *rc::gen::inRange<std::uint32_t>(1, 1 << 20),
                    *rc::gen::element(0.0F, 0.5F, 5.0F, 50.0F));
  }));
}

}  // namespace
}  // namespace pspllm::host
