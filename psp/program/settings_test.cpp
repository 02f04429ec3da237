#include "psp/program/settings.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace std::string_literals;
using pspllm::psp::ColorTheme;
using pspllm::psp::format_settings;
using pspllm::psp::ModelName;
using pspllm::psp::parse_settings;
using pspllm::psp::ParsedSettings;
using pspllm::psp::Settings;

namespace {

std::string written(const Settings& settings) {
  return std::string(format_settings(settings).view());
}

}  // namespace

TEST_CASE("what is written is read back") {
  Settings settings;
  settings.temperature_hundredths = 125;
  settings.top_p_hundredths = 5;
  settings.seed = 4'000'000'000U;
  settings.length = 77;
  settings.context = 128;
  settings.clock_choice = 0;
  settings.repeat_penalty_hundredths = 110;
  settings.colors = ColorTheme::amber;
  settings.model = ModelName(
      "b\xC3\xA9"
      "b\xC3\xA9");
  const ParsedSettings parsed = parse_settings(written(settings));
  CHECK(parsed.bad_lines == 0);
  CHECK(written(parsed.settings) == written(settings));
  CHECK_FALSE(format_settings(settings).truncated());
}

TEST_CASE("a line that makes no sense leaves its default and the others alone") {
  const ParsedSettings parsed = parse_settings(
      "temperature=hot\ntop_p=0.5\nseed=-3\nlength=99999999\nclock_mhz=500\ncolors=pink\nmodel=../x\n"
      "repeat_penalty=0.5\nwhat=ever\n\x01\x02\xff\n");
  CHECK(parsed.bad_lines == 9);
  Settings expected;
  expected.top_p_hundredths = 50;
  CHECK(written(parsed.settings) == written(expected));
}

TEST_CASE("any bytes at all are read without harm, and what comes out can be written") {
  std::mt19937 random(7);
  const std::string good = written({});
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = round % 2 == 0 ? good : ""s;
    for (int i = 0; i < 40; ++i) {
      const auto byte = static_cast<char>(random() & 0xFFU);
      if (bytes.empty() || round % 2 == 1) {
        bytes += byte;
      } else {
        bytes[random() % bytes.size()] = byte;
      }
    }
    const ParsedSettings parsed = parse_settings(bytes);
    const ParsedSettings again = parse_settings(written(parsed.settings));
    CHECK(again.bad_lines == 0);
    CHECK(written(again.settings) == written(parsed.settings));
  }
}

TEST_CASE("sampler options: hundredths become the floats that the text names, seed 0 takes the fresh one") {
  Settings settings;
  settings.temperature_hundredths = 80;
  settings.top_p_hundredths = 90;
  CHECK(sampler_options(settings, 5).temperature == 0.8F);
  CHECK(sampler_options(settings, 5).top_p == 0.9F);
  CHECK(sampler_options(settings, 5).seed == 5);
  CHECK(sampler_options(settings, 0).seed == 1);
  settings.seed = 9;
  CHECK(sampler_options(settings, 5).seed == 9);
}
