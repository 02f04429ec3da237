// Little-endian numbers in byte vectors, as all PSP file formats use them; and whole files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "psp/package/result.hpp"

namespace pspllm::package {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

/// Whether [offset, offset + size) lies inside `bytes`.
[[nodiscard]] bool contains_range(ByteView bytes, std::uint64_t offset, std::uint64_t size);

/// Numbers at `offset`, which must lie inside (asserted): check with contains_range() first.
[[nodiscard]] std::uint16_t read_u16(ByteView bytes, std::size_t offset);
[[nodiscard]] std::uint32_t read_u32(ByteView bytes, std::size_t offset);
void write_u32(std::span<std::uint8_t> bytes, std::size_t offset, std::uint32_t value);

void append_u8(Bytes& bytes, std::uint8_t value);
void append_u16(Bytes& bytes, std::uint16_t value);
void append_u32(Bytes& bytes, std::uint32_t value);
void append_bytes(Bytes& bytes, ByteView more);
void append_text(Bytes& bytes, std::string_view text);
/// Appends zeros up to the next multiple of `alignment`.
void pad_to(Bytes& bytes, std::size_t alignment);

/// `value` rounded up to a multiple of `alignment` (a power of two).
[[nodiscard]] constexpr std::uint32_t align_up(std::uint32_t value, std::uint32_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

[[nodiscard]] Result<Bytes> read_file(const std::filesystem::path& path);

/// Writes under a temporary name and renames, so that a broken run leaves no half file. Empty: written.
[[nodiscard]] std::optional<Failure> write_file(const std::filesystem::path& path, ByteView bytes);

}  // namespace pspllm::package
