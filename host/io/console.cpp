#include "host/io/console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "host/core/failure.hpp"
#include "host/io/system_error.hpp"

namespace pspllm::host {

void write_standard_output(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      throw Failure(fmt::format("cannot write to standard output: {}", system_error(errno)));
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

bool standard_output_is_terminal() noexcept {
  return ::isatty(STDOUT_FILENO) != 0;
}

bool standard_error_is_terminal() noexcept {
  return ::isatty(STDERR_FILENO) != 0;
}

bool standard_input_is_terminal() noexcept {
  return ::isatty(STDIN_FILENO) != 0;
}

}  // namespace pspllm::host
