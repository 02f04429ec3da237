// The engine's one block of memory on a PC: zero pages of the operating system, which cost nothing until they
// are touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pspllm::host {

/// An anonymous mapping, page aligned, zero, given back with the object.
class MemoryBlock {
 public:
  /// Throws Failure where the system has no such address range.
  explicit MemoryBlock(std::uint64_t bytes);
  ~MemoryBlock();
  MemoryBlock(const MemoryBlock&) = delete;
  MemoryBlock& operator=(const MemoryBlock&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

/// Memory that the machine has in all.
[[nodiscard]] std::uint64_t physical_memory_bytes() noexcept;
/// Most memory that this process has held at once so far (VmHWM); 0 where the system does not say.
[[nodiscard]] std::uint64_t peak_memory_bytes();

}  // namespace pspllm::host
