#include "psp/program/model_list.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "engine/testing/test_pspm.hpp"
#include "psp/program/fakes/play.hpp"

namespace pspllm::psp {
namespace {

std::unique_ptr<ModelList> scan(Play& play, std::uint64_t block_bytes = 4U << 20,
                                std::uint32_t wanted_context = 0) {
  auto list = std::make_unique<ModelList>();
  const auto scratch = std::make_unique<ModelFile>();
  scan_models(play.stick,
              {Path(play_folder), wanted_context, block_bytes, &reference_kernels(), scratch.get()}, *list);
  return list;
}

TEST_CASE("models beside the program and under models/, in name order") {
  Play play;
  play.put_model();
  play.put_model("zebra");
  play.put_model("apple");
  const auto list = scan(play);
  REQUIRE(list->count == 3);
  CHECK(list->entries[0].title.view() == "model.bin");
  CHECK(list->entries[1].title.view() == "apple");
  CHECK(list->entries[1].name.view() == "apple");
  CHECK(list->entries[2].name.view() == "zebra");
  for (const ModelEntry& entry : list->models()) {
    CHECK(runnable(entry));
    CHECK(entry.own_context == 128);
    CHECK(fit_label(entry).view() == "fits");
  }
  CHECK(find_model(*list, ModelName("ZEBRA")) == 2);
  CHECK(preferred_model(*list, ModelName("gone")) == 0);
}

TEST_CASE("a .pspm file needs no tokenizer beside it and goes before a model.bin") {
  Play play;
  play.put_model();
  testing::TestShape shape;
  shape.seq_len = 64;
  play.file("model.pspm") = testing::make_pspm_model(shape, {});
  play.file("models/chat/model.pspm") = testing::make_pspm_model(shape, {});
  play.file("models/broken/model.pspm") = "PSPM";
  const auto list = scan(play);
  REQUIRE(list->count == 3);
  CHECK(list->entries[0].own_context == 64);
  CHECK(runnable(list->entries[0]));
  CHECK(list->entries[1].problem.view().find("64-byte header") != std::string::npos);
  CHECK(runnable(list->entries[2]));
}

TEST_CASE("a model that cannot be used says why and hides no other") {
  Play play;
  play.put_model("good");
  play.put_model("short");
  play.file("models/short/model.bin").resize(5000);
  play.file("models/no-tokenizer/model.bin") = play.file("models/good/model.bin");
  play.file("models/no-model/tokenizer.bin") = "x";
  play.file("models/foreign/model.bin") = "GGUF" + std::string(400, '\0');
  play.file("models/foreign/tokenizer.bin") = "x";
  const auto list = scan(play);
  REQUIRE(list->count == 5);
  const auto problem = [&](const char* name) {
    const ModelEntry& entry = list->entries[find_model(*list, ModelName(name))];
    CHECK_FALSE(runnable(entry));
    CHECK(fit_label(entry).view() == "cannot be used");
    return std::string(entry.problem.view());
  };
  CHECK(problem("short").find("cut short") != std::string::npos);
  CHECK(problem("no-tokenizer").find("tokenizer.bin is missing") != std::string::npos);
  CHECK(problem("no-model").find("model.bin is missing") != std::string::npos);
  CHECK(problem("foreign").find("GGUF") != std::string::npos);
  CHECK(runnable(list->entries[preferred_model(*list, ModelName("short"))]));
}

TEST_CASE("less memory: a shorter context, then another console, then too big") {
  Play play;
  play.put_model();
  const auto file = std::make_unique<ModelFile>();
  FileReader& reader = play.stick.model_file();
  REQUIRE(reader.open(model_path(play.stick, Path(play_folder), {})).ok());
  const auto full = scan(play)->entries[0].fit;
  REQUIRE(full.fit == Fit::fits);
  CHECK(full.context == 128);

  const auto shorter = scan(play, full.needed_bytes - 1)->entries[0];
  CHECK(shorter.fit.fit == Fit::fits_shorter);
  CHECK(shorter.fit.context < 128);
  CHECK(shorter.fit.context >= least_context);
  CHECK(shorter.fit.needed_bytes <= full.needed_bytes - 1);
  CHECK(std::string(fit_label(shorter).view()) == "fits with context " + std::to_string(shorter.fit.context));
  // One position more would not fit.
  CHECK(scan(play, full.needed_bytes - 1, shorter.fit.context + 1)->entries[0].fit.context ==
        shorter.fit.context);

  const auto elsewhere = scan(play, 1000)->entries[0];
  CHECK(elsewhere.fit.fit == Fit::needs_64_mb);
  CHECK(fit_label(elsewhere).view() == "needs 64 MB");
  CHECK_FALSE(runnable(elsewhere));

  CHECK(scan(play, full.needed_bytes, 64)->entries[0].fit.context == 64);
  CHECK(scan(play, full.needed_bytes, 9999)->entries[0].fit.context == 128);
}

TEST_CASE("folders beyond the list's size are counted") {
  Play play;
  for (std::size_t i = 0; i < max_models + 3; ++i)
    play.file("models/m" + std::to_string(100 + i) + "/model.bin") = "";
  const auto list = scan(play);
  CHECK(list->count == max_models);
  CHECK(list->left_out == 3);
}

}  // namespace
}  // namespace pspllm::psp
