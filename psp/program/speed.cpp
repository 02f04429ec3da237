#include "psp/program/speed.hpp"

namespace pspllm::psp {
namespace {

constexpr std::uint64_t microseconds_per_second = 1'000'000;

}  // namespace

RateText tokens_per_second(std::uint64_t tokens, std::uint64_t microseconds) {
  RateText text;
  if (tokens == 0 || microseconds == 0) return text.append('-');
  const std::uint64_t scaled = tokens * microseconds_per_second;
  const unsigned decimals = scaled < 10 * microseconds ? 2 : scaled < 100 * microseconds ? 1 : 0;
  return text.append_ratio(scaled, microseconds, decimals);
}

RateText prefill_rate(const TextFigures& figures) {
  return tokens_per_second(figures.prompt_tokens, figures.prefill_us);
}

RateText decode_rate(const TextFigures& figures) {
  return tokens_per_second(figures.decode_tokens, figures.decode_us);
}

TextBuffer<16> short_bytes(std::uint64_t bytes) {
  constexpr std::uint64_t kilo = 1024;
  TextBuffer<16> text;
  if (bytes < kilo) return text.append_unsigned(bytes);
  if (bytes < kilo * kilo) return text.append_ratio(bytes, kilo, 1).append('K');
  return text.append_ratio(bytes, kilo * kilo, 2).append('M');
}

TextBuffer<32> grouped_digits(std::uint64_t value) {
  std::array<char, 20> storage;
  const std::string_view digits = decimal_digits(value, storage);
  TextBuffer<32> text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text.append(' ');
    text.append(digits[i]);
  }
  return text;
}

}  // namespace pspllm::psp
