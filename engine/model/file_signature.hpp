// Recognises other programs' files by their first bytes, so that feeding one in gets an answer instead of
// garbage.
#pragma once

#include <cstddef>
#include <span>

namespace pspllm {

/// A phrase such as "a GGUF file" for well-known formats, or nullptr where the bytes are none of them.
[[nodiscard]] const char* foreign_format(std::span<const std::byte> first_bytes) noexcept;

}  // namespace pspllm
