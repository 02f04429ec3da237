// Angles a position of rotary embedding, with the scalings that long-context models are published with.
#pragma once

#include <vector>

#include "engine/model/config.hpp"

namespace pspllm::host {

/// 1 / rope_base^(2 pair / head_dim) in radians, [head_dim / 2] (Su et al. 2021), with the bits that the
/// engine's own table is made of.
[[nodiscard]] std::vector<float> rope_frequencies(const ModelConfig& config);

/// Linear scaling ("position interpolation", Chen et al. 2023): every frequency divided by `factor`.
void scale_rope_linearly(std::vector<float>& frequencies, float factor);

/// Parameters of Llama 3.1's scaling, named as config.json names them.
struct Llama3RopeScaling {
  double factor = 8.0;
  double low_freq_factor = 1.0;
  double high_freq_factor = 4.0;
  double original_max_position_embeddings = 8192.0;
};

/// Llama 3.1's scaling (meta-llama/llama-models, apply_scaling): wave lengths below original /
/// high_freq_factor stay, those above original / low_freq_factor are divided by `factor`, those between are
/// interpolated.
void scale_rope_like_llama3(std::vector<float>& frequencies, const Llama3RopeScaling& scaling);

}  // namespace pspllm::host
