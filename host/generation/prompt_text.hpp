// What a text must be before it is encoded.
#pragma once

#include <string>

namespace pspllm::host {

/// The engine's encoder ends a text at its first zero byte, as C does; a text that has one is refused instead
/// of being cut. Throws Failure that begins with `where`.
void require_no_zero_byte(const std::string& text, const std::string& where);

}  // namespace pspllm::host
