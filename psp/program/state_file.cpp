#include "psp/program/state_file.hpp"

#include "engine/core/slice.hpp"
#include "psp/program/reference_text.hpp"

namespace pspllm::psp {

Status StateFile::open() {
  status_ = state_.stick.output_file().open(join_path(state_.folder.view(), state_file_name));
  return status_;
}

Status StateFile::close() {
  const Status closed = state_.stick.output_file().close();
  return status_.ok() ? closed : status_;
}

void StateFile::write(std::string_view text) {
  if (status_.ok() && !text.empty()) status_ = state_.stick.output_file().write(text);
}

void StateFile::write_text() {
  const std::string_view text = state_.session.text().bytes();
  write(slice(text, text_written_, text.size() - text_written_));
  text_written_ = text.size();
}

void StateFile::write_reference(std::int32_t previous, std::int32_t token) {
  PieceStorage storage;
  write(reference_piece(state_.model.engine.tokenizer, previous, token, storage));
}

void StateFile::write_reference_prompt(std::uint32_t count) {
  const std::span<const std::int32_t> tokens = state_.session.prompt_tokens();
  for (std::uint32_t i = 0; i < count; ++i) write_reference(tokens[i], tokens[i + 1]);
}

void StateFile::on_token(void* context, const TokenStep& step) {
  auto& file = *static_cast<StateFile*>(context);
  if (file.job_.reference_output) {
    file.write_reference(step.previous, step.token);
  } else {
    file.write_text();
  }
  ++file.tokens_;
  if (file.tokens_ == file.job_.home_after_tokens) file.state_.console.simulate_home();
  if (!file.status_.ok()) file.state_.busy.stop = true;
}

}  // namespace pspllm::psp
