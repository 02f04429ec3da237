#include "tests/qemu/mips_golden.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tests/support/run_program.hpp"

namespace pspllm::testing {
namespace {

/// Whether `printed`, without its line end, is how the expected text begins; all of it where all steps were
/// run.
bool agrees(const GoldenCase& golden, const std::string& printed, bool is_whole) {
  if (is_whole) return printed == golden.expected;
  return printed.ends_with('\n') && golden.expected.starts_with(printed.substr(0, printed.size() - 1));
}

}  // namespace

std::vector<std::string> differing_mips_cases(const std::vector<GoldenCase>& cases,
                                              std::uint32_t most_steps) {
  std::vector<std::string> differing;
  for (const GoldenCase& golden : cases) {
    const std::uint32_t steps = std::min(golden.steps, most_steps);
    const ProgramResult result = run_program(
        PSPLLM_QEMU_MIPSEL, {PSPLLM_MIPS_GOLDEN_DRIVER, golden.model, golden.tokenizer, golden.prompt,
                             std::to_string(steps), fmt::format("{}", golden.temperature),
                             fmt::format("{}", golden.top_p), std::to_string(golden.seed)});
    if (result.exit_code != 0 || !agrees(golden, result.out, steps == golden.steps)) {
      differing.push_back(golden.name + " " + result.error);
    }
  }
  return differing;
}

}  // namespace pspllm::testing
