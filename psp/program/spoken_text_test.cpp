#include "psp/program/spoken_text.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

using pspllm::psp::Speaker;
using pspllm::psp::SpokenText;
using pspllm::psp::TextLine;

namespace {

std::vector<std::string> lines_of(const SpokenText& text) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < text.line_count(); ++i) {
    const TextLine line = text.line(i);
    lines.emplace_back(text.bytes().substr(line.begin, line.end - line.begin));
  }
  return lines;
}

std::unique_ptr<SpokenText> spoken(std::string_view words) {
  auto text = std::make_unique<SpokenText>();
  CHECK(text->append(Speaker::model, words));
  return text;
}

std::size_t cells(std::string_view utf8) {
  std::size_t count = 0;
  for (const char byte : utf8) count += (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("an empty text is one empty line") {
  CHECK(lines_of(SpokenText{}) == std::vector<std::string>{""});
}

TEST_CASE("words move to the next line whole, the blank stays behind") {
  const std::string full(SpokenText::columns - 4, 'a');
  CHECK(lines_of(*spoken(full + " bcd efg")) == std::vector<std::string>{full + " bcd ", "efg"});
  CHECK(lines_of(*spoken(full + " bcde efg")) == std::vector<std::string>{full + " ", "bcde efg"});
}

TEST_CASE("a word longer than a line is cut at the last column") {
  const std::string full(SpokenText::columns, 'a');
  CHECK(lines_of(*spoken(full + "bb c")) == std::vector<std::string>{full, "bb c"});
}

TEST_CASE("newlines end lines and are not part of them") {
  CHECK(lines_of(*spoken("a\n\nb\n")) == std::vector<std::string>{"a", "", "b", ""});
}

TEST_CASE("columns are characters, not bytes") {
  std::string accents;
  for (std::uint32_t i = 0; i < SpokenText::columns; ++i) accents += "\xC3\xA9";
  CHECK(lines_of(*spoken(accents + "x")) == std::vector<std::string>{accents, "x"});
}

TEST_CASE("lines do not depend on how the text came: at once or a character at a time") {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> characters;
    for (int i = 0; i < 600; ++i) {
      const char* const choices[] = {" ", " ", "\n", "a", "b", "cde", "\xC3\xA9", "\xF0\x9F\x98\xBA"};
      characters.emplace_back(choices[random() % (round % 2 == 0 ? 8 : 7)]);
    }
    std::string whole;
    auto streamed = std::make_unique<SpokenText>();
    for (const std::string& character : characters) {
      whole += character;
      CHECK(streamed->append(Speaker::model, character));
    }
    const std::vector<std::string> lines = lines_of(*streamed);
    CHECK(lines == lines_of(*spoken(whole)));
    std::string joined;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string visible = lines[i];
      while (visible.ends_with(' ')) visible.pop_back();
      CHECK(cells(visible) <= SpokenText::columns);
      joined += lines[i];
      if (i + 1 < lines.size() && streamed->bytes()[joined.size()] == '\n') joined += '\n';
    }
    CHECK(joined == whole);
  }
}

TEST_CASE("speakers keep their words") {
  SpokenText text;
  CHECK(text.append(Speaker::person, "who?"));
  CHECK(text.append(Speaker::model, " me"));
  CHECK(text.append(Speaker::model, "!"));
  CHECK(text.append(Speaker::person, " you"));
  CHECK(text.segment_count() == 3);
  CHECK(text.speaker_at(3) == Speaker::person);
  CHECK(text.speaker_at(4) == Speaker::model);
  CHECK(text.speaker_at(7) == Speaker::model);
  CHECK(text.speaker_at(8) == Speaker::person);
}

TEST_CASE("a full memory refuses whole pieces and keeps what it has") {
  auto text = std::make_unique<SpokenText>();
  const std::string piece(1000, 'x');
  while (text->append(Speaker::model, piece)) {
  }
  const std::size_t size = text->bytes().size();
  CHECK(size <= SpokenText::max_bytes);
  CHECK(size > SpokenText::max_bytes - 2000);
  CHECK(text->bytes() == std::string(size, 'x'));

  auto lines = std::make_unique<SpokenText>();
  while (lines->append(Speaker::model, "\n")) {
  }
  CHECK(lines->line_count() == SpokenText::max_lines);

  auto speakers = std::make_unique<SpokenText>();
  std::size_t turns = 0;
  while (speakers->append(turns % 2 == 0 ? Speaker::person : Speaker::model, "a")) ++turns;
  CHECK(turns == SpokenText::max_segments);
}

TEST_CASE("a text that was shortened is the one that had never been longer") {
  const std::string_view parts[] = {
      "> hello\n", "an answer that is longer than one line of the screen, by far ",
      "\n\n",      "> go on\n",
      "well",      "\xC3\xA9\n"};
  for (std::size_t kept = 0; kept <= std::size(parts); ++kept) {
    auto longer = std::make_unique<SpokenText>();
    auto expected = std::make_unique<SpokenText>();
    for (std::size_t i = 0; i < std::size(parts); ++i) {
      const Speaker speaker = parts[i].starts_with('>') ? Speaker::person : Speaker::model;
      CHECK(longer->append(speaker, parts[i]));
      if (i < kept) CHECK(expected->append(speaker, parts[i]));
    }
    longer->shorten(expected->bytes().size());
    // What comes next goes on from there.
    for (SpokenText* const text : {longer.get(), expected.get()})
      CHECK(text->append(Speaker::person, "more"));
    CHECK(longer->bytes() == expected->bytes());
    CHECK(lines_of(*longer) == lines_of(*expected));
    REQUIRE(longer->segment_count() == expected->segment_count());
    for (std::size_t i = 0; i < longer->segment_count(); ++i) {
      CHECK(longer->segment(i).end == expected->segment(i).end);
      CHECK(longer->segment(i).speaker == expected->segment(i).speaker);
    }
  }
}
