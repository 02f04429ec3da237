#include "simulator/core.hpp"

namespace pspllm::simulator {

namespace {

constexpr Word default_cpu_megahertz = 222;
constexpr Word default_bus_megahertz = 111;

// Books the instruction-cache misses of the block; false when its code has changed and was decoded again.
bool fetch(Core& core, Block& block) {
  if (block.generation != core.blocks.generation) [[unlikely]] {
    block.generation = core.blocks.generation;
    if (!BlockCache::matches_memory(core, block)) {
      core.blocks.decode(core, block);
      return false;
    }
  }
  bool missed = false;
  for (Word line = block.first_line; line <= block.last_line; ++line) {
    if (core.instruction_cache.hit(line)) continue;
    core.instruction_cache.install(line);
    if (core.data_cache.holds_changed(line))
      core.hazards.report(HazardKind::stale_code, block.pc, line << line_shift);
    ++block.statistics.instruction_misses;
    ++core.data_cache.statistics.instruction_fills;
    stall(core, Cause::instruction_cache, core.data_cache.fills.cost(line, core.data_cache.statistics));
    missed = true;
  }
  if (missed && !BlockCache::matches_memory(core, block)) [[unlikely]] {
    ++core.blocks.generation;
    block.generation = core.blocks.generation;
    core.blocks.decode(core, block);
    return false;
  }
  return true;
}

RunResult stop(Core& core, const Block& block, const MicroOp* op) {
  core.fault.pc = block.pc + static_cast<Address>(op - block.ops.data()) * 4U;
  core.pc = core.fault.pc;
  return RunResult::fault;
}

// Executes the block and sets pc to what follows; the op that faulted, or nullptr.
const MicroOp* execute(Core& core, Block& block) {
  const MicroOp* op = block.ops.data();
  for (const MicroOp* const end = op + block.straight; op != end; ++op)
    if (!op->run(core, *op)) [[unlikely]]
      return op;
  core.next_pc = block.fall_through();
  if (block.has_branch) {
    core.branch_bubbles = 0;
    core.nullify_slot = false;
    if (!op->run(core, *op)) [[unlikely]]
      return op;
    ++op;
    if (core.nullify_slot) {
      stall(core, Cause::branch, core.timing[Constant::nullified_slot_cycles]);
    } else if (!op->run(core, *op)) [[unlikely]] {
      return op;
    }
    if (core.branch_bubbles != 0) stall(core, Cause::branch, core.branch_bubbles);
  }
  core.pc = core.next_pc;
  return nullptr;
}

}  // namespace

Core::Core(Memory& memory_in, HazardLog& hazards_in, BlockCache& blocks_in, const Timing& timing_in)
    : timing(timing_in), memory(memory_in), hazards(hazards_in), blocks(blocks_in) {
  user_data = memory.user_data();
  user_bytes = memory.user_bytes();
  data_cache.touched_pages.assign(user_bytes / touched_page_bytes, 0);
  set_clock(default_cpu_megahertz, default_bus_megahertz);
}

void Core::set_clock(Word cpu_megahertz, Word bus_megahertz) {
  data_cache.fills.timing = memory_timing(timing, cpu_megahertz, bus_megahertz);
}

RunResult Core::run(Cycles deadline) {
  Block* current = nullptr;
  Block* before = nullptr;
  std::size_t way = 0;
  while (cycle < deadline) {
    if (current == nullptr || current->pc != pc) {
      if (blocks.full()) return RunResult::blocks_full;
      current = blocks.find(*this, pc);
      if (current == nullptr) {
        fault.pc = pc;
        return RunResult::fault;
      }
      if (before != nullptr) before->successor[way] = current;
    }
    block = current;
    Statistics& statistics = current->statistics;
    const Cycles start = cycle;
    const bool fresh = fetch(*this, *current);
    if (fresh) {
      event = RunResult::deadline;
      const MicroOp* const faulty = execute(*this, *current);
      ++statistics.executions;
      instructions += current->length();
      statistics.cycles += cycle - start;
      if (faulty != nullptr) return stop(*this, *current, faulty);
      if (event != RunResult::deadline) return event;
    } else {
      statistics.cycles += cycle - start;
    }
    way = fresh && pc != current->fall_through() ? 1 : 0;
    before = fresh ? current : nullptr;
    current = fresh ? current->successor[way] : nullptr;
  }
  return RunResult::deadline;
}

bool fail(Core& core, FaultKind kind, Address address, Word detail) {
  core.fault = {kind, 0, address, detail};
  return false;
}

Byte* slow_access(Core& core, Address address, Word size, Access access) {
  if (address & (size - 1U)) {
    (void)fail(core, FaultKind::misaligned_access, address);
    return nullptr;
  }
  const Place place = core.memory.find(address);
  if (place.data == nullptr) {
    (void)fail(core, place.fault, address);
    return nullptr;
  }
  const Word line = line_of(place.physical);
  DataCache& cache = core.data_cache;
  if (place.cached) {
    const Word changed = access == Access::store ? DataCache::dirty_bit : 0;
    if (!cache.hit(line, changed)) miss_access(core, line, changed);
    return place.data;
  }
  if (access == Access::store ? cache.holds(line) : cache.holds_changed(line))
    core.hazards.report(HazardKind::uncached_alias, core.block->pc, address);
  const bool store = access == Access::store;
  ++(store ? cache.statistics.uncached_writes : cache.statistics.uncached_reads);
  stall(core, Cause::uncached, store ? cache.fills.timing.uncached_write : cache.fills.timing.uncached_read);
  return place.data;
}

void miss_access(Core& core, Word line, Word changed) {
  const MemoryStall waiting = core.data_cache.miss(line, changed, core.cycle);
  if (waiting.fill == 0 && waiting.eviction == 0) return;
  ++core.block->statistics.data_misses;
  stall(core, Cause::data_cache, waiting.fill);
  if (waiting.eviction != 0) stall(core, Cause::eviction, waiting.eviction);
}

void report_undefined(Core& core, const MicroOp& op, Address address, Word size) {
  const Address undefined = core.memory.first_undefined(address, size);
  if (undefined == 0) return;
  const auto index = static_cast<Address>(&op - core.block->ops.data());
  core.hazards.report(HazardKind::uninitialised_read, core.block->pc + index * 4U, undefined);
}

}  // namespace pspllm::simulator
