#pragma once
// The PSP models that the simulator can be, and their memory map as a user-mode program sees it.
//
// Sources: PPSSPP's and uOFW's memory maps; ARK-4's high-memory patch (51 MB on 64 MB models when PARAM.SFO
// says MEMSIZE=1: 56 MB from 0x08800000 less 1 MB and 4 MB that the firmware keeps).
#include <optional>
#include <string_view>

#include "simulator/words.hpp"

namespace pspllm::simulator {

enum class Device { psp1000, psp2000 };

struct DeviceModel {
  Device device;
  std::string_view name;
  Word ram_bytes;                         // from ram_base
  Word user_bytes;                        // partition 2 of a program without MEMSIZE=1
  Word large_user_bytes;                  // partition 2 of a program with MEMSIZE=1
  bool unaligned_vfpu_load_corrupts_fpu;  // lvl.q and lvr.q also write an FPU register (vfpu-docs bugs.md)
};

constexpr Word mebibyte = 1024U * 1024U;

constexpr Address scratchpad_base = 0x00010000;
constexpr Word scratchpad_bytes = 16U * 1024U;
constexpr Address vram_base = 0x04000000;
constexpr Word vram_bytes = 2U * mebibyte;
constexpr Word vram_window_bytes = 8U * mebibyte;  // the 2 MB appear four times
constexpr Address ram_base = 0x08000000;
constexpr Address volatile_base = 0x08400000;
constexpr Word volatile_bytes = 4U * mebibyte;
constexpr Address user_base = 0x08800000;
// The firmware keeps the first 16 KB of partition 2 for its own user-mode library.
constexpr Word user_reserved_bytes = 0x4000;
// Segment bits: bit 30 bypasses the cache; bit 31 is the kernel's.
constexpr Address uncached_bit = 0x40000000;
constexpr Address kernel_bit = 0x80000000;
constexpr Address physical_mask = 0x1FFFFFFF;
// Where a thread's first function returns to, and where a callback returns to: addresses in kernel memory
// that only the simulator's own fetch accepts.
constexpr Address thread_return_address = 0x08000010;
constexpr Address callback_return_address = 0x08000020;
// The system calls that stand there; imports have lower numbers.
constexpr Word thread_return_call = 0xFFFF0;
constexpr Word callback_return_call = 0xFFFF1;

constexpr DeviceModel psp1000_model{Device::psp1000, "psp1000",      32U * mebibyte,
                                    24U * mebibyte,  24U * mebibyte, true};
constexpr DeviceModel psp2000_model{Device::psp2000, "psp2000",      64U * mebibyte,
                                    24U * mebibyte,  51U * mebibyte, false};

[[nodiscard]] constexpr const DeviceModel& model_of(Device device) {
  return device == Device::psp1000 ? psp1000_model : psp2000_model;
}

[[nodiscard]] constexpr std::optional<Device> device_named(std::string_view name) {
  if (name == psp1000_model.name) return Device::psp1000;
  if (name == psp2000_model.name) return Device::psp2000;
  return std::nullopt;
}

}  // namespace pspllm::simulator
