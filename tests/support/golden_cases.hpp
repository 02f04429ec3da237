// The cases of ../shared/golden: what karpathy's runq.c printed, byte for byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace pspllm::testing {

/// Which models of the cases to run: the scalar reference takes minutes for the large one.
enum class GoldenModels { small, large, all };

/// One case, with paths that exist and the text that is expected.
struct GoldenCase {
  std::string name;
  std::string model;
  std::string tokenizer;
  std::string prompt;
  std::uint32_t steps = 0;
  double temperature = 0.0;
  double top_p = 0.0;
  std::uint64_t seed = 0;
  std::string expected;
};

/// The cases of these models; none where the shared data is absent (that is said on standard output). The
/// large model is made in `folder`. Throws where a case is not complete.
[[nodiscard]] std::vector<GoldenCase> golden_cases(GoldenModels which, const TemporaryFolder& folder);

/// The cases of tests/golden: the model of this repository, which is always there.
[[nodiscard]] std::vector<GoldenCase> own_golden_cases();

/// Names of the cases whose text differs with this set of kernels.
[[nodiscard]] std::vector<std::string> differing_golden_cases(const std::string& kernels,
                                                              std::uint32_t threads,
                                                              const std::vector<GoldenCase>& cases);

}  // namespace pspllm::testing
