// The program's one block of memory. There is no heap: everything large comes out of this block, by a plan.
#pragma once

#include <cstddef>
#include <span>

#include "psp/platform/status.hpp"

namespace pspllm::psp {

/// Start of every block: a cache line, and what the VFPU's and the stick's fast transfers want.
constexpr std::size_t block_alignment = 64;

/// Largest block that the system would give now, in bytes (24,585,472 at the start on a PSP-1000).
[[nodiscard]] std::size_t largest_free_block();

/// Sum of all free memory in bytes; what a status line shows.
[[nodiscard]] std::size_t total_free_memory();

/// Takes one block of `bytes` from the user partition, aligned to block_alignment, for the life of the
/// program. The sentence of a failure gives what was asked for and what is free.
[[nodiscard]] Status allocate_block(std::size_t bytes, std::span<std::byte>& block);

}  // namespace pspllm::psp
