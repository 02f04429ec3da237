#pragma once
// Straight-line code up to a branch and its delay slot, decoded once.
#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "simulator/micro_op.hpp"
#include "simulator/words.hpp"

namespace pspllm::simulator {

// Where cycles go beside issuing.
enum class Cause : Byte {
  load_use,
  multiply,
  fpu,
  vfpu,
  branch,
  instruction_cache,
  data_cache,
  eviction,
  uncached,
  kernel,
  idle,
  count
};

constexpr std::size_t cause_count = static_cast<std::size_t>(Cause::count);

constexpr std::array<std::string_view, cause_count> cause_names{
    "load_use",   "multiply", "fpu",      "vfpu",   "branch", "instruction_cache",
    "data_cache", "eviction", "uncached", "kernel", "idle"};

struct Statistics {
  DoubleWord executions = 0;
  DoubleWord instructions = 0;
  Cycles cycles = 0;
  DoubleWord data_misses = 0;
  DoubleWord instruction_misses = 0;
  std::array<Cycles, cause_count> stalls{};

  void add(const Statistics& other) {
    executions += other.executions;
    instructions += other.instructions;
    cycles += other.cycles;
    data_misses += other.data_misses;
    instruction_misses += other.instruction_misses;
    for (std::size_t i = 0; i < cause_count; ++i) stalls[i] += other.stalls[i];
  }
};

constexpr Word max_block_instructions = 128;

struct Block {
  Address pc = 0;
  Word straight = 0;        // instructions before the branch, or all of them when there is none
  bool has_branch = false;  // then ops[straight] is the branch and ops[straight + 1] its slot
  bool likely = false;
  Word first_line = 0;
  Word last_line = 0;
  Word generation = 0;  // of the code contents that it was checked against
  std::vector<MicroOp> ops;
  std::vector<Word> words;            // what was decoded
  std::array<Block*, 2> successor{};  // last block after falling through, after branching
  Statistics statistics;
  Word function = 0;  // its number in the profile; 0: not looked up yet

  [[nodiscard]] Word length() const { return static_cast<Word>(ops.size()); }
  [[nodiscard]] Address fall_through() const { return pc + length() * 4U; }
};

// Every block decoded so far, by address.
class BlockCache {
 public:
  explicit BlockCache(bool check_uninitialised = false) : check_uninitialised_(check_uninitialised) {}

  // The block at `pc`, decoded now if need be; nullptr when nothing can be fetched there.
  [[nodiscard]] Block* find(Core& core, Address pc);

  // Decodes the block again from memory.
  void decode(Core& core, Block& block) const;

  // True when the decoded words are what memory holds.
  [[nodiscard]] static bool matches_memory(Core& core, const Block& block);

  [[nodiscard]] const std::vector<std::unique_ptr<Block>>& all() const { return blocks_; }

  // Too many blocks to keep: the owner collects their statistics and clears.
  [[nodiscard]] bool full() const { return decoded_ > max_decoded; }
  void clear();

  Word generation = 0;  // moves on when code that was decoded has changed

 private:
  static constexpr std::size_t page_words = 1024;
  static constexpr std::size_t max_decoded = 2'000'000;
  using Page = std::array<Block*, page_words>;

  bool check_uninitialised_;
  std::size_t decoded_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<std::unique_ptr<Page>> pages_;  // by physical address / 4096
};

}  // namespace pspllm::simulator
