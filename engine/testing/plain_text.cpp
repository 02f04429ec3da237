#include "engine/testing/plain_text.hpp"

#include <algorithm>
#include <cmath>

#include "engine/math/exact_math.hpp"

namespace pspllm::testing {
namespace {

constexpr std::uint32_t sinks = 4;

const Kernels& kernels() {
  return reference_kernels();
}

}  // namespace

PlainText::PlainText(const Engine& engine)
    : engine_(engine), context_(engine.plan.options.context), slots_(context_) {}

std::vector<float> PlainText::add(std::int32_t token) {
  const std::uint32_t limit =
      engine_.plan.rolling && engine_.plan.int8_cache ? engine_.config.seq_len : context_;
  if (position_ == limit) {
    for (std::size_t slot = sinks; slot < slots_.size(); ++slot) slots_[slot].reset();
    position_ = sinks;
    for (std::size_t i = tokens_.size() - context_ / 2; i < tokens_.size(); ++i)
      pass(tokens_[i], position_++);
  }
  tokens_.push_back(token);
  return pass(token, position_++);
}

void PlainText::give_up_step(std::uint32_t slot) {
  const std::uint32_t step = std::clamp<std::uint32_t>(context_ / 8, 1, 32);
  if ((slot - sinks) % step != 0) return;
  for (std::uint32_t i = slot; i < std::min(slot + step, context_); ++i) slots_[i].reset();
}

std::vector<float> PlainText::pass(std::int32_t token, std::uint32_t position) {
  const ModelConfig& config = engine_.config;
  const std::uint32_t slot = position < context_ ? position : sinks + (position - sinks) % (context_ - sinks);
  if (position >= context_) give_up_step(slot);
  slots_[slot] = Entry{std::vector<std::vector<float>>(config.n_layers),
                       std::vector<std::vector<float>>(config.n_layers)};
  std::vector<float> x(config.dim);
  kernels().dequantize_row(engine_.weights.token_embedding, static_cast<std::uint32_t>(token), x.data());
  const auto add_to_x = [&](const std::vector<float>& branch) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += branch[i];
  };
  for (std::size_t i = 0; i < config.n_layers; ++i) {
    const LayerWeights& layer = engine_.weights.layers[i];
    const std::vector<float> input = normalize(x, layer.attention_norm);
    std::vector<float> query = multiply(layer.query, input);
    rotate(query, position);
    slots_[slot]->keys[i] = multiply(layer.key, input);
    rotate(slots_[slot]->keys[i], position);
    slots_[slot]->values[i] = multiply(layer.value, input);
    add_to_x(multiply(layer.attention_output, attend(std::move(query), i)));
    const std::vector<float> ffn_input = normalize(x, layer.ffn_norm);
    std::vector<float> gate = multiply(layer.gate, ffn_input);
    const std::vector<float> up = multiply(layer.up, ffn_input);
    kernels().swiglu(gate.data(), up.data(), config.hidden_dim);
    add_to_x(multiply(layer.down, gate));
  }
  return multiply(engine_.weights.classifier, normalize(x, engine_.weights.final_norm));
}

std::vector<float> PlainText::multiply(const Matrix& matrix, const std::vector<float>& x) const {
  std::vector<float> out(matrix.rows);
  if (matrix.format == TensorFormat::f32) {
    kernels().matmul_f32(matrix, x.data(), 1, out.data(), matrix.rows, {0, matrix.rows});
    return out;
  }
  std::vector<std::byte> bytes(kernels().quantized_bytes(matrix.cols, matrix.group_size));
  const QuantizedActivations quantized{bytes.data(), 1, matrix.cols, matrix.group_size};
  kernels().quantize(x.data(), quantized);
  kernels().matmul_q80(matrix, quantized, out.data(), matrix.rows, {0, matrix.rows});
  return out;
}

std::vector<float> PlainText::normalize(const std::vector<float>& x, const float* weight) const {
  std::vector<float> out(x.size());
  kernels().rmsnorm(out.data(), x.data(), weight, engine_.config.dim, engine_.config.norm_epsilon);
  return out;
}

void PlainText::rotate(std::vector<float>& heads, std::uint32_t position) const {
  const std::uint32_t head_dim = engine_.config.head_dim();
  for (std::uint32_t i = 0; i < heads.size(); i += 2) {
    const float exponent = static_cast<float>(i % head_dim) / static_cast<float>(head_dim);
    const float frequency = 1.0F / exact_pow(engine_.config.rope_base, exponent);
    const float angle = static_cast<float>(position) * frequency;
    const float cosine = exact_cos(angle);
    const float sine = exact_sin(angle);
    const float x0 = heads[i];
    const float x1 = heads[i + 1];
    heads[i] = x0 * cosine - x1 * sine;
    heads[i + 1] = x0 * sine + x1 * cosine;
  }
}

/// All slots that hold something, in order, in a cache made for this one call.
std::vector<float> PlainText::attend(std::vector<float> query, std::size_t layer) const {
  const ModelConfig& config = engine_.config;
  const auto count = static_cast<std::uint32_t>(
      std::count_if(slots_.begin(), slots_.end(), [](const auto& slot) { return slot.has_value(); }));
  const std::size_t rows = std::size_t{config.n_kv_heads} * count;
  std::vector<float> scores(std::size_t{config.n_heads} * count);
  std::vector<float> out(config.dim);
  std::vector<std::byte> key_rows(rows * int8_row_bytes(config.head_dim()));
  std::vector<std::byte> value_rows(key_rows.size());
  std::vector<float> key_scales(rows);
  std::vector<float> value_scales(rows);
  std::vector<float> keys(rows * config.head_dim());
  std::vector<float> values(keys.size());
  const Int8LayerCache int8_cache{key_rows.data(), value_rows.data(), key_scales.data(), value_scales.data(),
                                  count};
  const LayerCache cache{keys.data(), values.data(), count};
  std::uint32_t slot = 0;
  for (const std::optional<Entry>& entry : slots_) {
    if (!entry) continue;
    std::vector<float> key = entry->keys[layer];
    std::vector<float> value = entry->values[layer];
    kernels().store_key_value(cache, slot, key.data(), value.data(), config.n_kv_heads, config.head_dim());
    kernels().store_key_value_int8(int8_cache, slot, key.data(), value.data(), config.n_kv_heads,
                                   config.head_dim());
    ++slot;
  }
  if (engine_.plan.int8_cache) {
    Int8AttentionJob job;
    job.query = query.data();
    job.cache = int8_cache;
    job.scores = scores.data();
    job.out = out.data();
    job.n_tokens = 1;
    job.first_slot = count - 1;
    job.largest_weight = static_cast<std::uint32_t>(largest_attention_weight(context_));
    job.n_heads = config.n_heads;
    job.n_kv_heads = config.n_kv_heads;
    job.head_dim = config.head_dim();
    kernels().attention_int8(job, {0, config.n_heads});
  } else {
    const AttentionJob job{query.data(), cache,          scores.data(),     out.data(),       1,
                           count - 1,    config.n_heads, config.n_kv_heads, config.head_dim()};
    kernels().attention(job, {0, config.n_heads});
  }
  return out;
}

}  // namespace pspllm::testing
