// Safetensors files for tests.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace pspllm::host::testing {

/// Directory and data; bytes() puts them together.
struct SafetensorsTestFile {
  nlohmann::json directory = {{"__metadata__", {{"format", "pt"}}}};
  std::string data;

  void add(const std::string& name, const std::string& dtype, const std::vector<std::uint64_t>& shape,
           const std::string& bytes) {
    directory[name] = {
        {"dtype", dtype}, {"shape", shape}, {"data_offsets", {data.size(), data.size() + bytes.size()}}};
    data += bytes;
  }
  void add_floats(const std::string& name, const std::vector<std::uint64_t>& shape,
                  const std::vector<float>& values) {
    add(name, "F32", shape, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
  }

  static std::string with_header(const std::string& header, const std::string& data) {
    const std::uint64_t length = header.size();
    return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + data;
  }
  [[nodiscard]] std::string bytes() const { return with_header(directory.dump(), data); }
};

}  // namespace pspllm::host::testing
