// XXH32 (Yann Collet, github.com/Cyan4973/xxHash, doc/xxhash_spec.md, seed 0): fast on a machine with one
// 32-bit multiplier, and what every file of ours carries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pspllm {

[[nodiscard]] std::uint32_t checksum32(std::span<const std::byte> bytes) noexcept;

}  // namespace pspllm
