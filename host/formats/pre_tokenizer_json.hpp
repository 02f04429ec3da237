// Which pre-tokenizer a tokenizer.json describes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/text/pre_tokenizer.hpp"

namespace pspllm::host {

/// The kind that the entry "pre_tokenizer" spells. Throws Failure with the entry and the list of what is
/// supported where it is none of them.
[[nodiscard]] PreTokenizer pre_tokenizer_of(const nlohmann::json& entry, const std::string& name);

}  // namespace pspllm::host
