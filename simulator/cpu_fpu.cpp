// The scalar FPU (coprocessor 1).
#include "simulator/core.hpp"
#include "simulator/decode.hpp"
#include "simulator/fpu_arithmetic.hpp"

namespace pspllm::simulator {

namespace {

constexpr Word revision = 0x00003351;  // FCR0, pspautotests fcr.expected

void wait_for_unit(Core& core) {
  if (core.fpu_free > core.cycle) stall(core, Cause::fpu, core.fpu_free - core.cycle);
}

// Books the exceptions of one operation; false when one of them traps.
bool accept(Core& core, Word cause) {
  core.fcr31 = (core.fcr31 & ~fcr31::cause_mask) | cause << fcr31::cause_shift;
  if (cause == 0) [[likely]]
    return true;
  if ((core.fcr31 >> fcr31::enable_shift) & cause)
    return fail(core, FaultKind::fpu_exception, 0, core.fcr31 & fcr31::cause_mask);
  core.fcr31 |= cause << fcr31::flag_shift;
  return true;
}

template <auto operation>
bool execute_binary(Core& core, const MicroOp& op) {
  wait_for_unit(core);
  wait_for(core, scoreboard::fpr + op.s);
  wait_for(core, scoreboard::fpr + op.t);
  const FpuResult result = operation(core.fpr[op.s], core.fpr[op.t], core.fcr31);
  if (!accept(core, result.cause)) return false;
  core.fpr[op.d] = result.bits;
  produce(core, scoreboard::fpr + op.d, core.timing[Constant::fpu_latency], Cause::fpu);
  ++core.cycle;
  return true;
}

void finish_long(Core& core, Byte d, Constant latency, Constant cycles) {
  produce(core, scoreboard::fpr + d, core.timing[latency], Cause::fpu);
  core.fpu_free = core.cycle + core.timing[cycles];
  ++core.cycle;
  if (core.timing[Constant::divide_blocks_issue] != 0) stall(core, Cause::fpu, core.timing[cycles] - 1U);
}

bool execute_divide(Core& core, const MicroOp& op) {
  wait_for_unit(core);
  wait_for(core, scoreboard::fpr + op.s);
  wait_for(core, scoreboard::fpr + op.t);
  const FpuResult result = fpu_divide(core.fpr[op.s], core.fpr[op.t], core.fcr31);
  if (!accept(core, result.cause)) return false;
  core.fpr[op.d] = result.bits;
  finish_long(core, op.d, Constant::fpu_divide_latency, Constant::fpu_divide_cycles);
  return true;
}

bool execute_square_root(Core& core, const MicroOp& op) {
  wait_for_unit(core);
  wait_for(core, scoreboard::fpr + op.s);
  const FpuResult result = fpu_square_root(core.fpr[op.s], core.fcr31);
  if (!accept(core, result.cause)) return false;
  core.fpr[op.d] = result.bits;
  finish_long(core, op.d, Constant::fpu_sqrt_latency, Constant::fpu_sqrt_cycles);
  return true;
}

// mov.s, abs.s, neg.s: no exceptions.
template <Word keep, Word flip>
bool execute_move(Core& core, const MicroOp& op) {
  wait_for_unit(core);
  wait_for(core, scoreboard::fpr + op.s);
  core.fpr[op.d] = (core.fpr[op.s] & keep) ^ flip;
  produce(core, scoreboard::fpr + op.d, core.timing[Constant::fpu_move_latency], Cause::fpu);
  ++core.cycle;
  return true;
}

bool finish_conversion(Core& core, Byte d, const FpuResult& result) {
  if (!accept(core, result.cause)) return false;
  core.fpr[d] = result.bits;
  produce(core, scoreboard::fpr + d, core.timing[Constant::fpu_latency], Cause::fpu);
  ++core.cycle;
  return true;
}

// op.x: the rounding mode, or 4 for that of FCR31.
bool execute_to_integer(Core& core, const MicroOp& op) {
  wait_for_unit(core);
  wait_for(core, scoreboard::fpr + op.s);
  const Word mode = op.x == 4 ? core.fcr31 & fcr31::rounding_mask : op.x;
  return finish_conversion(core, op.d, fpu_to_integer(core.fpr[op.s], mode));
}

bool execute_from_integer(Core& core, const MicroOp& op) {
  wait_for_unit(core);
  wait_for(core, scoreboard::fpr + op.s);
  return finish_conversion(core, op.d, fpu_from_integer(core.fpr[op.s], core.fcr31));
}

bool execute_compare(Core& core, const MicroOp& op) {
  wait_for_unit(core);
  wait_for(core, scoreboard::fpr + op.s);
  wait_for(core, scoreboard::fpr + op.t);
  const FpuResult result = fpu_compare(core.fpr[op.s], core.fpr[op.t], op.x);
  if (!accept(core, result.cause)) return false;
  core.old_condition = (core.fcr31 & fcr31::condition) != 0;
  core.compare_cycle = core.cycle;
  core.fcr31 = result.bits != 0 ? core.fcr31 | fcr31::condition : core.fcr31 & ~fcr31::condition;
  ++core.cycle;
  return true;
}

bool execute_move_from(Core& core, const MicroOp& op) {
  wait_for(core, scoreboard::fpr + op.s);
  core.gpr[op.d] = core.fpr[op.s];
  produce(core, op.d, core.timing[Constant::move_from_fpu_latency], Cause::fpu);
  ++core.cycle;
  return true;
}

bool execute_move_to(Core& core, const MicroOp& op) {
  wait_for(core, op.t);
  core.fpr[op.d] = core.gpr[op.t];
  produce(core, scoreboard::fpr + op.d, core.timing[Constant::move_to_fpu_latency], Cause::fpu);
  ++core.cycle;
  return true;
}

bool execute_control_from(Core& core, const MicroOp& op) {
  wait_for_unit(core);
  core.gpr[op.d] = op.s == 0 ? revision : op.s == 31 ? core.fcr31 : 0;
  produce(core, op.d, core.timing[Constant::move_from_fpu_latency], Cause::fpu);
  ++core.cycle;
  return true;
}

bool execute_control_to(Core& core, const MicroOp& op) {
  wait_for(core, op.t);
  wait_for_unit(core);
  ++core.cycle;
  if (op.d != 31) return true;
  const Word value = core.gpr[op.t] & fcr31::writable;
  const Word enables = value >> fcr31::enable_shift & 31U;
  if (enables & (fcr31::inexact | fcr31::underflow)) return fail(core, FaultKind::unmodelled, 0, op.value);
  core.fcr31 = value;
  const Word causes = value >> fcr31::cause_shift & 31U;
  if (causes & enables) return fail(core, FaultKind::fpu_exception, 0, value & fcr31::cause_mask);
  return true;
}

bool decode_single(Word word, Decoded& decoded) {
  const Byte d = sa_of(word);
  const Byte s = rd_of(word);
  const Byte t = rt_of(word);
  const Word funct = funct_of(word);
  if (funct >= 0x30) {
    if (d != 0) return false;
    decoded.op = {execute_compare, 0, s, t, static_cast<Byte>(funct & 15U), 0};
    return true;
  }
  const bool unary = funct >= 0x04;
  if (unary && t != 0) return false;
  switch (funct) {
    case 0x00:
      decoded.op = {execute_binary<fpu_add>, d, s, t, 0, 0};
      return true;
    case 0x01:
      decoded.op = {execute_binary<fpu_subtract>, d, s, t, 0, 0};
      return true;
    case 0x02:
      decoded.op = {execute_binary<fpu_multiply>, d, s, t, 0, 0};
      return true;
    case 0x03:
      decoded.op = {execute_divide, d, s, t, 0, 0};
      return true;
    case 0x04:
      decoded.op = {execute_square_root, d, s, 0, 0, 0};
      return true;
    case 0x05:
      decoded.op = {execute_move<0x7FFFFFFF, 0>, d, s, 0, 0, 0};
      return true;
    case 0x06:
      decoded.op = {execute_move<0xFFFFFFFF, 0>, d, s, 0, 0, 0};
      return true;
    case 0x07:
      decoded.op = {execute_move<0xFFFFFFFF, 0x80000000>, d, s, 0, 0, 0};
      return true;
    case 0x0C:
      decoded.op = {execute_to_integer, d, s, 0, 0, 0};
      return true;
    case 0x0D:
      decoded.op = {execute_to_integer, d, s, 0, 1, 0};
      return true;
    case 0x0E:
      decoded.op = {execute_to_integer, d, s, 0, 2, 0};
      return true;
    case 0x0F:
      decoded.op = {execute_to_integer, d, s, 0, 3, 0};
      return true;
    case 0x24:
      decoded.op = {execute_to_integer, d, s, 0, 4, 0};
      return true;
    default:
      return false;
  }
}

}  // namespace

bool decode_fpu(Word word, Decoded& decoded) {
  if (opcode_of(word) != 0x11) return false;
  const Byte t = rt_of(word);
  const Byte s = rd_of(word);
  switch (rs_of(word)) {
    case 0x00:
      decoded.op = {execute_move_from, result_register(t), s, 0, 0, word};
      return (word & 0x7FFU) == 0;
    case 0x02:
      decoded.op = {execute_control_from, result_register(t), s, 0, 0, word};
      return (word & 0x7FFU) == 0;
    case 0x04:
      decoded.op = {execute_move_to, s, 0, t, 0, word};
      return (word & 0x7FFU) == 0;
    case 0x06:
      decoded.op = {execute_control_to, s, 0, t, 0, word};
      return (word & 0x7FFU) == 0;
    case 0x10:
      return decode_single(word, decoded);
    case 0x14:
      if (funct_of(word) != 0x20 || t != 0) return false;
      decoded.op = {execute_from_integer, sa_of(word), s, 0, 0, word};
      return true;
    default:
      return false;
  }
}

}  // namespace pspllm::simulator
