// The first positions of every golden case on MIPS.
#include <doctest/doctest.h>

#include "tests/qemu/mips_golden.hpp"

namespace pspllm::testing {

TEST_CASE("MIPS code gives runq.c's bytes: the first 32 positions of every case") {
  const TemporaryFolder folder;
  constexpr std::uint32_t most_steps = 32;
  CHECK(differing_mips_cases(own_golden_cases(), most_steps) == std::vector<std::string>{});
  CHECK(differing_mips_cases(golden_cases(GoldenModels::all, folder), most_steps) ==
        std::vector<std::string>{});
}

}  // namespace pspllm::testing
