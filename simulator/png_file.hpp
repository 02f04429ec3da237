#pragma once
#include <filesystem>

#include "simulator/kernel.hpp"

namespace pspllm::simulator {

// Writes the screen as a PNG file; false when it cannot be written.
[[nodiscard]] bool write_png(const std::filesystem::path& path, const Screenshot& shot);

}  // namespace pspllm::simulator
