// Look-up tables of byte codes: for each column group, the product of its activations with all 256 code
// words, as floats (whole numbers of at most 16 bits, so exact).
#pragma once

#include <cstdint>

#include "engine/ops/psp/packed_codes.hpp"

namespace pspllm::psp {

inline constexpr std::uint32_t code_table_bytes = codebook_words * sizeof(float);

/// tables[group, code] = sum over k of x[group * code_width + k] * word[code, k], for code_block_groups
/// groups. codebook: as PackedCodes has it, 16-byte aligned; tables: 16-byte aligned.
void build_code_tables(const std::int8_t* codebook, std::uint32_t code_width, const float* x,
                       float* tables) noexcept;

}  // namespace pspllm::psp
