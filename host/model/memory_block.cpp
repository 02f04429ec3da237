#include "host/model/memory_block.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <limits>
#include <memory>

#include "host/core/failure.hpp"
#include "host/core/units.hpp"

namespace pspllm::host {

MemoryBlock::MemoryBlock(std::uint64_t bytes) {
  void* start = MAP_FAILED;
  if (bytes <= std::numeric_limits<std::size_t>::max()) {
    start = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  if (start == MAP_FAILED) {
    throw Failure(
        fmt::format("the system gives no block of {} of memory; use a shorter context or a smaller "
                    "model",
                    binary_size(bytes)));
  }
  bytes_ = {static_cast<std::byte*>(start), static_cast<std::size_t>(bytes)};
}

MemoryBlock::~MemoryBlock() {
  ::munmap(bytes_.data(), bytes_.size());
}

std::uint64_t physical_memory_bytes() noexcept {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

std::uint64_t peak_memory_bytes() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> status(std::fopen("/proc/self/status", "r"),
                                                               std::fclose);
  if (status == nullptr) return 0;
  char line[256];
  while (std::fgets(line, sizeof line, status.get()) != nullptr) {
    unsigned long long kibibytes = 0;
    if (std::sscanf(line, "VmHWM: %llu kB", &kibibytes) == 1) return kibibytes * 1024;
  }
  return 0;
}

}  // namespace pspllm::host
