#include "simulator/block.hpp"

#include <optional>

#include "simulator/core.hpp"
#include "simulator/decode.hpp"

namespace pspllm::simulator {

namespace {

constexpr Word syscall_word = 0x0000000C;

// The two addresses in kernel memory that threads and callbacks return to hold one system call each.
constexpr bool is_return_address(Address pc) {
  return pc == thread_return_address || pc == callback_return_address;
}

std::optional<Word> fetch_word(Core& core, Address pc) {
  if (pc == thread_return_address) return syscall_word | thread_return_call << 6U;
  if (pc == callback_return_address) return syscall_word | callback_return_call << 6U;
  const Place place = core.memory.find(pc);
  if (place.data == nullptr || !place.cached || place.left < 4) return std::nullopt;
  return load_as<Word>(place.data);
}

}  // namespace

void BlockCache::decode(Core& core, Block& block) const {
  block.ops.clear();
  block.words.clear();
  block.successor = {};
  block.has_branch = false;
  block.likely = false;
  Address pc = block.pc;
  for (Word count = 0; count < max_block_instructions; ++count, pc += 4) {
    const std::optional<Word> word = fetch_word(core, pc);
    if (!word) break;  // the next block starts there and reports it
    const Decoded decoded = simulator::decode(*word, {pc, check_uninitialised_});
    const bool branch = decoded.flow == Flow::branch || decoded.flow == Flow::likely_branch;
    if (branch) {
      const std::optional<Word> slot_word = fetch_word(core, pc + 4);
      Decoded slot;
      if (slot_word)
        slot = simulator::decode(*slot_word, {pc + 4, check_uninitialised_});
      else
        slot.op = {execute_unknown, 0, 0, 0, 0, 0};
      if (slot.flow == Flow::branch || slot.flow == Flow::likely_branch)
        slot.op = {execute_branch_in_slot, 0, 0, 0, 0, *slot_word};
      block.straight = count;
      block.has_branch = true;
      block.likely = decoded.flow == Flow::likely_branch;
      block.ops.push_back(decoded.op);
      block.ops.push_back(slot.op);
      block.words.push_back(*word);
      block.words.push_back(slot_word.value_or(0));
      break;
    }
    block.ops.push_back(decoded.op);
    block.words.push_back(*word);
    block.straight = count + 1;
    if (decoded.flow == Flow::event) break;
  }
  block.first_line = line_of(block.pc);
  block.last_line = line_of(block.fall_through() - 4U);
}

bool BlockCache::matches_memory(Core& core, const Block& block) {
  if (is_return_address(block.pc)) return true;
  const Place place = core.memory.find(block.pc);
  const std::size_t size = block.words.size() * sizeof(Word);
  if (place.data == nullptr) return false;
  if (place.left < size) return true;  // its delay slot lies beyond memory: it faults whenever it runs
  return std::memcmp(place.data, block.words.data(), size) == 0;
}

Block* BlockCache::find(Core& core, Address pc) {
  const std::size_t page = (pc & physical_mask) / 4096U;
  if ((pc & 3U) != 0 || (pc & ~physical_mask) != 0) {
    (void)fail(core, (pc & 3U) != 0 ? FaultKind::misaligned_access : FaultKind::fetch, pc);
    return nullptr;
  }
  if (page >= pages_.size()) pages_.resize(page + 1);
  std::unique_ptr<Page>& entries = pages_[page];
  if (entries == nullptr) entries = std::make_unique<Page>();
  Block*& entry = (*entries)[(pc % 4096U) / 4U];
  if (entry != nullptr) {
    if (!entry->ops.empty()) return entry;
    (void)fail(core, FaultKind::fetch, pc);
    return nullptr;
  }

  auto made = std::make_unique<Block>();
  made->pc = pc;
  made->generation = generation;
  decode(core, *made);
  if (made->ops.empty()) {
    (void)fail(core, FaultKind::fetch, pc);
    return nullptr;
  }
  decoded_ += made->ops.size() + sizeof(Block) / sizeof(MicroOp);
  entry = made.get();
  blocks_.push_back(std::move(made));
  return entry;
}

void BlockCache::clear() {
  blocks_.clear();
  pages_.clear();
  decoded_ = 0;
}

}  // namespace pspllm::simulator
