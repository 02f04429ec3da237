#include "host/io/progress_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "host/core/units.hpp"
#include "host/io/console.hpp"
#include "host/io/interrupt.hpp"

namespace pspllm::host {
namespace {

double share_of(std::uint64_t done, std::uint64_t total) {
  return total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
}

std::string bar_of(const std::string& label, double share) {
  constexpr std::size_t width = 30;
  const auto filled = static_cast<std::size_t>(share * width);
  return fmt::format("{} [{}{}] {:3.0f} %", label, std::string(filled, '#'), std::string(width - filled, ' '),
                     share * 100);
}

}  // namespace

ProgressBar::ProgressBar(std::string label, BarUnit unit)
    : label_(std::move(label)),
      unit_(unit),
      visible_(standard_error_is_terminal()),
      started_(Clock::now()),
      last_drawn_(started_) {}

ProgressBar::~ProgressBar() {
  constexpr const char* erase_line = "\r\033[K";
  if (drawn_) fmt::print(stderr, "{}", erase_line);
}

void ProgressBar::update(std::uint64_t done, std::uint64_t total) {
  // Work that is over within the first interval never draws anything.
  constexpr std::chrono::milliseconds interval{100};
  if (!visible_ || Clock::now() - last_drawn_ < interval) return;
  last_drawn_ = Clock::now();
  drawn_ = true;
  const std::chrono::duration<double> so_far = last_drawn_ - started_;
  const std::string line = unit_ == BarUnit::bytes ? progress_line(label_, done, total)
                                                   : timed_progress_line(label_, done, total, so_far.count());
  fmt::print(stderr, "\r{}\033[K", line);
  std::fflush(stderr);
}

Progress ProgressBar::callback() noexcept {
  return {this, [](void* context, std::uint64_t done, std::uint64_t total) noexcept {
            static_cast<ProgressBar*>(context)->update(done, total);
            return !interrupt_requested();
          }};
}

std::string progress_line(const std::string& label, std::uint64_t done, std::uint64_t total) {
  return fmt::format("{}  {} of {}", bar_of(label, share_of(done, total)), binary_size(done),
                     binary_size(total));
}

std::string timed_progress_line(const std::string& label, std::uint64_t done, std::uint64_t total,
                                double seconds_so_far) {
  const double share = share_of(done, total);
  const std::string bar = bar_of(label, share);
  if (share <= 0.0) return bar;
  return fmt::format("{}  {} left", bar, duration(seconds_so_far / share * (1.0 - share)));
}

}  // namespace pspllm::host
