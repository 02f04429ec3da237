#include "psp/platform/memory_block.hpp"

#include <cstdint>

#include "psp/platform/psp_api.hpp"

namespace pspllm::psp {
namespace {

Status no_memory(std::size_t bytes, std::int32_t code) {
  Status status = failure("Cannot take", "memory for the model", code);
  status.sentence.append(" Asked for ")
      .append_unsigned(bytes)
      .append(" bytes in one piece; the largest free piece has ");
  status.sentence.append_unsigned(largest_free_block()).append('.');
  return status;
}

}  // namespace

std::size_t largest_free_block() {
  return sceKernelMaxFreeMemSize();
}

std::size_t total_free_memory() {
  return sceKernelTotalFreeMemSize();
}

Status allocate_block(std::size_t bytes, std::span<std::byte>& block) {
  block = {};
  const std::int32_t id = sceKernelAllocPartitionMemory(api::user_partition, "PspLlm", api::block_low,
                                                        static_cast<std::uint32_t>(bytes), nullptr);
  if (id < 0) return no_memory(bytes, id);
  auto* const begin = static_cast<std::byte*>(sceKernelGetBlockHeadAddr(id));
  // The kernel hands out whole multiples of 256 bytes, so this holds; a firmware that does otherwise must not
  // go on.
  if (begin == nullptr || reinterpret_cast<std::uintptr_t>(begin) % block_alignment != 0) {
    return failure_sentence(error_not_open, "The system gave memory that is not aligned to 64 bytes.");
  }
  block = {begin, bytes};
  return {};
}

}  // namespace pspllm::psp
