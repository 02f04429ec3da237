// Lets a model answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/model/sampler.hpp"
#include "engine/text/chat_template.hpp"
#include "host/model/loaded_model.hpp"
#include "host/report/conversation/chat_prompts.hpp"

namespace pspllm::host {

struct AnswerOptions {
  SamplerOptions sampler;
  std::uint32_t most_tokens = 200;      ///< of an answer
  std::optional<std::string> system{};  ///< prompt; nothing: the template's own; empty: none
};

/// The model's answer to the first words of a new conversation. Nothing where the user stopped it. Throws
/// Failure where the words do not fit the context or cannot be spelled.
[[nodiscard]] std::optional<Answer> answer(LoadedModel& model, const ChatTemplate& chat_template,
                                           const std::string& words, const AnswerOptions& options);

}  // namespace pspllm::host
