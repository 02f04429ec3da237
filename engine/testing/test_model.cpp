#include "engine/testing/test_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/math/rounding.hpp"

namespace pspllm::testing {
namespace {

template <typename Number>
void put(std::string& bytes, Number value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename Number>
void put_all(std::string& bytes, const std::vector<Number>& values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number));
}

/// Numbers in [-1, 1) that depend on seed and index alone.
class Uniform {
 public:
  explicit Uniform(std::uint32_t seed) : counter_(std::uint64_t{seed} << 32) {}

  float next() {
    std::uint64_t z = counter_++ * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    return static_cast<float>(z >> 40) / 8388608.0F - 1.0F;
  }

  std::vector<float> norm(std::size_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = 1.0F + 0.1F * next();
    return values;
  }

  std::vector<float> matrix(std::uint32_t rows, std::uint32_t cols, double gain) {
    const auto factor = static_cast<float>(gain * std::sqrt(3.0 / cols));
    std::vector<float> values(std::size_t{rows} * cols);
    for (float& value : values) value = next() * factor;
    return values;
  }

 private:
  std::uint64_t counter_;
};

constexpr double embedding_gain = 4.0;
constexpr double layer_gain = 1.5;

struct MatrixShape {
  std::uint32_t rows;
  std::uint32_t cols;
};

/// wq, wk, wv, wo, w1, w2, w3: the order in which every version stores them.
std::array<MatrixShape, 7> layer_matrices(const TestShape& shape) {
  const std::uint32_t kv_dim = shape.dim / shape.n_heads * shape.n_kv_heads;
  return {{{shape.dim, shape.dim},
           {kv_dim, shape.dim},
           {kv_dim, shape.dim},
           {shape.dim, shape.dim},
           {shape.hidden_dim, shape.dim},
           {shape.dim, shape.hidden_dim},
           {shape.hidden_dim, shape.dim}}};
}

void put_shape(std::string& bytes, const TestShape& shape, std::uint32_t vocab_field) {
  for (const std::uint32_t field : {shape.dim, shape.hidden_dim, shape.n_layers, shape.n_heads,
                                    shape.n_kv_heads, vocab_field, shape.seq_len}) {
    put(bytes, field);
  }
}

std::string make_header(const TestShape& shape, std::uint32_t version) {
  constexpr std::size_t header_bytes = 256;
  std::string bytes;
  put(bytes, std::uint32_t{0x616b3432});
  put(bytes, version);
  put_shape(bytes, shape, shape.vocab_size);
  put(bytes, static_cast<std::uint8_t>(shape.tied_classifier ? 1 : 0));
  if (version == 2) put(bytes, shape.group_size);
  bytes.resize(header_bytes, '\0');
  return bytes;
}

void put_q80(std::string& bytes, const std::vector<float>& weights, std::uint32_t group_size) {
  std::vector<std::int8_t> values(weights.size());
  std::vector<float> scales(weights.size() / group_size);
  for (std::size_t group = 0; group < scales.size(); ++group) {
    const float* const first = weights.data() + group * group_size;
    float largest = 0.0F;
    for (std::uint32_t i = 0; i < group_size; ++i) largest = std::max(largest, std::fabs(first[i]));
    scales[group] = largest == 0.0F ? 1.0F : largest / 127.0F;
    for (std::uint32_t i = 0; i < group_size; ++i) {
      values[group * group_size + i] = static_cast<std::int8_t>(round_half_even(first[i] / scales[group]));
    }
  }
  put_all(bytes, values);
  put_all(bytes, scales);
}

}  // namespace

std::string make_q80_model(const TestShape& shape) {
  std::string bytes = make_header(shape, 2);
  Uniform uniform(shape.seed);
  const std::size_t all_norms = std::size_t{shape.n_layers} * shape.dim;
  put_all(bytes, uniform.norm(all_norms));
  put_all(bytes, uniform.norm(all_norms));
  put_all(bytes, uniform.norm(shape.dim));
  put_q80(bytes, uniform.matrix(shape.vocab_size, shape.dim, embedding_gain), shape.group_size);
  for (const MatrixShape& matrix : layer_matrices(shape)) {
    for (std::uint32_t layer = 0; layer < shape.n_layers; ++layer) {
      put_q80(bytes, uniform.matrix(matrix.rows, matrix.cols, layer_gain), shape.group_size);
    }
  }
  if (!shape.tied_classifier) {
    put_q80(bytes, uniform.matrix(shape.vocab_size, shape.dim, embedding_gain), shape.group_size);
  }
  return bytes;
}

std::string make_f32_model(const TestShape& shape, std::uint32_t version) {
  std::string bytes;
  if (version == 0) {
    put_shape(bytes, shape, shape.tied_classifier ? shape.vocab_size : 0U - shape.vocab_size);
  } else {
    bytes = make_header(shape, version);
  }
  Uniform uniform(shape.seed);
  const std::size_t all_norms = std::size_t{shape.n_layers} * shape.dim;
  const std::vector<float> attention_norms = uniform.norm(all_norms);
  const std::vector<float> ffn_norms = uniform.norm(all_norms);
  const std::vector<float> final_norm = uniform.norm(shape.dim);
  const std::vector<float> embedding = uniform.matrix(shape.vocab_size, shape.dim, embedding_gain);
  if (version == 0) {
    put_all(bytes, embedding);
    put_all(bytes, attention_norms);
  } else {
    put_all(bytes, attention_norms);
    put_all(bytes, ffn_norms);
    put_all(bytes, final_norm);
    put_all(bytes, embedding);
  }
  const auto matrices = layer_matrices(shape);
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    constexpr std::size_t first_of_feed_forward = 4;
    if (version == 0 && i == first_of_feed_forward) put_all(bytes, ffn_norms);
    for (std::uint32_t layer = 0; layer < shape.n_layers; ++layer) {
      put_all(bytes, uniform.matrix(matrices[i].rows, matrices[i].cols, layer_gain));
    }
  }
  if (version == 0) {
    put_all(bytes, final_norm);
    put_all(bytes, std::vector<float>(std::size_t{shape.seq_len} * (shape.dim / shape.n_heads)));
  }
  if (!shape.tied_classifier) put_all(bytes, uniform.matrix(shape.vocab_size, shape.dim, embedding_gain));
  return bytes;
}

std::string make_tokenizer(std::uint32_t vocab_size) {
  std::vector<std::string> pieces{"<unk>", "\n<s>\n", "\n</s>\n"};
  constexpr const char* digits = "0123456789ABCDEF";
  for (unsigned byte = 0; byte < 256; ++byte) {
    pieces.push_back(std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">");
  }
  for (const char* piece : {" ", "e", "t", "a", "h", "n", "o", "d", "s", "he", " t", "in", "the", " the",
                            "an", "and", " and", "\xC3\xA9", "ed"}) {
    pieces.emplace_back(piece);
  }
  while (pieces.size() < vocab_size) pieces.push_back(std::string("w").append(std::to_string(pieces.size())));
  pieces.resize(vocab_size);
  std::uint32_t longest = 0;
  for (const std::string& piece : pieces)
    longest = std::max(longest, static_cast<std::uint32_t>(piece.size()));
  std::string bytes;
  put(bytes, longest);
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    put(bytes, -static_cast<float>(id));
    put(bytes, static_cast<std::int32_t>(pieces[id].size()));
    bytes += pieces[id];
  }
  return bytes;
}

}  // namespace pspllm::testing
