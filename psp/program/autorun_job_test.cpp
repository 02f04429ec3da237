#include "psp/program/autorun_job.hpp"

#include <doctest/doctest.h>

#include <string>

using pspllm::psp::AutorunJob;
using pspllm::psp::max_prompt_bytes;
using pspllm::psp::parse_autorun;
using pspllm::psp::Status;

TEST_CASE("all keys") {
  AutorunJob job;
  const Status status = parse_autorun(
      "prompt= \"Hello\\n\\\\ caf\xC3\xA9 "
      "\nsteps=64\ntemperature=0.8\ntop_p=0.9\nseed=42\nreference_output=1\n"
      "model=babyllama\ncontext=128\nrepeat_penalty=1.1\nlinger_seconds=2\nhome_after_tokens=3\n",
      job);
  REQUIRE(status.ok());
  CHECK(job.prompt.view() == " \"Hello\n\\ caf\xC3\xA9 ");
  CHECK(job.steps == 64);
  CHECK(job.sampler.temperature == 0.8F);
  CHECK(job.sampler.top_p == 0.9F);
  CHECK(job.sampler.seed == 42);
  CHECK(job.sampler.repeat_penalty == 1.1F);
  CHECK(job.reference_output);
  CHECK(job.model.view() == "babyllama");
  CHECK(job.context == 128);
  CHECK(job.linger_seconds == 2);
  CHECK(job.home_after_tokens == 3);
}

TEST_CASE("an empty file is an empty prompt with runq's defaults") {
  AutorunJob job;
  REQUIRE(parse_autorun("", job).ok());
  CHECK(job.prompt.empty());
  CHECK(job.steps == 256);
  CHECK(job.sampler.temperature == 1.0F);
  CHECK(job.sampler.top_p == 0.9F);
  CHECK_FALSE(job.reference_output);
}

TEST_CASE("each wrong line is told with its number and what is expected") {
  for (const char* wrong : {"steps=many", "temperature=-1", "temperature=101", "top_p=1.5", "seed=1.5",
                            "reference_output=2", "prompt=a\\tb", "nonsense", "colour=red", "context=131073",
                            "linger_seconds=601", "repeat_penalty=0.9"}) {
    AutorunJob job;
    const Status status = parse_autorun(std::string("# head\n") + wrong + "\n", job);
    CAPTURE(wrong);
    CHECK_FALSE(status.ok());
    CHECK(status.sentence.view().find("line 2") != std::string_view::npos);
    CHECK(status.sentence.view().find("expected") != std::string_view::npos);
  }
  AutorunJob job;
  CHECK_FALSE(parse_autorun("prompt=" + std::string(max_prompt_bytes + 1, 'a'), job).ok());
  CHECK(parse_autorun("prompt=" + std::string(max_prompt_bytes, 'a'), job).ok());
}
