#include "engine/text/utf8_stream.hpp"

#include <doctest/doctest.h>

#include <string>

namespace pspllm {
namespace {

const std::string replacement = "\xEF\xBF\xBD";

std::string streamed(std::string_view bytes) {
  Utf8Stream stream;
  std::string text;
  for (const char byte : bytes) text += stream.push(byte);
  return text + std::string(stream.flush());
}

}  // namespace

TEST_CASE("correct UTF-8 passes unchanged") {
  for (const char* text : {"plain", "caf\xC3\xA9", "\xF0\x9F\x98\xBA", "\xE2\x82\xAC 5", "\xF4\x8F\xBF\xBF",
                           "\xED\x9F\xBF\xEE\x80\x80"}) {
    CHECK(streamed(text) == text);
  }
}

TEST_CASE("a character appears when its last byte comes, not before") {
  Utf8Stream stream;
  CHECK(stream.push('\xF0').empty());
  CHECK(stream.push('\x9F').empty());
  CHECK(stream.push('\x98').empty());
  CHECK(stream.push('\xBA') == "\xF0\x9F\x98\xBA");
}

TEST_CASE("bytes that make no character become U+FFFD, the text goes on") {
  CHECK(streamed("a\x80z") == "a" + replacement + "z");
  CHECK(streamed("\xC3z") == replacement + "z");
  CHECK(streamed("\xF0\x9F\xC3\xA9") == replacement + "\xC3\xA9");
  CHECK(streamed("\xC0\xAF").substr(0, 3) == replacement);
  CHECK(streamed("\xED\xA0\x80").find('\xED') == std::string::npos);
  CHECK(streamed("\xF5\x80\x80\x80").find('\xF5') == std::string::npos);
}

TEST_CASE("an unfinished character at the end is flushed") {
  CHECK(streamed("ok\xE2\x82") == "ok" + replacement);
  Utf8Stream stream;
  CHECK(stream.flush().empty());
}

TEST_CASE("any two bytes give valid UTF-8") {
  // Every output, streamed again, must pass unchanged: it holds no faulty byte.
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const char bytes[] = {static_cast<char>(first), static_cast<char>(second), 'x'};
      const std::string once = streamed({bytes, sizeof bytes});
      REQUIRE(streamed(once) == once);
      REQUIRE(once.back() == 'x');
    }
  }
}

}  // namespace pspllm
