#include "host/io/progress_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "host/core/units.hpp"
#include "host/io/console.hpp"
#include "host/io/interrupt.hpp"

namespace pspllm::host {

ProgressBar::ProgressBar(std::string label)
    : label_(std::move(label)), visible_(standard_error_is_terminal()), last_drawn_(Clock::now()) {}

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
  fmt::print(stderr, "\r{}", progress_line(label_, done, total));
  std::fflush(stderr);
}

Progress ProgressBar::callback() noexcept {
  return {this, [](void* context, std::uint64_t done, std::uint64_t total) noexcept {
            static_cast<ProgressBar*>(context)->update(done, total);
            return !interrupt_requested();
          }};
}

std::string progress_line(const std::string& label, std::uint64_t done, std::uint64_t total) {
  constexpr std::size_t width = 30;
  const double share =
      total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(share * width);
  return fmt::format("{} [{}{}] {:3.0f} %  {} of {}", label, std::string(filled, '#'),
                     std::string(width - filled, ' '), share * 100, binary_size(done), binary_size(total));
}

}  // namespace pspllm::host
