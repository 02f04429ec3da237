// Byte identity with karpathy's runq.c, for every set of kernels that this processor runs.
#include <doctest/doctest.h>

#include <string>

#include "engine/ops/host/host_kernels.hpp"
#include "tests/support/golden_cases.hpp"

namespace pspllm::testing {

using Names = std::vector<std::string>;

TEST_CASE("every vector set prints runq.c's bytes") {
  const TemporaryFolder folder;
  const std::vector<GoldenCase> cases = golden_cases(GoldenModels::all, folder);
  for (const host::KernelSet& set : host::available_kernels()) {
    if (set.name == "reference") continue;
    CAPTURE(std::string(set.name));
    CHECK(differing_golden_cases(std::string(set.name), 1, cases) == Names{});
  }
}

TEST_CASE("the best set prints runq.c's bytes on three threads") {
  const TemporaryFolder folder;
  CHECK(differing_golden_cases("best", 3, golden_cases(GoldenModels::all, folder)) == Names{});
}

TEST_CASE("the scalar reference prints runq.c's bytes for the small models") {
  const TemporaryFolder folder;
  CHECK(differing_golden_cases("reference", 1, golden_cases(GoldenModels::small, folder)) == Names{});
}

TEST_CASE("every set prints runq.c's bytes for the model of this repository") {
  const std::vector<GoldenCase> cases = own_golden_cases();
  REQUIRE(cases.size() == 9);
  for (const host::KernelSet& set : host::available_kernels()) {
    CAPTURE(std::string(set.name));
    CHECK(differing_golden_cases(std::string(set.name), 2, cases) == Names{});
  }
}

}  // namespace pspllm::testing
