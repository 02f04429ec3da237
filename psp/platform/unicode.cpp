#include "psp/platform/unicode.hpp"

namespace pspllm::psp {
namespace {

constexpr char32_t first_surrogate = 0xD800;
constexpr char32_t first_low_surrogate = 0xDC00;
constexpr char32_t last_surrogate = 0xDFFF;
constexpr char32_t first_supplementary = 0x10000;
constexpr char32_t last_code_point = 0x10FFFF;

/// What a lead byte promises: the length of the character and the allowed range of the byte after it (Unicode
/// 15, table 3-7). Length 0: no character begins so.
struct LeadByte {
  std::size_t length;
  unsigned second_low;
  unsigned second_high;
};

LeadByte classify_lead(unsigned byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

/// How many bytes of `utf8` fit the pattern of its lead byte (at least 1 when the lead byte is valid, 0
/// otherwise).
std::size_t well_formed_prefix(std::string_view utf8, LeadByte lead) {
  if (lead.length == 0) return 0;
  std::size_t bytes = 1;
  unsigned low = lead.second_low;
  unsigned high = lead.second_high;
  while (bytes < lead.length && bytes < utf8.size()) {
    const unsigned byte = static_cast<unsigned char>(utf8[bytes]);
    if (byte < low || byte > high) break;
    low = 0x80;
    high = 0xBF;
    ++bytes;
  }
  return bytes;
}

bool is_valid(char32_t code_point) {
  return code_point <= last_code_point && (code_point < first_surrogate || code_point > last_surrogate);
}

}  // namespace

DecodedCodePoint decode_utf8(std::string_view utf8) {
  if (utf8.empty()) return {};
  const LeadByte lead = classify_lead(static_cast<unsigned char>(utf8[0]));
  const std::size_t bytes = well_formed_prefix(utf8, lead);
  if (bytes != lead.length || bytes == 0) return {replacement_character, bytes == 0 ? 1 : bytes};
  char32_t code_point = static_cast<unsigned char>(utf8[0]);
  if (bytes > 1) code_point &= 0x7FU >> bytes;
  for (std::size_t i = 1; i < bytes; ++i)
    code_point = code_point << 6U | (static_cast<unsigned char>(utf8[i]) & 0x3FU);
  return {code_point, bytes};
}

std::size_t encode_utf8(char32_t code_point, std::span<char> into) {
  if (!is_valid(code_point)) code_point = replacement_character;
  const std::size_t bytes = code_point < 0x80                  ? 1
                            : code_point < 0x800               ? 2
                            : code_point < first_supplementary ? 3
                                                               : 4;
  if (bytes > into.size()) return 0;
  if (bytes == 1) {
    into[0] = static_cast<char>(code_point);
    return bytes;
  }
  for (std::size_t i = bytes; i-- > 1; code_point >>= 6U)
    into[i] = static_cast<char>(0x80U | (code_point & 0x3FU));
  into[0] = static_cast<char>((0xF00U >> bytes & 0xFFU) | code_point);
  return bytes;
}

std::size_t incomplete_tail_bytes(std::string_view utf8) {
  const std::size_t longest = utf8.size() < 3 ? utf8.size() : 3;
  for (std::size_t tail = longest; tail > 0; --tail) {
    const std::string_view end(utf8.data() + utf8.size() - tail, tail);
    const LeadByte lead = classify_lead(static_cast<unsigned char>(end[0]));
    if (lead.length > tail && well_formed_prefix(end, lead) == tail) return tail;
  }
  return 0;
}

Conversion utf8_to_utf16(std::string_view utf8, std::span<char16_t> into) {
  Conversion done;
  while (!utf8.empty()) {
    const DecodedCodePoint decoded = decode_utf8(utf8);
    const std::size_t units = decoded.code_point < first_supplementary ? 1 : 2;
    if (done.written + units > into.size()) {
      done.complete = false;
      break;
    }
    if (units == 1) {
      into[done.written] = static_cast<char16_t>(decoded.code_point);
    } else {
      const char32_t offset = decoded.code_point - first_supplementary;
      into[done.written] = static_cast<char16_t>(first_surrogate + (offset >> 10U));
      into[done.written + 1] = static_cast<char16_t>(first_low_surrogate + (offset & 0x3FFU));
    }
    done.written += units;
    utf8.remove_prefix(decoded.bytes);
  }
  return done;
}

Conversion utf16_to_utf8(std::span<const char16_t> utf16, std::span<char> into) {
  Conversion done;
  for (std::size_t i = 0; i < utf16.size(); ++i) {
    char32_t code_point = utf16[i];
    const bool is_high = code_point >= first_surrogate && code_point < first_low_surrogate;
    if (is_high && i + 1 < utf16.size() && utf16[i + 1] >= first_low_surrogate &&
        utf16[i + 1] <= last_surrogate) {
      ++i;
      code_point =
          first_supplementary + ((code_point - first_surrogate) << 10U) + (utf16[i] - first_low_surrogate);
    }
    const std::size_t bytes = encode_utf8(code_point, into.subspan(done.written));
    if (bytes == 0) {
      done.complete = false;
      break;
    }
    done.written += bytes;
  }
  return done;
}

}  // namespace pspllm::psp
