#pragma once
// A large block of zero bytes that costs nothing until it is touched.
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

#include "simulator/words.hpp"

namespace pspllm::simulator {

class ZeroedBytes {
 public:
  explicit ZeroedBytes(std::size_t size) : bytes_(static_cast<Byte*>(std::calloc(size, 1))), size_(size) {
    if (bytes_ == nullptr) throw std::bad_alloc();
  }
  [[nodiscard]] Byte* data() const { return bytes_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<Byte> span() const { return {bytes_.get(), size_}; }

 private:
  struct Release {
    void operator()(Byte* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<Byte[], Release> bytes_;
  std::size_t size_;
};

}  // namespace pspllm::simulator
