// VFPU comparisons and conditional moves.
#include "simulator/vfpu_operation.hpp"

namespace pspllm::simulator {

namespace {

// Condition `kind` of vcmp on one lane (vfpu-docs comparefn).
bool compare(unsigned kind, Word s, Word t) {
  const float a = as_float(vfpu_flush(s));
  const float b = as_float(vfpu_flush(t));
  switch (kind) {
    case 0:
      return false;
    case 1:
      return a == b;
    case 2:
      return a < b;
    case 3:
      return a <= b;
    case 4:
      return true;
    case 5:
      return a != b;
    case 6:
      return a >= b;
    case 7:
      return a > b;
    case 8:
      return a == 0.0F;
    case 9:
      return vfpu_is_nan(s);
    case 10:
      return vfpu_is_infinite(s);
    case 11:
      return vfpu_is_nan(s) || vfpu_is_infinite(s);
    case 12:
      return a != 0.0F;
    case 13:
      return !vfpu_is_nan(s);
    case 14:
      return !vfpu_is_infinite(s);
    default:
      return !vfpu_is_nan(s) && !vfpu_is_infinite(s);
  }
}

// Writes one bit a lane, then "any" (bit 4) and "all" (bit 5); the other lanes keep theirs.
template <unsigned n>
bool execute_compare(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<n>(core, op.s, prefixes::s);
  const Lanes t = read_vector<n>(core, op.t, prefixes::t);
  Word lanes = 0;
  for (unsigned i = 0; i < n; ++i) lanes |= Word{compare(op.d & 15U, s[i], t[i])} << i;
  constexpr Word all = (1U << n) - 1U;
  Word& condition = core.vfpu_control[vfpu_control::condition];
  core.old_vfpu_condition = condition;
  core.vfpu_compare_cycle = core.cycle;
  condition = (condition & ~(all | 0x30U)) | lanes | (lanes != 0 ? 0x10U : 0U) | (lanes == all ? 0x20U : 0U);
  produce(core, scoreboard::vfpu_condition, core.timing[Constant::vfpu_compare_branch_latency], Cause::vfpu);
  core.vfpu_free = core.cycle + 1;
  ++core.cycle;
  consume_prefixes(core, prefixes::s | prefixes::t);
  return true;
}

// vcmovt (on_true) and vcmovf: bit x of the condition, or each lane its own bit when x is 6.
template <unsigned n, bool on_true>
bool execute_conditional_move(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Cycles latency = core.timing[Constant::vfpu_compare_move_latency];
  if (core.vfpu_compare_cycle != ~Cycles{0} && core.vfpu_compare_cycle + latency > core.cycle)
    stall(core, Cause::vfpu, core.vfpu_compare_cycle + latency - core.cycle);
  const Lanes s = read_vector<n>(core, op.s, prefixes::s);
  Lanes result = read_vector<n>(core, op.d, prefixes::none);
  const Word condition = core.vfpu_control[vfpu_control::condition];
  for (unsigned i = 0; i < n; ++i) {
    const unsigned bit = op.x == 6 ? i : op.x;
    if ((((condition >> bit) & 1U) != 0) == on_true) result[i] = s[i];
  }
  write_vector<n>(core, op.d, result, arithmetic_cost(core), prefixes::s | prefixes::d);
  return true;
}

// vscmp, vsge, vslt: a number a lane.
template <unsigned n, auto f>
bool execute_set(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<n>(core, op.s, prefixes::s);
  const Lanes t = read_vector<n>(core, op.t, prefixes::t);
  Lanes result{};
  for (unsigned i = 0; i < n; ++i) result[i] = f(as_float(vfpu_flush(s[i])), as_float(vfpu_flush(t[i])));
  write_vector<n>(core, op.d, result, arithmetic_cost(core), prefixes::s | prefixes::t | prefixes::d);
  return true;
}

constexpr auto three_way = [](float a, float b) {
  if (a < b) return vfpu_one | vfpu_sign;
  return a > b ? vfpu_one : Word{0};
};
constexpr auto at_least = [](float a, float b) { return a >= b ? vfpu_one : Word{0}; };
constexpr auto less = [](float a, float b) { return a < b ? vfpu_one : Word{0}; };

template <auto f>
constexpr SizedHandlers set{
    {nullptr, execute_set<1, f>, execute_set<2, f>, execute_set<3, f>, execute_set<4, f>}};
template <bool on_true>
constexpr SizedHandlers conditional_move{
    {nullptr, execute_conditional_move<1, on_true>, execute_conditional_move<2, on_true>,
     execute_conditional_move<3, on_true>, execute_conditional_move<4, on_true>}};

}  // namespace

bool decode_vfpu_compare(Word word, Decoded& decoded) {
  const unsigned n = lanes_of(word);
  SizedHandlers handlers;
  Byte x = static_cast<Byte>(n);
  switch (word >> 23U) {
    case 0x0D8:
      if ((word & 0x70U) != 0) return false;
      handlers = {{nullptr, execute_compare<1>, execute_compare<2>, execute_compare<3>, execute_compare<4>}};
      break;
    case 0x0DD:
      handlers = set<three_way>;
      break;
    case 0x0DE:
      handlers = set<at_least>;
      break;
    case 0x0DF:
      handlers = set<less>;
      break;
    case 0x1A5:
      if (bits(word, 22, 20) != 2) return false;
      handlers = bits(word, 19, 19) == 0 ? conditional_move<true> : conditional_move<false>;
      x = static_cast<Byte>(bits(word, 18, 16));
      break;
    default:
      return false;
  }
  decoded.op = {handlers.of[n], vd_of(word), vs_of(word), vt_of(word), x, word};
  return true;
}

}  // namespace pspllm::simulator
