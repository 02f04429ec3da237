#include "host/formats/json_lines.hpp"

#include <doctest/doctest.h>

#include "host/core/failure.hpp"

namespace pspllm::host {

TEST_CASE("a JSON object a line, with or without a line end, empty lines left out") {
  const std::vector<JsonLine> lines = parse_json_lines("{\"a\": \"x\"}\r\n\n  \n{\"b\": 2}", "file");
  REQUIRE(lines.size() == 2);
  CHECK(require_text(lines[0], "a") == "x");
  CHECK(lines[1].name == "file, line 4");
  CHECK(lines[1].object["b"] == 2);
  CHECK(parse_json_lines("", "file").empty());
}

TEST_CASE("a line that is no object is named") {
  CHECK_THROWS_WITH_AS((void)parse_json_lines("{}\nHello!\n", "file"),
                       doctest::Contains("file, line 2: not JSON"), Failure);
  CHECK_THROWS_WITH_AS((void)parse_json_lines("[1]", "file"),
                       doctest::Contains("file, line 1 is JSON, but no object"), Failure);
  CHECK_THROWS_WITH_AS((void)require_text(parse_json_lines("{\"a\": 1}", "file")[0], "a"),
                       doctest::Contains("file, line 1 has no text \"a\""), Failure);
}

}  // namespace pspllm::host
