#include "psp/program/text_escape.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

using pspllm::psp::escape_text;
using pspllm::psp::Escaped;
using pspllm::psp::unescape_text;

namespace {

std::string unescaped(std::string_view text, bool& complete) {
  std::array<char, 256> into;
  const Escaped result = unescape_text(text, into);
  complete = result.complete;
  return {into.data(), result.bytes};
}

}  // namespace

TEST_CASE("every byte survives escaping and unescaping") {
  std::string all;
  for (int byte = 1; byte < 128; ++byte) all += static_cast<char>(byte);
  all += "\\n \\\\ n\\";
  std::array<char, 512> into;
  const Escaped escaped = escape_text(all, into);
  CHECK(escaped.complete);
  const std::string line(into.data(), escaped.bytes);
  CHECK(line.find('\n') == std::string::npos);
  bool complete = false;
  CHECK(unescaped(line, complete) == all);
  CHECK(complete);
}

TEST_CASE("unknown escapes stay as they are and are told") {
  bool complete = true;
  CHECK(unescaped("a\\tb\\", complete) == "a\\tb\\");
  CHECK_FALSE(complete);
}

TEST_CASE("too little room is told") {
  std::array<char, 3> into;
  CHECK_FALSE(escape_text("ab\n", into).complete);
  CHECK_FALSE(unescape_text("abcd", into).complete);
}
