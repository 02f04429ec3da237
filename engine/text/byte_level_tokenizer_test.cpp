#include "engine/text/byte_level_tokenizer.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "engine/text/byte_level_encode.hpp"
#include "host/formats/byte_level_payload.hpp"

namespace pspllm {
namespace {

constexpr std::int32_t first_merged = 257;

/// 256 bytes, a special token, then ab, abc, bc; a hole; a piece that no merge makes.
host::ByteLevelVocabulary small_vocabulary() {
  host::ByteLevelVocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) vocabulary.pieces.emplace_back(1, static_cast<char>(byte));
  vocabulary.pieces.insert(vocabulary.pieces.end(), {"<|end|>", "ab", "abc", "bc", "xyz", "de"});
  vocabulary.kinds.assign(vocabulary.pieces.size(), ByteLevelTextKind::piece);
  vocabulary.kinds[256] = ByteLevelTextKind::special;
  vocabulary.merges = {{'a', 'b', 257}, {257, 'c', 258}, {'b', 'c', 259}, {'d', 'e', 261}};
  vocabulary.eos = 256;
  return vocabulary;
}

struct Loaded {
  explicit Loaded(const std::vector<std::byte>& payload, std::uint32_t vocab_size = 262)
      : memory(payload.size() / 4 + 1) {
    const std::span<const std::byte> bytes(payload);
    status = load_byte_level_tokenizer(memory_source(&bytes), vocab_size,
                                       std::as_writable_bytes(std::span(memory)), tokenizer);
  }
  std::vector<std::uint32_t> memory;
  ByteLevelTokenizer tokenizer;
  Status status;
};

std::vector<std::int32_t> encoded(const ByteLevelTokenizer& tokenizer, std::string_view text) {
  std::vector<std::uint32_t> scratch(static_cast<std::size_t>(byte_level_scratch_bytes(text.size()) / 4));
  const auto tokens =
      encode(tokenizer, text, TextPlace::beginning, std::as_writable_bytes(std::span(scratch)));
  REQUIRE(tokens.ok());
  return {tokens.value().begin(), tokens.value().end()};
}

/// The textbook's way: the lowest rank of all neighbours, leftmost first, until there is none.
std::vector<std::int32_t> plainly_merged(const ByteLevelTokenizer& tokenizer,
                                         std::vector<std::int32_t> tokens) {
  while (true) {
    std::size_t best = tokens.size();
    Merge best_merge;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const Merge merge = find_merge(tokenizer, tokens[i], tokens[i + 1]);
      if (merge.token == no_token || (best < tokens.size() && merge.order >= best_merge.order)) continue;
      best = i;
      best_merge = merge;
    }
    if (best == tokens.size()) return tokens;
    tokens[best] = best_merge.token;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

}  // namespace

TEST_CASE("merges run in order of rank, special tokens never come out of a text") {
  const Loaded loaded(host::byte_level_payload(small_vocabulary()));
  REQUIRE(loaded.status.ok());
  CHECK(encoded(loaded.tokenizer, "abc") == std::vector<std::int32_t>{258});
  CHECK(encoded(loaded.tokenizer, "bcabde") == std::vector<std::int32_t>{259, 257, 261});
  CHECK(encoded(loaded.tokenizer, "xyz") == std::vector<std::int32_t>{'x', 'y', 'z'});
  for (const std::int32_t token : encoded(loaded.tokenizer, "<|end|>")) CHECK(token < first_merged - 1);
  CHECK(find_special(loaded.tokenizer, "<|end|>") == 256);
  CHECK(find_special(loaded.tokenizer, "ab") == no_token);
  CHECK(is_special(loaded.tokenizer, 256));
  CHECK_FALSE(is_special(loaded.tokenizer, 260));
}

TEST_CASE("every piece reads as it was given, whichever way the merges are stored") {
  for (const bool in_order : {true, false}) {
    host::ByteLevelVocabulary vocabulary = small_vocabulary();
    if (!in_order) std::swap(vocabulary.merges[0], vocabulary.merges[2]);
    const Loaded loaded(host::byte_level_payload(vocabulary));
    REQUIRE(loaded.status.ok());
    CHECK((loaded.tokenizer.header.first_result == results_are_listed) != in_order);
    PieceStorage storage;
    for (std::size_t token = 0; token < vocabulary.pieces.size(); ++token) {
      CHECK(piece_of(loaded.tokenizer, static_cast<std::int32_t>(token), storage) ==
            vocabulary.pieces[token]);
    }
  }
}

TEST_CASE("with ignore_merges a word that is a piece is that piece") {
  host::ByteLevelVocabulary vocabulary = small_vocabulary();
  vocabulary.ignore_merges = true;
  const Loaded loaded(host::byte_level_payload(vocabulary));
  REQUIRE(loaded.status.ok());
  CHECK(encoded(loaded.tokenizer, "xyz") == std::vector<std::int32_t>{260});
  CHECK(encoded(loaded.tokenizer, "xyzx") == std::vector<std::int32_t>{'x', 'y', 'z', 'x'});
  CHECK(encoded(loaded.tokenizer, "abc") == std::vector<std::int32_t>{258});
}

TEST_CASE("random words are merged as by the quadratic loop") {
  host::ByteLevelVocabulary vocabulary = small_vocabulary();
  vocabulary.pieces.insert(vocabulary.pieces.end(), {"aa", "aaaa", "ba", "abab"});
  vocabulary.kinds.resize(vocabulary.pieces.size(), ByteLevelTextKind::piece);
  vocabulary.merges.insert(vocabulary.merges.begin() + 1,
                           {{'a', 'a', 262}, {262, 262, 263}, {'b', 'a', 264}});
  vocabulary.merges.push_back({257, 257, 265});
  const Loaded loaded(host::byte_level_payload(vocabulary), 266);
  REQUIRE(loaded.status.ok());
  std::uint32_t state = 7;
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    std::vector<std::int32_t> bytes;
    for (std::uint32_t i = 0; i < 40; ++i) {
      state = state * 1664525 + 1013904223;
      text += "abcde"[(state >> 24) % 5];
      bytes.push_back(text.back());
    }
    CAPTURE(text);
    REQUIRE(encoded(loaded.tokenizer, text) == plainly_merged(loaded.tokenizer, bytes));
  }
}

