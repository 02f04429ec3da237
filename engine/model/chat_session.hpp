// A conversation by the model's chat template, on a generator: what a command line and a console screen
// share.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/model/generator.hpp"
#include "engine/text/chat_template.hpp"

namespace pspllm {

/// Appends what a person says to the conversation that the generator's text is, up to where the answer
/// begins; nothing is computed yet. An answer that is open is closed first. `system`: as in ChatTurn; only
/// the first turn has it. Errors: does_not_fit, with the numbers, where the turn leaves no room for an
/// answer; bad_input where the vocabulary cannot spell it. The conversation is then unchanged. A repeat
/// penalty looks at the answer alone.
[[nodiscard]] Status begin_turn(Generator& generator, const ChatTemplate& chat_template,
                                std::optional<std::string_view> system, std::string_view words) noexcept;

/// A step of an answer.
struct AnswerStep {
  std::int32_t token = no_token;
  bool ended = false;  ///< the answer is complete; the token is none of its words
};

/// Samples the answer's next token. One that ends the answer is taken back from the text: the next turn
/// closes the answer as the template has it. Errors: as next_token().
[[nodiscard]] Result<AnswerStep> next_answer_token(Generator& generator,
                                                   const ChatTemplate& chat_template) noexcept;

/// Takes back what the conversation has of an answer to the latest turn, which can then be answered anew.
/// Only behind begin_turn(). False, with nothing changed, where so much has been answered that too little of
/// what stands before it is known to renew a rolling window.
[[nodiscard]] bool take_back_answer(Generator& generator) noexcept;

}  // namespace pspllm
