#include "engine/core/checksum.hpp"

#include <doctest/doctest.h>
#include <xxhash.h>

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

}  // namespace
}  // namespace pspllm
