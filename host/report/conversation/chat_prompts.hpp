// What people say first to a model, and which words a right answer has; and answers made elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pspllm::host {

/// The first turn of a conversation.
struct ChatPrompt {
  std::string words;
  std::vector<std::string> right_words;  ///< a right answer holds one of them; empty: no check
};

/// What was said to a prompt.
struct Answer {
  std::string text;
  bool ended = false;        ///< by itself, not cut at the longest answer
  std::uint32_t tokens = 0;  ///< of the model that made it; 0: not known
};

/// Prompts from a JSONL file: {"prompt": "...", "any_of": ["...", ...]} a line, any_of left out or empty
/// where nothing is checked; other keys are left alone. Throws Failure with the line: no JSON, no prompt, an
/// empty one, words that are none; or where there is no prompt at all.
[[nodiscard]] std::vector<ChatPrompt> parse_chat_prompts(std::string_view text, const std::string& name);

/// An answer to each prompt, in the prompts' order, from a JSONL file: {"prompt": "...", "answer": "...",
/// "ended": true} a line, in any order. Throws Failure with the line: no JSON, no such key, a prompt that is
/// not among them or has two answers; or with a prompt that has none.
[[nodiscard]] std::vector<Answer> parse_answers(std::string_view text, const std::string& name,
                                                const std::vector<ChatPrompt>& prompts);

}  // namespace pspllm::host
