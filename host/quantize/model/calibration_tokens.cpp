#include "host/quantize/model/calibration_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/core/failure.hpp"

namespace pspllm::host {
namespace {

constexpr std::size_t held_out_every = 9;
constexpr std::size_t most_held_out = 24;

}  // namespace

CalibrationTokens cut_windows(std::span<const std::int32_t> text, std::size_t window, std::size_t wanted,
                              const std::string& path) {
  const std::size_t available = text.size() / window;
  if (available < fewest_calibration_windows) {
    throw Failure(fmt::format(
        "{}: a calibration text of {} tokens is too short, expected at least {} ({} windows of {}), better "
        "50000; take a longer text",
        path, text.size(), fewest_calibration_windows * window, fewest_calibration_windows, window));
  }
  const std::size_t fitted_wanted = std::max<std::size_t>(1, (wanted + window - 1) / window);
  const std::size_t held_out_wanted =
      std::clamp<std::size_t>(fitted_wanted / (held_out_every - 1), 1, most_held_out);
  const std::size_t n = std::clamp(fitted_wanted + held_out_wanted, fewest_calibration_windows, available);
  CalibrationTokens result;
  result.window = window;
  result.held_out_windows = std::clamp<std::size_t>(n / held_out_every, 1, most_held_out);
  result.fitted_windows = n - result.held_out_windows;
  const std::size_t step = n / result.held_out_windows;
  std::vector<std::int32_t> held_out;
  for (std::size_t i = 0; i < n; ++i) {
    const auto from = text.subspan(i * available / n * window, window);
    const bool hold = i % step == step / 2 && held_out.size() < result.held_out_windows * window;
    std::vector<std::int32_t>& to = hold ? held_out : result.ids;
    to.insert(to.end(), from.begin(), from.end());
  }
  result.ids.insert(result.ids.end(), held_out.begin(), held_out.end());
  return result;
}

}  // namespace pspllm::host
