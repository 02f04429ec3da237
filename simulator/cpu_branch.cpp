// Branches and jumps. Each sets where the block leads; the delay slot runs after it (Core::run).
#include "simulator/core.hpp"
#include "simulator/decode.hpp"

namespace pspllm::simulator {

namespace {

constexpr Byte link_register = 31;

void take(Core& core, Address target) {
  core.next_pc = target;
  core.branch_bubbles = core.timing[Constant::taken_branch_bubbles];
}

void link(Core& core, Byte d) {
  set_gpr(core, d, core.block->fall_through());
}

// op.value is the target; op.x bit 0: likely, bit 1: writes the return address.
template <auto condition>
bool execute_branch(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  wait_for(core, op.t);
  const bool taken = condition(as_signed(core.gpr[op.s]), as_signed(core.gpr[op.t]));
  if (op.x & 2U) link(core, link_register);
  ++core.cycle;
  if (taken)
    take(core, op.value);
  else
    core.nullify_slot = (op.x & 1U) != 0;
  return true;
}

bool execute_jump(Core& core, const MicroOp& op) {
  if (op.x & 2U) link(core, link_register);
  ++core.cycle;
  core.next_pc = op.value;
  core.branch_bubbles = core.timing[Constant::jump_bubbles];
  return true;
}

bool execute_jump_register(Core& core, const MicroOp& op) {
  if (core.ready[op.s] > core.cycle)
    stall(core, core.cause[op.s],
          core.ready[op.s] + core.timing[Constant::jump_register_extra_latency] - core.cycle);
  core.next_pc = core.gpr[op.s];
  if (op.x & 2U) link(core, op.d);
  ++core.cycle;
  core.branch_bubbles = core.timing[Constant::jump_bubbles];
  return true;
}

// FPU condition: op.x bit 0 likely, bit 2 branch on true. Right after a compare it sees the condition before
// it.
bool execute_fpu_branch(Core& core, const MicroOp& op) {
  bool condition = ((core.fcr31 >> 23) & 1U) != 0;
  if (core.compare_cycle + 1 == core.cycle) {
    core.hazards.report(HazardKind::compare_branch, core.block->fall_through() - 8U, 0);
    condition = core.old_condition;
  }
  ++core.cycle;
  if (condition == ((op.x & 4U) != 0))
    take(core, op.value);
  else
    core.nullify_slot = (op.x & 1U) != 0;
  return true;
}

// VFPU condition bit op.t.
bool execute_vfpu_branch(Core& core, const MicroOp& op) {
  if (!core.vfpu_usable) return fail(core, FaultKind::vfpu_unusable, 0);
  wait_for(core, scoreboard::vfpu_condition);
  const bool condition = ((core.vfpu_control[vfpu_control::condition] >> op.t) & 1U) != 0;
  ++core.cycle;
  if (condition == ((op.x & 4U) != 0))
    take(core, op.value);
  else
    core.nullify_slot = (op.x & 1U) != 0;
  return true;
}

constexpr auto equal = [](SignedWord a, SignedWord b) { return a == b; };
constexpr auto not_equal = [](SignedWord a, SignedWord b) { return a != b; };
constexpr auto at_most_zero = [](SignedWord a, SignedWord) { return a <= 0; };
constexpr auto above_zero = [](SignedWord a, SignedWord) { return a > 0; };
constexpr auto below_zero = [](SignedWord a, SignedWord) { return a < 0; };
constexpr auto at_least_zero = [](SignedWord a, SignedWord) { return a >= 0; };

Address branch_target(Word word, Address pc) {
  return pc + 4U + (signed_immediate_of(word) << 2U);
}

Flow branch_flow(bool likely) {
  return likely ? Flow::likely_branch : Flow::branch;
}

bool decode_regimm(Word word, const DecodeContext& context, Decoded& decoded) {
  const Byte kind = rt_of(word);
  if ((kind & ~0x13U) != 0) return false;  // 0..3 and 16..19
  const bool likely = (kind & 2U) != 0;
  const Byte x = static_cast<Byte>((likely ? 1U : 0U) | ((kind & 0x10U) ? 2U : 0U));
  const Handler run = (kind & 1U) ? execute_branch<at_least_zero> : execute_branch<below_zero>;
  decoded = {{run, 0, rs_of(word), 0, x, branch_target(word, context.pc)}, branch_flow(likely)};
  return true;
}

bool decode_special_jump(Word word, Decoded& decoded) {
  if (funct_of(word) != 0x08 && funct_of(word) != 0x09) return false;
  const bool links = funct_of(word) == 0x09;
  decoded = {{execute_jump_register, result_register(rd_of(word)), rs_of(word), 0,
              static_cast<Byte>(links ? 2U : 0U), 0},
             Flow::branch};
  return true;
}

}  // namespace

bool decode_branch(Word word, const DecodeContext& context, Decoded& decoded) {
  const Word opcode = opcode_of(word);
  const Address target = branch_target(word, context.pc);
  const bool likely = opcode >= 0x14;
  const Byte x = likely ? 1 : 0;
  switch (opcode) {
    case 0x00:
      return decode_special_jump(word, decoded);
    case 0x01:
      return decode_regimm(word, context, decoded);
    case 0x02:
    case 0x03:
      decoded = {{execute_jump, 0, 0, 0, static_cast<Byte>(opcode == 3 ? 2U : 0U),
                  ((context.pc + 4U) & 0xF0000000U) | (word & 0x03FFFFFFU) << 2U},
                 Flow::branch};
      return true;
    case 0x04:
    case 0x14:
      decoded = {{execute_branch<equal>, 0, rs_of(word), rt_of(word), x, target}, branch_flow(likely)};
      return true;
    case 0x05:
    case 0x15:
      decoded = {{execute_branch<not_equal>, 0, rs_of(word), rt_of(word), x, target}, branch_flow(likely)};
      return true;
    case 0x06:
    case 0x16:
      decoded = {{execute_branch<at_most_zero>, 0, rs_of(word), 0, x, target}, branch_flow(likely)};
      return rt_of(word) == 0;
    case 0x07:
    case 0x17:
      decoded = {{execute_branch<above_zero>, 0, rs_of(word), 0, x, target}, branch_flow(likely)};
      return rt_of(word) == 0;
    case 0x11:
    case 0x12: {
      if (rs_of(word) != 0x08) return false;  // bc1*, bv*
      const bool is_likely = (word >> 17 & 1U) != 0;
      const Byte flags = static_cast<Byte>((is_likely ? 1U : 0U) | ((word >> 16 & 1U) ? 4U : 0U));
      const auto bit = static_cast<Byte>((word >> 18) & 7U);
      if (opcode == 0x11 && bit != 0) return false;  // one FPU condition only
      decoded = {{opcode == 0x11 ? execute_fpu_branch : execute_vfpu_branch, 0, 0, bit, flags, target},
                 branch_flow(is_likely)};
      return true;
    }
    default:
      return false;
  }
}

}  // namespace pspllm::simulator
