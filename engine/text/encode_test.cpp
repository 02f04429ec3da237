#include "engine/text/encode.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "engine/model/sampler.hpp"
#include "engine/testing/plain_encode.hpp"
#include "engine/testing/test_model.hpp"

namespace pspllm {
namespace {

struct Vocabulary {
  explicit Vocabulary(std::uint32_t vocab_size) {
    const std::string file = testing::make_tokenizer(vocab_size);
    const std::span<const std::byte> view = std::as_bytes(std::span(file));
    memory.resize(static_cast<std::size_t>(tokenizer_bytes(file.size(), vocab_size)) / sizeof(std::uint32_t) +
                  1);
    REQUIRE(
        load_tokenizer(memory_source(&view), vocab_size, std::as_writable_bytes(std::span(memory)), tokenizer)
            .ok());
  }
  std::vector<std::uint32_t> memory;
  Tokenizer tokenizer;
};

std::vector<std::int32_t> encoded(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::uint32_t> scratch(static_cast<std::size_t>(encode_scratch_bytes(text.size()) / 4));
  const auto tokens = encode(tokenizer, text, std::as_writable_bytes(std::span(scratch)));
  REQUIRE(tokens.ok());
  return {tokens.value().begin(), tokens.value().end()};
}

}  // namespace

TEST_CASE("an empty text is BOS alone") {
  const Vocabulary vocabulary(300);
  CHECK(encoded(vocabulary.tokenizer, "") == std::vector<std::int32_t>{bos_token});
}

TEST_CASE("a space piece stands before a text, and joins its first piece") {
  const Vocabulary vocabulary(300);
  const std::int32_t space_the = find_piece(vocabulary.tokenizer, " the");
  CHECK(encoded(vocabulary.tokenizer, "the") == std::vector<std::int32_t>{bos_token, space_the});
}

TEST_CASE("characters that the vocabulary lacks are spelled in bytes") {
  const Vocabulary vocabulary(300);
  const std::int32_t space = find_piece(vocabulary.tokenizer, " ");
  CHECK(encoded(vocabulary.tokenizer, "\xF0\x9F\x98\xBA") ==
        std::vector<std::int32_t>{bos_token, space, 0xF0 + 3, 0x9F + 3, 0x98 + 3, 0xBA + 3});
  CHECK(encoded(vocabulary.tokenizer, "\xC3\xA9").back() == find_piece(vocabulary.tokenizer, "\xC3\xA9"));
}

TEST_CASE("a vocabulary without byte pieces says what it cannot spell") {
  const Vocabulary vocabulary(100);
  std::vector<std::uint32_t> scratch(1000);
  const auto tokens = encode(vocabulary.tokenizer, "hello", std::as_writable_bytes(std::span(scratch)));
  REQUIRE_FALSE(tokens.ok());
  CHECK(tokens.error().message.view().find("cannot spell byte") != std::string_view::npos);
}

TEST_CASE("a text longer than its scratch is refused, not cut") {
  const Vocabulary vocabulary(300);
  std::vector<std::uint32_t> scratch(static_cast<std::size_t>(encode_scratch_bytes(10) / 4));
  CHECK(encode(vocabulary.tokenizer, "1234567890", std::as_writable_bytes(std::span(scratch))).ok());
  const auto tokens = encode(vocabulary.tokenizer, "12345678901", std::as_writable_bytes(std::span(scratch)));
  REQUIRE_FALSE(tokens.ok());
  CHECK(tokens.error().kind == ErrorKind::does_not_fit);
}

TEST_CASE("random texts give the tokens of the quadratic loop") {
  const Vocabulary vocabulary(300);
  const testing::PlainEncoder plain(vocabulary.tokenizer);
  constexpr std::string_view letters = "the and\xC3\xA9\x80\xF0 ";
  std::uint64_t state = 99;
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const std::size_t length = random_u32(state) % 60;
    for (std::size_t i = 0; i < length; ++i) text += letters[random_u32(state) % letters.size()];
    CAPTURE(text);
    REQUIRE(encoded(vocabulary.tokenizer, text) == plain.encode(text));
  }
}

}  // namespace pspllm
