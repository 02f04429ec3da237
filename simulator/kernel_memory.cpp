// SysMemUserForUser and the cache functions of UtilsForUser.
#include <algorithm>

#include "simulator/kernel.hpp"

namespace pspllm::simulator {

namespace {

constexpr Word devkit_version = 0x06060110;  // 6.61
constexpr Word user_partition = 2;
constexpr Word other_user_partition = 6;  // the same memory, as user mode names it

enum class BlockType : Word { low = 0, high = 1, address = 2, low_aligned = 3, high_aligned = 4 };

void allocate(Kernel& kernel) {
  const Word number = kernel.argument(0);
  const std::optional<std::string> name = kernel.string_argument(1, 31);
  const Word type = kernel.argument(2);
  const Word size = kernel.argument(3);
  const Word position = kernel.argument(4);
  if (as_signed(number) <= 0 || number > 6) return kernel.set_result(result_code::illegal_argument);
  if (number != user_partition && number != other_user_partition)
    return kernel.set_result(result_code::illegal_partition);
  if (!name || kernel.argument(1) == 0) return kernel.set_result(result_code::error);
  if (type > 4) return kernel.set_result(result_code::illegal_block_type);
  const bool aligned = type >= 3;
  if (aligned && (position == 0 || !std::has_single_bit(position)))
    return kernel.set_result(result_code::illegal_alignment);
  Partition& partition = kernel.partition;
  std::optional<Address> block;
  switch (static_cast<BlockType>(type)) {
    case BlockType::low:
      block = partition.allocate_low(size, *name);
      break;
    case BlockType::high:
      block = partition.allocate_high(size, *name);
      break;
    case BlockType::address:
      block = partition.allocate_at(position, size, *name);
      break;
    case BlockType::low_aligned:
      block = partition.allocate_low(size, *name, position);
      break;
    case BlockType::high_aligned:
      block = partition.allocate_high(size, *name, position);
      break;
  }
  if (!block) {
    kernel.log("out of memory: " + std::to_string(size) + " bytes asked, largest free block " +
               std::to_string(partition.largest_free()));
    return kernel.set_result(result_code::allocation_failed);
  }
  kernel.memory.set_defined(*block, size, false);
  kernel.largest_block = std::max(kernel.largest_block, size);
  const Uid uid = kernel.new_uid();
  kernel.blocks[uid] = *block;
  kernel.set_result(uid);
}

void release(Kernel& kernel) {
  const auto found = kernel.blocks.find(kernel.argument(0));
  if (found == kernel.blocks.end()) return kernel.set_result(result_code::unknown_uid);
  (void)kernel.partition.release(found->second);
  kernel.blocks.erase(found);
  kernel.set_result(result_code::ok);
}

void block_address(Kernel& kernel) {
  const auto found = kernel.blocks.find(kernel.argument(0));
  kernel.set_result(found == kernel.blocks.end() ? 0 : found->second);
}

void largest_free(Kernel& kernel) {
  kernel.set_result(kernel.partition.largest_free());
}
void total_free(Kernel& kernel) {
  kernel.set_result(kernel.partition.total_free());
}
void version(Kernel& kernel) {
  kernel.set_result(devkit_version);
}
void accept(Kernel& kernel) {
  kernel.set_result(result_code::ok);
}

// --- caches
// ---------------------------------------------------------------------------------------------------

void clean_data_range(Kernel& kernel, bool write, bool invalidate) {
  const Address address = kernel.argument(0);
  const Word size = kernel.argument(1);
  const Place place = kernel.memory.find(address);
  if (size == 0 || place.data == nullptr || size > place.left) return kernel.set_result(result_code::ok);
  Cycles cycles = 0;
  for (Word line = line_of(place.physical); line <= line_of(place.physical + size - 1U); ++line)
    cycles += kernel.core.data_cache.clean(line, write, invalidate) +
              kernel.core.timing[Constant::cache_operation_cycles];
  kernel.spend(cycles);
  kernel.set_result(result_code::ok);
}

void clean_data_all(Kernel& kernel, bool invalidate) {
  kernel.spend(kernel.core.data_cache.clean_all(true, invalidate) +
               Cycles{cache_sets * cache_ways} * kernel.core.timing[Constant::cache_operation_cycles]);
  kernel.set_result(result_code::ok);
}

void writeback_range(Kernel& kernel) {
  clean_data_range(kernel, true, false);
}
void writeback_invalidate_range(Kernel& kernel) {
  clean_data_range(kernel, true, true);
}
void invalidate_range(Kernel& kernel) {
  clean_data_range(kernel, false, true);
}
void writeback_all(Kernel& kernel) {
  clean_data_all(kernel, false);
}
void writeback_invalidate_all(Kernel& kernel) {
  clean_data_all(kernel, true);
}

// Changed lines must reach memory before they can be fetched; the program does that itself.
void invalidate_instructions(Kernel& kernel) {
  kernel.core.instruction_cache.clear();
  ++kernel.core.blocks.generation;
  kernel.spend(Cycles{cache_sets * cache_ways} * kernel.core.timing[Constant::cache_operation_cycles]);
  kernel.set_result(result_code::ok);
}

constexpr std::string_view memory = "SysMemUserForUser";
constexpr std::string_view utils = "UtilsForUser";

constexpr ServiceEntry entries[] = {
    {memory, "sceKernelAllocPartitionMemory", allocate},
    {memory, "sceKernelFreePartitionMemory", release},
    {memory, "sceKernelGetBlockHeadAddr", block_address},
    {memory, "sceKernelMaxFreeMemSize", largest_free},
    {memory, "sceKernelTotalFreeMemSize", total_free},
    {memory, "sceKernelDevkitVersion", version},
    {memory, "sceKernelSetCompiledSdkVersion", accept},
    {memory, "sceKernelSetCompilerVersion", accept},
    {utils, "sceKernelDcacheWritebackAll", writeback_all},
    {utils, "sceKernelDcacheWritebackRange", writeback_range},
    {utils, "sceKernelDcacheWritebackInvalidateAll", writeback_invalidate_all},
    {utils, "sceKernelDcacheWritebackInvalidateRange", writeback_invalidate_range},
    {utils, "sceKernelDcacheInvalidateRange", invalidate_range},
    {utils, "sceKernelIcacheInvalidateAll", invalidate_instructions},
    {utils, "sceKernelIcacheInvalidateRange", invalidate_instructions},
    {utils, "sceKernelIcacheClearAll", invalidate_instructions},
};

}  // namespace

std::span<const ServiceEntry> memory_services() {
  return entries;
}

}  // namespace pspllm::simulator
