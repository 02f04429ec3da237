// Reads the headers of llama2.c's checkpoints, versions 0 to 2.
#pragma once

#include "engine/core/byte_source.hpp"
#include "engine/core/result.hpp"
#include "engine/model/model_file.hpp"

namespace pspllm {

/// Fills `file`, whose file_bytes is set already. Errors: bad_input, read_failed.
[[nodiscard]] Status read_llama2c_file(const ByteSource& source, ModelFile& file) noexcept;

}  // namespace pspllm
