#include "psp/program/prompt_history.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using pspllm::psp::max_history_bytes;
using pspllm::psp::max_remembered_prompts;
using pspllm::psp::max_typed_prompt_bytes;
using pspllm::psp::PromptHistory;

namespace {

std::vector<std::string> prompts_of(const PromptHistory& history) {
  std::vector<std::string> prompts;
  for (std::size_t i = 0; i < history.size(); ++i) prompts.emplace_back(history.prompt(i));
  return prompts;
}

std::string file_of(const PromptHistory& history) {
  std::string text(max_history_bytes, '\0');
  text.resize(history.format(text));
  return text;
}

}  // namespace

TEST_CASE("newest first, a repeated one moves up, the oldest goes") {
  const auto history = std::make_unique<PromptHistory>();
  history->remember("a");
  history->remember("b");
  history->remember("c");
  history->remember("a");
  CHECK(prompts_of(*history) == std::vector<std::string>{"a", "c", "b"});
  history->remember(history->prompt(2));
  CHECK(prompts_of(*history) == std::vector<std::string>{"b", "a", "c"});
  for (std::size_t i = 0; i < max_remembered_prompts; ++i) history->remember(std::to_string(i));
  CHECK(history->size() == max_remembered_prompts);
  CHECK(history->prompt(0) == std::to_string(max_remembered_prompts - 1));
  CHECK(history->prompt(max_remembered_prompts - 1) == "0");
}

TEST_CASE("the file brings everything back: newlines, backslashes, empty prompts, the longest ones") {
  const auto history = std::make_unique<PromptHistory>();
  history->remember("two\nlines \\ and a backslash");
  history->remember("");
  history->remember(std::string(max_typed_prompt_bytes, '\\'));
  history->remember("caf\xC3\xA9");
  const auto again = std::make_unique<PromptHistory>();
  again->parse(file_of(*history));
  CHECK(prompts_of(*again) == prompts_of(*history));
}

TEST_CASE("rubbish in the file leaves out what cannot be a prompt") {
  const auto history = std::make_unique<PromptHistory>();
  history->parse("good\nbad \\x escape\n" + std::string(5000, 'a') + "\nlast");
  CHECK(prompts_of(*history) == std::vector<std::string>{"good", "last"});
}
