// A checkpoint of any kind becomes a .pspm file.
#pragma once

#include <cstdint>
#include <string>

#include "host/formats/checkpoint.hpp"
#include "host/io/progress_bar.hpp"

namespace pspllm::host {

/// What the matrices become; norms are always f32.
struct ConvertOptions {
  TensorFormat format = TensorFormat::q80;  ///< f32 or q80
  std::uint32_t group_size = 0;             ///< q80; 0: the source's, or the largest that divides every row
};

struct ConvertReport {
  std::uint64_t file_bytes = 0;
  double bits_per_weight = 0.0;  ///< all tensors with their scales
  float largest_error = 0.0F;    ///< of one weight against the source's
  double root_mean_square_error = 0.0;
};

/// Writes `out_path`, whole or not at all. A q80 matrix that is to be q80 again keeps its bytes. Throws
/// Failure: a group size that does not divide a row, a weight that is not finite, a full disk; Interrupted.
[[nodiscard]] ConvertReport convert_checkpoint(const Checkpoint& checkpoint, const std::string& out_path,
                                               const ConvertOptions& options, ProgressBar& bar);

}  // namespace pspllm::host
