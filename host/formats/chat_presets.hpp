// Chat templates that models come with: which are known, and their payloads for .pspm files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/text_codec.hpp"

namespace pspllm::host {

/// What the engine can be told as data.
enum class ChatPreset : std::uint8_t {
  chatml,  ///< <|im_start|>role\n words <|im_end|>\n (SmolLM2, Qwen and many more)
  llama2,  ///< <s>[INST] <<SYS>>\n prompt \n<</SYS>>\n\n words [/INST] (Llama 2 Chat)
  llama3,  ///< <|start_header_id|>role<|end_header_id|>\n\n words <|eot_id|> (Llama 3 Instruct)
  plain    ///< User: and Assistant: on lines of their own; for models without a template
};

/// A preset with what a model's own template says besides.
struct ChatChoice {
  ChatPreset preset = ChatPreset::plain;
  std::string default_system = {};  ///< empty: none
  bool trims_words = false;
};

/// What --template takes besides a preset's name: no template, a story is told.
inline constexpr std::string_view no_template_name = "none";

/// The presets' names as --template takes them: "chatml, llama2, llama3, plain".
[[nodiscard]] std::string chat_preset_names();
[[nodiscard]] const char* name_of(ChatPreset preset);
/// The preset that --template names. Throws Failure (wrong use) where there is none of that name.
[[nodiscard]] ChatPreset require_chat_preset(std::string_view name);

/// What a model's Jinja template (GGUF's tokenizer.chat_template, chat_template of tokenizer_config.json) is.
/// Known by its marks; what it does beyond those, dates or thinking say, makes it unknown. Throws Failure
/// with the template's beginning, the presets, and how to name one. `subject` stands in front.
[[nodiscard]] ChatChoice recognise_chat_template(const std::string& jinja, const std::string& subject);

/// The payload of the .pspm chat section, for a model with this vocabulary. Throws Failure where the
/// vocabulary lacks the preset's special tokens.
[[nodiscard]] std::vector<std::byte> chat_payload(const ChatChoice& choice, const TextCodec& codec);

}  // namespace pspllm::host
