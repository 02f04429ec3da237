// Right words and repeated groups of words, against what training/chat counts (answers.py, filters.py).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "host/report/conversation/repeated_grams.hpp"
#include "host/report/conversation/right_words.hpp"

namespace pspllm::host {
namespace {

bool holds(const std::string& text, const std::vector<std::string>& words) {
  return holds_a_word(text, words);
}

GramCount grams_of(const std::string& text) {
  GramCount count;
  add_grams(text, count);
  return count;
}

}  // namespace

TEST_CASE("a right word stands at the beginning of a word, whatever its case and ending") {
  CHECK(holds("It is PARIS.", {"Paris"}));
  CHECK(holds("Two dogs!", {"cat", "dog"}));
  CHECK(holds("\"dog\"", {"dog"}));
  CHECK_FALSE(holds("A bulldog.", {"dog"}));
  CHECK_FALSE(holds("4dog", {"dog"}));
  CHECK(holds("A bulldog and a dog.", {"dog"}));
  CHECK_FALSE(holds("", {"dog"}));
  CHECK_FALSE(holds("A dog.", {}));
}

TEST_CASE("a right number is a whole number") {
  CHECK(holds("2 + 3 = 5", {"5"}));
  CHECK(holds("It is 5.", {"5"}));
  CHECK(holds("5th", {"5"}));
  CHECK_FALSE(holds("It is 52.", {"5"}));
  CHECK_FALSE(holds("It is 15.", {"5"}));
  CHECK(holds("H2O", {"h2o"}));
}

TEST_CASE("groups of four words that came before in the same text repeat") {
  CHECK(grams_of("one two three").total == 0);
  CHECK(grams_of("one two three").repeated_share() == 0.0);
  CHECK(grams_of("one two three four").total == 1);
  // the cat sat on | cat sat on the | sat on the cat | on the cat sat | the cat sat on
  const GramCount cats = grams_of("The cat\tsat on\n the CAT sat  on ");
  CHECK(cats.total == 5);
  CHECK(cats.repeated == 1);
  CHECK(grams_of("no no no no no no").repeated == 2);
  GramCount both;
  add_grams("one two three four", both);
  add_grams("one two three four", both);
  CHECK(both.total == 2);
  CHECK(both.repeated == 0);
}

}  // namespace pspllm::host
