// Plain numbers and arrays in a row of bytes: what the quantiser notes for itself between two runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace pspllm::host {

class BytePacker {
 public:
  template <typename Number>
  void put(Number number) {
    put_bytes(std::as_bytes(std::span(&number, 1)));
  }
  template <typename Element>
  void put_array(const std::vector<Element>& elements) {
    put(static_cast<std::uint64_t>(elements.size()));
    put_bytes(std::as_bytes(std::span(elements)));
  }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  void put_bytes(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  std::vector<std::byte> bytes_;
};

/// Reads what BytePacker wrote. Damaged input gives zeros and ok() says so.
class ByteUnpacker {
 public:
  explicit ByteUnpacker(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  template <typename Number>
  [[nodiscard]] Number get() {
    Number number{};
    get_bytes(std::as_writable_bytes(std::span(&number, 1)));
    return number;
  }
  template <typename Element>
  [[nodiscard]] std::vector<Element> get_array() {
    const auto count = get<std::uint64_t>();
    ok_ = ok_ && count <= bytes_.size() / sizeof(Element);
    std::vector<Element> elements(ok_ ? count : 0);
    get_bytes(std::as_writable_bytes(std::span(elements)));
    return elements;
  }
  /// Whether everything asked for was there.
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  /// Whether that was all.
  [[nodiscard]] bool finished() const noexcept { return ok_ && bytes_.empty(); }

 private:
  void get_bytes(std::span<std::byte> out) {
    ok_ = ok_ && out.size() <= bytes_.size();
    if (!ok_ || out.empty()) return;
    std::memcpy(out.data(), bytes_.data(), out.size());
    bytes_ = bytes_.subspan(out.size());
  }

  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

}  // namespace pspllm::host
