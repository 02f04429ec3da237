// From a text file to calibration tokens.
#pragma once

#include <string>

#include "host/formats/checkpoint.hpp"
#include "host/quantize/model/calibration_tokens.hpp"

namespace pspllm::host {

/// Reads a text, encodes it with the model's own vocabulary and cuts it into windows, as many as `wanted`
/// tokens need. Where the text spells a special token of the vocabulary ("<|im_start|>"), it means that
/// token: a calibration text looks like what the model was trained on. "<|endoftext|>" parts documents with
/// every vocabulary. Throws Failure: no such file, empty, binary, too short.
[[nodiscard]] CalibrationTokens read_calibration_text(const std::string& path, const Checkpoint& checkpoint,
                                                      std::size_t wanted);

/// Throws Failure where a text holds no words at all: empty, or bytes that no text has.
void require_text(const std::string& text, const std::string& path);

/// Longest piece that is encoded at a time, in bytes. Texts are parted at line ends.
inline constexpr std::size_t calibration_piece_bytes = 65536;

}  // namespace pspllm::host
