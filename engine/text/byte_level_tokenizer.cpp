#include "engine/text/byte_level_tokenizer.hpp"

#include <algorithm>

#include "engine/core/slice.hpp"
#include "engine/text/byte_level_tables.hpp"
#include "engine/text/compare_bytes.hpp"

namespace pspllm {
std::int32_t byte_of(const ByteLevelTokenizer& tokenizer, std::int32_t token) noexcept {
  const std::uint32_t first = static_cast<std::uint32_t>(token) * byte_values;
  const auto entry = std::lower_bound(tokenizer.byte_pieces.begin(), tokenizer.byte_pieces.end(), first);
  if (entry == tokenizer.byte_pieces.end() || *entry / byte_values != static_cast<std::uint32_t>(token)) {
    return no_token;
  }
  return static_cast<std::int32_t>(*entry % byte_values);
}

std::int32_t origin_of(const ByteLevelTokenizer& tokenizer, std::int32_t token) noexcept {
  const ByteLevelHeader& header = tokenizer.header;
  if (are_results_listed(header)) return tokenizer.origins[static_cast<std::size_t>(token)];
  const auto id = static_cast<std::uint32_t>(token);
  if (id < header.first_result || id - header.first_result >= header.merge_count) return no_token;
  const std::uint32_t rank = id - header.first_result;
  return tokenizer.parts[std::size_t{rank} * 2] == no_token ? no_token : static_cast<std::int32_t>(rank);
}

const ByteLevelText* find_text(const ByteLevelTokenizer& tokenizer, std::int32_t token) noexcept {
  const auto id = static_cast<std::uint32_t>(token);
  const auto entry =
      std::lower_bound(tokenizer.texts.begin(), tokenizer.texts.end(), id,
                       [](const ByteLevelText& text, std::uint32_t wanted) { return text.id < wanted; });
  return entry != tokenizer.texts.end() && entry->id == id ? &*entry : nullptr;
}

std::string_view text_of(const ByteLevelTokenizer& tokenizer, const ByteLevelText& text) noexcept {
  return slice(tokenizer.text, text.offset, text.bytes);
}

bool spell(const ByteLevelTokenizer& tokenizer, std::int32_t token, PieceStorage& storage,
           std::string_view& spelled) noexcept {
  // Every token that waits stands for a byte at least, so a piece that fits the storage fits this.
  std::array<std::int32_t, max_piece_bytes> waiting;
  std::size_t waiting_count = 0;
  std::size_t size = 0;
  waiting[waiting_count++] = token;
  while (waiting_count > 0) {
    const std::int32_t next = waiting[--waiting_count];
    if (const std::int32_t byte = byte_of(tokenizer, next); byte != no_token) {
      if (size == storage.bytes.size()) return false;
      storage.bytes[size++] = static_cast<char>(byte);
    } else if (const std::int32_t rank = origin_of(tokenizer, next); rank != no_token) {
      if (waiting_count + 2 > waiting.size()) return false;
      waiting[waiting_count++] = tokenizer.parts[static_cast<std::size_t>(rank) * 2 + 1];
      waiting[waiting_count++] = tokenizer.parts[static_cast<std::size_t>(rank) * 2];
    } else {
      const ByteLevelText* const entry = find_text(tokenizer, next);
      if (entry == nullptr || size + entry->bytes > storage.bytes.size()) return false;
      for (const char c : text_of(tokenizer, *entry)) storage.bytes[size++] = c;
    }
  }
  spelled = {storage.bytes.data(), size};
  return true;
}

std::string_view piece_of(const ByteLevelTokenizer& tokenizer, std::int32_t token,
                          PieceStorage& storage) noexcept {
  std::string_view spelled;
  // Loading has checked that every token can be spelled.
  static_cast<void>(spell(tokenizer, token, storage, spelled));
  return spelled;
}

bool is_special(const ByteLevelTokenizer& tokenizer, std::int32_t token) noexcept {
  const ByteLevelText* const entry = find_text(tokenizer, token);
  return entry != nullptr && entry->kind == static_cast<std::uint16_t>(ByteLevelTextKind::special);
}

std::int32_t find_special(const ByteLevelTokenizer& tokenizer, std::string_view name) noexcept {
  for (const ByteLevelText& entry : tokenizer.texts) {
    if (entry.kind == static_cast<std::uint16_t>(ByteLevelTextKind::special) &&
        text_of(tokenizer, entry) == name) {
      return static_cast<std::int32_t>(entry.id);
    }
  }
  return no_token;
}

Merge find_merge(const ByteLevelTokenizer& tokenizer, std::int32_t left, std::int32_t right) noexcept {
  std::size_t low = 0;
  std::size_t high = tokenizer.header.sorted_count;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const auto rank = static_cast<std::uint32_t>(tokenizer.sorted[middle]);
    const std::int32_t middle_left = tokenizer.parts[std::size_t{rank} * 2];
    const std::int32_t middle_right = tokenizer.parts[std::size_t{rank} * 2 + 1];
    if (middle_left == left && middle_right == right) {
      const std::uint32_t first = tokenizer.header.first_result;
      const std::int32_t result =
          first == results_are_listed ? tokenizer.results[rank] : static_cast<std::int32_t>(first + rank);
      return {result, rank};
    }
    if (middle_left < left || (middle_left == left && middle_right < right)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {};
}

std::int32_t find_word(const ByteLevelTokenizer& tokenizer, std::string_view word) noexcept {
  std::size_t low = 0;
  std::size_t high = tokenizer.words.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const ByteLevelText& entry = tokenizer.texts[tokenizer.words[middle]];
    const int order = compare_bytes(text_of(tokenizer, entry), word);
    if (order == 0) return static_cast<std::int32_t>(entry.id);
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return no_token;
}

}  // namespace pspllm
