// The EBOOT on the simulator with a draft table of the model's own texts: the same text at 1.2 times the
// speed or more. The text begins as some of those that the table was made from; docs/performance.md has
// figures for others.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/read_file.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pspllm::testing {
namespace {

constexpr const char* model = "models/stories-2M/model.bin";

struct Told {
  std::string text;
  double tokens_per_second = 0;
};

Told on_console(const TemporaryFolder& folder, const std::string& stick) {
  const std::string json = folder.path("report.json");
  const ProgramResult result =
      run_pspllm({"simulate", stick, "--device", "psp1000", "--quiet", "--autorun-prompt",
                  "Once upon a time, there was a little", "--autorun", "steps=120", "--autorun",
                  "temperature=0", "--json", json});
  REQUIRE_MESSAGE(result.exit_code == 0, result.error);
  return {read_file(stick + "/PSP/GAME/PspLlm/state.txt"),
          nlohmann::json::parse(read_file(json)).at("decode_tokens_per_second").get<double>()};
}

TEST_CASE("drafts from the model's own texts make the same text faster") {
  const TemporaryFolder folder;
  const std::string openings = folder.path("openings.txt");
  std::ofstream(openings)
      << "Once upon a time, there was a little girl named Lily. She loved to play.\n"
         "<|endoftext|>\nOne day, a boy named Tim went to the park with his mom.\n"
         "<|endoftext|>\nOnce upon a time, there was a little boy who had a big red ball.\n";
  const std::string table = folder.path("draft.bin");
  const ProgramResult made = run_pspllm({"draft", model, "--text", openings, "--own-texts", "30", "--entries",
                                         "8192", "--least-share", "0.7", "--out", table});
  REQUIRE_MESSAGE(made.exit_code == 0, made.error);

  const std::string stick = folder.path("stick");
  const ProgramResult packed = run_pspllm(
      {"pack", model, "--out", stick, "--device", "psp1000", "--eboot", std::getenv("PSPLLM_EBOOT")});
  REQUIRE_MESSAGE(packed.exit_code == 0, packed.error);
  const Told plain = on_console(folder, stick);
  std::filesystem::copy_file(table, stick + "/PSP/GAME/PspLlm/draft.bin");
  const Told drafted = on_console(folder, stick);
  CHECK(drafted.text == plain.text);
  CHECK(plain.text.size() > 200);
  MESSAGE(plain.tokens_per_second << " and " << drafted.tokens_per_second << " tokens/s, modelled");
  CHECK(drafted.tokens_per_second >= 1.2 * plain.tokens_per_second);
}

}  // namespace
}  // namespace pspllm::testing
