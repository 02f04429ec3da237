// pspllm chat with a model that has a chat template, as a person or a program uses it.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "psp/program/fakes/chat_model.hpp"
#include "tests/support/read_file.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pspllm::testing {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct ChatModel {
  TemporaryFolder folder;
  std::string model = folder.write("model.pspm", psp::make_chat_model());

  /// Lines are said one after the other; the options behind the model's name.
  [[nodiscard]] ProgramResult chat(const std::string& lines, std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"chat", model, "-p", "1", "-s", "3"});
    return run_pspllm(options, {.input = lines});
  }
};

}  // namespace

TEST_CASE("turns on standard input are answered, kept as one conversation, and saved") {
  const ChatModel model;
  const std::string saved = model.folder.path("chat.txt");
  const ProgramResult result =
      model.chat("hello\nand then?\n/save " + saved + "\n", {"-t", "0", "--turn-tokens", "6"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.error);
  const std::string text = read_file(saved);
  CHECK(text.starts_with("> hello\n"));
  CHECK(contains(text, "\n\n> and then?\n"));
  CHECK(text.ends_with("\n\n"));
  CHECK(contains(result.error, "Saved to " + saved));
  // Standard output has the answers alone.
  const std::size_t begin = std::string("> hello\n").size();
  CHECK(result.out.starts_with(text.substr(begin, text.find("\n\n> and") - begin) + "\n"));
  // The second answer comes from a conversation: by itself the same question is answered otherwise.
  const ProgramResult alone = model.chat("and then?\n", {"-t", "0", "--turn-tokens", "6"});
  CHECK_FALSE(result.out.ends_with("\n" + alone.out));
}

// The window of README's PSP-1000: integer attention rounds by the capacity.
TEST_CASE("the shipped chat model says what README shows") {
  const ProgramResult result =
      run_pspllm({"chat", "models/chat-90m/model.pspm", "-t", "0", "--context", "404"},
                 {.input = "Hello! How are you today?\nWhat is the capital of France?\n"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.error);
  CHECK(result.out ==
        "I'm glad to have you here. How can I help you today?\nThe capital of France is Paris.\n");
}

TEST_CASE("answers end at the template's stops alone, however far beyond the window") {
  const ChatModel model;
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += "turn " + std::to_string(i) + "\n";
  const std::string saved = model.folder.path("chat.txt");
  const ProgramResult result =
      model.chat(lines + "/save " + saved + "\n", {"-t", "1", "--turn-tokens", "100000", "--context", "56"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.error);
  const std::string text = read_file(saved);
  for (int i = 0; i < 20; ++i) CHECK(contains(text, "> turn " + std::to_string(i) + "\n"));
}

TEST_CASE("/reset begins anew, /system with another prompt") {
  const ChatModel model;
  const std::vector<std::string> greedy{"-t", "0", "--turn-tokens", "8"};
  const std::string answer = model.chat("hello\n", greedy).out;
  const ProgramResult reset = model.chat("hello\n/reset\nhello\n", greedy);
  CHECK(reset.out == answer + answer);
  CHECK(contains(reset.error, "A new conversation begins."));

  const std::string brief = model.chat("/system Be brief.\nhello\n", greedy).out;
  CHECK(brief != answer);
  const auto with_system = [&](const std::string& prompt) {
    std::vector<std::string> options = greedy;
    options.insert(options.end(), {"--system", prompt});
    return model.chat("hello\n", options).out;
  };
  CHECK(with_system("Be brief.") == brief);
  CHECK(with_system(psp::chat_model_system) == answer);
  CHECK(with_system("") == model.chat("/system\nhello\n", greedy).out);
}

TEST_CASE("--template none tells a story with the same model") {
  const ChatModel model;
  const ProgramResult story = model.chat("hello\n", {"-t", "0", "--turn-tokens", "8", "--template", "none"});
  CHECK(story.exit_code == 0);
  CHECK(story.out != model.chat("hello\n", {"-t", "0", "--turn-tokens", "8"}).out);
  CHECK(model.chat("hello\n", {"--template", "none", "--system", "x"}).exit_code == 1);
}

TEST_CASE("what does not fit the window is refused, the conversation goes on") {
  const ChatModel model;
  const ProgramResult result =
      model.chat(std::string(400, 'q') + "\nhello\n", {"-t", "0", "--turn-tokens", "8"});
  CHECK(result.exit_code == 1);
  CHECK(contains(result.error, "say it shorter"));
  CHECK(result.out == model.chat("hello\n", {"-t", "0", "--turn-tokens", "8"}).out);
}

}  // namespace pspllm::testing
