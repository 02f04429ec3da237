#include "host/generation/prompt_text.hpp"

#include <fmt/format.h>

#include "host/core/failure.hpp"

namespace pspllm::host {

void require_no_zero_byte(const std::string& text, const std::string& where) {
  const std::size_t zero = text.find('\0');
  if (zero == std::string::npos) return;
  throw Failure(fmt::format("{} has a zero byte at {}, expected a text; is it a binary file?", where, zero));
}

}  // namespace pspllm::host
