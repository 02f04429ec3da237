#include "host/formats/byte_cursor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/core/failure.hpp"

namespace pspllm::host {
namespace {

constexpr std::uint64_t buffer_bytes = std::uint64_t{1} << 16;

}  // namespace

void ByteCursor::refuse(const std::string& sentence) const {
  throw Failure(name_ + ": " + sentence);
}

std::string ByteCursor::text(std::uint64_t length, std::string_view what) {
  if (length > remaining()) {
    refuse(fmt::format("{} has {} bytes at {}, but the file ends {} bytes later; the file is damaged", what,
                       length, position_, remaining()));
  }
  std::string text(static_cast<std::size_t>(length), '\0');
  read(std::as_writable_bytes(std::span(text)), what);
  return text;
}

void ByteCursor::read(std::span<std::byte> into, std::string_view what) {
  if (into.size() > remaining()) {
    refuse(fmt::format("the file ends at byte {}, inside {}; copy or download it again", source_.size, what));
  }
  while (!into.empty()) {
    const std::uint64_t buffer_end = buffer_start_ + buffer_.size();
    if (position_ < buffer_start_ || position_ >= buffer_end) {
      buffer_start_ = position_;
      buffer_.resize(static_cast<std::size_t>(std::min(buffer_bytes, remaining())));
      require(source_.read(source_.context, buffer_start_, buffer_), name_);
      continue;
    }
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), buffer_end - position_));
    std::memcpy(into.data(), buffer_.data() + (position_ - buffer_start_), count);
    into = into.subspan(count);
    position_ += count;
  }
}

}  // namespace pspllm::host
