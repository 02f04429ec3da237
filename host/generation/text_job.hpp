// One text: a prompt goes through the model, tokens follow. Shared by the command line, the tests and the
// MIPS driver; needs nothing but the engine.
#pragma once

#include <cstdint>
#include <span>

#include "engine/core/result.hpp"
#include "engine/model/generator.hpp"

namespace pspllm::host {

/// What to generate. Positions are counted as runq.c counts its steps: BOS is position 0, prompt tokens
/// count.
struct TextJob {
  std::span<const std::int32_t> prompt;  ///< never empty; BOS in front, where there is one, is not shown
  std::uint32_t steps = 0;               ///< positions in all, at most the context
  bool stops_at_eos = true;              ///< runq.c prints EOS as a piece and goes on
};

enum class TextEnd : std::uint8_t { steps_done, begin_token, end_token, answer_done, stopped_by_user };
[[nodiscard]] const char* name_of(TextEnd end) noexcept;

/// A stop by the hook is not an error but an end.
[[nodiscard]] Result<TextEnd> ended_by(const Error& error) noexcept;

/// Told what happens, in order.
class TextListener {
 public:
  virtual ~TextListener() = default;
  /// `token` follows `previous` in the text: first the prompt's own tokens, then generated ones.
  virtual void token(std::int32_t previous, std::int32_t token) = 0;
  /// The prompt has been shown and passed through the model; what follows is generated.
  virtual void prompt_done() {}
};

/// Samples up to `count` tokens and tells the listener of each, until the text ends. The text's tokens must
/// have been appended. Errors: does_not_fit.
[[nodiscard]] Result<TextEnd> go_on(Generator& generator, std::uint32_t count, bool stops_at_eos,
                                    TextListener& listener);

/// Runs the job on a generator without text. A prompt longer than the steps is shown up to there and nothing
/// is generated, as in runq.c. A stop by the hook is not an error but an end. Errors: does_not_fit.
[[nodiscard]] Result<TextEnd> generate_text(Generator& generator, const TextJob& job, TextListener& listener);

}  // namespace pspllm::host
