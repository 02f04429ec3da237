// One story, or one conversation where the model has a chat template: words in, tokens out, text kept, time
// and tokens counted. Knows nothing of screens or files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/core/result.hpp"
#include "engine/model/engine.hpp"
#include "engine/model/generator.hpp"
#include "engine/text/chat_template.hpp"
#include "engine/text/utf8_stream.hpp"
#include "psp/program/spoken_text.hpp"

namespace pspllm::psp {

/// Why no further token comes.
enum class StopReason : std::uint8_t {
  none,    ///< It may go on.
  ended,   ///< The model ended the story or its answer.
  length,  ///< As many tokens as were asked for.
  context_full,
  text_full,  ///< The screen's memory of the text is full.
  stopped,    ///< The person stopped it.
  failed
};

/// A sentence for the person, e.g. "The model ended the story."; nothing for what goes without saying: that
/// an answer has ended.
[[nodiscard]] std::string_view describe(StopReason reason, bool is_chat);

/// What the engine did and how long it took. A pass is one token's way through the model.
struct TextFigures {
  std::uint32_t prompt_tokens = 0;     ///< Passes made for prompts.
  std::uint32_t generated_tokens = 0;  ///< Tokens sampled.
  std::uint32_t decode_tokens = 0;     ///< Of those, all but the first behind a prompt, which needs no pass.
  std::uint32_t drafted_tokens = 0;    ///< Guessed by the draft table, for a second token in one pass.
  std::uint32_t accepted_tokens = 0;   ///< Of those, the ones that were right.
  std::uint64_t prefill_us = 0;
  std::uint64_t decode_us = 0;  ///< For decode_tokens, with sampling and drawing.
};

/// Where the time comes from.
struct TimeSource {
  void* context = nullptr;
  std::uint64_t (*now_us)(void* context) = nullptr;

  [[nodiscard]] std::uint64_t operator()() const { return now_us(context); }
};

/// A token that was generated, for those who print tokens their own way.
struct TokenStep {
  bool has_token = false;
  std::int32_t previous = 0;
  std::int32_t token = 0;
  StopReason stop = StopReason::none;
};

class TextSession {
 public:
  /// A new engine, with its chat template where it has one: the old text is gone. `hook` is called before
  /// each layer.
  void attach(Engine& engine, const std::optional<ChatTemplate>& chat_template, const LayerHook& hook,
              const TimeSource& time);
  /// The engine's memory is about to be used for another model.
  void forget_engine();
  [[nodiscard]] bool attached() const { return engine_ != nullptr; }

  /// Begins a story. max_new_tokens 0: until the context is full. stop_at_end_token: whether the token that
  /// ends a sequence (EOS) stops like the one that begins one (BOS); the reference stops only at BOS.
  /// Errors: the prompt does not fit into the context, or cannot be spelled.
  [[nodiscard]] pspllm::Status begin(std::string_view prompt, const SamplerOptions& options,
                                     std::uint32_t max_new_tokens, bool stop_at_end_token = true);

  /// Goes on for max_new_tokens more. Only where can_continue().
  void go_on(const SamplerOptions& options, std::uint32_t max_new_tokens);
  /// Adds words of the person to the story, then goes on.
  [[nodiscard]] pspllm::Status add_text(std::string_view text, const SamplerOptions& options,
                                        std::uint32_t max_new_tokens);

  /// The model can take turns with a person.
  [[nodiscard]] bool can_chat() const { return chat_template_.has_value(); }
  /// The text is a conversation, begun by say().
  [[nodiscard]] bool is_chat() const { return is_chat_; }
  /// The system prompt of conversations where the person gives none of their own; may be empty.
  [[nodiscard]] std::string_view default_system() const {
    return chat_template_ ? chat_template_->default_system : std::string_view();
  }

