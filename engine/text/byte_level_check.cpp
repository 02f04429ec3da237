// Whether a byte-level vocabulary's tables can be followed: after this every look-up stays inside them and
// ends.
#include "engine/core/slice.hpp"
#include "engine/text/byte_level_tables.hpp"
#include "engine/text/compare_bytes.hpp"

namespace pspllm {
namespace {

Status check_byte_pieces(ByteLevelTokenizer& tokenizer) noexcept {
  tokenizer.byte_tokens.fill(no_token);
  std::uint32_t previous = 0;
  for (std::size_t i = 0; i < tokenizer.byte_pieces.size(); ++i) {
    const std::uint32_t entry = tokenizer.byte_pieces[i];
    const std::uint32_t id = entry / byte_values;
    if (id >= tokenizer.header.vocab_size || (i > 0 && id <= previous)) {
      return damaged("byte piece ", i, " has token ", id, ", expected rising ones below ",
                     tokenizer.header.vocab_size);
    }
    previous = id;
    std::int32_t& token = tokenizer.byte_tokens[entry % byte_values];
    if (token != no_token) return damaged("byte ", entry % byte_values, " has two tokens");
    token = static_cast<std::int32_t>(id);
  }
  return {};
}

Status check_texts(const ByteLevelTokenizer& tokenizer) noexcept {
  for (std::size_t i = 0; i < tokenizer.texts.size(); ++i) {
    const ByteLevelText& text = tokenizer.texts[i];
    if (text.id >= tokenizer.header.vocab_size || (i > 0 && text.id <= tokenizer.texts[i - 1].id)) {
      return damaged("text ", i, " has token ", text.id, ", expected rising ones below ",
                     tokenizer.header.vocab_size);
    }
    if (text.kind < 1 || text.kind > static_cast<std::uint32_t>(ByteLevelTextKind::unused)) {
      return damaged("text ", i, " has kind ", text.kind, ", expected 1 to 3");
    }
    const bool is_unused = text.kind == static_cast<std::uint32_t>(ByteLevelTextKind::unused);
    if ((text.bytes == 0) != is_unused || text.bytes > max_piece_bytes ||
        std::uint64_t{text.offset} + text.bytes > tokenizer.header.text_bytes) {
      return damaged("text ", i, " has ", std::uint32_t{text.bytes}, " bytes at ", text.offset, " of ",
                     tokenizer.header.text_bytes);
    }
    const bool is_piece = text.kind == static_cast<std::uint32_t>(ByteLevelTextKind::piece);
    const auto token = static_cast<std::int32_t>(text.id);
    if (byte_of(tokenizer, token) != no_token || (!is_piece && origin_of(tokenizer, token) != no_token)) {
      return damaged("token ", text.id, " is a special or unused one and a text's at once");
    }
  }
  return {};
}

/// Whether a token is there before the merge of this rank: so spelling it comes to an end.
bool is_made_before(const ByteLevelTokenizer& tokenizer, std::int32_t token, std::uint32_t rank) noexcept {
  if (token < 0 || token >= static_cast<std::int32_t>(tokenizer.header.vocab_size)) return false;
  if (byte_of(tokenizer, token) != no_token) return true;
  const std::int32_t origin = origin_of(tokenizer, token);
  if (origin != no_token) return static_cast<std::uint32_t>(origin) < rank;
  const ByteLevelText* const text = find_text(tokenizer, token);
  return text != nullptr && text->kind == static_cast<std::uint32_t>(ByteLevelTextKind::piece);
}

Status check_results(const ByteLevelTokenizer& tokenizer) noexcept {
  if (!are_results_listed(tokenizer.header)) return {};
  for (std::uint32_t rank = 0; rank < tokenizer.header.merge_count; ++rank) {
    const std::int32_t result = tokenizer.results[rank];
    if (result < 0 || result >= static_cast<std::int32_t>(tokenizer.header.vocab_size)) {
      return damaged("merge ", rank, " makes token ", result, ", expected 0 to ",
                     tokenizer.header.vocab_size - 1);
    }
    const ByteLevelText* const text = find_text(tokenizer, result);
    if (text != nullptr && text->kind != static_cast<std::uint32_t>(ByteLevelTextKind::piece)) {
      return damaged("merge ", rank, " makes token ", result, ", a special or unused one");
    }
  }
  return {};
}

Status check_origins(const ByteLevelTokenizer& tokenizer) noexcept {
  const ByteLevelHeader& header = tokenizer.header;
  if (!are_results_listed(header)) return {};
  for (std::uint32_t token = 0; token < header.vocab_size; ++token) {
    const std::int32_t origin = tokenizer.origins[token];
    if (origin == no_token) continue;
    if (origin < 0 || origin >= static_cast<std::int32_t>(header.merge_count) ||
        tokenizer.results[static_cast<std::size_t>(origin)] != static_cast<std::int32_t>(token)) {
      return damaged("token ", token, " is said to come from merge ", origin, ", which does not make it");
    }
  }
  return {};
}

Status check_merges(const ByteLevelTokenizer& tokenizer) noexcept {
  const ByteLevelHeader& header = tokenizer.header;
  std::uint32_t merges = 0;
  for (std::uint32_t rank = 0; rank < header.merge_count; ++rank) {
    const std::int32_t left = tokenizer.parts[std::size_t{rank} * 2];
    const std::int32_t right = tokenizer.parts[std::size_t{rank} * 2 + 1];
    if (left == no_token && right == no_token && !are_results_listed(header)) continue;
    ++merges;
    if (!is_made_before(tokenizer, left, rank) || !is_made_before(tokenizer, right, rank)) {
      return damaged("merge ", rank, " joins tokens ", left, " and ", right,
                     ", expected pieces that are made before it");
    }
  }
  if (merges != header.sorted_count)
    return damaged("its index has ", header.sorted_count, " merges, there are ", merges);
  return {};
}

/// The index names every merge once: as many as there are, and each pair behind the one before.
Status check_sorted(const ByteLevelTokenizer& tokenizer) noexcept {
  std::int32_t previous_left = no_token;
  std::int32_t previous_right = no_token;
  for (std::uint32_t i = 0; i < tokenizer.header.sorted_count; ++i) {
    const std::int32_t rank = tokenizer.sorted[i];
    if (rank < 0 || rank >= static_cast<std::int32_t>(tokenizer.header.merge_count)) {
      return damaged("entry ", i, " of the merges' index is ", rank, ", expected 0 to ",
                     tokenizer.header.merge_count - 1);
    }
    const std::int32_t left = tokenizer.parts[static_cast<std::size_t>(rank) * 2];
    const std::int32_t right = tokenizer.parts[static_cast<std::size_t>(rank) * 2 + 1];
    if (left < previous_left || (left == previous_left && right <= previous_right)) {
      return damaged("entry ", i, " of the merges' index is out of order, or a merge stands twice");
    }
    previous_left = left;
    previous_right = right;
  }
  return {};
}

Status check_words(const ByteLevelTokenizer& tokenizer) noexcept {
  std::string_view previous;
  PieceStorage storage;
  std::string_view spelled;
  for (std::size_t i = 0; i < tokenizer.words.size(); ++i) {
    const std::uint32_t index = tokenizer.words[i];
    if (index >= tokenizer.header.text_count ||
        tokenizer.texts[index].kind != static_cast<std::uint32_t>(ByteLevelTextKind::piece)) {
      return damaged("word ", i, " is text ", index, ", expected a piece below ",
                     tokenizer.header.text_count);
    }
    const std::string_view word = text_of(tokenizer, tokenizer.texts[index]);
    if (i > 0 && compare_bytes(previous, word) >= 0) return damaged("word ", i, " is out of order");
    const std::uint32_t token = tokenizer.texts[index].id;
    if (!spell(tokenizer, static_cast<std::int32_t>(token), storage, spelled) || spelled != word)
      return damaged("word ", i, " is token ", token, ", which does not read as it");
    previous = word;
  }
  return {};
}

/// Every token reads as something, and a merge's result as its parts.
Status check_spelling(const ByteLevelTokenizer& tokenizer) noexcept {
  PieceStorage storage;
  std::string_view spelled;
  for (std::uint32_t token = 0; token < tokenizer.header.vocab_size; ++token) {
    if (!spell(tokenizer, static_cast<std::int32_t>(token), storage, spelled)) {
      return damaged("token ", token, " has no spelling of at most ", max_piece_bytes, " bytes");
    }
  }
  if (!are_results_listed(tokenizer.header)) return {};
  PieceStorage left_storage;
  PieceStorage right_storage;
  for (std::uint32_t rank = 0; rank < tokenizer.header.merge_count; ++rank) {
    const std::string_view left = piece_of(tokenizer, tokenizer.parts[std::size_t{rank} * 2], left_storage);
    const std::string_view right =
        piece_of(tokenizer, tokenizer.parts[std::size_t{rank} * 2 + 1], right_storage);
    const std::string_view result = piece_of(tokenizer, tokenizer.results[rank], storage);
    if (result.size() != left.size() + right.size() || !result.starts_with(left) ||
        slice(result, left.size(), right.size()) != right) {
      return damaged("merge ", rank, " makes token ", tokenizer.results[rank],
                     ", which does not read as its parts");
    }
  }
  return {};
}

}  // namespace

Status check_byte_level_tables(ByteLevelTokenizer& tokenizer) noexcept {
  if (Status status = check_byte_pieces(tokenizer); !status) return status;
  if (Status status = check_results(tokenizer); !status) return status;
  if (Status status = check_origins(tokenizer); !status) return status;
  if (Status status = check_texts(tokenizer); !status) return status;
  if (Status status = check_merges(tokenizer); !status) return status;
  if (Status status = check_sorted(tokenizer); !status) return status;
  if (Status status = check_words(tokenizer); !status) return status;
  return check_spelling(tokenizer);
}

}  // namespace pspllm
