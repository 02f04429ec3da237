// Multiplication and division through HI and LO, which are interlocked.
#include "simulator/core.hpp"
#include "simulator/decode.hpp"

namespace pspllm::simulator {

namespace {

void set_hi_lo(Core& core, DoubleWord value) {
  core.lo = static_cast<Word>(value);
  core.hi = static_cast<Word>(value >> 32);
}

DoubleWord hi_lo(const Core& core) {
  return (DoubleWord{core.hi} << 32) | core.lo;
}

DoubleWord product(Word a, Word b, bool is_signed) {
  if (!is_signed) return DoubleWord{a} * b;
  return static_cast<DoubleWord>(SignedDoubleWord{as_signed(a)} * SignedDoubleWord{as_signed(b)});
}

template <bool is_signed>
bool execute_multiply(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  wait_for(core, op.t);
  set_hi_lo(core, product(core.gpr[op.s], core.gpr[op.t], is_signed));
  produce(core, scoreboard::hi_lo, core.timing[Constant::multiply_latency], Cause::multiply);
  ++core.cycle;
  return true;
}

// madd, msub: HI:LO +- s * t. Its read of HI:LO may be pipelined (multiply_accumulate_latency).
template <bool is_signed, bool subtract>
bool execute_accumulate(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  wait_for(core, op.t);
  const Cycles latency = core.timing[Constant::multiply_latency];
  const Cycles spacing = core.timing[Constant::multiply_accumulate_latency];
  const Cycles ready = core.ready[scoreboard::hi_lo];
  if (ready + spacing > core.cycle + latency)
    stall(core, Cause::multiply, ready + spacing - core.cycle - latency);
  const DoubleWord change = product(core.gpr[op.s], core.gpr[op.t], is_signed);
  set_hi_lo(core, subtract ? hi_lo(core) - change : hi_lo(core) + change);
  produce(core, scoreboard::hi_lo, latency, Cause::multiply);
  ++core.cycle;
  return true;
}

void finish_division(Core& core) {
  const Cycles latency = core.timing[Constant::divide_latency];
  produce(core, scoreboard::hi_lo, latency, Cause::multiply);
  ++core.cycle;
  if (core.timing[Constant::divide_blocks_issue] != 0) stall(core, Cause::multiply, latency - 1);
}

// Division by zero does not trap; hardware leaves LO = -1 (or 1 for a negative dividend) and HI = the
// dividend.
bool execute_divide(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  wait_for(core, op.t);
  wait_for(core, scoreboard::hi_lo);
  const SignedWord a = as_signed(core.gpr[op.s]);
  const SignedWord b = as_signed(core.gpr[op.t]);
  if (b == 0) {
    core.lo = a < 0 ? 1U : ~Word{0};
    core.hi = as_word(a);
  } else if (b == -1) {
    core.lo = 0U - as_word(a);
    core.hi = 0;
  } else {
    core.lo = as_word(a / b);
    core.hi = as_word(a % b);
  }
  finish_division(core);
  return true;
}

bool execute_divide_unsigned(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  wait_for(core, op.t);
  wait_for(core, scoreboard::hi_lo);
  const Word a = core.gpr[op.s];
  const Word b = core.gpr[op.t];
  core.lo = b == 0 ? (a <= 0xFFFFU ? 0xFFFFU : ~Word{0}) : a / b;
  core.hi = b == 0 ? a : a % b;
  finish_division(core);
  return true;
}

bool execute_move_from_hi(Core& core, const MicroOp& op) {
  wait_for(core, scoreboard::hi_lo);
  set_gpr(core, op.d, core.hi);
  ++core.cycle;
  return true;
}

bool execute_move_from_lo(Core& core, const MicroOp& op) {
  wait_for(core, scoreboard::hi_lo);
  set_gpr(core, op.d, core.lo);
  ++core.cycle;
  return true;
}

bool execute_move_to_hi(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  wait_for(core, scoreboard::hi_lo);
  core.hi = core.gpr[op.s];
  ++core.cycle;
  return true;
}

bool execute_move_to_lo(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  wait_for(core, scoreboard::hi_lo);
  core.lo = core.gpr[op.s];
  ++core.cycle;
  return true;
}

Handler handler_of(Word funct) {
  switch (funct) {
    case 0x10:
      return execute_move_from_hi;
    case 0x11:
      return execute_move_to_hi;
    case 0x12:
      return execute_move_from_lo;
    case 0x13:
      return execute_move_to_lo;
    case 0x18:
      return execute_multiply<true>;
    case 0x19:
      return execute_multiply<false>;
    case 0x1A:
      return execute_divide;
    case 0x1B:
      return execute_divide_unsigned;
    case 0x1C:
      return execute_accumulate<true, false>;
    case 0x1D:
      return execute_accumulate<false, false>;
    case 0x2E:
      return execute_accumulate<true, true>;
    case 0x2F:
      return execute_accumulate<false, true>;
    default:
      return nullptr;
  }
}

}  // namespace

bool decode_multiply(Word word, Decoded& decoded) {
  if (opcode_of(word) != 0) return false;
  const Handler run = handler_of(funct_of(word));
  if (run == nullptr) return false;
  decoded.op = {run, result_register(rd_of(word)), rs_of(word), rt_of(word), 0, 0};
  return true;
}

}  // namespace pspllm::simulator
