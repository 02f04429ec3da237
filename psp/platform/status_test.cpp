#include "psp/platform/status.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace pspllm::psp;

TEST_CASE("A failure says what, on what, why, and the code") {
  const Status status = failure("Cannot write", "state.txt", static_cast<std::int32_t>(0x8001001C));
  CHECK_FALSE(status.ok());
  CHECK(status.sentence.view() == "Cannot write state.txt: the Memory Stick is full (code 8001001C).");
  CHECK(failure("Cannot set the clock", "", static_cast<std::int32_t>(0x80001234)).sentence.view() ==
        "Cannot set the clock: the system gave no reason (code 80001234).");
  CHECK(Status{}.ok());
}

TEST_CASE("The platform's own codes are none of the system's") {
  for (const std::int32_t code :
       {error_short_read, error_short_write, error_path_too_long, error_not_open, error_too_large}) {
    CHECK(explain_error_code(code) == "the system gave no reason");
    CHECK(code < -1);
  }
}

TEST_CASE("A sentence that is too long is cut, not overrun") {
  const Status status = failure("Cannot open", std::string(500, 'x'), static_cast<std::int32_t>(0x80010002));
  CHECK(status.sentence.size() == max_sentence_bytes);
}
