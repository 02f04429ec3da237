#pragma once
// A memory partition's blocks: where sceKernelAllocPartitionMemory and thread stacks come from.
#include <map>
#include <optional>
#include <string>

#include "simulator/words.hpp"

namespace pspllm::simulator {

constexpr Word partition_granule = 256;  // blocks start and end on multiples of this

class Partition {
 public:
  Partition(Address base, Word size) : base_(base), end_(base + size) {}

  // All return the block's address, or nothing when no free piece is large enough. `alignment`: a power of
  // two.
  [[nodiscard]] std::optional<Address> allocate_low(Word size, const std::string& name,
                                                    Word alignment = partition_granule);
  [[nodiscard]] std::optional<Address> allocate_high(Word size, const std::string& name,
                                                     Word alignment = partition_granule);
  // The block that covers [address, address + size).
  [[nodiscard]] std::optional<Address> allocate_at(Address address, Word size, const std::string& name);

  // False when no block starts there.
  bool release(Address address);

  [[nodiscard]] Word largest_free() const;
  [[nodiscard]] Word total_free() const { return end_ - base_ - used_; }
  // The least that total_free() has been.
  [[nodiscard]] Word lowest_free() const { return end_ - base_ - most_used_; }

  struct Block {
    Word size = 0;
    std::string name;
  };
  [[nodiscard]] const std::map<Address, Block>& blocks() const { return blocks_; }

 private:
  Address take(Address address, Word size, const std::string& name);

  Address base_;
  Address end_;
  Word used_ = 0;
  Word most_used_ = 0;
  std::map<Address, Block> blocks_;
};

}  // namespace pspllm::simulator
