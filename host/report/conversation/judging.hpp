// What another model thinks of an answer.
#pragma once

#include <optional>
#include <string>

#include "engine/text/chat_template.hpp"
#include "host/model/loaded_model.hpp"
#include "host/report/evaluation.hpp"

namespace pspllm::host {

/// How well the judge predicts an answer's text behind the words that it answers: in the judge's own tokens,
/// the conversation written by its template. What stands around the answer, its end too, is not scored, so
/// answers of any vocabulary and length compare; an empty one scores no token. Nothing where the user stopped
/// it. Throws Failure where words and answer do not fit the judge's context or cannot be spelled.
[[nodiscard]] std::optional<TextScore> judge_answer(LoadedModel& judge, const ChatTemplate& chat_template,
                                                    const std::optional<std::string>& system,
                                                    const std::string& words, const std::string& answer);

}  // namespace pspllm::host
