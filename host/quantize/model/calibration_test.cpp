#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "host/core/failure.hpp"
#include "host/quantize/model/calibration_text.hpp"
#include "host/quantize/model/calibration_tokens.hpp"

namespace pspllm::host {
namespace {

std::vector<std::int32_t> counted(std::size_t n) {
  std::vector<std::int32_t> ids(n);
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

std::string complaint_about(const std::string& text) {
  try {
    require_text(text, "t.txt");
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("windows are whole, spread over the text, and never both fitted and held out") {
  const std::vector<std::int32_t> text = counted(10 * 1000 + 3);
  const CalibrationTokens cut = cut_windows(text, 10, 4000, "t");
  CHECK(cut.fitted_windows == 400);
  CHECK(cut.held_out_windows == 24);
  REQUIRE(cut.ids.size() == 4240);
  std::vector<std::int32_t> starts;
  for (std::size_t window = 0; window < cut.windows(); ++window) {
    const std::int32_t* const ids = cut.ids.data() + window * 10;
    CHECK(ids[0] % 10 == 0);
    CHECK(ids[9] == ids[0] + 9);
    starts.push_back(ids[0]);
  }
  CHECK(*std::max_element(starts.begin(), starts.end()) > 9800);
  std::sort(starts.begin(), starts.end());
  CHECK(std::adjacent_find(starts.begin(), starts.end()) == starts.end());
}

TEST_CASE("a short text is used whole, a shorter one refused") {
  const CalibrationTokens cut = cut_windows(counted(87), 10, 4000, "t");
  CHECK(cut.fitted_windows == 7);
  CHECK(cut.held_out_windows == 1);
  try {
    static_cast<void>(cut_windows(counted(79), 10, 4000, "t.txt"));
    FAIL("no failure");
  } catch (const Failure& failure) {
    CHECK(std::string(failure.what())
              .find("t.txt: a calibration text of 79 tokens is too short, expected at "
                    "least 80") != std::string::npos);
  }
}

TEST_CASE("what is no text is refused") {
  CHECK(complaint_about("Hello.\n\tWorld\r\n") == "none");
  CHECK(complaint_about("na\xC3\xAFve") == "none");
  CHECK(complaint_about("").find("t.txt: the calibration text is empty") == 0);
  CHECK(complaint_about(" \n\t ").find("t.txt: the calibration text is empty") == 0);
  CHECK(complaint_about(std::string("GGUF\x03\0\0", 7)).find("t.txt: not a text: byte 4 is 0x03") == 0);
}

}  // namespace pspllm::host
