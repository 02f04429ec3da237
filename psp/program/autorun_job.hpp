// autorun.txt: a run without a person, for tests, demos and comparison of real consoles.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/model/sampler.hpp"
#include "psp/platform/status.hpp"
#include "psp/platform/text_buffer.hpp"
#include "psp/program/settings.hpp"

namespace pspllm::psp {

/// Longest prompt of an autorun in bytes, also the longest that can be encoded in one piece.
inline constexpr std::size_t max_prompt_bytes = 2048;
using Prompt = TextBuffer<max_prompt_bytes>;

/// Most turns of a conversation.
inline constexpr std::size_t max_turns = 64;

/// What the person says in a conversation, turn by turn: at most max_prompt_bytes in all.
class Turns {
 public:
  /// False, with nothing added, where there is no more room.
  [[nodiscard]] bool add(std::string_view words);

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::string_view turn(std::size_t index) const;

 private:
  Prompt words_;
  std::array<std::size_t, max_turns> ends_{};  // [count_] in words_
  std::size_t count_ = 0;
};

struct AutorunJob {
  Prompt prompt;              ///< prompt=  with \n and \\ escapes
  std::uint32_t steps = 256;  ///< steps=   positions, as runq.c's -n; 0 or too many: the whole context
  Turns turns;                ///< turn=    once for each; then a conversation, and no story
  std::optional<SystemPrompt> system;  ///< system=  none: the model's own; empty: without one
  std::uint32_t turn_tokens = 200;     ///< turn_tokens= longest answer; 0: until it ends
  SamplerOptions sampler;              ///< temperature= top_p= seed= (0: from the clock) repeat_penalty=
  bool reference_output = false;       ///< reference_output=1: state.txt as runq.c prints it, byte for byte
  ModelName model;                   ///< model=   a folder under models/; none: the model beside the program
  std::uint32_t context = 0;         ///< context= tokens; 0: the model's own, or as many as fit
  std::uint32_t linger_seconds = 0;  ///< linger_seconds= how long the finished story stays on the screen
  bool benchmark = false;            ///< benchmark=1: measures the console and writes bench.txt; no story
  std::uint32_t home_after_tokens = 0;  ///< home_after_tokens= acts as if HOME was pressed then; 0: never
};

/// Reads the file's text into `job`. Errors name the line, what stands there and what is expected.
[[nodiscard]] Status parse_autorun(std::string_view text, AutorunJob& job);

}  // namespace pspllm::psp
