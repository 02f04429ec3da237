#include "tests/support/shared_data.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace pspllm::testing {

std::optional<std::string> shared_data(const std::string& relative_path) {
  const char* const chosen = std::getenv("PSPLLM_SHARED");
  const std::filesystem::path root = chosen != nullptr ? chosen : "../shared";
  const std::filesystem::path path = root / relative_path;
  if (std::filesystem::exists(path)) return path.string();
  std::printf("skipped: %s is not there\n", path.c_str());
  return std::nullopt;
}

}  // namespace pspllm::testing
