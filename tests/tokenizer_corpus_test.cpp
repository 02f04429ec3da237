// The tokenizer on real text: 100,000 lines give the tokens of the plain quadratic loop, and a prompt of
// 10,000 words takes milliseconds.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "engine/testing/plain_encode.hpp"
#include "engine/text/encode.hpp"
#include "tests/support/read_file.hpp"
#include "tests/support/shared_data.hpp"

namespace pspllm::testing {
namespace {

struct Vocabulary {
  Vocabulary(const std::string& path, std::uint32_t vocab_size) : file(read_file(path)) {
    const std::span<const std::byte> view = std::as_bytes(std::span(file));
    memory.resize(static_cast<std::size_t>(tokenizer_bytes(file.size(), vocab_size)) / sizeof(std::uint32_t) +
                  1);
    REQUIRE(
        load_tokenizer(memory_source(&view), vocab_size, std::as_writable_bytes(std::span(memory)), tokenizer)
            .ok());
  }
  std::string file;
  std::vector<std::uint32_t> memory;
  Tokenizer tokenizer;
};

/// Encodes many texts with one scratch memory.
class Encoder {
 public:
  explicit Encoder(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  std::span<const std::int32_t> encode(std::string_view text) {
    scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(encode_scratch_bytes(text.size()) /
                                                                       sizeof(std::uint32_t))));
    const auto tokens = pspllm::encode(tokenizer_, text, std::as_writable_bytes(std::span(scratch_)));
    REQUIRE(tokens.ok());
    return tokens.value();
  }

 private:
  const Tokenizer& tokenizer_;
  std::vector<std::uint32_t> scratch_;
};

/// Lines without their ends; long ones in pieces, which keeps the quadratic loop quick and begins some of
/// them in the middle of a character.
std::vector<std::string_view> lines_of(std::string_view text) {
  constexpr std::size_t longest_line = 96;
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min({text.find('\n'), text.size(), longest_line});
    if (end > 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + (end < longest_line ? 1 : 0), text.size()));
  }
  return lines;
}

struct VocabularyFile {
  const char* path;
  std::uint32_t vocab_size;
};

constexpr VocabularyFile vocabularies[] = {{"data/models/tok512.bin", 512},
                                           {"data/models/tokenizer32000.bin", 32000},
                                           {"data/models/babyllama/tokenizer.bin", 361}};

/// Compares on lines number first, first + stride ... Gives how many.
std::size_t compare(const VocabularyFile& entry, std::size_t first,
                    const std::vector<std::string_view>& lines) {
  const auto path = shared_data(entry.path);
  if (!path) return 0;
  const Vocabulary vocabulary(*path, entry.vocab_size);
  const PlainEncoder plain(vocabulary.tokenizer);
  Encoder encoder(vocabulary.tokenizer);
  std::size_t compared = 0;
  for (std::size_t i = first; i < lines.size(); i += std::size(vocabularies)) {
    const std::string_view line = lines[i];
    const auto tokens = encoder.encode(line);
    const std::vector<std::int32_t> expected = plain.encode(line);
    if (!std::equal(tokens.begin(), tokens.end(), expected.begin(), expected.end())) {
      FAIL_CHECK(entry.path, " differs on: ", std::string(line));
    }
    ++compared;
  }
  return compared;
}

}  // namespace

TEST_CASE("100,000 lines give the tokens of the quadratic loop") {
  constexpr std::size_t wanted = 100000;
  std::string text;
  // Markup, quotes and foreign letters first, then stories.
  for (const char* name : {"wikitext2_raw_valid.txt", "wikitext2_raw_test.txt", "tinystories_train.txt"}) {
    if (const auto path = shared_data(std::string("data/text/") + name)) text += read_file(*path) + "\n";
  }
  std::vector<std::string_view> lines = lines_of(text);
  if (lines.empty()) return;
  REQUIRE(lines.size() >= wanted);
  // Evenly over all texts.
  for (std::size_t i = 0; i < wanted; ++i) lines[i] = lines[i * lines.size() / wanted];
  lines.resize(wanted);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < std::size(vocabularies); ++i) compared += compare(vocabularies[i], i, lines);
  CHECK(compared == wanted);
}

TEST_CASE("a prompt of 10,000 words takes milliseconds") {
  const auto path = shared_data("data/text/tinystories_valid.txt");
  const auto vocabulary_path = shared_data("data/models/tokenizer32000.bin");
  if (!path || !vocabulary_path) return;
  const std::string text = read_file(*path);
  std::size_t end = 0;
  for (int words = 0; words < 10000; ++words) end = text.find_first_of(" \n", end + 1);
  const Vocabulary vocabulary(*vocabulary_path, 32000);
  Encoder encoder(vocabulary.tokenizer);
  // Processor time: other programs on the machine do not count.
  const std::clock_t start = std::clock();
  const std::size_t tokens = encoder.encode(std::string_view(text).substr(0, end)).size();
  const double milliseconds = static_cast<double>(std::clock() - start) * 1e3 / CLOCKS_PER_SEC;
  std::printf("10,000 words: %zu tokens in %.1f ms\n", tokens, milliseconds);
  CHECK(tokens > 10000);
}

}  // namespace pspllm::testing
