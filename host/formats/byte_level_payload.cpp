#include "host/formats/byte_level_payload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "engine/text/byte_level_tokenizer.hpp"
#include "engine/text/utf8_character.hpp"
#include "host/core/failure.hpp"
#include "host/formats/payload_writer.hpp"

namespace pspllm::host {
namespace {

constexpr std::uint32_t byte_values = 256;

std::uint32_t size_of(const ByteLevelVocabulary& vocabulary) {
  return static_cast<std::uint32_t>(vocabulary.pieces.size());
}

const std::string& piece_at(const ByteLevelVocabulary& vocabulary, std::int32_t token) {
  return vocabulary.pieces[static_cast<std::size_t>(token)];
}

void check_vocabulary(const ByteLevelVocabulary& vocabulary) {
  const std::uint32_t vocab_size = size_of(vocabulary);
  if (vocab_size == 0 || vocab_size > max_vocab_size) {
    throw Failure(fmt::format("the vocabulary has {} pieces, expected 1 to {}", vocab_size, max_vocab_size));
  }
  for (std::uint32_t token = 0; token < vocab_size; ++token) {
    if (vocabulary.pieces[token].size() > max_piece_bytes) {
      throw Failure(fmt::format("piece {} of the vocabulary has {} bytes, expected at most {}", token,
                                vocabulary.pieces[token].size(), max_piece_bytes));
    }
  }
  const auto is_piece = [&](std::int32_t token) {
    return token >= 0 && token < static_cast<std::int32_t>(vocab_size) &&
           vocabulary.kinds[static_cast<std::size_t>(token)] == ByteLevelTextKind::piece;
  };
  for (std::size_t rank = 0; rank < vocabulary.merges.size(); ++rank) {
    const MergeRule& merge = vocabulary.merges[rank];
    if (!is_piece(merge.left) || !is_piece(merge.right) || !is_piece(merge.result) ||
        piece_at(vocabulary, merge.left) + piece_at(vocabulary, merge.right) !=
            piece_at(vocabulary, merge.result)) {
      throw Failure(
          fmt::format("merge {} of the vocabulary joins tokens {} and {} to {}, expected pieces "
                      "of which the last reads as the first two",
                      rank, merge.left, merge.right, merge.result));
    }
  }
}

/// The merges in order of rank, each pair once: the last of several.
std::vector<MergeRule> distinct_merges(const std::vector<MergeRule>& merges) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> last;
  for (std::size_t rank = 0; rank < merges.size(); ++rank)
    last[{merges[rank].left, merges[rank].right}] = rank;
  std::vector<MergeRule> distinct;
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    if (last[{merges[rank].left, merges[rank].right}] == rank) distinct.push_back(merges[rank]);
  }
  return distinct;
}

/// Tables as the file has them, ids not yet narrowed.
struct Tables {
  ByteLevelHeader header;
  std::vector<std::uint32_t> byte_pieces;
  std::vector<std::int32_t> parts;
  std::vector<std::int32_t> sorted;
  std::vector<std::int32_t> results;
  std::vector<std::int32_t> origins;
  std::vector<ByteLevelText> texts;
  std::vector<std::uint32_t> words;
  std::string text;
};

/// Whether merge ranks can be told from the tokens that they make: these rise, and parts come before wholes.
bool are_results_in_order(const ByteLevelVocabulary& vocabulary, const std::vector<MergeRule>& merges) {
  if (merges.empty()) return true;
  const auto span =
      static_cast<std::size_t>(merges.back().result) - static_cast<std::size_t>(merges[0].result);
  if (merges.back().result < merges[0].result || span + 1 > 2 * merges.size()) return false;
  const auto comes_before = [&](std::int32_t part, std::int32_t whole) {
    return part < whole || piece_at(vocabulary, part).size() == 1;
  };
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const MergeRule& merge = merges[rank];
    if (rank > 0 && merge.result <= merges[rank - 1].result) return false;
    if (!comes_before(merge.left, merge.result) || !comes_before(merge.right, merge.result)) return false;
  }
  return true;
}

/// Merge r makes token first + r; tokens in between that no merge makes leave holes.
void set_ordered_merges(const std::vector<MergeRule>& merges, Tables& tables) {
  const std::int32_t first = merges.empty() ? 0 : merges[0].result;
  const std::size_t count = merges.empty() ? 0 : static_cast<std::size_t>(merges.back().result - first) + 1;
  tables.header.first_result = static_cast<std::uint32_t>(first);
  tables.parts.assign(2 * count, no_token);
  for (const MergeRule& merge : merges) {
    const auto rank = static_cast<std::size_t>(merge.result - first);
    tables.parts[2 * rank] = merge.left;
    tables.parts[2 * rank + 1] = merge.right;
    tables.sorted.push_back(static_cast<std::int32_t>(rank));
  }
}

