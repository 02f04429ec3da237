// Every VFPU kernel against the scalar reference, bit for bit, on the model of the VFPU.
#include "engine/ops/psp/vfpu_kernels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "engine/core/limits.hpp"

namespace pspllm {
namespace {

/// Bytes on a 64-byte boundary, as the engine's block gives them.
struct AlignedBytes {
  explicit AlignedBytes(std::size_t size)
      : storage(size + 2 * block_alignment),
        data(reinterpret_cast<std::byte*>(
            align_up(reinterpret_cast<std::uintptr_t>(storage.data()), block_alignment))) {}
  static std::uintptr_t align_up(std::uintptr_t value, std::uintptr_t to) {
    return (value + to - 1) / to * to;
  }
  std::vector<std::byte> storage;
  std::byte* data;
  [[nodiscard]] float* floats() const { return reinterpret_cast<float*>(data); }
};

struct Shape {
  std::uint32_t rows, cols, group_size;
};

constexpr Shape shapes[] = {{8, 32, 32}, {48, 96, 32},    {19, 64, 32}, {16, 64, 64},    {9, 192, 64},
                            {13, 40, 4}, {24, 60, 12},    {7, 32, 32},  {11, 36, 12},    {10, 30, 6},
                            {5, 7, 7},   {8, 2048, 1024}, {8, 16, 8},   {3, 2064, 1032}, {16, 768, 32}};

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

void fill_q80(const AlignedBytes& memory, const Shape& shape, std::mt19937& random) {
  const std::size_t count = std::size_t{shape.rows} * shape.cols;
  for (std::size_t i = 0; i < count; ++i) memory.data[i] = static_cast<std::byte>(random());
  auto* scales = reinterpret_cast<float*>(memory.data + scales_offset(shape.rows, shape.cols));
  std::uniform_real_distribution<float> scale(0.0005F, 0.02F);
  for (std::size_t i = 0; i < count / shape.group_size; ++i) scales[i] = scale(random);
}

std::vector<float> random_floats(std::size_t count, std::mt19937& random, float size = 3.0F) {
  std::normal_distribution<float> normal(0.0F, size);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

void check_matmul(const Shape& shape, std::uint32_t n_tokens, std::mt19937& random) {
  CAPTURE(shape.rows);
  CAPTURE(shape.cols);
  CAPTURE(shape.group_size);
  CAPTURE(n_tokens);
  const Kernels& reference = reference_kernels();
  const Kernels& vfpu = psp::vfpu_kernels();
  const std::size_t bytes =
      scales_offset(shape.rows, shape.cols) + std::size_t{shape.rows} * shape.cols * 4 + 256;
  const AlignedBytes plain(bytes);
  const AlignedBytes packed(bytes);
  fill_q80(plain, shape, random);
  std::memcpy(packed.data, plain.data, bytes);
  const Matrix plain_matrix{TensorFormat::q80, shape.rows, shape.cols, shape.group_size, plain.data};
  const Matrix packed_matrix{TensorFormat::q80, shape.rows, shape.cols, shape.group_size, packed.data};
  const AlignedBytes scratch(vfpu.prepare_scratch_bytes(packed_matrix));
  vfpu.prepare(packed_matrix, {scratch.data, vfpu.prepare_scratch_bytes(packed_matrix)});

  const AlignedBytes x(std::size_t{n_tokens} * shape.cols * sizeof(float));
  const std::vector<float> values = random_floats(std::size_t{n_tokens} * shape.cols, random);
  std::memcpy(x.data, values.data(), values.size() * sizeof(float));
  const AlignedBytes plain_x(n_tokens * reference.quantized_bytes(shape.cols, shape.group_size));
  const AlignedBytes packed_x(n_tokens * vfpu.quantized_bytes(shape.cols, shape.group_size));
  const QuantizedActivations plain_activations{plain_x.data, n_tokens, shape.cols, shape.group_size};
  const QuantizedActivations packed_activations{packed_x.data, n_tokens, shape.cols, shape.group_size};
  reference.quantize(x.floats(), plain_activations);
  vfpu.quantize(x.floats(), packed_activations);

  const AlignedBytes expected(std::size_t{n_tokens} * shape.rows * sizeof(float));
  const AlignedBytes found(std::size_t{n_tokens} * shape.rows * sizeof(float));
  reference.matmul_q80(plain_matrix, plain_activations, expected.floats(), shape.rows, {0, shape.rows});
  // In two parts, as threads or a console would split it.
  const std::uint32_t middle = shape.rows / 2 / psp::stripe_rows * psp::stripe_rows;
  vfpu.matmul_q80(packed_matrix, packed_activations, found.floats(), shape.rows, {0, middle});
  vfpu.matmul_q80(packed_matrix, packed_activations, found.floats(), shape.rows, {middle, shape.rows});
  for (std::size_t i = 0; i < std::size_t{n_tokens} * shape.rows; ++i) {
    CAPTURE(i);
    REQUIRE(bits(found.floats()[i]) == bits(expected.floats()[i]));
  }

  std::vector<float> expected_row(shape.cols);
  std::vector<float> found_row(shape.cols);
  for (std::uint32_t row = 0; row < shape.rows; ++row) {
    reference.dequantize_row(plain_matrix, row, expected_row.data());
    vfpu.dequantize_row(packed_matrix, row, found_row.data());
    REQUIRE(std::memcmp(expected_row.data(), found_row.data(), shape.cols * sizeof(float)) == 0);
  }
}

TEST_CASE("the VFPU's q80 matmul gives the reference's bits") {
  std::mt19937 random(1);
  for (const Shape& shape : shapes) {
    for (const std::uint32_t n_tokens : {1U, 2U, 3U, 4U, 5U, 8U, 19U}) check_matmul(shape, n_tokens, random);
  }
}

TEST_CASE("the VFPU's quantisation gives the reference's values, also at the edges") {
  const std::uint32_t n = 32;
  const Kernels& reference = reference_kernels();
  const Kernels& vfpu = psp::vfpu_kernels();
  std::mt19937 random(2);
  const float inf = std::numeric_limits<float>::infinity();
  const float edges[] = {0.0F, 0.5F, -0.5F, 0.49999997F, 127.0F, 1e-38F, 1e-42F, 3e38F, inf, std::nanf("")};
  for (int round = 0; round < 2000; ++round) {
    const AlignedBytes x(n * sizeof(float));
    const std::vector<float> values = random_floats(n, random, round % 3 == 0 ? 1e-3F : 50.0F);
    std::memcpy(x.data, values.data(), n * sizeof(float));
    for (int i = 0; i < round % 7; ++i) x.floats()[random() % n] = edges[random() % std::size(edges)];
    if (round % 11 == 0) std::memset(x.data, 0, n * sizeof(float));
    const AlignedBytes expected(reference.quantized_bytes(n, n));
    const AlignedBytes found(vfpu.quantized_bytes(n, n));
    reference.quantize(x.floats(), {expected.data, 1, n, n});
    vfpu.quantize(x.floats(), {found.data, 1, n, n});
    for (std::uint32_t i = 0; i < n; ++i) {
      CAPTURE(round);
      CAPTURE(i);
      REQUIRE(found.floats()[i] ==
              static_cast<float>(reinterpret_cast<const std::int8_t*>(expected.data)[i]));
    }
    const float expected_scale = *reinterpret_cast<const float*>(expected.data + block_alignment);
    const float found_scale = found.floats()[n];
    REQUIRE(bits(expected_scale) == bits(found_scale));
  }
}

void check_attention(std::uint32_t n_heads, std::uint32_t n_kv_heads, std::uint32_t head_dim,
                     std::uint32_t n_tokens, std::uint32_t first_position, std::mt19937& random) {
  CAPTURE(head_dim);
  CAPTURE(first_position);
  const std::uint32_t capacity = (first_position + n_tokens + 3) / 4 * 4;
  const std::uint32_t kv_dim = n_kv_heads * head_dim;
  const std::uint32_t dim = n_heads * head_dim;
  const Kernels* const sets[] = {&reference_kernels(), &psp::vfpu_kernels()};
  const std::vector<float> keys = random_floats(std::size_t{capacity} * kv_dim, random, 1.0F);
  const std::vector<float> values = random_floats(std::size_t{capacity} * kv_dim, random, 1.0F);
  const std::vector<float> queries = random_floats(std::size_t{n_tokens} * dim, random, 1.0F);
  std::vector<std::vector<float>> results;
  for (const Kernels* kernels : sets) {
    const AlignedBytes key_cache(std::size_t{capacity} * kv_dim * sizeof(float));
    const AlignedBytes value_cache(std::size_t{capacity} * kv_dim * sizeof(float));
    const AlignedBytes query(queries.size() * sizeof(float));
    const AlignedBytes scores(std::size_t{n_heads} * capacity * sizeof(float));
    const AlignedBytes out(queries.size() * sizeof(float));
    std::memcpy(query.data, queries.data(), queries.size() * sizeof(float));
    const LayerCache cache{key_cache.floats(), value_cache.floats(), capacity};
    for (std::uint32_t position = 0; position < first_position + n_tokens; ++position) {
      kernels->store_key_value(cache, position, keys.data() + position * kv_dim,
                               values.data() + position * kv_dim, n_kv_heads, head_dim);
    }
    AttentionJob job;
    job.query = query.floats();
    job.cache = cache;
    job.scores = scores.floats();
    job.out = out.floats();
    job.n_tokens = n_tokens;
    job.first_position = first_position;
    job.n_heads = n_heads;
    job.n_kv_heads = n_kv_heads;
    job.head_dim = head_dim;
    kernels->attention(job, {0, n_heads});
    results.emplace_back(out.floats(), out.floats() + queries.size());
  }
  for (std::size_t i = 0; i < results[0].size(); ++i) REQUIRE(bits(results[0][i]) == bits(results[1][i]));
}

TEST_CASE("the VFPU's attention gives the reference's bits") {
  std::mt19937 random(3);
  for (const std::uint32_t head_dim : {8U, 32U, 48U, 64U, 6U, 20U}) {
    for (const std::uint32_t first_position : {0U, 1U, 14U, 15U, 16U, 35U, 63U, 130U}) {
      check_attention(4, 2, head_dim, 1, first_position, random);
      check_attention(4, 4, head_dim, 2, first_position, random);
      // As many tokens at a time as there are heads.
      check_attention(3, 3, head_dim, 7, first_position, random);
    }
  }
}

/// Lengths that fill no vector and no block; magnitudes beyond what the vector paths take.
template <typename Call>
void check_elementwise(Call call) {
  std::mt19937 random(5);
  for (const std::uint32_t n : {1U, 3U, 4U, 8U, 24U, 32U, 64U, 72U, 131U, 288U, 768U}) {
    for (const float size : {0.01F, 1.0F, 20.0F, 60.0F}) {
      CAPTURE(n);
      CAPTURE(size);
      const AlignedBytes expected(n * sizeof(float));
      const AlignedBytes found(n * sizeof(float));
      const AlignedBytes other(n * sizeof(float));
      const std::vector<float> values = random_floats(n, random, size);
      const std::vector<float> others = random_floats(n, random, 1.0F);
      std::memcpy(expected.data, values.data(), n * sizeof(float));
      std::memcpy(found.data, values.data(), n * sizeof(float));
      std::memcpy(other.data, others.data(), n * sizeof(float));
      call(reference_kernels(), expected.floats(), other.floats(), n);
      call(psp::vfpu_kernels(), found.floats(), other.floats(), n);
      for (std::uint32_t i = 0; i < n; ++i) {
        CAPTURE(i);
        REQUIRE(bits(found.floats()[i]) == bits(expected.floats()[i]));
      }
    }
  }
}

TEST_CASE("the VFPU's SwiGLU, softmax and RMSNorm give the reference's bits") {
  check_elementwise(
      [](const Kernels& kernels, float* x, const float* up, std::uint32_t n) { kernels.swiglu(x, up, n); });
  check_elementwise(
      [](const Kernels& kernels, float* x, const float*, std::uint32_t n) { kernels.softmax(x, n); });
  check_elementwise([](const Kernels& kernels, float* x, const float* weight, std::uint32_t n) {
    kernels.rmsnorm(x, x, weight, n, 1e-5F);
  });
}

TEST_CASE("the VFPU's argmax gives the reference's index, the first of equals") {
  std::mt19937 random(4);
  for (const std::uint32_t n : {1U, 4U, 127U, 128U, 129U, 512U, 515U, 2048U, 32000U}) {
    for (int round = 0; round < 20; ++round) {
      const AlignedBytes x(n * sizeof(float));
      const std::vector<float> values = random_floats(n, random, 2.0F);
      for (std::uint32_t i = 0; i < n; ++i)
        x.floats()[i] = round % 2 == 0 ? values[i] : std::round(values[i]);
      if (round == 6) std::fill_n(x.floats(), n, -1.0F);
      if (round > 16) x.floats()[random() % n] = std::nanf("");
      CAPTURE(n);
      CAPTURE(round);
      REQUIRE(psp::vfpu_kernels().argmax(x.floats(), n) == reference_kernels().argmax(x.floats(), n));
    }
  }
}

}  // namespace
}  // namespace pspllm
