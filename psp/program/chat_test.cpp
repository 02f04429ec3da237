// Conversations as a person holds them, and as an autorun does.
#include <doctest/doctest.h>

#include "engine/testing/test_engine.hpp"
#include "engine/text/conversation_text.hpp"
#include "host/generation/answer_text.hpp"
#include "host/generation/chat_conversation.hpp"
#include "psp/program/fakes/chat_model.hpp"
#include "psp/program/fakes/play.hpp"
#include "psp/screens/menu_screen.hpp"

namespace pspllm::psp {
namespace {

struct ChatPlay : Play {
  ChatPlay() {
    file("model.pspm") = make_chat_model();
    file("settings.txt") = "seed=3\nlength=12\ntemperature=1\ntop_p=1\n";
  }

  void expect(const std::string& words, bool there = true) {
    console.look([=](const std::string& screen) {
      CAPTURE(words);
      CAPTURE(screen);
      CHECK((screen.find(words) != std::string::npos) == there);
    });
  }
  void say(const std::string& words) {
    console.type(words);
    console.press(Button::cross);
  }
  /// Opens the menu and moves to a line from its first one.
  void choose(MenuChoice choice) {
    console.press(Button::triangle);
    console.press(Button::left_trigger);
    for (int i = static_cast<int>(MenuChoice::go_on); i < static_cast<int>(choice); ++i) {
      console.press(Button::down);
    }
    console.press(Button::cross);
  }
  void run_to_end() {
    run();
    CHECK(console.script_done());
  }
  [[nodiscard]] std::string text() { return std::string(state().session.text().bytes()); }
};

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_CASE("a model with a chat template opens a chat: who it is, how to begin, several turns") {
  ChatPlay play;
  play.expect("PspLlm  Tiny Talker");
  play.expect("say something");
  play.expect("System prompt (settings): Be kind.");
  play.say("hello there");
  play.expect("> hello there");
  play.expect("CROSS write");
  play.say("go on");
  play.expect("> go on");
  play.run_to_end();
  CHECK(play.text().rfind("> hello there\n", 0) == 0);
  CHECK(count_of(play.text(), "\n\n> go on\n") == 1);
  CHECK(play.file("history.txt") == "go on\nhello there\n");
  CHECK(play.state().session.text().speaker_at(3) == Speaker::person);
}

TEST_CASE("nothing is said where nothing was written") {
  ChatPlay play;
  play.say("");
  play.expect("say something");
  play.run_to_end();
  CHECK(play.state().session.empty());
}

/// Two turns, each answered `answers` times.
std::string text_of_two_turns(const std::string& settings, int answers) {
  ChatPlay play;
  play.file("settings.txt") = settings;
  for (const char* const words : {"hello there", "go on"}) {
    play.say(words);
    for (int i = 1; i < answers; ++i) play.console.press(Button::start);
  }
  play.run_to_end();
  return play.text();
}

TEST_CASE("START takes the answer back for another one; at temperature 0 for the same") {
  const std::string lively = "seed=3\nlength=12\ntemperature=1\ntop_p=1\n";
  const std::string another = text_of_two_turns(lively, 2);
  CHECK(another != text_of_two_turns(lively, 1));
  CHECK(count_of(another, "> hello there\n") == 1);
  CHECK(count_of(another, "\n\n> go on\n") == 1);
  const std::string greedy = "length=12\ntemperature=0\n";
  CHECK(text_of_two_turns(greedy, 3) == text_of_two_turns(greedy, 1));
}

TEST_CASE("START where no chat has begun says the last words of an earlier one") {
  ChatPlay play;
  play.file("history.txt") = "well\n";
  play.console.press(Button::start);
  play.run_to_end();
  CHECK(play.text().rfind("> well\n", 0) == 0);
}

TEST_CASE("START answers a turn that was stopped while it was read") {
  ChatPlay play;
  play.say("hello");
  play.console.press_while_busy(Button::circle);
  play.console.press(Button::start);
  play.run_to_end();
  CHECK(play.state().session.stop_reason() != StopReason::stopped);
  CHECK(count_of(play.text(), "> hello\n") == 1);
}

TEST_CASE("answers are taken back wherever the window stands") {
  ChatPlay play;
  constexpr int turns = 30;
  for (int i = 0; i < turns; ++i) {
    play.say("turn " + std::to_string(i));
    play.console.press(Button::start);
  }
  play.run_to_end();
  CHECK(play.state().session.text_tokens() > 3 * play.state().session.context());
  CHECK(play.state().session.renewed_tokens() > 0);
  for (int i = 0; i < turns; ++i) CHECK(count_of(play.text(), "> turn " + std::to_string(i) + "\n") == 1);
}

TEST_CASE("an answer that the memory of tokens has outgrown stays, and the person is told") {
  ChatPlay play;
  play.file("settings.txt") = "seed=3\nlength=1000\ntemperature=0\n";
  play.say("hello");
  std::string before;
  play.console.look([&](const std::string&) { before = play.text(); });
  play.console.press(Button::start);
  play.expect("This answer is too long to be taken back.");
  play.run_to_end();
  CAPTURE(before.size());
  CHECK(play.text() == before);
}

TEST_CASE("CIRCLE stops an answer while its turn is read; it can be finished, or left open") {
  ChatPlay play;
  play.file("settings.txt") = "seed=3\ntemperature=1\n";
  play.say("hello");
  play.console.press_while_busy(Button::circle);
  play.expect("Stopped.");
  play.console.press(Button::square);
  play.expect("Stopped.", false);
  play.say("another");
  play.console.press_while_busy(Button::circle);
  play.expect("Stopped.");
  play.say("a third");
  play.run_to_end();
  CHECK(play.state().session.stop_reason() == StopReason::ended);
  CHECK(count_of(play.text(), "> ") >= 3);
}

TEST_CASE("a new chat forgets the old one") {
  ChatPlay play;
  play.say("secret");
  play.choose(MenuChoice::begin_anew);
  play.expect("say something");
  play.expect("ctx 0/");
  play.say("hello");
  play.run_to_end();
  CHECK(play.text().rfind("> hello\n", 0) == 0);
}

TEST_CASE("a chat is saved as it stands, with its system prompt") {
  ChatPlay play;
  play.say("caf\xC3\xA9");
  play.choose(MenuChoice::save_text);
  play.expect("Saved as");
  play.expect("ms0:/PSP/GAME/PspLlm/chats/2026-05-04_03-02-01.txt");
  play.run_to_end();
  const std::string& saved = play.file("chats/2026-05-04_03-02-01.txt");
  CHECK(saved.rfind("PspLlm chat, 2026-05-04 03:02:01\nModel: Tiny Talker\n", 0) == 0);
  CHECK(saved.find("\nSystem prompt: Be kind.\n\n> caf\xC3\xA9\n") != std::string::npos);
  CHECK(saved.ends_with(play.text() + "\n"));
}

TEST_CASE("the system prompt is written in the settings, saved, and given to the next chat") {
  constexpr int system_prompt_line = 8;
  const auto edit = [](ChatPlay& play) {
    play.choose(MenuChoice::settings);
    for (int i = 0; i < system_prompt_line; ++i) play.console.press(Button::down);
  };
  ChatPlay play;
  edit(play);
  play.expect("the model's own");
  play.say("Be brief.\\");
  play.expect("Be brief.\\");
  play.console.press(Button::circle);
  play.expect("System prompt (settings): Be brief.\\");
  play.run_to_end();
  CHECK(play.console.keyboard_initials.back() == chat_model_system);
  CHECK(play.file("settings.txt").ends_with("system_prompt=Be brief.\\\\\n"));

  ChatPlay again;
  again.stick.files = play.stick.files;
  again.say("hello");
  edit(again);
  again.console.press(Button::left);
  again.expect("the model's own");
  again.console.press(Button::circle);
  again.run_to_end();
  CHECK(again.file("settings.txt").find("system_prompt") == std::string::npos);
  ChatPlay own;
  own.say("hello");
  own.run_to_end();
  CHECK(own.state().session.figures().prompt_tokens != again.state().session.figures().prompt_tokens);

  ChatPlay none;
  none.file("settings.txt") = "system_prompt=\n";
  none.expect("It has no system prompt");
  none.run_to_end();
}

TEST_CASE("a chat outgrows its window and goes on; the beginning can still be read") {
  ChatPlay play;
  constexpr int turns = 30;
  for (int i = 0; i < turns; ++i) play.say("turn " + std::to_string(i));
  play.console.press(Button::left);
  play.expect("> turn 0");
  play.run_to_end();
  CHECK(play.state().session.text_tokens() > 3 * play.state().session.context());
  CHECK(play.state().session.renewed_tokens() > 0);
  CHECK(count_of(play.text(), "> turn ") == turns);
}

TEST_CASE("a chat whose text fills its memory is told so between two turns") {
  ChatPlay play;
  play.file("settings.txt") = "seed=3\nlength=1\n";
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    play.say("x");
    play.console.look([&](const std::string& screen) {
      if (screen.find("the text's memory is full; save the conversation") != std::string::npos) ++refused;
    });
  }
  play.run_to_end();
  CHECK(refused > 0);
  CHECK(refused < 100);
}

TEST_CASE("words that do not fit the window are refused; the chat goes on") {
  ChatPlay play;
  play.say("hello");
  play.say(std::string(400, 'q'));
  play.expect("This cannot be said");
  play.console.press(Button::cross);
  play.say("well");
  play.expect("> well");
  play.run_to_end();
  CHECK(play.text().find("qq") == std::string::npos);
}

/// The conversation that a PC holds with the same file.
std::string conversation(const std::vector<std::string>& turns, std::uint32_t context,
                         std::uint32_t turn_tokens, const SamplerOptions& sampler, std::size_t& ended) {
  PlanOptions options;
  options.context = context;
  options.batch = 32;
  testing::TestEngine engine(make_chat_model(), "", options);
  REQUIRE(engine.status().ok());
  ChatTemplate chat_template;
  REQUIRE(read_chat_template(engine.engine().chat, 300, chat_template).ok());
  host::ChatConversation chat(engine.engine(), chat_template, sampler, {}, turn_tokens);
  std::string text;
  for (const std::string& turn : turns) {
    host::AnswerText answer(engine.engine().tokenizer, [](const std::string&) {});
    const Result<host::TextEnd> end = chat.say(turn, answer);
    REQUIRE(end.ok());
    answer.finish();
    if (end.value() == host::TextEnd::answer_done) ++ended;
    text += std::string(before_words) + turn + std::string(behind_words) + answer.text() +
            std::string(behind_answer);
  }
  return text;
}

TEST_CASE("an autorun's conversation is the PC's, byte for byte, far beyond the window") {
  std::vector<std::string> turns;
  std::string job = "turn_tokens=20\ntemperature=1\ntop_p=1\nseed=5\ncontext=64\n";
  for (int i = 0; i < 24; ++i) {
    turns.push_back("turn " + std::to_string(i) + " \\ w290");
    job += "turn=turn " + std::to_string(i) + " \\\\ w290\n";
  }
  ChatPlay play;
  play.file("autorun.txt") = job;
  play.console.press(Button::up);
  play.run();
  CAPTURE(play.file("figures.txt"));
  std::size_t ended = 0;
  CHECK(play.file("state.txt") ==
        conversation(turns, 64, 20, {.temperature = 1.0F, .top_p = 1.0F, .seed = 5}, ended));
  CHECK(ended > 3);
  CHECK(ended < turns.size());
  CHECK(play.file("figures.txt").find("error=") == std::string::npos);
  CHECK(play.file("figures.txt").rfind("model=Tiny Talker\n", 0) == 0);
  CHECK(play.state().session.text_tokens() > 300);
  CHECK(play.state().session.renewed_tokens() > 0);
}

TEST_CASE("a story model cannot hold an autorun's conversation, and says so") {
  Play play;
  play.put_model();
  play.file("autorun.txt") = "turn=hello\n";
  play.console.press(Button::up);
  play.run();
  CHECK(play.file("figures.txt").find("no chat template") != std::string::npos);
}

TEST_CASE("a chat model tells a story to an autorun's prompt") {
  ChatPlay play;
  play.file("autorun.txt") = "prompt=abc\nsteps=9\ntemperature=0\n";
  play.console.press(Button::up);
  play.run();
  CHECK(play.file("state.txt").rfind("abc", 0) == 0);
}

}  // namespace
}  // namespace pspllm::psp
