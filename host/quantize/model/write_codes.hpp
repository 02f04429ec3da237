// A quantised model as a .pspm file.
#pragma once

#include <cstdint>
#include <string>

#include "host/formats/checkpoint.hpp"
#include "host/quantize/model/quantize_model.hpp"

namespace pspllm::host {

/// Writes matrices as codes and norms as fp32, everything else as `checkpoint` has it; whole or not at all.
/// The file's size in bytes. Throws Failure.
[[nodiscard]] std::uint64_t write_codes(const Checkpoint& checkpoint, const QuantizedModel& model,
                                        const std::string& out_path);

}  // namespace pspllm::host
