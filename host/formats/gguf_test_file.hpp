// GGUF files for tests, built byte by byte so that any part can be spoilt.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/formats/little_endian.hpp"

namespace pspllm::host::testing {

template <typename Number>
void put(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// The parts of a file; bytes() puts them together.
struct GgufTestFile {
  std::string metadata;
  std::string directory;
  std::string data;
  std::uint64_t n_entries = 0;
  std::uint64_t n_tensors = 0;
  std::uint32_t version = 3;
  static constexpr std::uint64_t alignment = 32;

  static void put_text(std::string& out, std::string_view text) {
    put(out, std::uint64_t{text.size()});
    out += text;
  }
  /// Key and type id; the value is the caller's.
  void add_key(std::string_view key, std::uint32_t type) {
    put_text(metadata, key);
    put(metadata, type);
    ++n_entries;
  }
  void add(std::string_view key, std::uint32_t value) {
    add_key(key, 4);
    put(metadata, value);
  }
  void add(std::string_view key, float value) {
    add_key(key, 6);
    put(metadata, value);
  }
  void add(std::string_view key, bool value) {
    add_key(key, 7);
    put(metadata, static_cast<std::uint8_t>(value ? 1 : 0));
  }
  void add(std::string_view key, std::string_view value) {
    add_key(key, 8);
    put_text(metadata, value);
  }
  void add(std::string_view key, const std::vector<std::string>& texts) {
    add_key(key, 9);
    put(metadata, std::uint32_t{8});
    put(metadata, std::uint64_t{texts.size()});
    for (const std::string& text : texts) put_text(metadata, text);
  }
  void add(std::string_view key, const std::vector<float>& numbers) {
    add_key(key, 9);
    put(metadata, std::uint32_t{6});
    put(metadata, std::uint64_t{numbers.size()});
    for (const float number : numbers) put(metadata, number);
  }

  void add(std::string_view key, const std::vector<std::int32_t>& numbers) {
    add_key(key, 9);
    put(metadata, std::uint32_t{5});
    put(metadata, std::uint64_t{numbers.size()});
    for (const std::int32_t number : numbers) put(metadata, number);
  }

  void add_directory_entry(std::string_view name, const std::vector<std::uint64_t>& dimensions,
                           std::uint32_t type, std::uint64_t offset) {
    put_text(directory, name);
    put(directory, static_cast<std::uint32_t>(dimensions.size()));
    for (const std::uint64_t dimension : dimensions) put(directory, dimension);
    put(directory, type);
    put(directory, offset);
    ++n_tensors;
  }
  /// An F32 tensor, cols first.
  void add_tensor(std::string_view name, const std::vector<std::uint64_t>& dimensions,
                  const std::vector<float>& values) {
    add_directory_entry(name, dimensions, 0, data.size());
    for (const float value : values) put(data, value);
    data.resize((data.size() + alignment - 1) / alignment * alignment);
  }

  [[nodiscard]] std::string bytes() const {
    std::string file = "GGUF";
    put(file, version);
    put(file, n_tensors);
    put(file, n_entries);
    file += metadata + directory;
    file.resize((file.size() + alignment - 1) / alignment * alignment);
    return file + data;
  }
};

}  // namespace pspllm::host::testing
