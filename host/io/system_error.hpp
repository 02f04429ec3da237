// The operating system's words for an error number.
#pragma once

#include <string>
#include <system_error>

namespace pspllm::host {

[[nodiscard]] inline std::string system_error(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace pspllm::host
