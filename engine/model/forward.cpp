#include "engine/model/forward.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

#include "engine/model/rope.hpp"
#include "engine/model/window.hpp"

namespace pspllm {
namespace {

/// A matrix applied to the current input, and where its result goes.
struct Projection {
  const Matrix* matrix = nullptr;
  float* out = nullptr;  // [n_tokens, matrix->rows]
};

struct Pass {
  Engine& engine;
  std::uint32_t n_tokens;
  Placement place;         ///< of the first token
  const float* rope_rows;  // [n_tokens, head_dim / 2, 2]
};

/// What an element of normalisation, quantisation, rotation or SwiGLU costs, in the multiply-adds of a
/// matrix: only the ratio of a vector unit's throughput to that of a chain of additions or an expf matters.
constexpr std::uint64_t work_per_element = 32;

/// Shares out a batch's tokens: body(begin, end). width: elements that a token has.
template <typename Body>
void for_tokens(const Engine& engine, std::uint32_t n_tokens, std::uint32_t width, Body body) noexcept {
  engine.parallel(n_tokens, std::uint64_t{n_tokens} * width * work_per_element, body);
}

std::uint32_t tiles_of(const Matrix& matrix, std::uint32_t row_tile) noexcept {
  return (matrix.rows + row_tile - 1) / row_tile;
}

/// Quantises tokens [begin, end) of x [n_tokens, cols] as matrices of this format want them.
void quantize_tokens(const Kernels& kernels, TensorFormat format, const float* x,
                     const QuantizedActivations& all, Range tokens) noexcept {
  if (format == TensorFormat::f32) return;
  const bool codes = format == TensorFormat::codes;
  QuantizedActivations part = all;
  part.data += tokens.begin * (codes ? kernels.code_activation_bytes(all.cols)
                                     : kernels.quantized_bytes(all.cols, all.group_size));
  part.n_tokens = tokens.end - tokens.begin;
  (codes ? kernels.quantize_codes : kernels.quantize)(x + std::size_t{tokens.begin} * all.cols, part);
}

/// Matrices that share an input: query, key and value.
constexpr std::size_t max_projections = 3;

/// What one thread multiplies.
struct RowsOfThread {
  std::array<ProjectedRows, max_projections> parts;
  std::size_t count = 0;
};

void multiply(const Kernels& kernels, const RowsOfThread& rows, const float* x,
              const QuantizedActivations& quantized) noexcept {
  const std::span<const ProjectedRows> parts = std::span(rows.parts).first(rows.count);
  if (parts.front().matrix->format == TensorFormat::codes) {
    kernels.matmul_codes(parts, quantized);
    return;
  }
  for (const ProjectedRows& part : parts) {
    const Matrix& matrix = *part.matrix;
    if (matrix.format == TensorFormat::f32) {
      kernels.matmul_f32(matrix, x, quantized.n_tokens, part.out, matrix.rows, part.rows);
    } else {
      kernels.matmul_q80(matrix, quantized, part.out, matrix.rows, part.rows);
    }
  }
}

/// Several matrices on one input x [n_tokens, cols]: quantised once, all rows shared out together.
/// make_input(begin, end) fills those tokens' part of x first.
template <typename MakeInput>
void linear(Engine& engine, const float* x, std::uint32_t n_tokens,
            std::initializer_list<Projection> projections, MakeInput make_input) noexcept {
  const Kernels& kernels = *engine.kernels;
  const Matrix& first = *projections.begin()->matrix;
  const std::uint32_t group_size = first.format == TensorFormat::codes ? first.cols : first.group_size;
  const QuantizedActivations quantized{engine.activations.quantized, n_tokens, first.cols, group_size};
  for_tokens(engine, n_tokens, first.cols, [&](std::uint32_t begin, std::uint32_t end) {
    make_input(begin, end);
    quantize_tokens(kernels, first.format, x, quantized, {begin, end});
  });

  std::uint32_t tiles = 0;
  std::uint64_t weights = 0;
  for (const Projection& projection : projections) {
    tiles += tiles_of(*projection.matrix, kernels.row_tile);
    weights += std::uint64_t{projection.matrix->rows} * projection.matrix->cols;
  }
  engine.parallel(tiles, weights * n_tokens, [&](std::uint32_t begin, std::uint32_t end) {
    std::uint32_t offset = 0;
    RowsOfThread mine;
    for (const Projection& projection : projections) {
      const Matrix& matrix = *projection.matrix;
      const std::uint32_t count = tiles_of(matrix, kernels.row_tile);
      const std::uint32_t from = std::clamp(begin, offset, offset + count) - offset;
      const std::uint32_t to = std::clamp(end, offset, offset + count) - offset;
      if (from < to) {
        const Range rows{from * kernels.row_tile, std::min(to * kernels.row_tile, matrix.rows)};
        mine.parts[mine.count++] = {&matrix, projection.out, rows};
      }
      offset += count;
    }
    if (mine.count > 0) multiply(kernels, mine, x, quantized);
  });
}

void normalize(const Engine& engine, float* out, const float* x, const float* weight, Range tokens) noexcept {
  const std::size_t dim = engine.config.dim;
  for (std::size_t token = tokens.begin; token < tokens.end; ++token) {
    engine.kernels->rmsnorm(out + token * dim, x + token * dim, weight, engine.config.dim,
                            engine.config.norm_epsilon);
  }
}

LayerCache cache_of(const Engine& engine, std::uint32_t layer) noexcept {
  const std::size_t layer_floats = std::size_t{engine.plan.capacity} * engine.config.kv_dim();
  return {reinterpret_cast<float*>(engine.key_cache) + layer * layer_floats,
          reinterpret_cast<float*>(engine.value_cache) + layer * layer_floats, engine.plan.capacity};
}

Int8LayerCache int8_cache_of(const Engine& engine, std::uint32_t layer) noexcept {
  const ModelConfig& config = engine.config;
  const std::uint32_t capacity = engine.plan.capacity;
  const auto rows = static_cast<std::size_t>(int8_rows_bytes(config.n_kv_heads, config.head_dim(), capacity));
  const auto offset =
      layer * static_cast<std::size_t>(int8_layer_bytes(config.n_kv_heads, config.head_dim(), capacity));
  std::byte* const keys = engine.key_cache + offset;
  std::byte* const values = engine.value_cache + offset;
  return {keys, values, reinterpret_cast<float*>(keys + rows), reinterpret_cast<float*>(values + rows),
          capacity};
}

void rotate_and_store(const Pass& pass, std::uint32_t layer) noexcept {
  Engine& engine = pass.engine;
  const ModelConfig& config = engine.config;
  const std::uint32_t head_dim = config.head_dim();
  for_tokens(engine, pass.n_tokens, config.dim, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t token = begin; token < end; ++token) {
      const std::uint32_t slot = pass.place.slot + token;
      const float* rope_row = pass.rope_rows + std::size_t{token} * head_dim;
      float* const key = engine.activations.key + std::size_t{token} * config.kv_dim();
      float* const value = engine.activations.value + std::size_t{token} * config.kv_dim();
      rotate(engine.activations.query + std::size_t{token} * config.dim, rope_row, config.n_heads, head_dim);
      rotate(key, rope_row, config.n_kv_heads, head_dim);
      if (engine.plan.int8_cache) {
        engine.kernels->store_key_value_int8(int8_cache_of(engine, layer), slot, key, value,
                                             config.n_kv_heads, head_dim);
      } else {
        engine.kernels->store_key_value(cache_of(engine, layer), slot, key, value, config.n_kv_heads,
                                        head_dim);
      }
    }
  });
}

