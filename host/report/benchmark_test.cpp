#include "host/report/benchmark.hpp"

#include <doctest/doctest.h>

namespace pspllm::host {

TEST_CASE("a series has its mean, sample deviation and ends") {
  const RateSeries series{{2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}};
  CHECK(series.mean() == 5.0);
  CHECK(series.deviation() == doctest::Approx(2.13809));
  CHECK(series.smallest() == 2.0);
  CHECK(series.largest() == 9.0);
}

TEST_CASE("one repetition has no spread, none has no figures") {
  CHECK(RateSeries{{3.0}}.deviation() == 0.0);
  CHECK(RateSeries{}.mean() == 0.0);
  CHECK(RateSeries{}.largest() == 0.0);
}

}  // namespace pspllm::host
