#include "psp/program/prompt_history.hpp"

#include "engine/core/slice.hpp"
#include "psp/program/text_escape.hpp"

namespace pspllm::psp {

void PromptHistory::remember(std::string_view prompt) {
  std::size_t place = 0;
  while (place < size_ && prompts_[place].view() != prompt) ++place;
  if (place == max_remembered_prompts) --place;
  if (place == size_) ++size_;
  // The prompt may be one of ours, as when it is repeated: hold it while its neighbours move.
  const TextBuffer<max_typed_prompt_bytes> kept(prompt);
  for (; place > 0; --place) prompts_[place] = prompts_[place - 1];
  prompts_[0] = kept;
}

std::size_t PromptHistory::format(std::span<char> into) const {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    const Escaped line = escape_text(prompts_[i].view(), into.subspan(bytes));
    if (!line.complete || bytes + line.bytes == into.size()) return bytes;
    bytes += line.bytes;
    into[bytes++] = '\n';
  }
  return bytes;
}

void PromptHistory::parse(std::string_view text) {
  size_ = 0;
  std::array<char, max_typed_prompt_bytes> bytes;
  while (!text.empty() && size_ < max_remembered_prompts) {
    std::size_t end = 0;
    while (end < text.size() && text[end] != '\n') ++end;
    const Escaped prompt = unescape_text(slice(text, 0, end), bytes);
    const std::size_t next = end < text.size() ? end + 1 : end;
    text = slice(text, next, text.size() - next);
    if (prompt.complete) {
      prompts_[size_] = TextBuffer<max_typed_prompt_bytes>({bytes.data(), prompt.bytes});
      ++size_;
    }
  }
}

}  // namespace pspllm::psp
