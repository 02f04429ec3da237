// Loads, stores and the cache instruction.
#include "simulator/core.hpp"
#include "simulator/decode.hpp"

namespace pspllm::simulator {

namespace {

Address effective_address(const Core& core, const MicroOp& op) {
  return core.gpr[op.s] + op.value;
}

// A loaded value as a register holds it.
template <typename T>
constexpr Word extended(T value) {
  if constexpr (sizeof(T) == sizeof(Word))
    return value;
  else
    return as_word(SignedWord{value});
}

template <typename T, bool checked>
bool execute_load(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  const Address address = effective_address(core, op);
  const Byte* const from = data_access<Access::load, sizeof(T)>(core, address);
  if (from == nullptr) return false;
  if constexpr (checked) report_undefined(core, op, address, sizeof(T));
  core.gpr[op.d] = extended(load_as<T>(from));
  produce(core, op.d, core.timing[Constant::load_latency], Cause::load_use);
  ++core.cycle;
  return true;
}

// Remembers that the program wrote [address, address + size).
template <bool checked>
void note_store(Core& core, Address address, Word size) {
  if constexpr (checked) core.memory.set_defined(address, size, true);
}

template <typename T, bool checked>
bool execute_store(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  wait_for(core, op.t);
  const Address address = effective_address(core, op);
  Byte* const to = data_access<Access::store, sizeof(T)>(core, address);
  if (to == nullptr) return false;
  note_store<checked>(core, address, sizeof(T));
  store_as(to, static_cast<T>(core.gpr[op.t]));
  ++core.cycle;
  return true;
}

template <bool checked>
bool execute_load_fpu(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  const Address address = effective_address(core, op);
  const Byte* const from = data_access<Access::load, 4>(core, address);
  if (from == nullptr) return false;
  if constexpr (checked) report_undefined(core, op, address, 4);
  core.fpr[op.d] = load_as<Word>(from);
  produce(core, scoreboard::fpr + op.d, core.timing[Constant::fpu_load_latency], Cause::load_use);
  ++core.cycle;
  return true;
}

template <bool checked>
bool execute_store_fpu(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  wait_for(core, scoreboard::fpr + op.t);
  const Address address = effective_address(core, op);
  Byte* const to = data_access<Access::store, 4>(core, address);
  if (to == nullptr) return false;
  note_store<checked>(core, address, 4);
  store_as(to, core.fpr[op.t]);
  ++core.cycle;
  return true;
}

// lwl (left) fills the register's upper bytes from the word's bytes up to the address; lwr its lower bytes
// from there.
template <bool left, bool checked>
bool execute_load_part(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  const Byte target = result_register(op.d);
  if (core.cause[op.d] != Cause::load_use) wait_for(core, op.d);  // lwl + lwr pairs merge without waiting
  const Address address = effective_address(core, op);
  const Byte* const from = data_access<Access::load, 4>(core, address & ~3U);
  if (from == nullptr) return false;
  const unsigned shift = (address & 3U) * 8U;
  if constexpr (checked) {
    if (left)
      report_undefined(core, op, address & ~3U, (address & 3U) + 1U);
    else
      report_undefined(core, op, address, 4U - (address & 3U));
  }
  const Word word = load_as<Word>(from);
  const Word old = core.gpr[op.d];
  core.gpr[target] = left ? (old & (0x00FFFFFFU >> shift)) | (word << (24U - shift))
                          : (old & ~(0xFFFFFFFFU >> shift)) | (word >> shift);
  produce(core, target, core.timing[Constant::load_latency], Cause::load_use);
  ++core.cycle;
  return true;
}

template <bool left, bool checked>
bool execute_store_part(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  wait_for(core, op.t);
  const Address address = effective_address(core, op);
  Byte* const to = data_access<Access::store, 4>(core, address & ~3U);
  if (to == nullptr) return false;
  const unsigned offset = address & 3U;
  const unsigned shift = offset * 8U;
  if (left)
    note_store<checked>(core, address & ~3U, offset + 1U);
  else
    note_store<checked>(core, address, 4U - offset);
  const Word old = load_as<Word>(to);
  const Word value = core.gpr[op.t];
  store_as(to, left ? (old & ~(0xFFFFFFFFU >> (24U - shift))) | (value >> (24U - shift))
                    : (old & ~(0xFFFFFFFFU << shift)) | (value << shift));
  ++core.cycle;
  return true;
}

template <bool checked>
bool execute_load_linked(Core& core, const MicroOp& op) {
  core.load_linked = true;
  return execute_load<Word, checked>(core, op);
}

template <bool checked>
bool execute_store_conditional(Core& core, const MicroOp& op) {
  const bool linked = core.load_linked;
  if (linked) {
    if (!execute_store<Word, checked>(core, op)) return false;
  } else {
    ++core.cycle;
  }
  set_gpr(core, op.d, Word{linked});
  return true;
}

// The cache instruction, by its function; allegrex.md 1.4 lists them.
bool execute_cache(Core& core, const MicroOp& op) {
  wait_for(core, op.s);
  const Address address = effective_address(core, op);
  const Place place = core.memory.find(address);
  const bool indexed = op.d == 0x04 || op.d == 0x10 || op.d == 0x11 || op.d == 0x13 || op.d == 0x14;
  if (!indexed && place.data == nullptr) return fail(core, place.fault, address);
  const Word line = line_of(indexed ? address : place.physical);
  Cycles written = 0;
  MemoryStall waiting;
  core.cycle += core.timing[Constant::cache_operation_cycles];
  switch (op.d) {
    case 0x04:
      core.instruction_cache.drop_set(line);
      break;
    case 0x08:
      core.instruction_cache.drop(line);
      break;
    case 0x10:
    case 0x11:
    case 0x13:
      return fail(core, FaultKind::unmodelled, address, 0xBC000000U | Word{op.d} << 16U);
    case 0x14:
      written = core.data_cache.clean_set(line);
      break;
    case 0x18:
      waiting = core.data_cache.create_dirty(line, core.cycle);
      break;
    case 0x19:
      written = core.data_cache.clean(line, false, true);
      break;
    case 0x1A:
      written = core.data_cache.clean(line, true, false);
      break;
    case 0x1B:
      written = core.data_cache.clean(line, true, true);
      break;
    case 0x1E:
      waiting = core.data_cache.prefetch(line, core.cycle);
      break;
    default:
      return fail(core, FaultKind::unknown_instruction, 0, 0xBC000000U | Word{op.d} << 16U);
  }
  if (waiting.fill != 0) stall(core, Cause::data_cache, waiting.fill);
  written += waiting.eviction;
  if (written != 0) stall(core, Cause::eviction, written);
  return true;
}

// The handlers of one opcode, without and with the check for uninitialised bytes.
struct Pair {
  Handler plain = nullptr;
  Handler checked = nullptr;
};

Pair load_of(Word opcode) {
  switch (opcode) {
    case 0x20:
      return {execute_load<std::int8_t, false>, execute_load<std::int8_t, true>};
    case 0x21:
      return {execute_load<std::int16_t, false>, execute_load<std::int16_t, true>};
    case 0x22:
      return {execute_load_part<true, false>, execute_load_part<true, true>};
    case 0x23:
      return {execute_load<Word, false>, execute_load<Word, true>};
    case 0x24:
      return {execute_load<Byte, false>, execute_load<Byte, true>};
    case 0x25:
      return {execute_load<Half, false>, execute_load<Half, true>};
    case 0x26:
      return {execute_load_part<false, false>, execute_load_part<false, true>};
    case 0x30:
      return {execute_load_linked<false>, execute_load_linked<true>};
    default:
      return {};
  }
}

Pair store_of(Word opcode) {
  switch (opcode) {
    case 0x28:
      return {execute_store<Byte, false>, execute_store<Byte, true>};
    case 0x29:
      return {execute_store<Half, false>, execute_store<Half, true>};
    case 0x2A:
      return {execute_store_part<true, false>, execute_store_part<true, true>};
    case 0x2B:
      return {execute_store<Word, false>, execute_store<Word, true>};
    case 0x2E:
      return {execute_store_part<false, false>, execute_store_part<false, true>};
    case 0x38:
      return {execute_store_conditional<false>, execute_store_conditional<true>};
    default:
      return {};
  }
}

Handler choose(const Pair& pair, const DecodeContext& context) {
  return context.check_uninitialised ? pair.checked : pair.plain;
}

}  // namespace

bool decode_memory(Word word, const DecodeContext& context, Decoded& decoded) {
  const Word opcode = opcode_of(word);
  const Byte s = rs_of(word);
  const Byte t = rt_of(word);
  const Word offset = signed_immediate_of(word);
  if (const Pair load = load_of(opcode); load.plain != nullptr) {
    // lwl and lwr read their register, so they keep its number.
    const bool part = opcode == 0x22 || opcode == 0x26;
    decoded.op = {choose(load, context), part ? t : result_register(t), s, 0, 0, offset};
    return true;
  }
  if (const Pair store = store_of(opcode); store.plain != nullptr) {
    decoded.op = {choose(store, context), result_register(t), s, t, 0, offset};
    return true;
  }
  switch (opcode) {
    case 0x2F:
      decoded.op = {execute_cache, t, s, 0, 0, offset};
      return true;
    case 0x31:
      decoded.op = {choose({execute_load_fpu<false>, execute_load_fpu<true>}, context), t, s, 0, 0, offset};
      return true;
    case 0x39:
      decoded.op = {choose({execute_store_fpu<false>, execute_store_fpu<true>}, context), 0, s, t, 0, offset};
      return true;
    default:
      return false;
  }
}

}  // namespace pspllm::simulator
