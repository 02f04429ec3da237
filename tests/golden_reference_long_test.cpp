// Byte identity of the scalar reference with karpathy's runq.c for the large model: minutes.
#include <doctest/doctest.h>

#include <string>

#include "tests/support/golden_cases.hpp"

namespace pspllm::testing {

TEST_CASE("the scalar reference prints runq.c's bytes for the large model") {
  const TemporaryFolder folder;
  CHECK(differing_golden_cases("reference", 1, golden_cases(GoldenModels::large, folder)) ==
        std::vector<std::string>{});
}

}  // namespace pspllm::testing
