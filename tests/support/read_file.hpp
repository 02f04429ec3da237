// Whole files, for tests and benchmarks.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace pspllm::testing {

/// The file's bytes, as a string or a vector of bytes. Throws std::runtime_error where it cannot be read.
template <typename Content = std::string>
[[nodiscard]] Content read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + " cannot be read");
  return Content(std::istreambuf_iterator<char>(file), {});
}

}  // namespace pspllm::testing
