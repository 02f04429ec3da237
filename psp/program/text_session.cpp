#include "psp/program/text_session.hpp"

#include <initializer_list>

#include "engine/model/chat_session.hpp"
#include "engine/text/conversation_text.hpp"
#include "engine/text/text_codec.hpp"
#include "psp/program/markers.hpp"

namespace pspllm::psp {
namespace {

/// So much of the text's memory must be free before a turn: no answer of a usual length breaks off for want
/// of it.
constexpr std::size_t room_for_answer = 1024;

}  // namespace

std::string_view describe(StopReason reason, bool is_chat) {
  switch (reason) {
    case StopReason::none:
      return "";
    case StopReason::ended:
      return is_chat ? "" : "The model ended the story.";
    case StopReason::length:
      return "The length you set is reached.";
    case StopReason::context_full:
      return "The context is full.";
    case StopReason::text_full:
      return "The text's memory is full.";
    case StopReason::stopped:
      return "Stopped.";
    case StopReason::failed:
      return "The model failed.";
  }
  return "";
}

void TextSession::attach(Engine& engine, const std::optional<ChatTemplate>& chat_template,
                         const LayerHook& hook, const TimeSource& time) {
  engine_ = &engine;
  chat_template_ = chat_template;
  hook_ = hook;
  time_ = time;
  clear();
}

void TextSession::forget_engine() {
  engine_ = nullptr;
  chat_template_.reset();
  generator_ = {};
  text_.clear();
}

void TextSession::clear() {
  begin_text({});
}

void TextSession::begin_text(const SamplerOptions& options) {
  generator_ = make_generator(*engine_, options, hook_);
  utf8_ = {};
  text_.clear();
  figures_ = {};
  stop_ = StopReason::none;
  first_prompt_tokens_ = 0;
  reading_prompt_ = false;
  is_chat_ = false;
}

pspllm::Status TextSession::begin(std::string_view prompt, const SamplerOptions& options,
                                  std::uint32_t max_new_tokens, bool stop_at_end_token) {
  const Result<std::span<const std::int32_t>> tokens =
      encode(engine_->tokenizer, prompt, TextPlace::beginning, engine_->encode_scratch);
  if (!tokens) return tokens.status();
  if (tokens.value().size() > context()) {
    return does_not_fit("the prompt has ", tokens.value().size(), " tokens, ",
                        tokens.value().size() - context(), " more than the context of ", context(),
                        " holds; shorten it");
  }
  begin_text(options);
  stop_at_end_token_ = stop_at_end_token;
  first_prompt_tokens_ = static_cast<std::uint32_t>(tokens.value().size());
  if (pspllm::Status status = append_tokens(generator_, tokens.value()); !status) return status;
  if (!text_.append(Speaker::person, prompt))
    return does_not_fit("the prompt is longer than the text's memory");
  remaining_tokens_ = max_new_tokens;
  limited_ = max_new_tokens != 0;
  reading_prompt_ = true;
  return {};
}

void TextSession::go_on(const SamplerOptions& options, std::uint32_t max_new_tokens) {
  const std::uint64_t seed = generator_.sampler.options.seed;
  generator_.sampler.options = options;
  generator_.sampler.options.seed = seed;  // Its numbers go on.
  remaining_tokens_ = max_new_tokens;
  limited_ = max_new_tokens != 0;
  stop_ = StopReason::none;
}

pspllm::Status TextSession::add_text(std::string_view text, const SamplerOptions& options,
                                     std::uint32_t max_new_tokens) {
  const Result<std::span<const std::int32_t>> tokens =
      encode(engine_->tokenizer, text, TextPlace::middle, engine_->encode_scratch);
  if (!tokens) return tokens.status();
  if (pspllm::Status status = append_tokens(generator_, tokens.value()); !status) return status;
  if (!text_.append(Speaker::person, " ") || !text_.append(Speaker::person, text)) {
    return does_not_fit("the text's memory is full; save the story and begin a new one");
  }
  go_on(options, max_new_tokens);
  reading_prompt_ = true;
  return {};
}

pspllm::Status TextSession::say(std::string_view words, std::optional<std::string_view> system,
                                const SamplerOptions& options, std::uint32_t max_new_tokens) {
  const bool is_first = !is_chat_;
  if (is_first) begin_text(options);
  if (!text_.has_room(words.size() + room_for_answer)) {
    return does_not_fit("the text's memory is full; save the conversation and begin a new one");
  }
  if (pspllm::Status status = begin_turn(generator_, *chat_template_, system, words); !status) return status;
  is_chat_ = true;
  finish_characters();
  // There is room for all of it: has_room() said so.
  if (!is_first) static_cast<void>(text_.append(Speaker::person, behind_answer));
  for (const std::string_view part : {before_words, words, behind_words}) {
    static_cast<void>(text_.append(Speaker::person, part));
  }
  answer_begin_ = text_.bytes().size();
  go_on(options, max_new_tokens);
  reading_prompt_ = true;
  return {};
}

bool TextSession::answer_anew(const SamplerOptions& options, std::uint32_t max_new_tokens) {
  if (!take_back_answer(generator_)) return false;
  text_.shorten(answer_begin_);
  utf8_ = {};
  go_on(options, max_new_tokens);
  reading_prompt_ = true;
  return true;
}

bool TextSession::can_continue() const {
  return can_add_text() && stop_ != StopReason::ended;
}

bool TextSession::can_add_text() const {
  return engine_ != nullptr && generator_.length > 0 && free_tokens(generator_) > 0 &&
         stop_ != StopReason::context_full && stop_ != StopReason::text_full && stop_ != StopReason::failed;
}

std::uint32_t TextSession::context_used() const {
  return generator_.length < context() ? generator_.length : context();
}

TextFigures TextSession::figures_now() const {
  TextFigures figures = figures_;
  if (reading_prompt_ && prefill_started_us_ != 0) {
    figures.prefill_us += time_() - prefill_started_us_;
    figures.prompt_tokens += generator_.counts.passed_tokens - passed_before_;
  }
  return figures;
}

TokenStep TextSession::stop(StopReason reason) {
  stop_ = reason;
  if (reason != StopReason::stopped) finish_characters();
  TokenStep step;
  step.stop = reason;
  return step;
}

void TextSession::finish_characters() {
  // What does not fit any more is at most one replacement sign.
  static_cast<void>(text_.append(Speaker::model, utf8_.flush()));
}

bool TextSession::is_end(std::int32_t token) const {
  if (is_chat_) return is_stop(*chat_template_, token);
  return token == bos_of(engine_->tokenizer) || (stop_at_end_token_ && token == eos_of(engine_->tokenizer));
}

bool TextSession::say(std::int32_t previous, std::int32_t token) {
  PieceStorage storage;
  for (const char byte : decode(engine_->tokenizer, previous, token, storage)) {
    if (!text_.append(Speaker::model, utf8_.push(byte))) return false;
  }
  return true;
}

pspllm::Status TextSession::read_prompt() {
  passed_before_ = generator_.counts.passed_tokens;
  mark<MarkerKind::prompt_begin>(generator_.length - generator_.cached);
  prefill_started_us_ = time_();
  pspllm::Status status = prefill(generator_);
  figures_.prefill_us += time_() - prefill_started_us_;
  prefill_started_us_ = 0;
  figures_.prompt_tokens += generator_.counts.passed_tokens - passed_before_;
  if (status) {
    mark<MarkerKind::prompt_end>();
    reading_prompt_ = false;
    first_token_ = true;
  }
  return status;
}

TokenStep TextSession::step() {
  if (limited_ && remaining_tokens_ == 0) return stop(StopReason::length);
  if (reading_prompt_) {
    if (pspllm::Status status = read_prompt(); !status) {
      failure_ = status.error().message;
      return stop(status.error().kind == ErrorKind::interrupted ? StopReason::stopped : StopReason::failed);
    }
  }
  if (is_full(generator_)) return stop(StopReason::context_full);
  const std::uint64_t started_us = time_();
  const std::int32_t previous = engine_->history[generator_.length - 1];
  const Result<std::int32_t> token = next_token(generator_);
  if (!first_token_) figures_.decode_us += time_() - started_us;
  figures_.drafted_tokens = generator_.counts.drafted_tokens;
  figures_.accepted_tokens = generator_.counts.accepted_tokens;
  if (!token) {
    failure_ = token.error().message;
    return stop(token.error().kind == ErrorKind::interrupted ? StopReason::stopped : StopReason::failed);
  }
  if (!first_token_) ++figures_.decode_tokens;
  first_token_ = false;
  ++figures_.generated_tokens;
  if (limited_) --remaining_tokens_;
  if (is_end(token.value())) {
    // The token stays out of the text: words that are added later follow the last real one.
    take_back(generator_);
    return stop(StopReason::ended);
  }
  TokenStep step;
  step.has_token = true;
  step.previous = previous;
  step.token = token.value();
  if (!say(previous, token.value())) step.stop = stop(StopReason::text_full).stop;
  return step;
}

}  // namespace pspllm::psp