AttentionJob attention_job(const Pass& pass, std::uint32_t layer) noexcept {
  const Engine& engine = pass.engine;
  AttentionJob job;
  job.query = engine.activations.query;
  job.cache = cache_of(engine, layer);
  job.scores = engine.scores;
  job.out = engine.activations.branch;
  job.n_tokens = pass.n_tokens;
  job.first_position = pass.place.slot;
  job.n_heads = engine.config.n_heads;
  job.n_kv_heads = engine.config.n_kv_heads;
  job.head_dim = engine.config.head_dim();
  return job;
}

Int8AttentionJob int8_attention_job(const Pass& pass, std::uint32_t layer) noexcept {
  const Engine& engine = pass.engine;
  Int8AttentionJob job;
  job.query = engine.activations.query;
  job.cache = int8_cache_of(engine, layer);
  job.scores = engine.scores;
  job.out = engine.activations.branch;
  job.n_tokens = pass.n_tokens;
  job.first_slot = pass.place.slot;
  job.older = pass.place.older;
  job.largest_weight = static_cast<std::uint32_t>(largest_attention_weight(engine.plan.options.context));
  job.n_heads = engine.config.n_heads;
  job.n_kv_heads = engine.config.n_kv_heads;
  job.head_dim = engine.config.head_dim();
  return job;
}

