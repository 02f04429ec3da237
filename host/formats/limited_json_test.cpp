#include "host/formats/limited_json.hpp"

#include <doctest/doctest.h>

#include <string>

#include "host/core/failure.hpp"

namespace pspllm::host {
namespace {

std::string failure_of(const std::string& text) {
  try {
    static_cast<void>(parse_limited_json(text, "file"));
  } catch (const Failure& failure) {
    return failure.what();
  }
  return {};
}

}  // namespace

TEST_CASE("whole JSON is read") {
  CHECK(parse_limited_json(R"({"a":[1,2.5,null]})", "file")["a"][1] == 2.5);
}

TEST_CASE("damaged JSON gets a sentence that names the file and the fault") {
  CHECK(failure_of(R"({"a":)") == "file: not JSON at byte 6; it is damaged or cut short");
  CHECK(failure_of(R"({"a":1,"a":2})") == R"(file: the key "a" is there twice; the file is damaged)");
  CHECK(failure_of(std::string(max_json_depth + 2, '[')).find("nested deeper than 32 levels") !=
        std::string::npos);
  CHECK(failure_of("44444445E5444") ==
        "file: a number in it is larger than any a double holds; it is damaged");
}

}  // namespace pspllm::host
