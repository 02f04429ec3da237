#include "psp/program/autorun.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "host/draft/build_draft_table.hpp"
#include "psp/program/fakes/play.hpp"
#include "tests/support/read_file.hpp"

namespace pspllm::psp {
namespace {

std::string escaped(const std::string& prompt) {
  std::string text;
  for (const char character : prompt) {
    if (character == '\\') text += '\\';
    text += character;
  }
  return text;
}

struct SharedModel {
  const char* model;
  const char* tokenizer;
};

SharedModel files_of(const std::string& model) {
  if (model == "stories260K_q80") return {"stories260K_q80.bin", "tok512.bin"};
  if (model == "babyllama_q80") return {"babyllama_q80.bin", "babyllama/tokenizer.bin"};
  return {nullptr, nullptr};
}

TEST_CASE("state.txt equals the reference's text, byte for byte") {
  const std::string shared = shared_folder();
  if (shared.empty()) {
    MESSAGE("skipped: the shared data folder with the golden texts is absent");
    return;
  }
  int compared = 0;
  for (const nlohmann::json& golden :
       nlohmann::json::parse(testing::read_file(shared + "/golden/cases.json"))) {
    const SharedModel files = files_of(golden["model"]);
    if (files.model == nullptr) continue;
    Play play(std::size_t{8} << 20);
    play.put("", testing::read_file(shared + "/data/models/" + files.model),
             testing::read_file(shared + "/data/models/" + files.tokenizer));
    play.file("autorun.txt") =
        "prompt=" + escaped(golden["prompt"]) + "\nsteps=" + std::to_string(golden["steps"].get<int>()) +
        "\ntemperature=" + golden["temperature"].dump() + "\ntop_p=" + golden["top_p"].dump() +
        "\nseed=" + std::to_string(golden["seed"].get<int>()) + "\nreference_output=1\n";
    play.console.press_while_busy(Button::up);
    play.run();
    CAPTURE(golden["file"].get<std::string>());
    CHECK(play.file("state.txt") ==
          testing::read_file(shared + "/golden/" + golden["file"].get<std::string>()));
    CHECK(play.file("figures.txt").find("error=") == std::string::npos);
    ++compared;
  }
  CHECK(compared == 36);
}

std::string autorun(Play& play, const std::string& text) {
  play.file("autorun.txt") = text;
  play.console.press_while_busy(Button::up);
  play.run();
  return play.file("figures.txt");
}

TEST_CASE("readable output: whole UTF-8 characters, figures that add up") {
  Play play;
  play.put_model();
  const std::string figures = autorun(play, "prompt=abc w290\nsteps=40\ntemperature=1\nseed=3\n");
  CHECK(figures.find("error=") == std::string::npos);
  CHECK(figures.find("\ncontext=128\n") != std::string::npos);
  CHECK(play.file("state.txt").rfind("abc w290", 0) == 0);
  CHECK(play.console.log_lines.back() == "autorun: done");
  const auto number = [&](const std::string& key) {
    const std::size_t at = figures.find("\n" + key + "=");
    REQUIRE(at != std::string::npos);
    return std::stoul(figures.substr(at + key.size() + 2));
  };
  CHECK(number("prompt_tokens") >= 1);
  CHECK(number("generated_tokens") >= 1);
  CHECK(number("decode_tokens") + 1 == number("generated_tokens"));
  CHECK(number("prefill_us") > 0);
  CHECK(number("plan_bytes") <= number("block_bytes"));
}

TEST_CASE("a draft table makes passes rarer and changes no byte") {
  Play plain;
  plain.put_model();
  autorun(plain, "prompt=abc\nsteps=100\ntemperature=0\nreference_output=1\n");
  const std::string story = plain.file("state.txt");

  Play drafted;
  drafted.put_model();
  host::DraftTableReport report;
  const TextCodec& tokenizer = plain.state().model.engine.tokenizer;
  const std::vector<host::TokenText> documents =
      host::encode_documents(tokenizer, story + "<|endoftext|>" + story, [](std::uint64_t, std::uint64_t) {});
  drafted.file("draft.bin") =
      host::build_draft_table(documents, tokenizer.vocab_size(),
                              {.entry_count = 1024, .least_share = 0.25F, .least_count = 1}, report);
  const std::string figures = autorun(drafted, "prompt=abc\nsteps=100\ntemperature=0\nreference_output=1\n");
  CAPTURE(figures);
  CHECK(drafted.file("state.txt") == story);
  CHECK(drafted.state().session.figures().accepted_tokens > 0);
  CHECK(drafted.state().model.fit.uses_draft);

  Play damaged;
  damaged.put_model();
  damaged.file("draft.bin") = "rubbish";
  CHECK(autorun(damaged, "prompt=abc\n").rfind("error=", 0) == 0);
}

TEST_CASE("each failure is written down and told, and the program ends") {
  SUBCASE("no model") {
    Play play;
    CHECK(autorun(play, "prompt=x\n").rfind("error=", 0) == 0);
  }
  SUBCASE("rubbish") {
    Play play;
    play.put_model();
    CHECK(autorun(play, "steps=lots\n").find("line 1") != std::string::npos);
    CHECK_FALSE(play.has_file("state.txt"));
  }
  SUBCASE("a model cut short") {
    Play play;
    play.put_model();
    play.file("model.bin").resize(3000);
    CHECK(autorun(play, "prompt=x\n").find("cut short") != std::string::npos);
  }
  SUBCASE("a prompt longer than the context") {
    Play play;
    play.put_model();
    CHECK(autorun(play, "prompt=" + std::string(1000, 'q') + "\n").find("context of 128") !=
          std::string::npos);
  }
  SUBCASE("a full stick") {
    Play play;
    play.put_model();
    play.stick.free_bytes = 0;
    autorun(play, "prompt=x\n");
    CHECK(play.console.log_lines.back() != "autorun: done");
  }
  SUBCASE("a read that comes up short at any point") {
    Play whole;
    whole.put_model();
    const std::size_t size = whole.file("model.bin").size();
    for (std::size_t limit = 0; limit < size; limit += 97) {
      Play play;
      play.put_model();
      play.stick.short_read_from = limit;
      CHECK(autorun(play, "prompt=x\nsteps=4\n").rfind("error=", 0) == 0);
    }
  }
  SUBCASE("a stick that is pulled after any operation") {
    for (std::uint64_t operations = 0; operations < 60; ++operations) {
      Play play;
      play.put_model();
      play.file("autorun.txt") = "prompt=x\nsteps=4\n";
      play.stick.operations_left = operations;
      play.console.press(Button::cross);
      play.run();
      CHECK(play.stick.open_saves == 0);
    }
  }
}

TEST_CASE("HOME after some tokens leaves at once") {
  Play play;
  play.put_model();
  autorun(play, "prompt=ab\nsteps=100\ntemperature=0\nhome_after_tokens=2\n");
  CHECK(play.console.leaving);
  CHECK(play.file("figures.txt").find("\ngenerated_tokens=2\n") != std::string::npos);
}

TEST_CASE("SELECT held at the start skips the autorun") {
  Play play;
  play.put_model();
  play.file("autorun.txt") = "prompt=x\n";
  play.console.held_at_start.bits = static_cast<std::uint32_t>(Button::select);
  play.run();
  CHECK_FALSE(play.has_file("state.txt"));
}

}  // namespace
}  // namespace pspllm::psp
