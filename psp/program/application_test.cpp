#include "psp/program/application.hpp"

#include <doctest/doctest.h>

#include <string>

#include "psp/program/fakes/play.hpp"
#include "psp/screens/menu_screen.hpp"

namespace pspllm::psp {
namespace {

bool shows(const std::string& screen, const std::string& words) {
  return screen.find(words) != std::string::npos;
}

/// Expects the words on the screen at this point of the script.
void expect(Play& play, const std::string& words) {
  play.console.look([words](const std::string& screen) {
    CAPTURE(words);
    CAPTURE(screen);
    CHECK(shows(screen, words));
  });
}

void run_to_end(Play& play) {
  play.run();
  CHECK(play.console.script_done());
}

/// Where the menu's choice begins: its first line that can be chosen.
constexpr MenuChoice without_story = MenuChoice::begin_anew;
constexpr MenuChoice with_story = MenuChoice::go_on;

/// Opens the menu and moves down from where it begins to a line.
void choose_in_menu(Play& play, MenuChoice begins_at, MenuChoice choice) {
  play.console.press(Button::triangle);
  expect(play, "Menu");
  for (int i = static_cast<int>(begins_at); i < static_cast<int>(choice); ++i)
    play.console.press(Button::down);
  play.console.press(Button::cross);
}

TEST_CASE("one model: it is loaded at once, a prompt is typed, the story comes, START repeats it") {
  Play play;
  play.put_model();
  play.file("settings.txt") = "length=5\nseed=1\ntemperature=0\n";
  expect(play, "write the beginning of a story");
  play.console.type("hello w290");
  play.console.press(Button::cross);
  expect(play, "hello w290");
  expect(play, "5 tok");
  expect(play, "The length you set is reached.");
  play.console.press(Button::start);
  expect(play, "5 tok");
  play.console.press(Button::square);
  expect(play, "10 tok");
  run_to_end(play);
  CHECK(play.file("history.txt") == "hello w290\n");
  CHECK(play.console.clock_speed.cpu == 333);
}

TEST_CASE("CIRCLE stops at once, the story can go on") {
  Play play;
  play.put_model();
  play.file("settings.txt") = "seed=1\ntemperature=0.5\n";
  play.console.type("a");
  play.console.press(Button::cross);
  play.console.press_while_busy(Button::circle);
  expect(play, "Stopped.");
  run_to_end(play);
  CHECK(play.state().session.figures().generated_tokens < 3);
  CHECK(play.state().session.can_continue());
}

TEST_CASE("HOME while it writes, or while it loads, ends the program") {
  Play writing;
  writing.put_model();
  writing.file("settings.txt") = "seed=1\ntemperature=0\n";
  writing.console.type("hello w290");
  writing.console.press(Button::cross);
  writing.console.leave_while_busy();
  run_to_end(writing);
  CHECK(writing.state().session.figures().generated_tokens <= 2);

  Play loading;
  loading.put_model();
  loading.console.leave_while_busy();
  run_to_end(loading);
  CHECK_FALSE(loading.state().model.ready);
}

TEST_CASE("several models: the list, the choice, and the choice remembered") {
  Play play;
  play.put_model("big", {.vocab_size = 300, .seq_len = 256});
  play.put_model("small");
  play.file("models/broken/model.bin") = "x";
  expect(play, "Models on the Memory Stick");
  expect(play, "cannot be used");
  expect(play, "bits a weight, context 256");
  play.console.press(Button::down);
  play.console.press(Button::cross);
  expect(play, "cannot run here");
  play.console.press(Button::cross);
  play.console.press(Button::down);
  play.console.press(Button::cross);
  expect(play, "PspLlm  small");
  run_to_end(play);
  CHECK(shows(play.file("settings.txt"), "model=small\n"));

  Play again;
  again.stick.files = play.stick.files;
  expect(again, "PspLlm  small");
  run_to_end(again);
}

TEST_CASE("no model: a screen that says what to do, and tries again") {
  Play play;
  expect(play, "No model on the Memory Stick");
  expect(play, "PSP/GAME/PspLlm");
  play.console.look([&](const std::string&) { play.put_model(); });
  play.console.press(Button::cross);
  expect(play, "Models on the Memory Stick");
  play.console.press(Button::cross);
  expect(play, "write the beginning of a story");
  run_to_end(play);
}

TEST_CASE("a truncated model and one too big for the console are told, nothing hangs") {
  Play cut;
  cut.put_model();
  cut.file("model.bin").resize(4000);
  expect(cut, "cannot be used");
  cut.console.press(Button::cross);
  expect(cut, "cut short");
  run_to_end(cut);

  Play big(64 * 1024);
  big.put_model();
  expect(big, "needs 64 MB");
  big.console.press(Button::cross);
  expect(big, "It runs on a console with 64 MB");
  run_to_end(big);
}

TEST_CASE("a shorter context is offered and told") {
  const auto full = [] {
    Play play;
    play.put_model();
    play.console.look([](const std::string&) {});
    play.run();
    return play.state().model.engine.plan.total_bytes;
  }();
  Play play(static_cast<std::size_t>(full) - 64);
  play.put_model();
  expect(play, "There is memory for a context of 1");
  run_to_end(play);
  CHECK(play.state().model.fit.context < 128);
}

TEST_CASE("rubbish in settings.txt is told once and left out") {
  Play play;
  play.put_model();
  play.file("settings.txt") = "temperature=warm\n\x80\x81\nseed=7\n";
  expect(play, "2 lines were not understood");
  run_to_end(play);
  CHECK(play.state().settings.seed == 7);
}

TEST_CASE("a setting is changed, saved, and used") {
  Play play;
  play.put_model();
  choose_in_menu(play, without_story, MenuChoice::settings);
  expect(play, "Settings");
  play.console.press(Button::right);
  expect(play, "0.85");
  for (int i = 0; i < 7; ++i) play.console.press(Button::down);
  play.console.press(Button::right);
  expect(play, "paper");
  play.console.press(Button::circle);
  run_to_end(play);
  CHECK(shows(play.file("settings.txt"), "temperature=0.85\n"));
  CHECK(shows(play.file("settings.txt"), "colors=paper\n"));
}

TEST_CASE("another context loads the model again") {
  Play play;
  play.put_model();
  choose_in_menu(play, without_story, MenuChoice::settings);
  for (int i = 0; i < 5; ++i) play.console.press(Button::down);
  play.console.press(Button::right);
  play.console.press(Button::right);
  expect(play, "32");
  play.console.press(Button::circle);
  expect(play, "ctx 0/32");
  run_to_end(play);
  CHECK(play.state().model.engine.plan.options.context == 32);
}

TEST_CASE("the story is saved as text, twice under two names, and stands there whole") {
  Play play;
  play.put_model();
  play.file("settings.txt") = "length=4\nseed=11\ntemperature=0\n";
  play.console.type("caf\xC3\xA9 w288");
  play.console.press(Button::cross);
  choose_in_menu(play, with_story, MenuChoice::save_text);
  expect(play, "Saved as");
  expect(play, "ms0:/PSP/GAME/PspLlm/stories/2026-05-04_03-02-01.txt");
  choose_in_menu(play, with_story, MenuChoice::save_text);
  expect(play, "2026-05-04_03-02-01_2.txt");
  run_to_end(play);
  const std::string& text = play.file("stories/2026-05-04_03-02-01.txt");
  CHECK(shows(text, "--- you ---\ncaf\xC3\xA9 w288\n"));
  CHECK(shows(text, "--- model ---\n"));
  CHECK(shows(text, "Seed of this story: 11\n"));
  CHECK(shows(text, "tokens/s"));
  CHECK(play.stick.open_saves == 0);
}

TEST_CASE("a stick that is full, protected or pulled: the person is told, older files stay, the story too") {
  for (const char* fault : {"full", "protected", "pulled"}) {
    Play play;
    play.put_model();
    play.file("settings.txt") = "length=4\n";
    play.file("stories/2026-05-04_03-02-01.txt") = "older";
    play.console.type("a");
    play.console.press(Button::cross);
    play.console.look([&](const std::string&) {
      const std::string kind = fault;
      if (kind == "full") play.stick.free_bytes = 10;
      if (kind == "protected") play.stick.write_protected = true;
      if (kind == "pulled") play.stick.operations_left = 0;
    });
    choose_in_menu(play, with_story, MenuChoice::save_text);
    expect(play, "The story was not saved");
    expect(play, "the story is still on the screen");
    play.console.press(Button::cross);
    expect(play, "PspLlm  model.bin");
    run_to_end(play);
    CHECK(play.file("stories/2026-05-04_03-02-01.txt") == "older");
    CHECK(play.file("settings.txt") == "length=4\n");
  }
}

TEST_CASE("earlier prompts: used again, and edited first") {
  Play play;
  play.put_model();
  play.file("settings.txt") = "length=3\n";
  play.file("history.txt") = "first\nsecond\n";
  play.console.press(Button::select);
  expect(play, "Earlier prompts");
  play.console.press(Button::down);
  play.console.press(Button::cross);
  expect(play, "second");
  play.console.press(Button::select);
  play.console.press(Button::down);
  play.console.type("first, changed");
  play.console.press(Button::square);
  expect(play, "first, changed");
  run_to_end(play);
  CHECK(play.console.keyboard_initials.back() == "first");
  CHECK(play.file("history.txt") == "first, changed\nsecond\nfirst\n");
}

TEST_CASE("a prompt longer than the context is refused in words and kept for editing") {
  Play play;
  play.put_model();
  play.console.type(std::string(500, 'q'));
  play.console.press(Button::cross);
  expect(play, "The story cannot begin");
  expect(play, "more than the context");
  play.console.press(Button::cross);
  expect(play, "write the beginning of a story");
  run_to_end(play);
  CHECK(play.state().history.size() == 1);
}

TEST_CASE("scrolling reaches the very beginning and comes back") {
  Play play;
  play.put_model();
  play.file("settings.txt") = "length=1\n";
  std::string prompt = "top";
  for (int i = 0; i < 60; ++i) prompt += "\nl";
  play.console.type(prompt);
  play.console.press(Button::cross);
  play.console.look([](const std::string& screen) { CHECK_FALSE(shows(screen, "top")); });
  play.console.press(Button::left);
  expect(play, "top");
  play.console.press(Button::right);
  play.console.look([](const std::string& screen) { CHECK_FALSE(shows(screen, "top")); });
  for (int i = 0; i < 3; ++i) play.console.press(Button::left_trigger);
  expect(play, "top");
  play.console.press(Button::down);
  play.console.look([](const std::string& screen) { CHECK_FALSE(shows(screen, "top")); });
  play.console.press(Button::up);
  expect(play, "top");
  run_to_end(play);
}

TEST_CASE("the memory screen shows the plan's own numbers") {
  Play play;
  play.put_model();
  choose_in_menu(play, without_story, MenuChoice::memory);
  expect(play, "weights                       12 736");
  expect(play, "The plan takes 127 232 bytes");
  play.console.press(Button::down);
  expect(play, "keys of all positions and layers");
  run_to_end(play);
}

TEST_CASE("controls, models and leaving from the menu") {
  Play play;
  play.put_model();
  choose_in_menu(play, without_story, MenuChoice::controls);
  expect(play, "Controls");
  play.console.press(Button::circle);
  choose_in_menu(play, without_story, MenuChoice::models);
  expect(play, "Models on the Memory Stick");
  play.console.press(Button::circle);
  expect(play, "write the beginning of a story");
  choose_in_menu(play, without_story, MenuChoice::leave);
  play.run();
  CHECK(play.console.script_done());
}

TEST_CASE("after a wake the clock is set again") {
  Play play;
  play.put_model();
  play.console.look([&](const std::string&) {
    play.console.clock_speed = {222, 111};
    ++play.console.events.wakes;
  });
  play.console.look([](const std::string&) {});
  play.console.press(Button::up);
  expect(play, "write the beginning");
  run_to_end(play);
  CHECK(play.console.clock_speed.cpu == 333);
}

TEST_CASE("loading can be stopped, then the list is there") {
  Play play;
  play.put_model();
  play.console.press_while_busy(Button::circle);
  expect(play, "Models on the Memory Stick");
  run_to_end(play);
}

}  // namespace
}  // namespace pspllm::psp