void attend(const Pass& pass, std::uint32_t layer) noexcept {
  const Engine& engine = pass.engine;
  const ModelConfig& config = engine.config;
  const std::uint32_t seen = std::max(pass.place.slot + pass.n_tokens, pass.place.older.end);
  const std::uint64_t work = std::uint64_t{pass.n_tokens} * seen * config.dim * 2;
  engine.parallel(config.n_heads, work, [&](std::uint32_t begin, std::uint32_t end) {
    if (engine.plan.int8_cache) {
      engine.kernels->attention_int8(int8_attention_job(pass, layer), {begin, end});
    } else {
      engine.kernels->attention(attention_job(pass, layer), {begin, end});
    }
  });
}

void add_to_residual(const Pass& pass, const float* branch) noexcept {
  float* x = pass.engine.activations.x;
  const std::size_t count = std::size_t{pass.n_tokens} * pass.engine.config.dim;
  float* const end = x + count;
  // Four at a time: an addition need not wait for the one before it to be stored.
  for (; end - x >= 4; x += 4, branch += 4) {
    const float first = x[0] + branch[0];
    const float second = x[1] + branch[1];
    const float third = x[2] + branch[2];
    const float fourth = x[3] + branch[3];
    x[0] = first;
    x[1] = second;
    x[2] = third;
    x[3] = fourth;
  }
  for (; x != end; ++x, ++branch) *x += *branch;
}

/// Queries, and the tokens' keys and values in the cache.
void fill_cache(const Pass& pass, const LayerWeights& layer, std::uint32_t layer_index) noexcept {
  Engine& engine = pass.engine;
  Activations& activations = engine.activations;
  linear(
      engine, activations.branch, pass.n_tokens,
      {{&layer.query, activations.query}, {&layer.key, activations.key}, {&layer.value, activations.value}},
      [&](std::uint32_t begin, std::uint32_t end) {
        normalize(engine, activations.branch, activations.x, layer.attention_norm, {begin, end});
      });
  rotate_and_store(pass, layer_index);
}

void attention_block(const Pass& pass, const LayerWeights& layer, std::uint32_t layer_index) noexcept {
  Engine& engine = pass.engine;
  Activations& activations = engine.activations;
  attend(pass, layer_index);
  // The queries have been used: their place takes the block's result.
  linear(engine, activations.branch, pass.n_tokens, {{&layer.attention_output, activations.query}},
         [](std::uint32_t, std::uint32_t) {});
  add_to_residual(pass, activations.query);
}

