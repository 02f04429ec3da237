// Inputs for formats that random bytes rarely reach the inside of: half of them are a good file with some
// bytes replaced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace pspllm::fuzz {

/// Even first byte: what follows is the file. Odd: what follows are patches of three bytes, an offset into
/// `good` and the byte to put there; the last two bytes that are left over say where to cut.
inline std::string patched_input(const std::uint8_t* data, std::size_t size, const std::string& good) {
  if (size == 0) return {};
  const bool is_patch = (data[0] & 1U) != 0;
  ++data;
  --size;
  if (!is_patch) return {reinterpret_cast<const char*>(data), size};
  std::string file = good;
  for (; size >= 3; data += 3, size -= 3) {
    std::uint16_t offset = 0;
    std::memcpy(&offset, data, sizeof offset);
    file[offset % file.size()] = static_cast<char>(data[2]);
  }
  if (size == 2) {
    std::uint16_t length = 0;
    std::memcpy(&length, data, sizeof length);
    file.resize(length % (file.size() + 1));
  }
  return file;
}

}  // namespace pspllm::fuzz
