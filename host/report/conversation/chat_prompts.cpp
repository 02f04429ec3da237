#include "host/report/conversation/chat_prompts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "host/core/failure.hpp"
#include "host/formats/json_lines.hpp"
#include "host/generation/prompt_text.hpp"

namespace pspllm::host {
namespace {

std::string text_of(const JsonLine& line, const char* key) {
  std::string text = require_text(line, key);
  require_no_zero_byte(text, fmt::format("{}: \"{}\"", line.name, key));
  return text;
}

std::vector<std::string> right_words_of(const JsonLine& line) {
  std::vector<std::string> words;
  const auto found = line.object.find("any_of");
  if (found == line.object.end()) return words;
  const auto is_word = [](const nlohmann::json& word) {
    return word.is_string() && !word.get_ref<const std::string&>().empty();
  };
  if (!found->is_array() || !std::all_of(found->begin(), found->end(), is_word)) {
    throw Failure(fmt::format("{}: \"any_of\" is no list of words; expected one such as [\"Paris\"], or []",
                              line.name));
  }
  for (const nlohmann::json& word : *found) words.push_back(word.get<std::string>());
  return words;
}

ChatPrompt prompt_of(const JsonLine& line) {
  ChatPrompt prompt{text_of(line, "prompt"), right_words_of(line)};
  if (prompt.words.empty()) throw Failure(fmt::format("{}: the prompt is empty", line.name));
  return prompt;
}

bool ended_of(const JsonLine& line) {
  const auto found = line.object.find("ended");
  if (found != line.object.end() && found->is_boolean()) return found->get<bool>();
  throw Failure(
      fmt::format("{} does not say whether the answer \"ended\"; expected true or false", line.name));
}

}  // namespace

std::vector<ChatPrompt> parse_chat_prompts(std::string_view text, const std::string& name) {
  std::vector<ChatPrompt> prompts;
  for (const JsonLine& line : parse_json_lines(text, name)) prompts.push_back(prompt_of(line));
  if (prompts.empty())
    throw Failure(fmt::format("{} has no prompt; expected lines such as {{\"prompt\": \"Hello!\"}}", name));
  return prompts;
}

std::vector<Answer> parse_answers(std::string_view text, const std::string& name,
                                  const std::vector<ChatPrompt>& prompts) {
  // Prompts by their words, those without an answer yet: one that is there twice takes two.
  std::map<std::string, std::vector<std::size_t>, std::less<>> open;
  for (std::size_t i = prompts.size(); i-- > 0;) open[prompts[i].words].push_back(i);
  std::vector<std::optional<Answer>> found(prompts.size());
  for (const JsonLine& line : parse_json_lines(text, name)) {
    const std::string words = text_of(line, "prompt");
    const auto places = open.find(words);
    if (places == open.end() || places->second.empty()) {
      throw Failure(
          fmt::format("{}: \"{}\" {}", line.name, words,
                      places == open.end() ? "is not among the prompts" : "has been answered already"));
    }
    found[places->second.back()] = Answer{text_of(line, "answer"), ended_of(line)};
    places->second.pop_back();
  }
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    if (!found[i]) throw Failure(fmt::format("{} has no answer to \"{}\"", name, prompts[i].words));
    answers.push_back(std::move(*found[i]));
  }
  return answers;
}

}  // namespace pspllm::host
