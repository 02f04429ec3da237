#include "host/formats/gguf_metadata.hpp"

#include <fmt/format.h>

#include <utility>

#include "host/core/failure.hpp"
#include "host/formats/printable.hpp"

namespace pspllm::host {
namespace {

constexpr std::uint64_t longest_key = 65535;  // the specification's limit
// Far above what language models have, and small enough for the memory of what a damaged file claims.
constexpr std::uint64_t most_metadata_bytes = std::uint64_t{64} << 20;

/// Metadata types, by the ids of the file.
enum class ValueType : std::uint32_t {
  u8 = 0,
  i8 = 1,
  u16 = 2,
  i16 = 3,
  u32 = 4,
  i32 = 5,
  f32 = 6,
  boolean = 7,
  text = 8,
  array = 9,
  u64 = 10,
  i64 = 11,
  f64 = 12
};

/// Bytes that a value of the type takes at least.
std::uint64_t smallest_bytes(ValueType type) noexcept {
  switch (type) {
    case ValueType::u8:
    case ValueType::i8:
    case ValueType::boolean:
      return 1;
    case ValueType::u16:
    case ValueType::i16:
      return 2;
    case ValueType::u32:
    case ValueType::i32:
    case ValueType::f32:
      return 4;
    default:
      return 8;
  }
}

ValueType type_of(ByteCursor& cursor, const std::string& key) {
  const auto type = cursor.number<std::uint32_t>("a metadata type");
  if (type > static_cast<std::uint32_t>(ValueType::f64)) {
    cursor.refuse(fmt::format("{} has type {}, expected 0 to 12; the file is damaged", printable(key), type));
  }
  return static_cast<ValueType>(type);
}

std::string read_text(ByteCursor& cursor, const std::string& key) {
  const auto length = cursor.number<std::uint64_t>("a text's length");
  if (length > most_metadata_bytes) {
    cursor.refuse(fmt::format("a text of {} has {} bytes, expected at most {}; the file is damaged",
                              printable(key), length, most_metadata_bytes));
  }
  return cursor.text(length, printable(key));
}

template <typename Wide>
Wide read_number(ByteCursor& cursor, ValueType type) {
  constexpr std::string_view what = "a metadata number";
  switch (type) {
    case ValueType::u8:
    case ValueType::boolean:
      return static_cast<Wide>(cursor.number<std::uint8_t>(what));
    case ValueType::i8:
      return static_cast<Wide>(cursor.number<std::int8_t>(what));
    case ValueType::u16:
      return static_cast<Wide>(cursor.number<std::uint16_t>(what));
    case ValueType::i16:
      return static_cast<Wide>(cursor.number<std::int16_t>(what));
    case ValueType::u32:
      return static_cast<Wide>(cursor.number<std::uint32_t>(what));
    case ValueType::i32:
      return static_cast<Wide>(cursor.number<std::int32_t>(what));
    case ValueType::f32:
      return static_cast<Wide>(cursor.number<float>(what));
    case ValueType::i64:
      return static_cast<Wide>(cursor.number<std::int64_t>(what));
    case ValueType::f64:
      return static_cast<Wide>(cursor.number<double>(what));
    default:
      return static_cast<Wide>(cursor.number<std::uint64_t>(what));
  }
}

template <typename Wide>
std::vector<Wide> read_numbers(ByteCursor& cursor, ValueType type, std::uint64_t length) {
  std::vector<Wide> numbers(static_cast<std::size_t>(length));
  for (Wide& number : numbers) number = read_number<Wide>(cursor, type);
  return numbers;
}

GgufArray read_array(ByteCursor& cursor, const std::string& key) {
  const ValueType type = type_of(cursor, key);
  if (type == ValueType::array) {
    cursor.refuse(fmt::format("{} is an array of arrays, which GGUF models do not have; the file is damaged",
                              printable(key)));
  }
  const auto length = cursor.number<std::uint64_t>("an array's length");
  if (length > cursor.remaining() / smallest_bytes(type) || length > most_metadata_bytes) {
    cursor.refuse(
        fmt::format("the array {} has {} elements, more than the {} bytes left can hold; the "
                    "file is damaged",
                    printable(key), length, cursor.remaining()));
  }
  switch (type) {
    case ValueType::text: {
      std::vector<std::string> texts;
      for (std::uint64_t i = 0; i < length; ++i) texts.push_back(read_text(cursor, key));
      return texts;
    }
    case ValueType::i8:
    case ValueType::i16:
    case ValueType::i32:
    case ValueType::i64:
      return read_numbers<std::int64_t>(cursor, type, length);
    case ValueType::f32:
    case ValueType::f64:
      return read_numbers<double>(cursor, type, length);
    default:
      return read_numbers<std::uint64_t>(cursor, type, length);
  }
}

GgufValue read_value(ByteCursor& cursor, const std::string& key, ValueType type) {
  switch (type) {
    case ValueType::boolean: {
      const auto byte = cursor.number<std::uint8_t>(key);
      if (byte > 1) {
        cursor.refuse(fmt::format("{} is {}, expected 0 or 1; the file is damaged", printable(key), byte));
      }
      return byte == 1;
    }
    case ValueType::text:
      return read_text(cursor, key);
    case ValueType::array:
      return read_array(cursor, key);
    case ValueType::i8:
    case ValueType::i16:
    case ValueType::i32:
    case ValueType::i64:
      return read_number<std::int64_t>(cursor, type);
    case ValueType::f32:
    case ValueType::f64:
      return read_number<double>(cursor, type);
    default:
      return read_number<std::uint64_t>(cursor, type);
  }
}

[[noreturn]] void refuse_type(const GgufMetadata& metadata, std::string_view key, const char* expected) {
  throw Failure(fmt::format("{}: the metadata entry {} is not {}, as it has to be in a model",
                            metadata.file_name, key, expected));
}

const GgufValue* find(const GgufMetadata& metadata, std::string_view key) {
  const auto found = metadata.entries.find(key);
  return found == metadata.entries.end() ? nullptr : &found->second;
}

template <typename Elements>
const std::vector<Elements>* find_array(const GgufMetadata& metadata, std::string_view key,
                                        const char* expected) {
  const GgufValue* const value = find(metadata, key);
  if (value == nullptr) return nullptr;
  const auto* const array = std::get_if<GgufArray>(value);
  const auto* const elements = array == nullptr ? nullptr : std::get_if<std::vector<Elements>>(array);
  if (elements == nullptr) refuse_type(metadata, key, expected);
  return elements;
}

}  // namespace

void read_gguf_entry(ByteCursor& cursor, GgufMetadata& metadata) {
  const auto length = cursor.number<std::uint64_t>("a metadata key");
  if (length == 0 || length > longest_key) {
    cursor.refuse(fmt::format("a metadata key has {} bytes, expected 1 to {}; the file is damaged", length,
                              longest_key));
  }
  const std::string key = cursor.text(length, "a metadata key");
  GgufValue value = read_value(cursor, key, type_of(cursor, key));
  if (cursor.position() > most_metadata_bytes) {
    cursor.refuse(
        fmt::format("the metadata takes more than {} bytes; the file is damaged", most_metadata_bytes));
  }
  if (!metadata.entries.emplace(key, std::move(value)).second) {
    cursor.refuse(fmt::format("the metadata has {} twice; the file is damaged", printable(key)));
  }
}

std::optional<std::uint64_t> GgufMetadata::find_unsigned(std::string_view key) const {
  const GgufValue* const value = find(*this, key);
  if (value == nullptr) return std::nullopt;
  if (const auto* number = std::get_if<std::uint64_t>(value); number != nullptr) return *number;
  const auto* const number = std::get_if<std::int64_t>(value);
  if (number == nullptr || *number < 0) refuse_type(*this, key, "a whole number of 0 or more");
  return static_cast<std::uint64_t>(*number);
}

std::optional<double> GgufMetadata::find_number(std::string_view key) const {
  const GgufValue* const value = find(*this, key);
  if (value == nullptr) return std::nullopt;
  if (const auto* number = std::get_if<double>(value); number != nullptr) return *number;
  return static_cast<double>(find_unsigned(key).value_or(0));
}

std::optional<bool> GgufMetadata::find_bool(std::string_view key) const {
  const GgufValue* const value = find(*this, key);
  if (value == nullptr) return std::nullopt;
  const auto* const flag = std::get_if<bool>(value);
  if (flag == nullptr) refuse_type(*this, key, "true or false");
  return *flag;
}

std::optional<std::string> GgufMetadata::find_text(std::string_view key) const {
  const GgufValue* const value = find(*this, key);
  if (value == nullptr) return std::nullopt;
  const auto* const text = std::get_if<std::string>(value);
  if (text == nullptr) refuse_type(*this, key, "a text");
  return *text;
}

const std::vector<std::string>* GgufMetadata::find_texts(std::string_view key) const {
  return find_array<std::string>(*this, key, "a list of texts");
}

const std::vector<double>* GgufMetadata::find_numbers(std::string_view key) const {
  return find_array<double>(*this, key, "a list of numbers");
}

const std::vector<std::int64_t>* GgufMetadata::find_integers(std::string_view key) const {
  return find_array<std::int64_t>(*this, key, "a list of whole numbers");
}

}  // namespace pspllm::host
