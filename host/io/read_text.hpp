// Whole texts from a file or from standard input.
#pragma once

#include <cstddef>
#include <string>

namespace pspllm::host {

/// Longest text that read_text() takes.
inline constexpr std::size_t max_text_bytes = std::size_t{32} << 20;

/// The bytes of `path`, or of standard input where it is "-". Throws Failure: missing, unreadable, a folder,
/// longer than max_text_bytes; Interrupted.
[[nodiscard]] std::string read_text(const std::string& path);

}  // namespace pspllm::host
