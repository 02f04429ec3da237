// Text that a model is calibrated on, as windows of tokens.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pspllm::host {

/// Windows that the model is fitted to, then those that it is watched on.
struct CalibrationTokens {
  std::size_t window = 0;  ///< tokens
  std::size_t fitted_windows = 0;
  std::size_t held_out_windows = 0;
  std::vector<std::int32_t> ids;  // [(fitted_windows + held_out_windows) * window]

  [[nodiscard]] std::size_t windows() const noexcept { return fitted_windows + held_out_windows; }
};

/// Longest window: what is learnt from longer contexts is little.
inline constexpr std::size_t longest_calibration_window = 512;
/// Fewest windows that a text must fill: one held out, the others for fitting.
inline constexpr std::size_t fewest_calibration_windows = 8;

/// Cuts a text's tokens into windows, spread evenly over the text where it has more than `wanted` tokens.
/// Every ninth is held out, at most 24. Throws Failure where the text is too short; `path` names it.
[[nodiscard]] CalibrationTokens cut_windows(std::span<const std::int32_t> text, std::size_t window,
                                            std::size_t wanted, const std::string& path);

}  // namespace pspllm::host
