// The cases of ../shared/golden: what karpathy's runq.c printed, byte for byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace pspllm::testing {

/// Which models of the cases to run: the scalar reference takes minutes for the large one.
enum class GoldenModels { small, large, all };

/// Names of the cases whose text differs with this set of kernels; empty where the shared data is absent
/// (that is said on standard output). Throws where a case cannot be run at all. The large model is made in
/// `folder`.
[[nodiscard]] std::vector<std::string> differing_golden_cases(const std::string& kernels,
                                                              std::uint32_t threads, GoldenModels which,
                                                              const TemporaryFolder& folder);

}  // namespace pspllm::testing
