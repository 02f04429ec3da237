#include "psp/platform/byte_functions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace bytes = pspllm::psp::bytes;

namespace {

constexpr std::size_t room = 128;

std::vector<unsigned char> pattern() {
  std::vector<unsigned char> data(room);
  std::iota(data.begin(), data.end(), static_cast<unsigned char>(1));
  return data;
}

}  // namespace

TEST_CASE("Moves of every length, alignment and overlap equal the library's") {
  for (std::size_t from = 0; from < 24; ++from) {
    for (std::size_t to = 0; to < 24; ++to) {
      for (std::size_t count = 0; count <= room - 24; count += count < 40 ? 1 : 7) {
        std::vector<unsigned char> got = pattern();
        std::vector<unsigned char> expected = pattern();
        bytes::move(got.data() + to, got.data() + from, count);
        std::memmove(expected.data() + to, expected.data() + from, count);
        if (got != expected) FAIL("from ", from, " to ", to, " count ", count);
      }
    }
  }
}

TEST_CASE("Copies and fills of every length and alignment touch what they should and nothing else") {
  for (std::size_t offset = 0; offset < 8; ++offset) {
    for (std::size_t count = 0; count <= room - 16; ++count) {
      const std::vector<unsigned char> source = pattern();
      std::vector<unsigned char> got(room, 0xEE);
      std::vector<unsigned char> expected(room, 0xEE);
      bytes::copy_forward(got.data() + offset, source.data() + 3, count);
      std::memcpy(expected.data() + offset, source.data() + 3, count);
      if (got != expected) FAIL("copy: offset ", offset, " count ", count);
      bytes::fill(got.data() + offset, 0xA5, count);
      std::memset(expected.data() + offset, 0xA5, count);
      if (got != expected) FAIL("fill: offset ", offset, " count ", count);
    }
  }
}

TEST_CASE("Comparisons have the library's sign") {
  for (std::size_t length = 1; length < 40; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      const std::vector<unsigned char> left = pattern();
      std::vector<unsigned char> right = pattern();
      right[at] = 0xFF;
      CHECK(bytes::compare(left.data(), right.data(), length) < 0);
      CHECK(bytes::compare(right.data(), left.data(), length) > 0);
      CHECK(bytes::compare(left.data(), right.data(), at) == 0);
    }
  }
}
