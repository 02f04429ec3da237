#include "engine/text/utf8_stream.hpp"

namespace pspllm {
namespace {

/// Length of the character that a lead byte begins; 0 for bytes that begin none (Unicode 15, table 3-7).
std::size_t length_of(unsigned char lead) noexcept {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

/// Whether `byte` may follow `lead` as the second byte: excludes overlong forms, surrogates and beyond
/// U+10FFFF.
bool second_byte_fits(unsigned char lead, unsigned char byte) noexcept {
  if (lead == 0xE0) return byte >= 0xA0;
  if (lead == 0xED) return byte <= 0x9F;
  if (lead == 0xF0) return byte >= 0x90;
  if (lead == 0xF4) return byte <= 0x8F;
  return true;
}

}  // namespace

void Utf8Stream::emit(std::string_view text) noexcept {
  for (const char c : text) ready_[ready_size_++] = c;
}

void Utf8Stream::emit_waiting_as_replacement() noexcept {
  if (waiting_size_ == 0) return;
  emit("\xEF\xBF\xBD");
  waiting_size_ = 0;
}

std::string_view Utf8Stream::push(char character) noexcept {
  ready_size_ = 0;
  const auto byte = static_cast<unsigned char>(character);
  if (waiting_size_ > 0) {
    const bool continues =
        (byte & 0xC0U) == 0x80U &&
        (waiting_size_ > 1 || second_byte_fits(static_cast<unsigned char>(waiting_[0]), byte));
    if (!continues) emit_waiting_as_replacement();
  }
  if (waiting_size_ == 0) {
    expected_ = length_of(byte);
    if (expected_ == 0) {
      emit("\xEF\xBF\xBD");
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