/// Any merges: results are listed. A token's origin is its first merge, unless another merge needs the token
/// before that: then its text is stored instead.
void set_listed_merges(const std::vector<MergeRule>& merges, std::uint32_t vocab_size, Tables& tables) {
  tables.header.first_result = results_are_listed;
  tables.origins.assign(vocab_size, no_token);
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const MergeRule& merge = merges[rank];
    tables.parts.insert(tables.parts.end(), {merge.left, merge.right});
    tables.results.push_back(merge.result);
    tables.sorted.push_back(static_cast<std::int32_t>(rank));
    std::int32_t& origin = tables.origins[static_cast<std::size_t>(merge.result)];
    if (origin == no_token) origin = static_cast<std::int32_t>(rank);
  }
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    for (const std::int32_t part : {merges[rank].left, merges[rank].right}) {
      std::int32_t& origin = tables.origins[static_cast<std::size_t>(part)];
      if (origin >= static_cast<std::int32_t>(rank)) origin = no_token;
    }
  }
}

void sort_merges(Tables& tables) {
  const auto pair_of = [&tables](std::int32_t rank) {
    const auto at = static_cast<std::size_t>(rank) * 2;
    return std::pair(tables.parts[at], tables.parts[at + 1]);
  };
  std::sort(tables.sorted.begin(), tables.sorted.end(),
            [&](std::int32_t a, std::int32_t b) { return pair_of(a) < pair_of(b); });
}

void set_byte_pieces(const ByteLevelVocabulary& vocabulary, Tables& tables) {
  std::vector<bool> has_token(byte_values, false);
  for (std::uint32_t token = 0; token < size_of(vocabulary); ++token) {
    if (vocabulary.kinds[token] != ByteLevelTextKind::piece || vocabulary.pieces[token].size() != 1) continue;
    const auto byte = static_cast<unsigned char>(vocabulary.pieces[token][0]);
    if (has_token[byte]) throw Failure(fmt::format("the vocabulary has two pieces for byte {}", byte));
    has_token[byte] = true;
    tables.byte_pieces.push_back(token * byte_values + byte);
  }
}

bool is_made_by_merge(const Tables& tables, std::uint32_t token) {
  const ByteLevelHeader& header = tables.header;
  if (header.first_result == results_are_listed) return tables.origins[token] != no_token;
  if (token < header.first_result || token - header.first_result >= tables.parts.size() / 2) return false;
  return tables.parts[std::size_t{token - header.first_result} * 2] != no_token;
}

/// Stores the texts of tokens that neither a byte nor a merge spells, and those of `words` in any case.
void set_texts(const ByteLevelVocabulary& vocabulary, const std::vector<bool>& is_word, Tables& tables) {
  tables.texts.clear();
  tables.words.clear();
  tables.text.clear();
  for (std::uint32_t token = 0; token < size_of(vocabulary); ++token) {
    const std::string& piece = vocabulary.pieces[token];
    const bool is_piece = vocabulary.kinds[token] == ByteLevelTextKind::piece && !piece.empty();
    if (is_piece && !is_word[token] && (piece.size() == 1 || is_made_by_merge(tables, token))) continue;
    const bool is_unused = vocabulary.kinds[token] == ByteLevelTextKind::unused || piece.empty();
    if (is_word[token]) tables.words.push_back(static_cast<std::uint32_t>(tables.texts.size()));
    ByteLevelText text;
    text.id = token;
    text.offset = static_cast<std::uint32_t>(tables.text.size());
    text.bytes = static_cast<std::uint16_t>(is_unused ? 0 : piece.size());
    text.kind = static_cast<std::uint16_t>(is_unused ? ByteLevelTextKind::unused : vocabulary.kinds[token]);
    tables.texts.push_back(text);
    if (!is_unused) tables.text += piece;
  }
  std::sort(tables.words.begin(), tables.words.end(), [&](std::uint32_t a, std::uint32_t b) {
    return vocabulary.pieces[tables.texts[a].id] < vocabulary.pieces[tables.texts[b].id];
  });
}

void add_ids(PayloadWriter& writer, const std::vector<std::int32_t>& ids, std::uint32_t id_bytes) {
  if (id_bytes == sizeof(std::int32_t)) return writer.add(std::span<const std::int32_t>(ids));
  std::vector<std::uint16_t> narrow;
  for (const std::int32_t id : ids) narrow.push_back(static_cast<std::uint16_t>(id));
  writer.add(std::span<const std::uint16_t>(narrow));
}

