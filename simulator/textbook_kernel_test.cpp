// The published end-to-end figure: stories15M in int8 on a PSP-2000, plain C, 333 MHz: 64 tokens in 42.6
// s, 1.5 tokens/s, which is 14.6 cycles a weight (granda.org, 2026-05). A textbook kernel built here must
// come within 20 %.
#include <doctest/doctest.h>

#include "simulator/cross_build.hpp"
#include "simulator/machine.hpp"

namespace pspllm::simulator {

namespace {

constexpr double published_tokens_per_second = 64.0 / 42.6;
constexpr double megahertz = 333.0;
constexpr double layers = 6.0;
constexpr double classifier_parts = 10.0;
constexpr double weights_per_token = 6.0 * (4.0 * 288 * 288 + 3.0 * 288 * 768) + 288.0 * 32000;

}  // namespace

TEST_CASE("a textbook q80 kernel runs at the published speed") {
  if (!has_cross_compiler()) {
    MESSAGE("skipped: mipsel-linux-gnu-g++ is not installed");
    return;
  }
  const ScratchFolder folder;
  const std::vector<Byte> elf = build_static_elf("simulator/programs/textbook_q80.cpp", folder.path());
  REQUIRE(!elf.empty());
  MemoryStorage stick;
  const Result<std::unique_ptr<Machine>> machine = Machine::make(elf, {}, stick, {});
  REQUIRE_MESSAGE(machine, (machine ? "" : machine.error().message));
  Machine& psp = **machine;
  psp.kernel.set_clock(333, 166);
  REQUIRE(psp.run(1'000'000'000) == Ending::returned);
  const std::vector<MarkerRecord>& markers = psp.kernel.markers;
  REQUIRE(markers.size() == 3);
  const double layer = static_cast<double>(markers[1].cycle - markers[0].cycle);
  const double classifier = static_cast<double>(markers[2].cycle - markers[1].cycle);
  const double token = layer * layers + classifier * classifier_parts;
  const double tokens_per_second = megahertz * 1e6 / token;
  MESSAGE("modelled: " << token / weights_per_token << " cycles a weight, " << tokens_per_second
                       << " tokens/s; published: " << published_tokens_per_second);
  CHECK(tokens_per_second > published_tokens_per_second * 0.8);
  CHECK(tokens_per_second < published_tokens_per_second * 1.2);
}

}  // namespace pspllm::simulator
