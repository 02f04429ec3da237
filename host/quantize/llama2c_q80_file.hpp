// Writes a llama2.c fp32 checkpoint (version 0 or 1) as version 2, q80.
#pragma once

#include <cstdint>
#include <string>

#include "host/io/progress_bar.hpp"
#include "host/model/opened_model.hpp"

namespace pspllm::host {

/// What the conversion did.
struct QuantizeReport {
  std::uint32_t group_size = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  float largest_error = 0.0F;  ///< of one weight
  double root_mean_square_error = 0.0;
};

/// Reads `opened` tensor by tensor and writes `out_path` (whole or not at all). group_size 0: the largest
/// that divides every row. Throws Failure: not an fp32 file, group size that does not divide a row, a weight
/// that is not finite (with the tensor's name), no room on the disk; Interrupted.
[[nodiscard]] QuantizeReport write_llama2c_q80(const OpenedModel& opened, const std::string& out_path,
                                               std::uint32_t group_size, ProgressBar& bar);

}  // namespace pspllm::host
