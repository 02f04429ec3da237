#include "host/io/progress_bar.hpp"

#include <doctest/doctest.h>

namespace pspllm::host {

TEST_CASE("the bar shows its share at the beginning, in the middle, at the end and beyond") {
  CHECK(progress_line("reading", 0, 2048) ==
        "reading [                              ]   0 %  0 bytes of 2.00 KiB");
  CHECK(progress_line("reading", 1024, 2048) ==
        "reading [###############               ]  50 %  1.00 KiB of 2.00 KiB");
  CHECK(progress_line("reading", 2048, 2048) ==
        "reading [##############################] 100 %  2.00 KiB of 2.00 KiB");
  CHECK(progress_line("x", 9, 3).find("100 %") != std::string::npos);
  CHECK(progress_line("x", 0, 0).find("100 %") != std::string::npos);
}

TEST_CASE("the time left follows from the share of the work") {
  CHECK(timed_progress_line("x", 1, 4, 60.0) == "x [#######                       ]  25 %  3 min left");
  CHECK(timed_progress_line("x", 0, 4, 60.0) == "x [                              ]   0 %");
  CHECK(timed_progress_line("x", 4, 4, 60.0) == "x [##############################] 100 %  0 s left");
}

}  // namespace pspllm::host
