#include "host/core/units.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace pspllm::host {

TEST_CASE("thousands are separated from the right") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(17101696) == "17,101,696");
  CHECK(grouped(std::numeric_limits<std::uint64_t>::max()) == "18,446,744,073,709,551,615");
}

TEST_CASE("sizes have three digits or so and a binary unit") {
  CHECK(binary_size(812) == "812 bytes");
  CHECK(binary_size(1024) == "1.00 KiB");
  CHECK(binary_size(17101696) == "16.3 MiB");
  CHECK(binary_size(250ULL << 20) == "250 MiB");
}

TEST_CASE("rates keep their order of magnitude readable") {
  CHECK(rate(1.534) == "1.53");
  CHECK(rate(48.16) == "48.2");
  CHECK(rate(3270.4) == "3,270");
  CHECK(rate(std::numeric_limits<double>::infinity()) == "?");
}

TEST_CASE("spans of time") {
  CHECK(duration(0.0) == "0 s");
  CHECK(duration(99.0) == "99 s");
  CHECK(duration(100.0) == "2 min");
  CHECK(duration(3600.0) == "60 min");
  CHECK(duration(7500.0) == "2 h 05 min");
}

}  // namespace pspllm::host
