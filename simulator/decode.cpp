#include "simulator/decode.hpp"

#include "simulator/core.hpp"

namespace pspllm::simulator {

bool execute_unknown(Core& core, const MicroOp& op) {
  return fail(core, FaultKind::unknown_instruction, 0, op.value);
}

bool execute_unmodelled(Core& core, const MicroOp& op) {
  return fail(core, FaultKind::unmodelled, 0, op.value);
}

bool execute_branch_in_slot(Core& core, const MicroOp& op) {
  return fail(core, FaultKind::branch_in_delay_slot, 0, op.value);
}

Decoded decode(Word word, const DecodeContext& context) {
  Decoded decoded;
  if (decode_integer(word, decoded) || decode_memory(word, context, decoded) ||
      decode_branch(word, context, decoded) || decode_multiply(word, decoded) || decode_fpu(word, decoded) ||
      decode_system(word, decoded) || decode_vfpu(word, context, decoded))
    return decoded;
  decoded.op = {execute_unknown, 0, 0, 0, 0, word};
  decoded.flow = Flow::next;
  return decoded;
}

}  // namespace pspllm::simulator
