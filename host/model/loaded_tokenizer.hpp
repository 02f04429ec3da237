// A model's vocabulary in memory of its own, without the model.
#pragma once

#include "host/formats/loaded_codec.hpp"
#include "host/model/opened_model.hpp"

namespace pspllm::host {

/// The one beside the model or inside its file. Throws Failure: damaged, or of another model.
[[nodiscard]] LoadedCodec load_tokenizer(const OpenedModel& opened);

}  // namespace pspllm::host
