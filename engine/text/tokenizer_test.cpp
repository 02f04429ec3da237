#include "engine/text/tokenizer.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "engine/testing/test_model.hpp"

namespace pspllm {
namespace {

constexpr std::uint32_t vocab_size = 300;

/// A vocabulary loaded from bytes.
struct Loaded {
  explicit Loaded(const std::string& file, std::uint32_t pieces = vocab_size) {
    const std::span<const std::byte> view = std::as_bytes(std::span(file));
    memory.resize(static_cast<std::size_t>(tokenizer_bytes(file.size(), pieces)) / sizeof(std::uint32_t) + 1);
    status =
        load_tokenizer(memory_source(&view), pieces, std::as_writable_bytes(std::span(memory)), tokenizer);
  }
  [[nodiscard]] std::string sentence() const {
    return status ? std::string() : std::string(status.error().message.view());
  }

  std::vector<std::uint32_t> memory;
  Tokenizer tokenizer;
  Status status;
};

template <typename Number>
std::string with_number(std::string bytes, std::size_t offset, Number value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  return bytes;
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("pieces can be read and found") {
  const Loaded loaded(testing::make_tokenizer(vocab_size));
  REQUIRE(loaded.status.ok());
  CHECK(piece_of(loaded.tokenizer, 0) == "<unk>");
  CHECK(piece_of(loaded.tokenizer, 13) == "<0x0A>");
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(vocab_size); ++id) {
    REQUIRE(find_piece(loaded.tokenizer, piece_of(loaded.tokenizer, id)) == id);
  }
  CHECK(find_piece(loaded.tokenizer, " t", "he") == find_piece(loaded.tokenizer, " the"));
  CHECK(find_piece(loaded.tokenizer, "no such piece") == no_token);
  CHECK(find_piece(loaded.tokenizer, "") == no_token);
}

TEST_CASE("a vocabulary of another size is refused with both numbers") {
  for (const std::uint32_t pieces : {vocab_size - 1, vocab_size + 1, 32000U}) {
    const std::string sentence = Loaded(testing::make_tokenizer(pieces)).sentence();
    CHECK(contains(sentence, std::to_string(pieces).c_str()));
    CHECK(contains(sentence, "300"));
  }
}

TEST_CASE("a truncated file is refused at every length") {
  const std::string whole = testing::make_tokenizer(vocab_size);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    REQUIRE_FALSE(Loaded(whole.substr(0, length)).status.ok());
  }
  CHECK_FALSE(Loaded(whole + "x").status.ok());
}

TEST_CASE("lengths and scores out of range are refused with the piece") {
  const std::string whole = testing::make_tokenizer(vocab_size);
  constexpr std::size_t first_score = 4;
  constexpr std::size_t first_length = 8;
  for (const std::int32_t length :
       {-1, 513, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()}) {
    const std::string sentence = Loaded(with_number(whole, first_length, length)).sentence();
    CHECK(contains(sentence, "piece 0"));
    CHECK(contains(sentence, "length"));
  }
  for (const float score :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    CHECK(contains(Loaded(with_number(whole, first_score, score)).sentence(), "score"));
  }
  CHECK(contains(Loaded(with_number(whole, first_length + 4, '\0')).sentence(), "zero byte"));
}

TEST_CASE("the longest piece that the file claims is not believed") {
  const std::string whole = testing::make_tokenizer(vocab_size);
  for (const std::uint32_t claimed : {0U, 1U, 0xffffffffU}) {
    CHECK(Loaded(with_number(whole, 0, claimed)).status.ok());
  }
}

TEST_CASE("a model fed in as the tokenizer is refused") {
  CHECK_FALSE(Loaded(testing::make_q80_model({})).status.ok());
  CHECK(contains(Loaded("GGUF" + std::string(100, '\1')).sentence(), "GGUF"));
}

TEST_CASE("decoding follows runq.c") {
  const Loaded loaded(testing::make_tokenizer(vocab_size));
  char storage = '\0';
  const std::int32_t space_the = find_piece(loaded.tokenizer, " the");
  CHECK(decode(loaded.tokenizer, bos_token, space_the, storage) == "the");
  CHECK(decode(loaded.tokenizer, space_the, space_the, storage) == " the");
  CHECK(decode(loaded.tokenizer, space_the, first_byte_token + 0xF0, storage) == "\xF0");
  CHECK_FALSE(reference_prints("\xF0"));
  CHECK_FALSE(reference_prints("\x01"));
  CHECK(reference_prints("\n"));
  CHECK(reference_prints("a"));
  CHECK(reference_prints("\xC3\xA9"));
  CHECK_FALSE(reference_prints(""));
}

}  // namespace pspllm
