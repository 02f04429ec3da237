#include "host/io/read_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "host/core/failure.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/system_error.hpp"

namespace pspllm::host {
namespace {

struct Descriptor {
  int number;
  bool owned;
  ~Descriptor() {
    if (owned) ::close(number);
  }
};

}  // namespace

std::string read_text(const std::string& path) {
  const bool from_standard_input = path == "-";
  const std::string name = from_standard_input ? "standard input" : path;
  const Descriptor file{from_standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC),
                        !from_standard_input};
  if (file.number < 0) throw Failure(fmt::format("cannot open {}: {}", name, system_error(errno)));
  std::string text;
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t count = ::read(file.number, buffer.data(), buffer.size());
    throw_if_interrupted();
    if (count == 0) return text;
    if (count < 0) {
      if (errno == EINTR) continue;
      throw Failure(fmt::format("cannot read {}: {}", name, system_error(errno)));
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > max_text_bytes) {
      throw Failure(fmt::format("{} is longer than {} bytes; give a shorter text", name, max_text_bytes));
    }
  }
}

}  // namespace pspllm::host