std::vector<std::byte> write(const ByteLevelVocabulary& vocabulary, Tables& tables) {
  ByteLevelHeader& header = tables.header;
  header.vocab_size = size_of(vocabulary);
  header.byte_count = static_cast<std::uint32_t>(tables.byte_pieces.size());
  header.merge_count = static_cast<std::uint32_t>(tables.parts.size() / 2);
  header.sorted_count = static_cast<std::uint32_t>(tables.sorted.size());
  header.id_bytes = header.vocab_size <= no_narrow_id && header.merge_count <= no_narrow_id ? 2 : 4;
  header.text_count = static_cast<std::uint32_t>(tables.texts.size());
  header.word_count = static_cast<std::uint32_t>(tables.words.size());
  header.text_bytes = static_cast<std::uint32_t>(tables.text.size());
  header.pre_tokenizer = static_cast<std::uint32_t>(vocabulary.pre_tokenizer);
  header.flags = (vocabulary.adds_bos ? ByteLevelFlags::adds_bos : 0) |
                 (vocabulary.ignore_merges ? ByteLevelFlags::ignore_merges : 0);
  header.bos = vocabulary.bos;
  header.eos = vocabulary.eos;
  header.pad = vocabulary.pad;
  PayloadWriter writer;
  writer.add(std::span<const ByteLevelHeader>(&header, 1));
  writer.add(std::span<const std::uint32_t>(tables.byte_pieces));
  add_ids(writer, tables.parts, header.id_bytes);
  add_ids(writer, tables.sorted, header.id_bytes);
  if (header.first_result == results_are_listed) {
    add_ids(writer, tables.results, header.id_bytes);
    add_ids(writer, tables.origins, header.id_bytes);
  }
  writer.add(std::span<const ByteLevelText>(tables.texts));
  writer.add(std::span<const std::uint32_t>(tables.words));
  writer.add(std::span<const char>(tables.text));
  return writer.take();
}

ByteLevelTokenizer load(std::vector<std::byte>& payload, std::uint32_t vocab_size) {
  ByteLevelTokenizer tokenizer;
  const std::vector<std::byte> source = payload;
  const std::span<const std::byte> bytes(source);
  require(load_byte_level_tokenizer(memory_source(&bytes), vocab_size, payload, tokenizer));
  return tokenizer;
}

bool is_well_formed(const std::string& text) {
  for (std::size_t position = 0; position < text.size();) {
    const Utf8Character character = utf8_character_at(text, position);
    if (!character.well_formed) return false;
    position += character.length;
  }
  return true;
}

/// Whether merging a piece's bytes leads to another split than the piece itself.
bool is_missed_by_merges(const ByteLevelTokenizer& tokenizer, const std::string& piece) {
  std::vector<MergeSymbol> symbols(piece.size());
  for (std::size_t i = 0; i < piece.size(); ++i) {
    symbols[i].token = tokenizer.byte_tokens[static_cast<unsigned char>(piece[i])];
    if (symbols[i].token == no_token) return false;
  }
  std::vector<std::uint32_t> heap(piece.size());
  merge_symbols(std::span<MergeSymbol>(symbols), heap,
                [&](std::int32_t left, std::int32_t right) { return find_merge(tokenizer, left, right); });
  return std::count_if(symbols.begin(), symbols.end(),
                       [](const MergeSymbol& symbol) { return symbol.token != no_token; }) > 1;
}

/// What ignore_merges changes: whole characters that are a piece which merging misses.
std::vector<bool> missed_pieces(const ByteLevelVocabulary& vocabulary, const ByteLevelTokenizer& tokenizer) {
  std::vector<bool> missed(vocabulary.pieces.size(), false);
  for (std::size_t token = 0; token < missed.size(); ++token) {
    const std::string& piece = vocabulary.pieces[token];
    missed[token] = vocabulary.kinds[token] == ByteLevelTextKind::piece && piece.size() > 1 &&
                    is_well_formed(piece) && is_missed_by_merges(tokenizer, piece);
  }
  return missed;
}

}  // namespace

std::vector<std::byte> byte_level_payload(const ByteLevelVocabulary& vocabulary) {
  check_vocabulary(vocabulary);
  const std::vector<MergeRule> merges = distinct_merges(vocabulary.merges);
  Tables tables;
  if (are_results_in_order(vocabulary, merges)) {
    set_ordered_merges(merges, tables);
  } else {
    set_listed_merges(merges, size_of(vocabulary), tables);
  }
  sort_merges(tables);
  set_byte_pieces(vocabulary, tables);
  set_texts(vocabulary, std::vector<bool>(vocabulary.pieces.size(), false), tables);
  std::vector<std::byte> payload = write(vocabulary, tables);
  const ByteLevelTokenizer tokenizer = load(payload, size_of(vocabulary));
  if (!vocabulary.ignore_merges) return payload;
  set_texts(vocabulary, missed_pieces(vocabulary, tokenizer), tables);
  payload = write(vocabulary, tables);
  static_cast<void>(load(payload, size_of(vocabulary)));
  return payload;
}

bool from_printable_alphabet(const std::string& piece, std::string& bytes) {
  const auto is_printable = [](std::uint32_t byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
  };
  static const std::map<std::uint32_t, char> alphabet = [&] {
    std::map<std::uint32_t, char> characters;
    std::uint32_t next = 0x100;
    for (std::uint32_t byte = 0; byte < byte_values; ++byte)
      characters[is_printable(byte) ? byte : next++] = static_cast<char>(byte);
    return characters;
  }();
  bytes.clear();
  for (std::size_t position = 0; position < piece.size();) {
    const Utf8Character character = utf8_character_at(piece, position);
    const auto found = alphabet.find(character.code_point);
    if (!character.well_formed || found == alphabet.end()) return false;
    bytes += found->second;
    position += character.length;
  }
  return true;
}

}  // namespace pspllm::host
