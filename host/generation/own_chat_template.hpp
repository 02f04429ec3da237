// The chat template that a model's file holds.
#pragma once

#include <optional>

#include "engine/text/chat_template.hpp"
#include "host/model/loaded_model.hpp"

namespace pspllm::host {

/// Nothing where there is none. It points into the model's memory. Throws Failure where it is damaged.
[[nodiscard]] std::optional<ChatTemplate> own_chat_template(LoadedModel& model);

/// Throws Failure also where there is none, with how to get one.
[[nodiscard]] ChatTemplate require_own_chat_template(LoadedModel& model);

}  // namespace pspllm::host
