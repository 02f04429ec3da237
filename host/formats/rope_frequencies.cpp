#include "host/formats/rope_frequencies.hpp"

#include <numbers>

#include "engine/model/rope.hpp"

namespace pspllm::host {

std::vector<float> rope_frequencies(const ModelConfig& config) {
  std::vector<float> frequencies(config.head_dim() / 2);
  fill_rope_frequencies(config, frequencies);
  return frequencies;
}

void scale_rope_linearly(std::vector<float>& frequencies, float factor) {
  for (float& frequency : frequencies) frequency /= factor;
}

void scale_rope_like_llama3(std::vector<float>& frequencies, const Llama3RopeScaling& scaling) {
  const double longest_kept = scaling.original_max_position_embeddings / scaling.high_freq_factor;
  const double shortest_scaled = scaling.original_max_position_embeddings / scaling.low_freq_factor;
  for (float& frequency : frequencies) {
    const auto exact = static_cast<double>(frequency);
    const double wave_length = 2.0 * std::numbers::pi / exact;
    if (wave_length < longest_kept) continue;
    const double scaled = exact / scaling.factor;
    if (wave_length > shortest_scaled) {
      frequency = static_cast<float>(scaled);
      continue;
    }
    const double share = (scaling.original_max_position_embeddings / wave_length - scaling.low_freq_factor) /
                         (scaling.high_freq_factor - scaling.low_freq_factor);
    frequency = static_cast<float>((1.0 - share) * scaled + share * exact);
  }
}

}  // namespace pspllm::host
