// From a text file to calibration tokens.
#pragma once

#include <string>

#include "host/formats/checkpoint.hpp"
#include "host/quantize/model/calibration_tokens.hpp"

namespace pspllm::host {

/// Reads a text, encodes it with the model's own vocabulary and cuts it into windows, as many as `wanted`
/// tokens need; special tokens may be spelled (marked_tokens_of()). Throws Failure: no such file, empty,
/// binary, too short.
[[nodiscard]] CalibrationTokens read_calibration_text(const std::string& path, const Checkpoint& checkpoint,
                                                      std::size_t wanted);

/// Throws Failure where a text holds no words at all: empty, or bytes that no text has.
void require_text(const std::string& text, const std::string& path);

}  // namespace pspllm::host
