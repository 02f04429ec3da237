// Moves between the VFPU, its control registers and the general registers; prefixes; vnop, vsync, vflush.
#include "simulator/vfpu_operation.hpp"

namespace pspllm::simulator {

namespace {

constexpr std::array<Word, 16> writable_bits{
    0x000FFFFF, 0x000FFFFF, 0x00000FFF, 0x0000003F, ~0U, ~0U, ~0U, 0, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U};

// Right after vcmp the condition still reads as before it.
Word read_control(Core& core, Byte number) {
  if (number == vfpu_control::condition && core.vfpu_compare_cycle + 1 == core.cycle) {
    core.hazards.report(HazardKind::vfpu_compare_read, core.block->pc, 0);
    return core.old_vfpu_condition;
  }
  return core.vfpu_control[number];
}

void write_control(Core& core, Byte number, Word value) {
  const Word mask = writable_bits[number];
  core.vfpu_control[number] = (core.vfpu_control[number] & ~mask) | (value & mask);
}

bool execute_prefix(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  write_control(core, op.x, op.value);
  ++core.cycle;
  return true;
}

bool execute_move_to(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  wait_for(core, op.t);
  const Byte index = vfpu_single(op.d);
  core.vpr[index] = core.gpr[op.t];
  produce(core, scoreboard::vpr + index, core.timing[Constant::move_to_vfpu_latency], Cause::vfpu);
  ++core.cycle;
  return true;
}

bool execute_move_from(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Byte index = vfpu_single(op.s);
  wait_for(core, scoreboard::vpr + index);
  core.gpr[op.d] = core.vpr[index];
  produce(core, op.d, core.timing[Constant::move_from_vfpu_latency], Cause::vfpu);
  ++core.cycle;
  return true;
}

bool execute_control_to(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  wait_for(core, op.t);
  write_control(core, op.x, core.gpr[op.t]);
  produce(core, scoreboard::vfpu_condition, core.timing[Constant::move_to_vfpu_latency], Cause::vfpu);
  ++core.cycle;
  return true;
}

bool execute_control_from(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  core.gpr[op.d] = read_control(core, op.x);
  produce(core, op.d, core.timing[Constant::move_from_vfpu_latency], Cause::vfpu);
  ++core.cycle;
  return true;
}

// vmtvc: a VFPU register to a control register; vmfvc the other way.
bool execute_vector_to_control(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  write_control(core, op.x, read_vector<1>(core, op.s, prefixes::none)[0]);
  produce(core, scoreboard::vfpu_condition, core.timing[Constant::move_to_vfpu_latency], Cause::vfpu);
  ++core.cycle;
  return true;
}

bool execute_control_to_vector(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Byte index = vfpu_single(op.d);
  core.vpr[index] = read_control(core, op.x);
  produce(core, scoreboard::vpr + index, core.timing[Constant::move_from_vfpu_latency], Cause::vfpu);
  ++core.cycle;
  return true;
}

bool execute_no_operation(Core& core, const MicroOp&) {
  if (!vfpu_begin(core)) return false;
  reset_prefixes(core);
  ++core.cycle;
  return true;
}

// vsync waits until every VFPU result is there; vflush for the write buffer, which is not modelled.
bool execute_synchronise(Core& core, const MicroOp&) {
  if (!vfpu_begin(core)) return false;
  if (core.vfpu_last_write > core.cycle) stall(core, Cause::vfpu, core.vfpu_last_write - core.cycle);
  ++core.cycle;
  return true;
}

// mfv, mtv, mfvc, mtvc: opcode 0x12 with 3 or 7 in bits 25..21.
bool decode_move(Word word, Decoded& decoded) {
  if (opcode_of(word) != 0x12 || (rs_of(word) & ~4U) != 3 || (word & 0xFF00U) != 0) return false;
  const bool to_vfpu = (rs_of(word) & 4U) != 0;
  const bool control = (word & 0x80U) != 0;
  const Byte t = rt_of(word);
  const auto v = static_cast<Byte>(word & 0x7FU);
  if (control && v >= 16) return false;
  if (to_vfpu)
    decoded.op = {control ? execute_control_to : execute_move_to, v, 0, t, v, word};
  else
    decoded.op = {control ? execute_control_from : execute_move_from, result_register(t), v, 0, v, word};
  return true;
}

bool decode_vector_control(Word word, Decoded& decoded) {
  if ((word & 0xFFFF0000U) != 0xD0500000U && (word & 0xFFFF0000U) != 0xD0510000U) return false;
  const bool to_control = (word & 0x00010000U) != 0;
  const Word number = to_control ? word & 0xFFU : (word >> 8U) & 0xFFU;
  if (number < 128 || number >= 144) return false;
  const auto x = static_cast<Byte>(number - 128U);
  if (to_control)
    decoded.op = {execute_vector_to_control, 0, vs_of(word), 0, x, word};
  else
    decoded.op = {execute_control_to_vector, vd_of(word), 0, 0, x, word};
  return true;
}

}  // namespace

bool decode_vfpu_control(Word word, Decoded& decoded) {
  if (opcode_of(word) == 0x37 && bits(word, 25, 24) != 3) {
    decoded.op = {execute_prefix, 0, 0, 0, static_cast<Byte>(bits(word, 25, 24)), word & 0x00FFFFFFU};
    return true;
  }
  switch (word) {
    case 0xFFFF0000:
      decoded.op = {execute_no_operation, 0, 0, 0, 0, word};
      return true;
    case 0xFFFF0320:
    case 0xFFFF040D:
      decoded.op = {execute_synchronise, 0, 0, 0, 0, word};
      return true;
    default:
      break;
  }
  return decode_move(word, decoded) || decode_vector_control(word, decoded);
}

}  // namespace pspllm::simulator
