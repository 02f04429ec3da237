#include "psp/program/model_title.hpp"

#include <doctest/doctest.h>

#include "engine/testing/test_pspm.hpp"
#include "psp/program/fakes/play.hpp"

namespace pspllm::psp {
namespace {

TEST_CASE("a description's name") {
  CHECK(title_in("name: Tiny Talker\nlicense: mit\n").view() == "Tiny Talker");
  CHECK(title_in("license: mit\nname:  Tiny \n").view() == "Tiny");
  CHECK(title_in("SmolLM2-135M-Instruct (Hugging Face, Apache-2.0), healed").view() ==
        "SmolLM2-135M-Instruct");
  CHECK(title_in("Random numbers.\nMore of them.").view() == "Random numbers.");
  CHECK(title_in("").view().empty());
  CHECK(title_in("\n\n").view().empty());
  CHECK(title_in(std::string(300, 'x')).view() == std::string(max_model_name_bytes, 'x'));
}

/// The title of the model beside the program, as it is listed and while it runs.
std::string title_with(const std::string& about) {
  Play play;
  testing::PspmParts parts = testing::make_pspm_parts({}, {});
  parts.about = about;
  play.file("model.pspm") = testing::assemble(parts);
  play.run();
  REQUIRE(play.state().model.ready);
  CHECK(play.state().models.entries[0].title.view() == play.state().model.title.view());
  return std::string(play.state().model.title.view());
}

TEST_CASE("a .pspm file gives its own name, or its file's") {
  CHECK(title_with("name: Tiny Talker\nlicense: mit\n") == "Tiny Talker");
  CHECK(title_with("") == "model.pspm");
}

TEST_CASE("a folder's name goes before all others") {
  CHECK(title_of(ModelName("chat"), Path("ms0:/x/models/chat/model.pspm")).view() == "chat");
  CHECK(title_of({}, Path("ms0:/x/model.bin")).view() == "model.bin");
}

}  // namespace
}  // namespace pspllm::psp
