#include "host/quantize/calibration/layer_forward.hpp"

#include <algorithm>
#include <cmath>

#include "engine/math/host/exact_math_host.hpp"
#include "host/quantize/dense/multiply.hpp"

namespace pspllm::host {
namespace {

/// Queries whose scores are computed together; keys behind the last of them are left out.
constexpr std::size_t queries_per_block = 64;

void rotate_rows(const DecoderShape& shape, FloatMatrix& rows) {
  const std::size_t head_dim = shape.config.head_dim();
  for (std::size_t position = 0; position < rows.rows; ++position) {
    const float* const table = shape.rope.row(position);
    for (float* x = rows.row(position); x != rows.row(position + 1); x += head_dim) {
      for (std::size_t i = 0; i < head_dim; i += 2) {
        const float x0 = x[i];
        const float x1 = x[i + 1];
        x[i] = x0 * table[i] - x1 * table[i + 1];
        x[i + 1] = x0 * table[i + 1] + x1 * table[i];
      }
    }
  }
}

FloatMatrix project(const MatrixView& x, const FloatMatrix& matrix) {
  FloatMatrix out(x.rows, matrix.rows);
  multiply(x, matrix.view().transposed(), out.mutable_view());
  return out;
}

/// Softmax over the first `count` scores of a row; zeros behind them.
void softmax_prefix(std::span<float> scores, std::size_t count, float scale) {
  const std::span<float> seen = scores.first(count);
  const float largest = *std::max_element(seen.begin(), seen.end());
  for (float& score : seen) score = (score - largest) * scale;
  exp_many(seen, seen);
  double sum = 0.0;
  for (const float value : seen) sum += static_cast<double>(value);
  const auto factor = static_cast<float>(1.0 / sum);
  for (float& value : seen) value *= factor;
  std::fill(scores.begin() + static_cast<std::ptrdiff_t>(count), scores.end(), 0.0F);
}

void attend_head(const MatrixView& query, const MatrixView& key, const MatrixView& value,
                 const MutableView& out) {
  const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(query.cols)));
  for (std::size_t first = 0; first < query.rows; first += queries_per_block) {
    const std::size_t n = std::min(queries_per_block, query.rows - first);
    const std::size_t n_keys = first + n;
    FloatMatrix scores(n, n_keys);
    multiply(query.block(first, 0, n, query.cols), key.block(0, 0, n_keys, key.cols).transposed(),
             scores.mutable_view());
    for (std::size_t row = 0; row < n; ++row) {
      softmax_prefix({scores.row(row), n_keys}, first + row + 1, scale);
    }
    multiply(scores.view(), value.block(0, 0, n_keys, value.cols), out.block(first, 0, n, out.cols));
  }
}

}  // namespace

DecoderShape make_decoder_shape(const ModelConfig& config, std::span<const float> rope_frequencies,
                                std::size_t window) {
  DecoderShape shape{config, FloatMatrix(window, config.head_dim())};
  const ExactMath& math = fastest_exact_math();
  for (std::size_t position = 0; position < window; ++position) {
    for (std::size_t pair = 0; pair < rope_frequencies.size(); ++pair) {
      const float angle = static_cast<float>(position) * rope_frequencies[pair];
      shape.rope.at(position, 2 * pair) = math.cos(angle);
      shape.rope.at(position, 2 * pair + 1) = math.sin(angle);
    }
  }
  return shape;
}

void normalise_rows(const MatrixView& x, std::span<const float> weight, float epsilon,
                    const MutableView& out) {
  for (std::size_t row = 0; row < x.rows; ++row) {
    const float* const from = x.data + row * x.row_stride;
    float* const to = out.data + row * out.row_stride;
    double squares = 0.0;
    for (std::size_t i = 0; i < x.cols; ++i)
      squares += static_cast<double>(from[i]) * static_cast<double>(from[i]);
    const double mean = squares / static_cast<double>(x.cols);
    const auto factor = static_cast<float>(1.0 / std::sqrt(mean + static_cast<double>(epsilon)));
    for (std::size_t i = 0; i < x.cols; ++i) to[i] = weight[i] * (from[i] * factor);
  }
}

void attend(const DecoderShape& shape, const FloatLayer& layer, const MatrixView& normed,
            const MutableView& out) {
  FloatMatrix query = project(normed, layer.query);
  FloatMatrix key = project(normed, layer.key);
  const FloatMatrix value = project(normed, layer.value);
  rotate_rows(shape, query);
  rotate_rows(shape, key);
  const std::size_t head_dim = shape.config.head_dim();
  const std::size_t sharing = shape.config.n_heads / shape.config.n_kv_heads;
  for (std::size_t head = 0; head < shape.config.n_heads; ++head) {
    const std::size_t kv_col = head / sharing * head_dim;
    attend_head(query.view().block(0, head * head_dim, query.rows, head_dim),
                key.view().block(0, kv_col, key.rows, head_dim),
                value.view().block(0, kv_col, value.rows, head_dim),
                out.block(0, head * head_dim, out.rows, head_dim));
  }
}

void activate(const FloatLayer& layer, const MatrixView& normed, const MutableView& out) {
  const FloatMatrix gate = project(normed, layer.gate);
  const FloatMatrix up = project(normed, layer.up);
  std::vector<float> row(gate.cols);
  for (std::size_t t = 0; t < normed.rows; ++t) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = -gate.at(t, i);
    exp_many(row, row);
    float* const to = out.data + t * out.row_stride;
    for (std::size_t i = 0; i < row.size(); ++i) to[i] = gate.at(t, i) / (1.0F + row[i]) * up.at(t, i);
  }
}

void add_projection(const MatrixView& x, const FloatMatrix& matrix, const MutableView& stream) {
  multiply_add(x, matrix.view().transposed(), stream);
}

}  // namespace pspllm::host
