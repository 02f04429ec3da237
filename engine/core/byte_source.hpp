// Where model bytes come from: a file on a PC, a file on a memory stick, memory. One reader serves them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/result.hpp"

namespace pspllm {

/// Random access to `size` bytes. `read` fills the whole span from `offset` or gives an Error that names the
/// source; callers stay within `size`.
struct ByteSource {
  void* context = nullptr;
  Status (*read)(void* context, std::uint64_t offset, std::span<std::byte> into) noexcept = nullptr;
  std::uint64_t size = 0;
};

/// Told how much of a long read is done; gives false to stop it.
struct Progress {
  void* context = nullptr;
  bool (*report)(void* context, std::uint64_t done, std::uint64_t total) noexcept = nullptr;

  [[nodiscard]] bool operator()(std::uint64_t done, std::uint64_t total) const noexcept {
    return report == nullptr || report(context, done, total);
  }
};

/// A source over bytes that are already in memory; the span and its bytes must outlive it.
[[nodiscard]] ByteSource memory_source(const std::span<const std::byte>* bytes) noexcept;

/// A part of another source: bytes [offset, offset + bytes).
struct SourceRange {
  ByteSource whole;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// The part as a source of its own; the range must outlive it.
[[nodiscard]] ByteSource range_source(const SourceRange* range) noexcept;

}  // namespace pspllm
