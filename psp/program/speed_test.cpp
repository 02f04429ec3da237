#include "psp/program/speed.hpp"

#include <doctest/doctest.h>

namespace pspllm::psp {
namespace {

TEST_CASE("tokens a second: more decimals for slower ones, nothing before there is anything") {
  CHECK(tokens_per_second(0, 100).view() == "-");
  CHECK(tokens_per_second(5, 0).view() == "-");
  CHECK(tokens_per_second(3, 2'000'000).view() == "1.50");
  CHECK(tokens_per_second(25, 2'000'000).view() == "12.5");
  CHECK(tokens_per_second(500, 2'000'000).view() == "250");
  CHECK(tokens_per_second(4'000'000'000U, 1'000'000).view() == "4000000000");
}

TEST_CASE("prompt and text are told apart") {
  TextFigures figures;
  figures.prompt_tokens = 20;
  figures.prefill_us = 1'000'000;
  figures.generated_tokens = 11;
  figures.decode_tokens = 10;
  figures.decode_us = 4'000'000;
  CHECK(prefill_rate(figures).view() == "20.0");
  CHECK(decode_rate(figures).view() == "2.50");
}

TEST_CASE("bytes in short and in full") {
  CHECK(short_bytes(0).view() == "0");
  CHECK(short_bytes(1023).view() == "1023");
  CHECK(short_bytes(1536).view() == "1.5K");
  CHECK(short_bytes(24'585'472).view() == "23.45M");
  CHECK(grouped_digits(0).view() == "0");
  CHECK(grouped_digits(999).view() == "999");
  CHECK(grouped_digits(24'585'472).view() == "24 585 472");
}

}  // namespace
}  // namespace pspllm::psp
