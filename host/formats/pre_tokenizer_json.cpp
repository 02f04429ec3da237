#include "host/formats/pre_tokenizer_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "host/core/failure.hpp"

namespace pspllm::host {
namespace {

using nlohmann::json;

constexpr std::string_view gpt2_pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view llama3_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// A member's value where it has the wanted type, else `otherwise`.
template <typename Value>
Value member_or(const json& object, const char* key, Value otherwise) {
  const auto member = object.find(key);
  if (member == object.end()) return otherwise;
  if constexpr (std::is_same_v<Value, bool>) {
    return member->is_boolean() ? member->get<bool>() : otherwise;
  } else {
    return member->is_string() ? member->get<std::string>() : otherwise;
  }
}

bool is_type(const json& entry, const char* type) {
  return entry.is_object() && member_or(entry, "type", std::string()) == type;
}

/// ByteLevel that adds no space, with or without GPT-2's expression.
bool is_byte_level(const json& entry, bool use_regex) {
  return is_type(entry, "ByteLevel") && !member_or(entry, "add_prefix_space", true) &&
         member_or(entry, "use_regex", true) == use_regex;
}

bool is_single_digits(const json& entry) {
  return is_type(entry, "Digits") && member_or(entry, "individual_digits", false);
}

/// The expression of a Split that keeps matches apart; empty for anything else.
std::string split_pattern(const json& entry) {
  if (!is_type(entry, "Split") || member_or(entry, "behavior", std::string()) != "Isolated" ||
      member_or(entry, "invert", true)) {
    return {};
  }
  const auto pattern = entry.find("pattern");
  if (pattern == entry.end() || !pattern->is_object()) return {};
  return member_or(*pattern, "Regex", std::string());
}

std::optional<PreTokenizer> kind_of_pair(const json& first, const json& second) {
  if (is_single_digits(first) && is_byte_level(second, true)) return PreTokenizer::smollm2;
  if (!is_byte_level(second, false)) return std::nullopt;
  const std::string pattern = split_pattern(first);
  if (pattern == llama3_pattern) return PreTokenizer::llama3;
  if (pattern == gpt2_pattern) return PreTokenizer::gpt2;
  return std::nullopt;
}

std::optional<PreTokenizer> kind_of(const json& entry) {
  if (is_byte_level(entry, true)) return PreTokenizer::gpt2;
  if (!is_type(entry, "Sequence")) return std::nullopt;
  const auto parts = entry.find("pretokenizers");
  if (parts == entry.end() || !parts->is_array() || parts->size() != 2) return std::nullopt;
  return kind_of_pair((*parts)[0], (*parts)[1]);
}

/// The entry for a sentence: as it stands, cut where it is long.
std::string shown(const json& entry) {
  constexpr std::size_t longest = 200;
  std::string text = entry.dump(-1, ' ', true);
  if (text.size() > longest) text = text.substr(0, longest) + "…";
  return text;
}

}  // namespace

PreTokenizer pre_tokenizer_of(const json& entry, const std::string& name) {
  if (const std::optional<PreTokenizer> kind = kind_of(entry)) return *kind;
  throw Failure(fmt::format(
      "{}: the pre-tokenizer {} is not supported; supported are GPT-2's (ByteLevel with use_regex, without "
      "add_prefix_space), SmolLM2's (Digits with individual_digits, then that) and Llama 3's (Split by its "
      "expression, then ByteLevel without use_regex)",
      name, shown(entry)));
}

}  // namespace pspllm::host
