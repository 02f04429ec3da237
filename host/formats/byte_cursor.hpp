// Reads an untrusted file from front to back: buffered, never past its end, with errors that say where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/byte_source.hpp"

namespace pspllm::host {

class ByteCursor {
 public:
  /// `name` stands in front of every sentence.
  ByteCursor(const ByteSource& source, std::string name) : source_(source), name_(std::move(name)) {}

  /// The next number, little-endian. `what` names it in the sentence where the file ends before it does.
  template <typename Number>
  [[nodiscard]] Number number(std::string_view what) {
    Number value{};
    read(std::as_writable_bytes(std::span(&value, 1)), what);
    return value;
  }
  /// The next `length` bytes as text.
  [[nodiscard]] std::string text(std::uint64_t length, std::string_view what);

  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  [[nodiscard]] std::uint64_t remaining() const noexcept { return source_.size - position_; }
  /// Throws Failure with "NAME: SENTENCE".
  [[noreturn]] void refuse(const std::string& sentence) const;

 private:
  void read(std::span<std::byte> into, std::string_view what);

  ByteSource source_;
  std::string name_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> buffer_;  // bytes of the file from buffer_start_ on
  std::uint64_t buffer_start_ = 0;
};

}  // namespace pspllm::host
