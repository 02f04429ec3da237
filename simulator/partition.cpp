#include "simulator/partition.hpp"

#include <algorithm>
#include <vector>

namespace pspllm::simulator {

namespace {

struct Gap {
  Address begin;
  Address end;
};

std::vector<Gap> gaps_of(const std::map<Address, Partition::Block>& blocks, Address base, Address end) {
  std::vector<Gap> gaps;
  Address at = base;
  for (const auto& [address, block] : blocks) {
    if (address > at) gaps.push_back({at, address});
    at = address + block.size;
  }
  if (end > at) gaps.push_back({at, end});
  return gaps;
}

// Rounded up to whole granules; 0 when there is no such block.
Word rounded(Word size) {
  if (size == 0 || size > 0x10000000U) return 0;
  return (size + partition_granule - 1U) & ~(partition_granule - 1U);
}

}  // namespace

Address Partition::take(Address address, Word size, const std::string& name) {
  blocks_[address] = {size, name};
  used_ += size;
  most_used_ = std::max(most_used_, used_);
  return address;
}

std::optional<Address> Partition::allocate_low(Word size, const std::string& name, Word alignment) {
  const Word bytes = rounded(size);
  const Word mask = std::max(alignment, partition_granule) - 1U;
  if (bytes == 0) return std::nullopt;
  for (const Gap& gap : gaps_of(blocks_, base_, end_)) {
    const Address begin = (gap.begin + mask) & ~mask;
    if (begin < gap.end && gap.end - begin >= bytes) return take(begin, bytes, name);
  }
  return std::nullopt;
}

std::optional<Address> Partition::allocate_high(Word size, const std::string& name, Word alignment) {
  const Word bytes = rounded(size);
  const Word mask = std::max(alignment, partition_granule) - 1U;
  if (bytes == 0) return std::nullopt;
  const std::vector<Gap> gaps = gaps_of(blocks_, base_, end_);
  for (auto gap = gaps.rbegin(); gap != gaps.rend(); ++gap) {
    if (gap->end - gap->begin < bytes) continue;
    const Address begin = (gap->end - bytes) & ~mask;
    if (begin >= gap->begin) return take(begin, bytes, name);
  }
  return std::nullopt;
}

std::optional<Address> Partition::allocate_at(Address address, Word size, const std::string& name) {
  const Address begin = address & ~(partition_granule - 1U);
  const Word bytes = rounded(size + (address - begin));
  if (bytes == 0) return std::nullopt;
  for (const Gap& gap : gaps_of(blocks_, base_, end_))
    if (begin >= gap.begin && begin < gap.end && gap.end - begin >= bytes) return take(begin, bytes, name);
  return std::nullopt;
}

bool Partition::release(Address address) {
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return false;
  used_ -= found->second.size;
  blocks_.erase(found);
  return true;
}

Word Partition::largest_free() const {
  Word largest = 0;
  for (const Gap& gap : gaps_of(blocks_, base_, end_)) largest = std::max(largest, gap.end - gap.begin);
  return largest;
}

}  // namespace pspllm::simulator
