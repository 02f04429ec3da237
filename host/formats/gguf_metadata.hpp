// GGUF's metadata: typed values by name (specification: docs/gguf.md of ggml-org/ggml). Untrusted: every
// length is checked against what the file still has.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/formats/byte_cursor.hpp"

namespace pspllm::host {

/// A metadata array; integers are widened to 64 bits, floats to double. Arrays of arrays are refused.
using GgufArray = std::variant<std::vector<std::uint64_t>, std::vector<std::int64_t>, std::vector<double>,
                               std::vector<std::string>>;

/// A metadata value; numbers are widened like those of arrays.
using GgufValue = std::variant<bool, std::uint64_t, std::int64_t, double, std::string, GgufArray>;

struct GgufMetadata {
  std::string file_name;  ///< stands in front of every sentence
  std::map<std::string, GgufValue, std::less<>> entries;

  [[nodiscard]] bool has(std::string_view key) const { return entries.find(key) != entries.end(); }
  /// The value of `key`, or nothing where the file lacks it. Each throws Failure where it has another type.
  [[nodiscard]] std::optional<std::uint64_t> find_unsigned(std::string_view key) const;
  [[nodiscard]] std::optional<double> find_number(std::string_view key) const;  ///< whole numbers too
  [[nodiscard]] std::optional<bool> find_bool(std::string_view key) const;
  [[nodiscard]] std::optional<std::string> find_text(std::string_view key) const;
  /// nullptr where the file lacks it; valid as long as the metadata.
  [[nodiscard]] const std::vector<std::string>* find_texts(std::string_view key) const;
  [[nodiscard]] const std::vector<double>* find_numbers(std::string_view key) const;
  [[nodiscard]] const std::vector<std::int64_t>* find_integers(std::string_view key) const;
};

/// Bytes that an entry takes at least: length of the key, key, type, value.
inline constexpr std::uint64_t smallest_gguf_entry_bytes = 8 + 1 + 4 + 1;

/// Reads the next entry. Throws Failure: truncated, damaged, a key that is there already, a file whose
/// metadata is larger than any model's.
void read_gguf_entry(ByteCursor& cursor, GgufMetadata& metadata);

}  // namespace pspllm::host
