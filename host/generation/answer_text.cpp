#include "host/generation/answer_text.hpp"

#include <utility>

namespace pspllm::host {

AnswerText::AnswerText(const TextCodec& codec, std::function<void(const std::string& piece)> on_piece)
    : codec_(codec), on_piece_(std::move(on_piece)) {}

void AnswerText::token(std::int32_t previous, std::int32_t token) {
  show(writer_.add(codec_, previous, token));
  ++count_;
}

void AnswerText::finish() {
  show(writer_.finish());
}

void AnswerText::show(const std::string& piece) {
  if (piece.empty()) return;
  text_ += piece;
  on_piece_(piece);
}

}  // namespace pspllm::host
