// Tells a simulator that watches the program what it does. On the console, and in emulators, each marker is
// an instruction that does nothing; on the host, nothing at all. Numbers and encoding: simulator/markers.hpp.
#pragma once

#include <cstdint>

#include "simulator/markers.hpp"

namespace pspllm::psp {

using simulator::MarkerKind;

/// `value` is what simulator/markers.hpp says for this kind.
template <MarkerKind kind>
inline void mark([[maybe_unused]] std::uint32_t value = 0) {
#if defined(__mips__)
  asm volatile("ori $zero, %0, %1" : : "r"(value), "i"(simulator::marker_immediate(kind)));
#endif
}

/// Marks a phase by name, a string that lives for ever.
template <MarkerKind kind>
inline void mark_name([[maybe_unused]] const char* name) {
#if defined(__mips__)
  mark<kind>(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(name)));
#endif
}

}  // namespace pspllm::psp
