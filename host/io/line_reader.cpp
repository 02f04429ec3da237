#include "host/io/line_reader.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "host/core/failure.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/read_text.hpp"
#include "host/io/system_error.hpp"

namespace pspllm::host {

std::optional<std::string> LineReader::next() {
  std::array<char, 4096> chunk{};
  std::size_t searched = 0;
  while (true) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      if (line.ends_with('\r')) line.pop_back();
      return line;
    }
    if (at_end_) {
      if (buffer_.empty()) return std::nullopt;
      return std::exchange(buffer_, {});
    }
    searched = buffer_.size();
    if (buffer_.size() > max_text_bytes) {
      throw Failure(fmt::format("a line of standard input is longer than {} bytes", max_text_bytes));
    }
    const ssize_t count = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (count < 0) {
      if (errno != EINTR) throw Failure(fmt::format("cannot read standard input: {}", system_error(errno)));
      if (interrupt_requested()) return std::nullopt;
      continue;
    }
    at_end_ = count == 0;
    buffer_.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace pspllm::host
