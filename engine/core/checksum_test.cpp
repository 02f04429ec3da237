#include "engine/core/checksum.hpp"

#include <doctest/doctest.h>
#include <xxhash.h>

#include <algorithm>
#include <random>
#include <vector>

namespace pspllm {
namespace {

TEST_CASE("the checksum is XXH32 at every length") {
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 300; ++size) {
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    CAPTURE(size);
    CHECK(checksum32(bytes) == XXH32(bytes.data(), bytes.size(), 0));
  }
}

TEST_CASE("pieces of any length give the checksum of the whole") {
  std::mt19937 random(2);
  std::vector<std::byte> bytes(1000);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  for (int round = 0; round < 200; ++round) {
    Checksum32 checksum;
    std::size_t done = 0;
    while (done < bytes.size()) {
      const std::size_t count = std::min<std::size_t>(random() % 40, bytes.size() - done);
      checksum.update(std::span(bytes).subspan(done, count));
      done += count;
      CHECK(checksum.value() == XXH32(bytes.data(), done, 0));
    }
  }
}

}  // namespace
}  // namespace pspllm
