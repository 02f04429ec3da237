// How a byte-level vocabulary lies in a .pspm file, and in memory: the same bytes.
//
// Goals: small (a piece that is made by a merge costs its two parts and one place in an index: 6 bytes up to
// 65,535 pieces); used where it lies, without building anything; checkable before use. A piece's bytes are
// not stored: they follow from its parts. Non-goals: other alphabets than bytes, editing in place.
//
// Layout behind the section's 64-byte kind, little-endian, every part on a 4-byte boundary, `id` being
// id_bytes wide (2 or 4), all bits set: none:
//   ByteLevelHeader
//   u32 byte_pieces[byte_count]      id * 256 + byte, rising: the pieces of single bytes
//   id  parts[merge_count][2]        left and right token of each merge, in order of rank: lower merges first
//   id  sorted[sorted_count]         ranks, ordered by (left, right)
//   id  results[merge_count]         token made by a merge; absent where first_result says it
//   id  origins[vocab_size]          rank of a merge that makes a token; absent as results is
//   ByteLevelText texts[text_count]  by rising id: pieces that neither a byte nor a merge spells
//   u32 words[word_count]            indices of texts, ordered by their bytes
//   text_bytes bytes, padded with 0
#pragma once

#include <cstdint>

namespace pspllm {

inline constexpr std::uint32_t byte_level_layout = 1;
/// first_result of a vocabulary whose merges do not follow each other: results and origins are present.
inline constexpr std::uint32_t results_are_listed = 0xffffffffU;
/// An id's bits where there is none, in a table of two-byte ids; the largest vocabulary of such is one less.
inline constexpr std::uint32_t no_narrow_id = 0xffffU;

enum class ByteLevelNormalizer : std::uint32_t { none = 0 };

struct ByteLevelFlags {
  static constexpr std::uint32_t adds_bos = 1;       ///< a text begins with the BOS token
  static constexpr std::uint32_t ignore_merges = 2;  ///< a word that is a piece is that piece, merges or not
  static constexpr std::uint32_t all = adds_bos | ignore_merges;
};

struct ByteLevelHeader {
  std::uint32_t layout = byte_level_layout;
  std::uint32_t vocab_size = 0;
  std::uint32_t id_bytes = 2;
  std::uint32_t byte_count = 0;    ///< bytes that the vocabulary can spell, at most 256
  std::uint32_t merge_count = 0;   ///< holes included
  std::uint32_t sorted_count = 0;  ///< merges that are no holes
  /// Merge `rank` makes token first_result + rank; a hole, with parts of none, stands where that token is no
  /// merge's. Or results_are_listed.
  std::uint32_t first_result = 0;
  std::uint32_t text_count = 0;
  std::uint32_t word_count = 0;  ///< 0 without ignore_merges
  std::uint32_t text_bytes = 0;
  std::uint32_t pre_tokenizer = 0;  ///< PreTokenizer
  std::uint32_t normalizer = 0;     ///< ByteLevelNormalizer
  std::uint32_t flags = 0;          ///< ByteLevelFlags
  std::int32_t bos = -1;            ///< token, or -1: none
  std::int32_t eos = -1;
  std::int32_t pad = -1;
};
static_assert(sizeof(ByteLevelHeader) == 64);

enum class ByteLevelTextKind : std::uint32_t {
  special = 1,  ///< a control token; its text is for people, no user's text becomes it
  piece = 2,    ///< text that no merge makes
  unused = 3    ///< an id that stands for nothing; no bytes
};

struct ByteLevelText {
  std::uint32_t id = 0;
  std::uint32_t offset = 0;  ///< into the text bytes
  std::uint16_t bytes = 0;
  std::uint16_t kind = 0;  ///< ByteLevelTextKind
};
static_assert(sizeof(ByteLevelText) == 12);

}  // namespace pspllm
