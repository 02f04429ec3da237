// Standard output as a stream of story text: every piece appears at once, and a closed or full target is an
// error instead of silence.
#pragma once

#include <string_view>

namespace pspllm::host {

/// Writes bytes to standard output, unbuffered. Throws Failure where the system refuses them.
void write_standard_output(std::string_view text);

/// Whether standard output / standard error / standard input is a terminal.
[[nodiscard]] bool standard_output_is_terminal() noexcept;
[[nodiscard]] bool standard_error_is_terminal() noexcept;
[[nodiscard]] bool standard_input_is_terminal() noexcept;

}  // namespace pspllm::host
