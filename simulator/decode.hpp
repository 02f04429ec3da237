#pragma once
// From instruction words to micro-operations. Each unit (integer, memory, branch, FPU, VFPU ...) decodes its
// own words in the file that executes them.
#include "simulator/micro_op.hpp"
#include "simulator/words.hpp"

namespace pspllm::simulator {

struct DecodeContext {
  Address pc = 0;
  bool check_uninitialised = false;  // loads report bytes that nobody wrote
};

// Any word decodes: one that the Allegrex lacks becomes an operation that faults.
[[nodiscard]] Decoded decode(Word word, const DecodeContext& context);

// Each returns false when the word is not of its unit.
[[nodiscard]] bool decode_integer(Word word, Decoded& decoded);
[[nodiscard]] bool decode_multiply(Word word, Decoded& decoded);
[[nodiscard]] bool decode_memory(Word word, const DecodeContext& context, Decoded& decoded);
[[nodiscard]] bool decode_branch(Word word, const DecodeContext& context, Decoded& decoded);
[[nodiscard]] bool decode_system(Word word, Decoded& decoded);
[[nodiscard]] bool decode_fpu(Word word, Decoded& decoded);
[[nodiscard]] bool decode_vfpu(Word word, const DecodeContext& context, Decoded& decoded);

// An operation that stops the program.
[[nodiscard]] bool execute_unknown(Core& core, const MicroOp& op);
[[nodiscard]] bool execute_unmodelled(Core& core, const MicroOp& op);
[[nodiscard]] bool execute_branch_in_slot(Core& core, const MicroOp& op);

// Fields of an instruction word.
[[nodiscard]] constexpr Word opcode_of(Word word) {
  return word >> 26;
}
[[nodiscard]] constexpr Byte rs_of(Word word) {
  return static_cast<Byte>((word >> 21) & 31U);
}
[[nodiscard]] constexpr Byte rt_of(Word word) {
  return static_cast<Byte>((word >> 16) & 31U);
}
[[nodiscard]] constexpr Byte rd_of(Word word) {
  return static_cast<Byte>((word >> 11) & 31U);
}
[[nodiscard]] constexpr Byte sa_of(Word word) {
  return static_cast<Byte>((word >> 6) & 31U);
}
[[nodiscard]] constexpr Word funct_of(Word word) {
  return word & 63U;
}
[[nodiscard]] constexpr Word signed_immediate_of(Word word) {
  return sign_extend(word & 0xFFFFU, 16);
}
// A result register: writes to $zero go to the place that nobody reads.
[[nodiscard]] constexpr Byte result_register(Byte number) {
  return number == 0 ? Byte{32} : number;
}

}  // namespace pspllm::simulator
