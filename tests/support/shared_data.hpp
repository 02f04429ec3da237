// Data that lies beside the project and may be absent: tests that need it say what they skip.
#pragma once

#include <optional>
#include <string>

namespace pspllm::testing {

/// Path of a file or folder of the shared data (../shared, or where PSPLLM_SHARED says), or nothing, with a
/// line on standard output that says what is skipped.
[[nodiscard]] std::optional<std::string> shared_data(const std::string& relative_path);

}  // namespace pspllm::testing
