// VFPU loads and stores.
#include "simulator/vfpu_operation.hpp"

namespace pspllm::simulator {

namespace {

Address effective_address(const Core& core, const MicroOp& op) {
  return core.gpr[op.s] + op.value;
}

// Loads and stores share the load-store unit, not the VFPU's arithmetic.
bool memory_begin(Core& core) {
  if (!core.vfpu_usable) [[unlikely]]
    return fail(core, FaultKind::vfpu_unusable, 0);
  return true;
}

void produce_lane(Core& core, Byte index) {
  produce(core, scoreboard::vpr + index, core.timing[Constant::vfpu_load_latency], Cause::load_use);
}

template <bool checked>
bool execute_load_single(Core& core, const MicroOp& op) {
  if (!memory_begin(core)) return false;
  wait_for(core, op.s);
  const Address address = effective_address(core, op);
  const Byte* const from = data_access<Access::load, 4>(core, address);
  if (from == nullptr) return false;
  if constexpr (checked) report_undefined(core, op, address, 4);
  const Byte index = vfpu_single(op.t);
  core.vpr[index] = load_as<Word>(from);
  produce_lane(core, index);
  ++core.cycle;
  return true;
}

template <bool checked>
bool execute_store_single(Core& core, const MicroOp& op) {
  if (!memory_begin(core)) return false;
  wait_for(core, op.s);
  const Byte index = vfpu_single(op.t);
  wait_for(core, scoreboard::vpr + index);
  const Address address = effective_address(core, op);
  Byte* const to = data_access<Access::store, 4>(core, address);
  if (to == nullptr) return false;
  if constexpr (checked) core.memory.set_defined(address, 4, true);
  store_as(to, core.vpr[index]);
  ++core.cycle;
  return true;
}

template <bool checked>
bool execute_load_quad(Core& core, const MicroOp& op) {
  if (!memory_begin(core)) return false;
  wait_for(core, op.s);
  const Address address = effective_address(core, op);
  const Byte* const from = data_access<Access::load, 16>(core, address);
  if (from == nullptr) return false;
  if constexpr (checked) report_undefined(core, op, address, 16);
  const VectorLanes& lanes = vector_table[4][op.t];
  for (unsigned i = 0; i < 4; ++i) {
    core.vpr[lanes[i]] = load_as<Word>(from + i * 4U);
    produce_lane(core, lanes[i]);
  }
  ++core.cycle;
  return true;
}

template <bool checked>
bool execute_store_quad(Core& core, const MicroOp& op) {
  if (!memory_begin(core)) return false;
  wait_for(core, op.s);
  const Lanes values = read_vector<4>(core, op.t, prefixes::none);
  const Address address = effective_address(core, op);
  Byte* const to = data_access<Access::store, 16>(core, address);
  if (to == nullptr) return false;
  if constexpr (checked) core.memory.set_defined(address, 16, true);
  store_as(to, values);
  ++core.cycle;
  if (const Word cycles = core.timing[Constant::vfpu_store_quad_cycles]; cycles > 1)
    stall(core, Cause::vfpu, cycles - 1);
  return true;
}

// lvl.q, lvr.q, svl.q, svr.q: part of the 16-byte piece that the address falls into; address bits 1..0 are
// ignored (vfpu-docs memops.c). left: its words up to the address go to the register's top; right: from it on
// to the bottom.
struct Part {
  unsigned first_word = 0;  // of the piece
  unsigned first_lane = 0;
  unsigned count = 0;
};

constexpr Part part_of(Address address, bool left) {
  const unsigned position = (address >> 2U) & 3U;
  return left ? Part{0, 3U - position, position + 1U} : Part{position, 0, 4U - position};
}

template <bool left, bool checked>
bool execute_load_part(Core& core, const MicroOp& op) {
  if (!memory_begin(core)) return false;
  wait_for(core, op.s);
  const Address address = effective_address(core, op) & ~3U;
  const Part part = part_of(address, left);
  const Address piece = address & ~15U;
  const Byte* const from = data_access<Access::load, 16>(core, piece);
  if (from == nullptr) return false;
  if constexpr (checked) report_undefined(core, op, piece + part.first_word * 4U, part.count * 4U);
  const VectorLanes& lanes = vector_table[4][op.t];
  for (unsigned i = 0; i < part.count; ++i) {
    core.vpr[lanes[part.first_lane + i]] = load_as<Word>(from + (part.first_word + i) * 4U);
    produce_lane(core, lanes[part.first_lane + i]);
  }
  ++core.cycle;
  if (core.unaligned_vfpu_load_corrupts_fpu) {
    core.hazards.report(HazardKind::vfpu_unaligned_load, core.block->pc, address);
    core.fpr[op.t & 31U] = core.vpr[lanes[0]];
  }
  return true;
}

template <bool left, bool checked>
bool execute_store_part(Core& core, const MicroOp& op) {
  if (!memory_begin(core)) return false;
  wait_for(core, op.s);
  const Lanes values = read_vector<4>(core, op.t, prefixes::none);
  const Address address = effective_address(core, op) & ~3U;
  const Part part = part_of(address, left);
  const Address piece = address & ~15U;
  Byte* const to = data_access<Access::store, 16>(core, piece);
  if (to == nullptr) return false;
  if constexpr (checked) core.memory.set_defined(piece + part.first_word * 4U, part.count * 4U, true);
  for (unsigned i = 0; i < part.count; ++i)
    store_as(to + (part.first_word + i) * 4U, values[part.first_lane + i]);
  ++core.cycle;
  return true;
}

struct Pair {
  Handler plain = nullptr;
  Handler checked = nullptr;
};

Pair pair_of(Word word) {
  const bool right = (word & 2U) != 0;
  switch (opcode_of(word)) {
    case 0x32:
      return {execute_load_single<false>, execute_load_single<true>};
    case 0x35:
      if (right) return {execute_load_part<false, false>, execute_load_part<false, true>};
      return {execute_load_part<true, false>, execute_load_part<true, true>};
    case 0x36:
      return right ? Pair{} : Pair{execute_load_quad<false>, execute_load_quad<true>};
    case 0x3A:
      return {execute_store_single<false>, execute_store_single<true>};
    case 0x3D:
      if (right) return {execute_store_part<false, false>, execute_store_part<false, true>};
      return {execute_store_part<true, false>, execute_store_part<true, true>};
    case 0x3E:
      return {execute_store_quad<false>, execute_store_quad<true>};
    default:
      return {};
  }
}

}  // namespace

bool decode_vfpu_memory(Word word, const DecodeContext& context, Decoded& decoded) {
  const Pair pair = pair_of(word);
  if (pair.plain == nullptr) return false;
  const bool single = opcode_of(word) == 0x32 || opcode_of(word) == 0x3A;
  // The register's high bits: two for a single, one for a quad.
  const Word high = single ? word & 3U : word & 1U;
  const auto vt = static_cast<Byte>(bits(word, 20, 16) | high << 5U);
  const Word offset = sign_extend(word & 0xFFFCU, 16);
  decoded.op = {context.check_uninitialised ? pair.checked : pair.plain, 0, rs_of(word), vt, 0, offset};
  return true;
}

}  // namespace pspllm::simulator