TEST_CASE("a text longer than its scratch is refused, not cut") {
  const Loaded loaded(host::byte_level_payload(small_vocabulary()));
  std::vector<std::uint32_t> scratch(static_cast<std::size_t>(byte_level_scratch_bytes(10) / 4));
  const auto into = std::as_writable_bytes(std::span(scratch));
  CHECK(encode(loaded.tokenizer, "1234567890", TextPlace::middle, into).ok());
  const auto longer = encode(loaded.tokenizer, "12345678901", TextPlace::middle, into);
  REQUIRE_FALSE(longer.ok());
  CHECK(longer.error().kind == ErrorKind::does_not_fit);
  CHECK_FALSE(encode(loaded.tokenizer, "123456789\xFF", TextPlace::middle, into).ok());
}

TEST_CASE("every damaged field is refused") {
  const std::vector<std::byte> payload = host::byte_level_payload(small_vocabulary());
  REQUIRE(Loaded(payload).status.ok());
  CHECK_FALSE(Loaded(payload, 263).status.ok());
  for (std::size_t size = 0; size < payload.size(); size += 4) {
    CHECK_FALSE(Loaded(std::vector(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(size)))
                    .status.ok());
  }
  const auto refuses = [&payload](std::size_t offset, std::uint32_t value) {
    std::vector<std::byte> damaged = payload;
    std::memcpy(damaged.data() + offset, &value, sizeof value);
    const Loaded loaded(damaged);
    CAPTURE(offset);
    CHECK_FALSE(loaded.status.ok());
    CHECK_FALSE(loaded.status.error().message.empty());
  };
  for (std::size_t offset = 0; offset < sizeof(ByteLevelHeader); offset += 4) refuses(offset, 0xfffffff0U);
  const auto refuses_more = [&](std::size_t offset, std::uint32_t more) {
    std::uint32_t value = 0;
    std::memcpy(&value, payload.data() + offset, sizeof value);
    refuses(offset, value + more);
  };
  for (std::size_t offset = 0; offset < offsetof(ByteLevelHeader, text_bytes); offset += 4) {
    refuses_more(offset, 1);
  }
  refuses_more(offsetof(ByteLevelHeader, text_bytes), 4);
  refuses_more(offsetof(ByteLevelHeader, pre_tokenizer), 3);
  refuses_more(offsetof(ByteLevelHeader, normalizer), 1);
  refuses_more(offsetof(ByteLevelHeader, flags), 1);  // BOS in front, and there is no BOS
  // Byte pieces: a token twice, a byte twice.
  refuses(64 + 4, 0);
  refuses(64 + 4, 256);
  // Merges: parts that come later, parts that are special.
  const std::size_t parts = 64 + 256 * 4;
  refuses(parts, 258U | 257U << 16);
  refuses(parts, 256U | 'b' << 16);
  refuses(parts, 0xffffU | 'b' << 16);
}

}  // namespace pspllm
