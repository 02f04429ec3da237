// System calls, breakpoints, markers and what only the kernel may do.
#include "simulator/core.hpp"
#include "simulator/decode.hpp"
#include "simulator/markers.hpp"

namespace pspllm::simulator {

namespace {

bool execute_system_call(Core& core, const MicroOp& op) {
  ++core.cycle;
  core.event = RunResult::system_call;
  core.event_code = op.value;
  return true;
}

bool execute_break(Core& core, const MicroOp& op) {
  return fail(core, FaultKind::breakpoint, 0, op.value);
}

bool execute_marker(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  ++core.cycle;
  core.event = RunResult::marker;
  core.event_code = op.value;
  core.event_value = core.gpr[op.s];
  return true;
}

bool execute_no_operation(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  ++core.cycle;
  return true;
}

bool execute_privileged(Core& core, const MicroOp& op) {
  return fail(core, FaultKind::privileged_instruction, 0, op.value);
}

constexpr bool is_marker(Word immediate) {
  return (immediate & 0xFF00U) == marker_signature && (immediate & 0xFFU) >= 1 &&
         (immediate & 0xFFU) <= static_cast<Word>(MarkerKind::layer_end);
}

}  // namespace

bool decode_system(Word word, Decoded& decoded) {
  const Word opcode = opcode_of(word);
  const Word funct = funct_of(word);
  if (opcode == 0x00) {
    switch (funct) {
      case 0x0C:
        decoded = {{execute_system_call, 0, 0, 0, 0, bits(word, 25, 6)}, Flow::event};
        return true;
      // gas puts break's first operand into bits 25..16.
      case 0x0D:
        decoded.op = {execute_break, 0, 0, 0, 0, bits(word, 25, 16)};
        return true;
      case 0x0F:
        decoded.op = {execute_no_operation, 0, 0, 0, 0, 0};
        return true;  // sync
      default:
        return false;
    }
  }
  if (opcode == marker_opcode && rt_of(word) == 0) {
    if (is_marker(word & 0xFFFFU))
      decoded = {{execute_marker, 0, rs_of(word), 0, 0, word & 0xFFU}, Flow::event};
    else
      decoded.op = {execute_no_operation, 0, rs_of(word), 0, 0, 0};
    return true;
  }
  // COP0, and halt, mfic, mtic of SPECIAL2, are the kernel's.
  if (opcode == 0x10 || (opcode == 0x1C && (funct == 0x00 || funct == 0x24 || funct == 0x26))) {
    decoded.op = {execute_privileged, 0, 0, 0, 0, word};
    return true;
  }
  return false;
}

}  // namespace pspllm::simulator