void feed_forward_block(const Pass& pass, const LayerWeights& layer) noexcept {
  Engine& engine = pass.engine;
  Activations& activations = engine.activations;
  linear(engine, activations.branch, pass.n_tokens,
         {{&layer.gate, activations.gate}, {&layer.up, activations.up}},
         [&](std::uint32_t begin, std::uint32_t end) {
           normalize(engine, activations.branch, activations.x, layer.ffn_norm, {begin, end});
         });
  linear(engine, activations.gate, pass.n_tokens, {{&layer.down, activations.branch}},
         [&](std::uint32_t begin, std::uint32_t end) {
           const std::size_t offset = std::size_t{begin} * engine.config.hidden_dim;
           engine.kernels->swiglu(activations.gate + offset, activations.up + offset,
                                  (end - begin) * engine.config.hidden_dim);
         });
  add_to_residual(pass, activations.branch);
}

void classify(const Pass& pass) noexcept {
  Engine& engine = pass.engine;
  const float* const x = engine.activations.x;
  linear(engine, engine.activations.branch, pass.n_tokens,
         {{&engine.weights.classifier, engine.logits.data()}}, [&](std::uint32_t begin, std::uint32_t end) {
           normalize(engine, engine.activations.branch, x, engine.weights.final_norm, {begin, end});
         });
}

/// Rows of the table where it has them; computed where positions have outgrown it.
const float* rope_rows_of(const Engine& engine, std::uint32_t n_tokens,
                          std::uint32_t first_position) noexcept {
  const std::size_t head_dim = engine.config.head_dim();
  if (first_position < engine.plan.options.context) return engine.rope_table + first_position * head_dim;
  float* const spare_rows = engine.rope_table + engine.plan.capacity * head_dim;
  fill_rope_rows(engine.rope_frequencies, first_position, n_tokens, spare_rows);
  return spare_rows;
}

/// The last token alone goes on; the places of the first one take what has been computed for it.
Pass keep_last_token(const Pass& pass) noexcept {
  const std::size_t dim = pass.engine.config.dim;
  const std::size_t last = pass.n_tokens - 1;
  Activations& activations = pass.engine.activations;
  std::copy_n(activations.x + last * dim, last == 0 ? 0 : dim, activations.x);
  std::copy_n(activations.query + last * dim, last == 0 ? 0 : dim, activations.query);
  Pass last_pass = pass;
  last_pass.n_tokens = 1;
  last_pass.place.slot += pass.n_tokens - 1;
  return last_pass;
}

}  // namespace

Status forward(Engine& engine, std::span<const std::int32_t> tokens, std::uint32_t first_position,
               LogitsFor logits_for, const LayerHook& hook) noexcept {
  const auto n_tokens = static_cast<std::uint32_t>(tokens.size());
  const Pass pass{engine, n_tokens, placement(first_position, engine.plan.options.context),
                  rope_rows_of(engine, n_tokens, first_position)};
  for (std::uint32_t i = 0; i < pass.n_tokens; ++i) {
    engine.kernels->dequantize_row(engine.weights.token_embedding, static_cast<std::uint32_t>(tokens[i]),
                                   engine.activations.x + std::size_t{i} * engine.config.dim);
  }
  for (std::uint32_t layer = 0; layer < engine.config.n_layers; ++layer) {
    if (hook.before_layer != nullptr && !hook.before_layer(hook.context, layer)) return interrupted();
    const LayerWeights& weights = engine.weights.layers[layer];
    const bool is_last = layer + 1 == engine.config.n_layers;
    fill_cache(pass, weights, layer);
    // Behind the last layer's cache, a token matters only where its logits are wanted.
    if (is_last && logits_for == LogitsFor::none) return {};
    if (is_last && logits_for == LogitsFor::last_token) {
      const Pass last = keep_last_token(pass);
      attention_block(last, weights, layer);
      feed_forward_block(last, weights);
      classify(last);
      return {};
    }
    attention_block(pass, weights, layer);
    feed_forward_block(pass, weights);
  }
  classify(pass);
  return {};
}

}  // namespace pspllm
