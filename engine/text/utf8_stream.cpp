#include "engine/text/utf8_stream.hpp"

#include "engine/text/utf8_character.hpp"

namespace pspllm {

void Utf8Stream::emit(std::string_view text) noexcept {
  for (const char c : text) ready_[ready_size_++] = c;
}

void Utf8Stream::emit_waiting_as_replacement() noexcept {
  if (waiting_size_ == 0) return;
  emit(replacement_text);
  waiting_size_ = 0;
}

std::string_view Utf8Stream::push(char character) noexcept {
  ready_size_ = 0;
  const auto byte = static_cast<unsigned char>(character);
  if (waiting_size_ > 0) {
    const bool continues =
        (byte & 0xC0U) == 0x80U &&
        (waiting_size_ > 1 || utf8_second_byte_fits(static_cast<unsigned char>(waiting_[0]), byte));
    if (!continues) emit_waiting_as_replacement();
  }
  if (waiting_size_ == 0) {
    expected_ = utf8_length(byte);
    if (expected_ == 0) {
      emit(replacement_text);
      return {ready_, ready_size_};
    }
  }
  waiting_[waiting_size_++] = character;
  if (waiting_size_ == expected_) {
    emit({waiting_, waiting_size_});
    waiting_size_ = 0;
  }
  return {ready_, ready_size_};
}

std::string_view Utf8Stream::flush() noexcept {
  ready_size_ = 0;
  emit_waiting_as_replacement();
  return {ready_, ready_size_};
}

}  // namespace pspllm
