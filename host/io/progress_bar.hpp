// A progress bar on standard error, for work that takes longer than a moment. Silent where standard error is
// not a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "engine/core/byte_source.hpp"

namespace pspllm::host {

/// What stands behind the bar: bytes, or the time that is left where steps are no bytes.
enum class BarUnit : std::uint8_t { bytes, time_left };

class ProgressBar {
 public:
  /// `label` stands in front of the bar: "quantising".
  explicit ProgressBar(std::string label, BarUnit unit = BarUnit::bytes);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Redraws at most ten times a second.
  void update(std::uint64_t done, std::uint64_t total);
  /// The engine's callback: draws, and stops the work on Ctrl-C.
  [[nodiscard]] Progress callback() noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  BarUnit unit_;
  bool visible_;
  bool drawn_ = false;
  Clock::time_point started_;
  Clock::time_point last_drawn_;
};

/// The bar's line without its line end: "reading [#####     ] 50 %  8.2 MiB of 16.4 MiB".
[[nodiscard]] std::string progress_line(const std::string& label, std::uint64_t done, std::uint64_t total);
/// The same with the time left, as far as the share of the work tells: "quantising [###  ] 12 %  4 min left".
[[nodiscard]] std::string timed_progress_line(const std::string& label, std::uint64_t done,
                                              std::uint64_t total, double seconds_so_far);

}  // namespace pspllm::host
