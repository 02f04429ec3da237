// The chat template of a checkpoint.
#pragma once

#include <string>

#include "host/formats/checkpoint.hpp"

namespace pspllm::host {

/// Fills `chat` from the source's Jinja template (empty: it has none), or says in `chat_problem` why that
/// cannot be. The checkpoint's tokenizer must be there. `subject` stands in front of the sentence.
void take_chat_template(const std::string& jinja, const std::string& subject, Checkpoint& checkpoint);

/// For commands that write a model: the template by the name that --template takes; an empty name means the
/// source's own. Throws Failure: a name that is not known, a vocabulary without its special tokens, and a
/// source's template that is not known where the user named none.
void choose_chat_template(const std::string& name, Checkpoint& checkpoint);

}  // namespace pspllm::host
