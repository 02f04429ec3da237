// Files of `key=value` lines, as a person writes them in a text editor: settings, autorun.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pspllm::psp {

/// One line. `value` is everything behind the first '=', blanks included; a line without '=' has
/// has_equals = false and the whole line as its key.
struct KeyValueLine {
  std::size_t number = 0;  ///< From 1.
  std::string_view key;    ///< Without blanks around it.
  std::string_view value;
  bool has_equals = false;
};

/// Goes through a text line by line; skips a byte-order mark, empty lines and lines that begin with '#'.
/// Lines end with \n or \r\n.
class KeyValueReader {
 public:
  explicit KeyValueReader(std::string_view text);

  /// False after the last line.
  [[nodiscard]] bool next(KeyValueLine& line);

 private:
  std::string_view rest_;
  std::size_t line_number_ = 0;
};

/// The text without blanks and tabs at either end.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// A whole decimal number of at most `largest`, blanks around it allowed; nothing for anything else.
[[nodiscard]] std::optional<std::uint64_t> parse_unsigned(std::string_view text, std::uint64_t largest);

/// A decimal number such as "0.8" or "1": digits, at most one dot, no sign, at most 7 significant digits and
/// 7 decimals, so that the result is the float nearest to what is written (one exact division, no double).
[[nodiscard]] std::optional<float> parse_decimal(std::string_view text);

/// A decimal number in hundredths, further decimals rounded half up: "0.8" gives 80, "1.005" gives 101.
[[nodiscard]] std::optional<std::uint32_t> parse_hundredths(std::string_view text);

}  // namespace pspllm::psp
