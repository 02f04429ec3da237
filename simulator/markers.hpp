#pragma once
// How a program tells the simulator what it does: no-operations that hardware and emulators execute as
// nothing.
//
// A marker is `ori $zero, rs, 0x4D00 | kind`: it writes to $zero, costs one cycle, and hands the simulator
// the value of register rs. From C++ for the PSP:
//
//     template <pspllm::simulator::MarkerKind kind>
//     inline void mark(std::uint32_t value) {
//       asm volatile("ori $zero, %0, %1" : : "r"(value), "i"(pspllm::simulator::marker_immediate(kind)));
//     }
//
// This header is freestanding and includes only <cstdint>, so that the PSP program can use it as it is.
#include <cstdint>

namespace pspllm::simulator {

enum class MarkerKind : std::uint8_t {
  ready = 1,         // the program has started and waits for the user (value unused): start_seconds
  prompt_begin = 2,  // the user has confirmed; value: tokens of the prompt that will be evaluated
  prompt_end = 3,    // the prompt has been evaluated (value unused): prefill_tokens_per_second
  token = 4,         // a token has been produced and shown; value: how many since prompt_begin, from 1
  answer_end = 5,    // nothing more will be produced for this prompt (value unused)
  phase_begin = 6,   // value: address of the phase's name, a NUL-terminated string; phases nest
  phase_end = 7,     // ends the innermost phase (value unused)
  layer_begin = 8,   // value: number of the layer; a phase named "layer N"
  layer_end = 9      // ends it (value unused)
};

constexpr std::uint32_t marker_opcode = 0x0D;       // ori
constexpr std::uint32_t marker_signature = 0x4D00;  // high byte of the immediate

[[nodiscard]] constexpr std::uint32_t marker_immediate(MarkerKind kind) {
  return marker_signature | static_cast<std::uint32_t>(kind);
}

// The instruction word that marks `kind` with the value of general register `rs` (0 to 31).
[[nodiscard]] constexpr std::uint32_t marker_word(MarkerKind kind, std::uint32_t rs) {
  return marker_opcode << 26U | rs << 21U | marker_immediate(kind);
}

}  // namespace pspllm::simulator