  /// Begins a conversation with these words of the person, or goes on with it; step() gives the answer. Only
  /// where can_chat(). `system` counts at the beginning alone: nothing: default_system(); empty: none. An
  /// answer that is open is closed first. Errors: there is no room for the words, or they cannot be spelled;
  /// nothing has then been said.
  [[nodiscard]] pspllm::Status say(std::string_view words, std::optional<std::string_view> system,
                                   const SamplerOptions& options, std::uint32_t max_new_tokens);

  /// Takes back what was answered to the latest words of the person, and answers them anew; step() gives the
  /// answer. The sampler's numbers go on, so it is another one unless the temperature is 0. Only where
  /// is_chat(). False, with nothing changed, where the answer is too long to be taken back.
  [[nodiscard]] bool answer_anew(const SamplerOptions& options, std::uint32_t max_new_tokens);

  /// Forgets the text: what comes next begins anew.
  void clear();

  /// Computes until the next token is there, the hook stops, or the text does. A stopped step can be called
  /// again.
  [[nodiscard]] TokenStep step();

  [[nodiscard]] bool empty() const { return text_.empty() && generator_.length == 0; }
  [[nodiscard]] bool can_continue() const;
  /// There is room for more words.
  [[nodiscard]] bool can_add_text() const;

  [[nodiscard]] const SpokenText& text() const { return text_; }
  [[nodiscard]] const TextFigures& figures() const { return figures_; }
  /// While a prompt is being read: with the tokens and the time so far.
  [[nodiscard]] TextFigures figures_now() const;
  [[nodiscard]] StopReason stop_reason() const { return stop_; }
  [[nodiscard]] std::uint32_t context() const {
    return engine_ == nullptr ? 0 : engine_->plan.options.context;
  }
  [[nodiscard]] std::uint32_t context_used() const;
  /// Tokens of the whole text, those that a rolling window has lost sight of too.
  [[nodiscard]] std::uint32_t text_tokens() const { return generator_.window.forgotten + generator_.length; }
  /// Tokens that were passed again to renew a rolling window.
  [[nodiscard]] std::uint32_t renewed_tokens() const { return generator_.counts.renewed_tokens; }
  /// Tokens that have to pass through the model before the next one can be told; 0 or 1 while it writes.
  [[nodiscard]] std::uint32_t waiting_tokens() const { return generator_.length - generator_.cached; }
  /// True until the whole prompt has passed through the model.
  [[nodiscard]] bool reading_prompt() const { return reading_prompt_; }
  [[nodiscard]] const SamplerOptions& sampler_options() const { return generator_.sampler.options; }
  /// The engine's sentence after StopReason::failed.
  [[nodiscard]] const pspllm::Message& failure() const { return failure_; }

  /// The tokens of the prompt of begin(), BOS first.
  [[nodiscard]] std::span<const std::int32_t> prompt_tokens() const {
    return engine_->history.first(first_prompt_tokens_);
  }

 private:
  void begin_text(const SamplerOptions& options);
  [[nodiscard]] pspllm::Status read_prompt();
  [[nodiscard]] TokenStep stop(StopReason reason);
  [[nodiscard]] bool say(std::int32_t previous, std::int32_t token);
  [[nodiscard]] bool is_end(std::int32_t token) const;
  void finish_characters();

  Engine* engine_ = nullptr;
  std::optional<ChatTemplate> chat_template_;
  TimeSource time_;
  LayerHook hook_;
  Generator generator_;
  Utf8Stream utf8_;
  SpokenText text_;
  TextFigures figures_;
  pspllm::Message failure_;
  std::uint64_t prefill_started_us_ = 0;
  std::uint32_t passed_before_ = 0;
  std::uint32_t first_prompt_tokens_ = 0;
  std::uint32_t remaining_tokens_ = 0;
  std::size_t answer_begin_ = 0;  ///< Byte of the text where the latest answer begins; of a conversation.
  bool limited_ = false;
  bool stop_at_end_token_ = true;
  bool is_chat_ = false;
  bool reading_prompt_ = false;
  bool first_token_ = false;  ///< The next token's logits are the prompt's.
  StopReason stop_ = StopReason::none;
};

}  // namespace pspllm::psp
