#include "host/report/conversation/chat_prompts.hpp"

#include <doctest/doctest.h>

#include "host/core/failure.hpp"

namespace pspllm::host {
namespace {

const std::string two_prompts =
    "{\"prompt\": \"Hello!\", \"any_of\": []}\n"
    "{\"prompt\": \"Which city?\", \"any_of\": [\"Paris\", \"Rome\"], \"kind\": \"fact\"}\n";

std::string failure_of_prompts(const std::string& text) {
  try {
    (void)parse_chat_prompts(text, "prompts.jsonl");
  } catch (const Failure& failure) {
    return failure.what();
  }
  return {};
}

std::string failure_of_answers(const std::string& text) {
  try {
    (void)parse_answers(text, "answers.jsonl", parse_chat_prompts(two_prompts, "prompts.jsonl"));
  } catch (const Failure& failure) {
    return failure.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("prompts come with the words of right answers, or without") {
  const std::vector<ChatPrompt> prompts =
      parse_chat_prompts(two_prompts + "{\"prompt\": \"Hi\"}", "prompts.jsonl");
  REQUIRE(prompts.size() == 3);
  CHECK(prompts[0].words == "Hello!");
  CHECK(prompts[0].right_words.empty());
  CHECK(prompts[1].right_words == std::vector<std::string>{"Paris", "Rome"});
  CHECK(prompts[2].right_words.empty());
}

TEST_CASE("prompts that are none get a sentence with their line") {
  CHECK(contains(failure_of_prompts("\n"), "prompts.jsonl has no prompt"));
  CHECK(contains(failure_of_prompts(two_prompts + "What is it?\n"), "prompts.jsonl, line 3: not JSON"));
  CHECK(contains(failure_of_prompts("{\"text\": \"Hi\"}"), "line 1 has no text \"prompt\""));
  CHECK(contains(failure_of_prompts("{\"prompt\": \"\"}"), "line 1: the prompt is empty"));
  CHECK(contains(failure_of_prompts("{\"prompt\": \"a\\u0000b\"}"), "zero byte"));
  for (const char* words : {"\"Paris\"", "[1]", "[\"\"]", "null"}) {
    CHECK(contains(failure_of_prompts("{\"prompt\": \"Hi\", \"any_of\": " + std::string(words) + "}"),
                   "line 1: \"any_of\" is no list of words"));
  }
}

TEST_CASE("answers find their prompts in any order, one that is there twice takes two") {
  const std::string lines =
      "{\"prompt\": \"b\", \"answer\": \"B\", \"ended\": true}\n"
      "{\"prompt\": \"a\", \"answer\": \"first\", \"ended\": false}\n"
      "{\"prompt\": \"a\", \"answer\": \"second\", \"ended\": true}\n";
  const std::vector<Answer> answers = parse_answers(lines, "answers", {{"a", {}}, {"b", {}}, {"a", {}}});
  REQUIRE(answers.size() == 3);
  CHECK(answers[0].text == "first");
  CHECK_FALSE(answers[0].ended);
  CHECK(answers[1].text == "B");
  CHECK(answers[2].text == "second");
}

TEST_CASE("answers that fit no prompt, and prompts without an answer, are named") {
  const std::string hello = "{\"prompt\": \"Hello!\", \"answer\": \"Hi!\", \"ended\": true}\n";
  CHECK(contains(failure_of_answers(hello), "answers.jsonl has no answer to \"Which city?\""));
  CHECK(contains(failure_of_answers(hello + hello), "line 2: \"Hello!\" has been answered already"));
  CHECK(contains(failure_of_answers("{\"prompt\": \"Bye!\", \"answer\": \"Bye!\", \"ended\": true}"),
                 "line 1: \"Bye!\" is not among the prompts"));
  CHECK(contains(failure_of_answers("{\"prompt\": \"Hello!\", \"ended\": true}"), "has no text \"answer\""));
  CHECK(contains(failure_of_answers("{\"prompt\": \"Hello!\", \"answer\": \"Hi!\"}"),
                 "does not say whether the answer \"ended\""));
}

}  // namespace pspllm::host
