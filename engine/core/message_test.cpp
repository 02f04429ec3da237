#include "engine/core/message.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <string>

namespace pspllm {

TEST_CASE("numbers are joined in decimal") {
  CHECK(message("dim is ", 288U, ", expected ", -1).view() == "dim is 288, expected -1");
  CHECK(message(std::numeric_limits<std::uint64_t>::max()).view() == "18446744073709551615");
  CHECK(message(std::numeric_limits<std::int64_t>::min()).view() == "-9223372036854775808");
  CHECK(message(0U).view() == "0");
  CHECK(message(10000000000000000000ULL).view() == "10000000000000000000");
}

TEST_CASE("what does not fit is cut and the text stays a C string") {
  const std::string text(Message::capacity + 100, 'x');
  const Message cut = message(text.c_str());
  CHECK(cut.view().size() == Message::capacity);
  CHECK(std::strlen(cut.c_str()) == Message::capacity);
}

}  // namespace pspllm
