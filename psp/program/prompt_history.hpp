// Earlier prompts, newest first, to be recalled, edited and repeated; kept in history.txt.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "psp/platform/keyboard.hpp"
#include "psp/platform/text_buffer.hpp"

namespace pspllm::psp {

/// Prompts that are remembered; the oldest goes first.
inline constexpr std::size_t max_remembered_prompts = 8;
/// The longest prompt that the keyboard can give.
inline constexpr std::size_t max_typed_prompt_bytes = max_typed_bytes;
/// Room for history.txt: every byte of every prompt escaped, and a newline each.
inline constexpr std::size_t max_history_bytes = max_remembered_prompts * (2 * max_typed_prompt_bytes + 1);

class PromptHistory {
 public:
  /// Puts a prompt first; one that is already there moves up instead of standing twice. Empty prompts are
  /// remembered too: they ask for a story out of nothing.
  void remember(std::string_view prompt);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// 0 is the newest; index < size().
  [[nodiscard]] std::string_view prompt(std::size_t index) const { return prompts_[index].view(); }

  /// history.txt: one prompt a line, newest first, escaped as in text_escape.hpp. Returns the bytes written.
  [[nodiscard]] std::size_t format(std::span<char> into) const;
  /// Replaces everything by what a history.txt holds; lines too long for a prompt are left out.
  void parse(std::string_view text);

 private:
  std::array<TextBuffer<max_typed_prompt_bytes>, max_remembered_prompts> prompts_;  // [size_], newest first
  std::size_t size_ = 0;
};

}  // namespace pspllm::psp
