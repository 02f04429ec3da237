#include "psp/program/key_value.hpp"

#include "engine/core/slice.hpp"

namespace pspllm::psp {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string_view without_first(std::string_view text, std::size_t count) {
  return slice(text, count, text.size() - count);
}

bool is_blank(char character) {
  return character == ' ' || character == '\t';
}

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

/// digits / 10^decimals.
struct Decimal {
  std::uint32_t digits = 0;
  std::uint32_t scale = 1;
};

std::optional<Decimal> parse_digits(std::string_view text) {
  constexpr std::uint32_t most_digits = 10'000'000;  // below 2^24: exact as a float
  Decimal number;
  bool seen_digit = false;
  bool seen_dot = false;
  for (const char character : trimmed(text)) {
    if (character == '.' && !seen_dot) {
      seen_dot = true;
      continue;
    }
    if (!is_digit(character)) return std::nullopt;
    seen_digit = true;
    number.digits = number.digits * 10 + static_cast<std::uint32_t>(character - '0');
    if (seen_dot) number.scale *= 10;
    if (number.digits >= most_digits || number.scale > most_digits) return std::nullopt;
  }
  if (!seen_digit) return std::nullopt;
  return number;
}

}  // namespace

KeyValueReader::KeyValueReader(std::string_view text) : rest_(text) {
  if (text.starts_with(byte_order_mark)) rest_ = without_first(text, byte_order_mark.size());
}

bool KeyValueReader::next(KeyValueLine& line) {
  while (!rest_.empty()) {
    std::size_t end = 0;
    while (end < rest_.size() && rest_[end] != '\n') ++end;
    std::string_view text = slice(rest_, 0, end);
    rest_ = without_first(rest_, end < rest_.size() ? end + 1 : end);
    ++line_number_;
    if (text.ends_with('\r')) text = slice(text, 0, text.size() - 1);
    if (trimmed(text).empty() || trimmed(text).front() == '#') continue;

    std::size_t equals = 0;
    while (equals < text.size() && text[equals] != '=') ++equals;
    line = {};
    line.number = line_number_;
    line.key = trimmed(slice(text, 0, equals));
    line.has_equals = equals < text.size();
    if (line.has_equals) line.value = without_first(text, equals + 1);
    return true;
  }
  return false;
}

std::string_view trimmed(std::string_view text) {
  std::size_t begin = 0;
  std::size_t end = text.size();
  while (begin < end && is_blank(text[begin])) ++begin;
  while (end > begin && is_blank(text[end - 1])) --end;
  return slice(text, begin, end - begin);
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text, std::uint64_t largest) {
  const std::string_view digits = trimmed(text);
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char character : digits) {
    if (!is_digit(character)) return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(character - '0');
    // value * 10 + digit <= largest, without overflow and without a 64-bit division of `largest`.
    constexpr std::uint64_t safe = ~std::uint64_t{0} / 10;
    if (value > safe || value * 10 > ~std::uint64_t{0} - digit) return std::nullopt;
    value = value * 10 + digit;
    if (value > largest) return std::nullopt;
  }
  return value;
}

std::optional<float> parse_decimal(std::string_view text) {
  const std::optional<Decimal> number = parse_digits(text);
  if (!number) return std::nullopt;
  return static_cast<float>(static_cast<std::int32_t>(number->digits)) /
         static_cast<float>(static_cast<std::int32_t>(number->scale));
}

std::optional<std::uint32_t> parse_hundredths(std::string_view text) {
  const std::optional<Decimal> number = parse_digits(text);
  if (!number) return std::nullopt;
  // digits < 10^7, so times 100 stays below 2^32.
  return (number->digits * 100 + number->scale / 2) / number->scale;
}

}  // namespace pspllm::psp
