// Every golden case on MIPS, to its end.
#include <doctest/doctest.h>

#include <limits>

#include "tests/qemu/mips_golden.hpp"

namespace pspllm::testing {

TEST_CASE("MIPS code gives runq.c's bytes: every case to its end") {
  const TemporaryFolder folder;
  constexpr std::uint32_t most_steps = std::numeric_limits<std::uint32_t>::max();
  CHECK(differing_mips_cases(own_golden_cases(), most_steps) == std::vector<std::string>{});
  CHECK(differing_mips_cases(golden_cases(GoldenModels::all, folder), most_steps) ==
        std::vector<std::string>{});
}

}  // namespace pspllm::testing
