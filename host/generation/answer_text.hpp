// An answer as it is made: whole characters, piece by piece, and all of it in the end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "host/generation/text_job.hpp"
#include "host/generation/text_writer.hpp"

namespace pspllm::host {

class AnswerText : public TextListener {
 public:
  /// on_piece is told of every piece, never an empty one; it may throw, which ends the answer. The codec must
  /// outlive the object.
  AnswerText(const TextCodec& codec, std::function<void(const std::string& piece)> on_piece);

  void token(std::int32_t previous, std::int32_t token) override;
  /// The answer is over: bytes that waited for the rest of a character are shown.
  void finish();

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// Tokens so far.
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

 private:
  void show(const std::string& piece);

  const TextCodec& codec_;
  std::function<void(const std::string& piece)> on_piece_;
  Utf8TextWriter writer_;
  std::string text_;
  std::uint32_t count_ = 0;
};

}  // namespace pspllm::host
