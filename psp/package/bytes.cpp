#include "psp/package/bytes.hpp"

#include <fmt/format.h>

#include <cassert>
#include <fstream>
#include <system_error>

namespace pspllm::package {

bool contains_range(ByteView bytes, std::uint64_t offset, std::uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

std::uint16_t read_u16(ByteView bytes, std::size_t offset) {
  assert(contains_range(bytes, offset, 2));
  return static_cast<std::uint16_t>(bytes[offset] | bytes[offset + 1] << 8);
}

std::uint32_t read_u32(ByteView bytes, std::size_t offset) {
  assert(contains_range(bytes, offset, 4));
  return read_u16(bytes, offset) | static_cast<std::uint32_t>(read_u16(bytes, offset + 2)) << 16U;
}

void write_u32(std::span<std::uint8_t> bytes, std::size_t offset, std::uint32_t value) {
  assert(contains_range(bytes, offset, 4));
  for (std::size_t i = 0; i < 4; ++i) bytes[offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

void append_u8(Bytes& bytes, std::uint8_t value) {
  bytes.push_back(value);
}

void append_u16(Bytes& bytes, std::uint16_t value) {
  bytes.push_back(static_cast<std::uint8_t>(value));
  bytes.push_back(static_cast<std::uint8_t>(value >> 8));
}

void append_u32(Bytes& bytes, std::uint32_t value) {
  append_u16(bytes, static_cast<std::uint16_t>(value));
  append_u16(bytes, static_cast<std::uint16_t>(value >> 16U));
}

void append_bytes(Bytes& bytes, ByteView more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

void append_text(Bytes& bytes, std::string_view text) {
  bytes.insert(bytes.end(), text.begin(), text.end());
}

void pad_to(Bytes& bytes, std::size_t alignment) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
}

Result<Bytes> read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = stream ? static_cast<std::streamoff>(stream.tellg()) : -1;
  if (size < 0) return Failure{fmt::format("Cannot read {}: no such file, or no permission.", path.string())};
  Bytes bytes(static_cast<std::size_t>(size));
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(bytes.data()), size);
  if (!stream)
    return Failure{fmt::format("Reading {} stopped before its end ({} bytes).", path.string(), size)};
  return bytes;
}

std::optional<Failure> write_file(const std::filesystem::path& path, ByteView bytes) {
  std::filesystem::path temporary = path;
  temporary += ".new";
  std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
  stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  std::error_code error;
  if (stream) std::filesystem::rename(temporary, path, error);
  if (stream && !error) return std::nullopt;
  std::filesystem::remove(temporary, error);
  return Failure{fmt::format("Cannot write {} ({} bytes): is its folder there, writable, and not full?",
                             path.string(), bytes.size())};
}

}  // namespace pspllm::package
