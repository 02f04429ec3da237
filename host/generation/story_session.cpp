#include "host/generation/story_session.hpp"

namespace pspllm::host {

Result<TextEnd> StorySession::say(std::string_view text, TextListener& listener) {
  Engine& engine = *generator().engine;
  const TextPlace place = generator().length == 0 ? TextPlace::beginning : TextPlace::middle;
  const auto encoded = encode(engine.tokenizer, text, place, engine.encode_scratch);
  if (!encoded) return encoded.status();
  const std::span<const std::int32_t> tokens = encoded.value();
  if (!rolls() && tokens.size() >= free_tokens(generator())) {
    return does_not_fit("this has ", tokens.size(), " tokens, the story has ", used_tokens(),
                        ", together more than the context of ", context(),
                        " holds with room for an answer; say it shorter or begin anew with /reset");
  }
  if (Status status = append_tokens(generator(), tokens); !status) return status;
  if (Status status = prefill(generator()); !status) return ended_by(status.error());
  listener.prompt_done();
  const Result<TextEnd> end = go_on(generator(), longest_answer(), true, listener);
  // The token that ended the story is taken back, so that the person can go on with it.
  if (end && (end.value() == TextEnd::begin_token || end.value() == TextEnd::end_token))
    take_back(generator());
  return end;
}

}  // namespace pspllm::host
