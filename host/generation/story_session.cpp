#include "host/generation/story_session.hpp"

#include <algorithm>

#include "engine/text/text_codec.hpp"

namespace pspllm::host {

StorySession::StorySession(Engine& engine, const SamplerOptions& options, const LayerHook& hook,
                           std::uint32_t max_turn_tokens)
    : generator_(make_generator(engine, options, hook)), max_turn_tokens_(max_turn_tokens) {}

Result<TextEnd> StorySession::say(std::string_view text, TextListener& listener) {
  Engine& engine = *generator_.engine;
  const TextPlace place = generator_.length == 0 ? TextPlace::beginning : TextPlace::middle;
  const auto encoded = encode(engine.tokenizer, text, place, engine.encode_scratch);
  if (!encoded) return encoded.status();
  const std::span<const std::int32_t> tokens = encoded.value();
  if (!rolls() && tokens.size() >= free_tokens(generator_)) {
    return does_not_fit("this has ", tokens.size(), " tokens, the story has ", used_tokens(),
                        ", together more than the context of ", context(),
                        " holds with room for an answer; say it shorter or begin anew with /reset");
  }
  if (Status status = append_tokens(generator_, tokens); !status) return status;
  if (Status status = prefill(generator_); !status) {
    return status.error().kind == ErrorKind::interrupted ? Result<TextEnd>(TextEnd::stopped_by_user)
                                                         : Result<TextEnd>(status);
  }
  listener.prompt_done();
  const std::uint32_t room = rolls() ? max_turn_tokens_ : context() - generator_.length;
  const Result<TextEnd> end = go_on(generator_, std::min(max_turn_tokens_, room), true, listener);
  // The token that ended the story is taken back, so that the person can go on with it.
  if (end && (end.value() == TextEnd::begin_token || end.value() == TextEnd::end_token))
    take_back(generator_);
  return end;
}

void StorySession::reset() {
  pspllm::reset(generator_);
}

}  // namespace pspllm::host
