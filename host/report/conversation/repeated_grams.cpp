#include "host/report/conversation/repeated_grams.hpp"

#include <set>
#include <string>
#include <vector>

#include "host/report/conversation/lower_case.hpp"

namespace pspllm::host {
namespace {

constexpr const char* white_space = " \t\n\v\f\r";

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = text.find_first_not_of(white_space); begin != std::string_view::npos;) {
    const std::size_t end = text.find_first_of(white_space, begin);
    words.push_back(lower_case(text.substr(begin, end - begin)));
    begin = text.find_first_not_of(white_space, end);
  }
  return words;
}

}  // namespace

void add_grams(std::string_view text, GramCount& count) {
  const std::vector<std::string> words = words_of(text);
  std::set<std::vector<std::string>> seen;
  for (auto first = words.begin(); words.end() - first >= gram_words; ++first) {
    const bool is_new = seen.emplace(first, first + gram_words).second;
    ++count.total;
    if (!is_new) ++count.repeated;
  }
}

}  // namespace pspllm::host
