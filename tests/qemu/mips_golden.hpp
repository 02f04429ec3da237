// Byte identity of the engine built for little-endian MIPS, under qemu-user.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/golden_cases.hpp"

namespace pspllm::testing {

/// Names of the cases whose first `most_steps` positions differ from runq.c's text when the MIPS program
/// (tests/qemu/golden_driver.cpp) makes them.
[[nodiscard]] std::vector<std::string> differing_mips_cases(const std::vector<GoldenCase>& cases,
                                                            std::uint32_t most_steps);

}  // namespace pspllm::testing
