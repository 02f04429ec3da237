// Bytes of a payload, part by part.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace pspllm::host {

class PayloadWriter {
 public:
  /// Appends the items' bytes, then zeros up to the next multiple of four.
  template <typename Item>
  void add(std::span<const Item> items) {
    constexpr std::size_t alignment = 4;
    const std::size_t at = payload_.size();
    payload_.resize((at + items.size_bytes() + alignment - 1) / alignment * alignment);
    if (!items.empty()) std::memcpy(payload_.data() + at, items.data(), items.size_bytes());
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(payload_); }

 private:
  std::vector<std::byte> payload_;
};

}  // namespace pspllm::host
