// Integer arithmetic and logic: MIPS II, the MIPS32r2 instructions that the Allegrex has, and its own.
#include <bit>
#include <utility>

#include "simulator/core.hpp"
#include "simulator/decode.hpp"

namespace pspllm::simulator {

namespace {

bool execute_nop(Core& core, const MicroOp&) {
  ++core.cycle;
  return true;
}

// d = f(s, t)
template <auto f>
bool execute_register(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  wait_for(core, op.t);
  set_gpr(core, op.d, f(core.gpr[op.s], core.gpr[op.t]));
  ++core.cycle;
  return true;
}

// d = f(s, immediate)
template <auto f>
bool execute_immediate(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  set_gpr(core, op.d, f(core.gpr[op.s], op.value));
  ++core.cycle;
  return true;
}

bool execute_load_upper(Core& core, const MicroOp& op) {
  set_gpr(core, op.d, op.value);
  ++core.cycle;
  return true;
}

// add, sub, addi: trap on overflow. d = s + t, or s - t with x = 1.
bool execute_trapping(Core& core, const MicroOp& op, SignedWord other) {
  SignedWord sum = 0;
  const SignedWord first = as_signed(core.gpr[op.s]);
  const bool overflow =
      op.x == 1 ? __builtin_sub_overflow(first, other, &sum) : __builtin_add_overflow(first, other, &sum);
  if (overflow) return fail(core, FaultKind::integer_overflow, 0);
  set_gpr(core, op.d, as_word(sum));
  ++core.cycle;
  return true;
}

bool execute_trapping_register(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  wait_for(core, op.t);
  return execute_trapping(core, op, as_signed(core.gpr[op.t]));
}

bool execute_trapping_immediate(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  return execute_trapping(core, op, as_signed(op.value));
}

// Any change of the stack pointer: watched for overflow and for the lowest point.
bool moved_stack(Core& core) {
  constexpr unsigned stack_pointer = 29;
  const Word now = core.gpr[stack_pointer];
  if (now < core.stack_bottom) return fail(core, FaultKind::stack_overflow, now);
  if (now < core.stack_lowest) core.stack_lowest = now;
  return true;
}

template <Handler inner>
bool execute_stack(Core& core, const MicroOp& op) {
  return inner(core, op) && moved_stack(core);
}

// movz, movn: the old value of d is a source too.
template <bool move_when_zero>
bool execute_conditional_move(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  wait_for(core, op.t);
  wait_for(core, op.d);
  if ((core.gpr[op.t] == 0) == move_when_zero) set_gpr(core, op.d, core.gpr[op.s]);
  ++core.cycle;
  return true;
}

// ins: bits [x, x + size) of d become the low bits of s; value is the mask of the changed bits.
bool execute_insert(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  wait_for(core, op.d);
  set_gpr(core, op.d, (core.gpr[op.d] & ~op.value) | ((core.gpr[op.s] << op.x) & op.value));
  ++core.cycle;
  return true;
}

bool execute_extract(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  set_gpr(core, op.d, (core.gpr[op.s] >> op.x) & op.value);
  ++core.cycle;
  return true;
}

constexpr Word reverse_bits(Word value) {
  Word result = 0;
  for (unsigned i = 0; i < 32; ++i) result |= ((value >> i) & 1U) << (31U - i);
  return result;
}

constexpr auto add = [](Word a, Word b) { return a + b; };
constexpr auto subtract = [](Word a, Word b) { return a - b; };
constexpr auto bit_and = [](Word a, Word b) { return a & b; };
constexpr auto bit_or = [](Word a, Word b) { return a | b; };
constexpr auto bit_xor = [](Word a, Word b) { return a ^ b; };
constexpr auto bit_nor = [](Word a, Word b) { return ~(a | b); };
constexpr auto less_signed = [](Word a, Word b) { return Word{as_signed(a) < as_signed(b)}; };
constexpr auto less_unsigned = [](Word a, Word b) { return Word{a < b}; };
constexpr auto shift_left = [](Word a, Word b) { return a << (b & 31U); };
constexpr auto shift_right = [](Word a, Word b) { return a >> (b & 31U); };
constexpr auto shift_arithmetic = [](Word a, Word b) { return as_word(as_signed(a) >> (b & 31U)); };
constexpr auto rotate_right = [](Word a, Word b) { return std::rotr(a, static_cast<int>(b & 31U)); };
constexpr auto maximum = [](Word a, Word b) { return as_signed(a) > as_signed(b) ? a : b; };
constexpr auto minimum = [](Word a, Word b) { return as_signed(a) < as_signed(b) ? a : b; };
constexpr auto leading_zeros = [](Word a, Word) { return static_cast<Word>(std::countl_zero(a)); };
constexpr auto leading_ones = [](Word a, Word) { return static_cast<Word>(std::countl_one(a)); };
constexpr auto extend_byte = [](Word a, Word) { return sign_extend(a, 8); };
constexpr auto extend_half = [](Word a, Word) { return sign_extend(a, 16); };
constexpr auto swap_in_halves = [](Word a, Word) {
  return ((a & 0x00FF00FFU) << 8) | ((a >> 8) & 0x00FF00FFU);
};
constexpr auto swap_word = [](Word a, Word) { return __builtin_bswap32(a); };
constexpr auto bit_reverse = [](Word a, Word) { return reverse_bits(a); };

// Three registers: d = f(s, t). The stack pointer as result is watched.
template <auto f>
void set_register(Word word, Decoded& decoded) {
  decoded.op = {execute_register<f>, result_register(rd_of(word)), rs_of(word), rt_of(word), 0, 0};
  if (rd_of(word) == 29) decoded.op.run = execute_stack<execute_register<f>>;
}

// One source in rt: d = f(t, shift amount).
template <auto f>
void set_shift(Word word, Decoded& decoded) {
  decoded.op = {execute_immediate<f>, result_register(rd_of(word)), rt_of(word), 0, 0, sa_of(word)};
}

// Shift by a register: d = f(t, s).
template <auto f>
void set_shift_register(Word word, Decoded& decoded) {
  decoded.op = {execute_register<f>, result_register(rd_of(word)), rt_of(word), rs_of(word), 0, 0};
}

// One source in rs (clz, clo) or rt (seb, seh ...).
template <auto f>
void set_unary(Byte d, Byte s, Decoded& decoded) {
  decoded.op = {execute_immediate<f>, result_register(d), s, 0, 0, 0};
}

template <auto f>
void set_immediate(Word word, Word value, Decoded& decoded) {
  decoded.op = {execute_immediate<f>, result_register(rt_of(word)), rs_of(word), 0, 0, value};
  if (rt_of(word) == 29) decoded.op.run = execute_stack<execute_immediate<f>>;
}

bool decode_special(Word word, Decoded& decoded) {
  const bool rotate =
      (funct_of(word) == 0x02 && rs_of(word) == 1) || (funct_of(word) == 0x06 && sa_of(word) == 1);
  const Byte d = result_register(rd_of(word));
  switch (funct_of(word)) {
    case 0x00:
      if (word == 0)
        decoded.op = {execute_nop, 0, 0, 0, 0, 0};
      else
        set_shift<shift_left>(word, decoded);
      return true;
    case 0x02:
      if (rotate)
        set_shift<rotate_right>(word, decoded);
      else
        set_shift<shift_right>(word, decoded);
      return true;
    case 0x03:
      set_shift<shift_arithmetic>(word, decoded);
      return true;
    case 0x04:
      set_shift_register<shift_left>(word, decoded);
      return true;
    case 0x06:
      if (rotate)
        set_shift_register<rotate_right>(word, decoded);
      else
        set_shift_register<shift_right>(word, decoded);
      return true;
    case 0x07:
      set_shift_register<shift_arithmetic>(word, decoded);
      return true;
    case 0x0A:
      decoded.op = {execute_conditional_move<true>, d, rs_of(word), rt_of(word), 0, 0};
      return true;
    case 0x0B:
      decoded.op = {execute_conditional_move<false>, d, rs_of(word), rt_of(word), 0, 0};
      return true;
    case 0x16:
      set_unary<leading_zeros>(rd_of(word), rs_of(word), decoded);
      return true;
    case 0x17:
      set_unary<leading_ones>(rd_of(word), rs_of(word), decoded);
      return true;
    case 0x20:
      decoded.op = {execute_trapping_register, d, rs_of(word), rt_of(word), 0, 0};
      return true;
    case 0x21:
      set_register<add>(word, decoded);
      return true;
    case 0x22:
      decoded.op = {execute_trapping_register, d, rs_of(word), rt_of(word), 1, 0};
      return true;
    case 0x23:
      set_register<subtract>(word, decoded);
      return true;
    case 0x24:
      set_register<bit_and>(word, decoded);
      return true;
    case 0x25:
      set_register<bit_or>(word, decoded);
      return true;
    case 0x26:
      set_register<bit_xor>(word, decoded);
      return true;
    case 0x27:
      set_register<bit_nor>(word, decoded);
      return true;
    case 0x2A:
      set_register<less_signed>(word, decoded);
      return true;
    case 0x2B:
      set_register<less_unsigned>(word, decoded);
      return true;
    case 0x2C:
      set_register<maximum>(word, decoded);
      return true;
    case 0x2D:
      set_register<minimum>(word, decoded);
      return true;
    default:
      return false;
  }
}

// ext, ins and the byte shuffles (SPECIAL3).
bool decode_special3(Word word, Decoded& decoded) {
  const Byte position = sa_of(word);
  switch (funct_of(word)) {
    case 0x00: {
      const unsigned size = rd_of(word) + 1U;
      if (position + size > 32) return false;
      decoded.op = {execute_extract, result_register(rt_of(word)), rs_of(word), 0,
                    position,        bits(~Word{0}, size - 1, 0)};
      return true;
    }
    case 0x04: {
      if (rd_of(word) < position) return false;
      const Word mask = bits(~Word{0}, rd_of(word) - Word{position}, 0) << position;
      decoded.op = {execute_insert, result_register(rt_of(word)), rs_of(word), 0, position, mask};
      return true;
    }
    case 0x20:
      break;
    default:
      return false;
  }
  switch (sa_of(word)) {
    case 0x02:
      set_unary<swap_in_halves>(rd_of(word), rt_of(word), decoded);
      return true;
    case 0x03:
      set_unary<swap_word>(rd_of(word), rt_of(word), decoded);
      return true;
    case 0x10:
      set_unary<extend_byte>(rd_of(word), rt_of(word), decoded);
      return true;
    case 0x14:
      set_unary<bit_reverse>(rd_of(word), rt_of(word), decoded);
      return true;
    case 0x18:
      set_unary<extend_half>(rd_of(word), rt_of(word), decoded);
      return true;
    default:
      return false;
  }
}

}  // namespace

bool decode_integer(Word word, Decoded& decoded) {
  const Word immediate = word & 0xFFFFU;
  switch (opcode_of(word)) {
    case 0x00:
      return decode_special(word, decoded);
    case 0x08:
      decoded.op = {execute_trapping_immediate, result_register(rt_of(word)), rs_of(word), 0, 0,
                    signed_immediate_of(word)};
      if (rt_of(word) == 29) decoded.op.run = execute_stack<execute_trapping_immediate>;
      return true;
    case 0x09:
      set_immediate<add>(word, signed_immediate_of(word), decoded);
      return true;
    case 0x0A:
      set_immediate<less_signed>(word, signed_immediate_of(word), decoded);
      return true;
    case 0x0B:
      set_immediate<less_unsigned>(word, signed_immediate_of(word), decoded);
      return true;
    case 0x0C:
      set_immediate<bit_and>(word, immediate, decoded);
      return true;
    case 0x0D:
      if (rt_of(word) == 0) return false;  // a marker (markers.hpp), or a no-op
      set_immediate<bit_or>(word, immediate, decoded);
      return true;
    case 0x0E:
      set_immediate<bit_xor>(word, immediate, decoded);
      return true;
    case 0x0F:
      decoded.op = {execute_load_upper, result_register(rt_of(word)), 0, 0, 0, immediate << 16};
      return true;
    case 0x1F:
      return decode_special3(word, decoded);
    default:
      return false;
  }
}

}  // namespace pspllm::simulator
