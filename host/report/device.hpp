// The machines that a memory budget is made for.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "engine/model/console_memory.hpp"

namespace pspllm::host {

/// A console's memory as a program sees it at start.
struct Device {
  std::string_view name;   ///< as --device takes it
  std::string_view title;  ///< as people say it
  /// The user partition: what the firmware sets aside for programs.
  std::uint64_t partition_bytes = 0;
};

/// Bytes that the PSP program itself takes of the largest block: code, data, stacks, screen fonts. An
/// allowance, rounded up.
inline constexpr std::uint64_t psp_program_bytes = std::uint64_t{512} * 1024;

inline constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

/// What the system keeps of the user partition: 24 MiB less the largest block at start, 24,585,472 bytes, as
/// measured in PPSSPP.
inline constexpr std::uint64_t system_bytes = 24 * mebibyte - 24'585'472;

/// What no memory plan can have of the partition.
inline constexpr std::uint64_t unplanned_bytes = system_bytes + psp_program_bytes + console_kept_back_bytes;

/// PSP-1000: a user partition of 24 MiB. PSP-2000 and later with the large memory that custom firmware sets
/// up: 51 MiB (55 on some firmware).
inline constexpr std::array devices{
    Device{"psp1000", "PSP-1000", 24 * mebibyte},
    Device{"psp2000", "PSP-2000 / 3000", 51 * mebibyte},
};

}  // namespace pspllm::host
