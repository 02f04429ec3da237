// A text as the windows of tokens that an evaluation runs a model over.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/text/text_codec.hpp"
#include "host/report/evaluation.hpp"

namespace pspllm::host {

/// One window: its tokens, and which of them are scored.
struct EvaluationWindow {
  std::vector<std::int32_t> tokens;
  std::uint32_t first_scored = 1;  ///< tokens from here on are predicted and scored; at least 1
};

/// Cuts tokens into windows as the options say. Empty where there are too few.
[[nodiscard]] std::vector<EvaluationWindow> make_windows(std::span<const std::int32_t> tokens,
                                                         std::int32_t bos, const EvaluationOptions& options);

/// Bytes that each of a window's tokens adds to the text; special tokens none.
[[nodiscard]] std::vector<std::uint32_t> spelled_bytes(const TextCodec& codec,
                                                       std::span<const std::int32_t> tokens);

}  // namespace pspllm::host
