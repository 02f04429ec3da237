// Byte-code matrices of random codes, codebooks and scales: what tests of kernels and of files start from.
#pragma once

#include <cstdint>
#include <string>

namespace pspllm::testing {

/// Bytes of a matrix as CodeLayout lays it out: codebook entries up to the bound of its width in both signs,
/// scales of which some are negative or zero, codes that fill up the last tile 0.
[[nodiscard]] std::string make_code_matrix(std::uint32_t rows, std::uint32_t cols, std::uint32_t code_width,
                                           std::uint32_t seed);

}  // namespace pspllm::testing
