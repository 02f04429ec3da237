// Figures of speed and memory of one generated text.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/generation/text_job.hpp"
#include "host/model/loaded_model.hpp"

namespace pspllm::host {

using Seconds = std::chrono::duration<double>;

/// Measured while a text is generated. Prefill: the prompt's pass through the model. Decode: the passes of
/// generated tokens, each of which reads all weights; the first generated token comes from the prefill.
struct TextFigures {
  std::uint32_t prompt_tokens = 0;
  std::uint32_t generated_tokens = 0;
  Seconds load{0};
  Seconds prefill{0};
  Seconds decode{0};
  TextEnd end = TextEnd::steps_done;

  [[nodiscard]] std::uint32_t decode_passes() const noexcept {
    return generated_tokens == 0 ? 0 : generated_tokens - 1;
  }
  /// Tokens a second; 0 where nothing was measured.
  [[nodiscard]] double prefill_rate() const noexcept;
  [[nodiscard]] double decode_rate() const noexcept;
};

/// Several lines for standard error.
[[nodiscard]] std::string describe(const TextFigures& figures, LoadedModel& model);
[[nodiscard]] nlohmann::json to_json(const TextFigures& figures, LoadedModel& model);

}  // namespace pspllm::host
