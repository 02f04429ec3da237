// The EBOOT on the simulator, with the memory of a PSP-1000: a conversation by autorun is the very one that
// `pspllm chat` holds on this machine.
#include <doctest/doctest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "psp/program/fakes/chat_model.hpp"
#include "tests/support/read_file.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pspllm::testing {
namespace {

constexpr std::uint64_t psp_1000_bytes = std::uint64_t{24} << 20;

/// A line of figures.txt.
std::uint64_t figure(const std::string& figures, const std::string& key) {
  std::istringstream lines(figures);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key + "=")) return std::stoull(line.substr(key.size() + 1));
  }
  FAIL("figures.txt has no " << key);
  return 0;
}

struct Conversation {
  std::vector<std::string> turns;
  std::string system;
  std::string temperature = "1";
  std::string turn_tokens = "16";
  std::string context = "0";
};

/// state.txt of the simulated console; figures.txt goes to `figures`.
std::string on_console(const TemporaryFolder& folder, const std::string& model, const Conversation& said,
                       std::string& figures) {
  const std::string stick = folder.path("stick");
  const ProgramResult packed = run_pspllm(
      {"pack", model, "--out", stick, "--device", "psp1000", "--eboot", std::getenv("PSPLLM_EBOOT")});
  REQUIRE_MESSAGE(packed.exit_code == 0, packed.error);
  std::vector<std::string> arguments{"simulate", stick, "--device", "psp1000", "--quiet"};
  const auto add = [&](const std::string& line) { arguments.insert(arguments.end(), {"--autorun", line}); };
  for (const std::string& turn : said.turns) add("turn=" + turn);
  add("system=" + said.system);
  add("temperature=" + said.temperature);
  add("top_p=0.9");
  add("seed=7");
  add("turn_tokens=" + said.turn_tokens);
  add("context=" + said.context);
  const ProgramResult result = run_pspllm(arguments);
  REQUIRE_MESSAGE(result.exit_code == 0, result.error);
  figures = read_file(stick + "/PSP/GAME/PspLlm/figures.txt");
  return read_file(stick + "/PSP/GAME/PspLlm/state.txt");
}

std::string on_host(const TemporaryFolder& folder, const std::string& model, const Conversation& said,
                    std::uint64_t context) {
  const std::string saved = folder.path("chat.txt");
  std::string lines;
  for (const std::string& turn : said.turns) lines += turn + "\n";
  const ProgramResult result =
      run_pspllm({"chat", model, "--system", said.system, "-t", said.temperature, "-p", "0.9", "-s", "7",
                  "--turn-tokens", said.turn_tokens, "--context", std::to_string(context)},
                 {.input = lines + "/save " + saved + "\n"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.error);
  return read_file(saved);
}

/// Bytes that `pspllm budget` thinks an engine can have on a PSP-1000.
std::uint64_t budgeted_block(const std::string& model) {
  const ProgramResult result =
      run_pspllm({"budget", model, "--device", "psp1000", "--context", "64", "--json"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.error);
  const auto document = nlohmann::json::parse(result.out);
  return document["block_bytes"].get<std::uint64_t>() + document["free_bytes"].get<std::uint64_t>();
}

void check_equal(const std::string& model, const TemporaryFolder& folder, const Conversation& said) {
  std::string figures;
  const std::string state = on_console(folder, model, said, figures);
  CAPTURE(figures);
  CHECK_FALSE(figures.starts_with("error="));
  CHECK(state == on_host(folder, model, said, figure(figures, "context")));
  CHECK(figure(figures, "block_bytes") + figure(figures, "free_bytes") + figure(figures, "program_bytes") <=
        psp_1000_bytes);
  CHECK(figure(figures, "plan_bytes") <= figure(figures, "block_bytes"));
  // What the budget promises is there, and little more.
  constexpr std::uint64_t allowance = std::uint64_t{256} << 10;
  CHECK(budgeted_block(model) <= figure(figures, "block_bytes"));
  CHECK(figure(figures, "block_bytes") - budgeted_block(model) < allowance);
  // The text has outgrown its window, and positions their limit.
  CHECK(figure(figures, "text_tokens") > 2 * figure(figures, "context"));
  CHECK(figure(figures, "renewed_tokens") > 0);
}

}  // namespace

TEST_CASE("byte codes, int8 cache") {
  const TemporaryFolder folder;
  Conversation said;
  for (int i = 0; i < 12; ++i) said.turns.push_back("turn " + std::to_string(i) + " \xC3\xA9");
  said.system = "Be brief.";
  said.context = "64";
  check_equal(folder.write("chat.pspm", psp::make_chat_model()), folder, said);
}

TEST_CASE("q80, float cache: the stories model in turns") {
  const TemporaryFolder folder;
  const std::string model = folder.path("stories.pspm");
  const ProgramResult converted =
      run_pspllm({"convert", "models/stories-2M/model.bin", model, "--template", "plain"});
  REQUIRE_MESSAGE(converted.exit_code == 0, converted.error);
  Conversation said;
  said.turns = {"There was a dog.", "What did it do?", "And then?"};
  said.temperature = "0";
  said.turn_tokens = "24";
  said.context = "48";
  check_equal(model, folder, said);
}

}  // namespace pspllm::testing
