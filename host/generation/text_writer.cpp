#include "host/generation/text_writer.hpp"

namespace pspllm::host {

std::string Utf8TextWriter::add(const TextCodec& tokenizer, std::int32_t previous, std::int32_t token) {
  PieceStorage storage;
  std::string text;
  for (const char byte : decode(tokenizer, previous, token, storage)) text += stream_.push(byte);
  return text;
}

std::string Utf8TextWriter::finish() {
  return std::string(stream_.flush());
}

std::string reference_piece(const TextCodec& tokenizer, std::int32_t previous, std::int32_t token) {
  PieceStorage storage;
  const std::string_view piece = decode(tokenizer, previous, token, storage);
  return reference_prints(piece) ? std::string(piece) : std::string();
}

}  // namespace pspllm::host
