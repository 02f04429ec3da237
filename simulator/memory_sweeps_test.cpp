// The cache model against the published memory sweeps of a PSP-1000 at 333/166 MHz (vfpu-docs
// docs/reference-outputs/ mem_cycles.txt): the same loops, buffers and sizes. A figure may differ by 5 %.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "simulator/test_core.hpp"

namespace pspllm::simulator {

namespace {

using namespace encode;

constexpr double allowed = 0.05;
// The measured buffer was aligned to 16 bytes, not to a cache line: it shares its first line with what lies
// before it.
constexpr Address buffer = TestCore::data + 16;

struct Sweep {
  Word bytes;
  double measured;
};

void compare(Word bytes, double modelled, double measured) {
  CAPTURE(bytes);
  CAPTURE(modelled);
  CAPTURE(measured);
  CHECK(std::fabs(modelled / measured - 1.0) <= allowed);
}

// A program of a loop around `body`, which runs `iterations` times and then breaks.
std::vector<Word> looped(const std::vector<Word>& body, Word iterations, const std::vector<Word>& tail,
                         Word slot) {
  std::vector<Word> program{lui(a3, iterations >> 16U), ori(a3, a3, iterations & 0xFFFFU)};
  const std::size_t top = program.size();
  program.insert(program.end(), body.begin(), body.end());
  program.push_back(addiu(a3, a3, -1));
  program.insert(program.end(), tail.begin(), tail.end());
  program.push_back(bne(a3, zero, -static_cast<SignedWord>(program.size() - top + 1)));
  program.push_back(slot);
  program.push_back(break_(TestCore::end_code));
  program.push_back(nop);
  return program;
}

// Cycles of a run that passes over the buffer at least twice, after one that warmed the caches up.
double run_cycles(TestCore& machine, const std::vector<Word>& program) {
  machine.place(TestCore::code, program);
  Cycles start = 0;
  for (int pass = 0; pass < 2; ++pass) {
    machine.core.pc = TestCore::code;
    machine.core.gpr[a0] = buffer;
    start = machine.core.cycle;
    REQUIRE(machine.core.run(~Cycles{0}) == RunResult::fault);
    REQUIRE(machine.core.fault.kind == FaultKind::breakpoint);
  }
  return static_cast<double>(machine.core.cycle - start);
}

// A chain of pointers through every word of the buffer: in order, or one random cycle.
double chase(Word bytes, bool random) {
  TestCore machine;
  const Word count = bytes / 4U;
  std::vector<Word> order(count);
  std::iota(order.begin(), order.end(), 0U);
  if (random) {
    Word state = 12345;
    for (Word i = count - 1; i > 0; --i) {
      state = state * 1664525U + 1013904223U;
      std::swap(order[i], order[static_cast<std::size_t>((DoubleWord{state} * i) >> 32U)]);
    }
  }
  for (Word i = 0; i < count; ++i)
    machine.store(buffer + order[i] * 4U, buffer + order[(i + 1) % count] * 4U);
  constexpr std::size_t unrolled = 256;
  const std::vector<Word> body(unrolled, lw(a0, 0, a0));
  const Word iterations = std::max<Word>(2U * count / unrolled, 64U);
  return run_cycles(machine, looped(body, iterations, {}, nop)) / (double{unrolled} * iterations);
}

// Loads of 1,024 bytes an iteration (lv.q: of 2,048, as the measured loop did while it advanced by 1,024).
double stream(Word bytes, bool quads) {
  TestCore machine;
  std::vector<Word> body;
  for (SignedWord offset = 0; offset < (quads ? 2048 : 1024); offset += quads ? 16 : 4)
    body.push_back(quads ? lv_q(0x20, offset, a0) : lw(v0, offset, a0));
  const Address last = buffer + bytes - 4U;
  std::vector<Word> program{lui(t0, buffer >> 16U), ori(t0, t0, buffer & 0xFFFFU), lui(t1, last >> 16U),
                            ori(t1, t1, last & 0xFFFFU)};
  const Word iterations = std::max<Word>(2U * bytes / 1024U, 64U);
  const std::vector<Word> loop =
      looped(body, iterations, {addiu(a0, a0, 1024), sltu(v0, a0, t1)}, movz(a0, t0, v0));
  program.insert(program.end(), loop.begin(), loop.end());
  return run_cycles(machine, program) / (static_cast<double>(body.size()) * iterations);
}

}  // namespace

TEST_CASE("sequential pointer chase") {
  constexpr Sweep sweeps[] = {
      {8192, 3.039715},   {16384, 3.095886},  {32768, 6.407503},   {65536, 6.402481},   {131072, 6.401926},
      {262144, 6.400516}, {524288, 6.400298}, {1048576, 6.399961}, {2097152, 6.403811}, {4194304, 6.398651}};
  for (const Sweep& sweep : sweeps) compare(sweep.bytes, chase(sweep.bytes, false), sweep.measured);
}

TEST_CASE("random pointer chase") {
  constexpr Sweep sweeps[] = {{8192, 3.039179},    {16384, 3.249829},    {32768, 39.171982},
                              {65536, 56.325180},  {131072, 64.789154},  {262144, 68.586517},
                              {524288, 70.482117}, {1048576, 71.711266}, {2097152, 72.218048},
                              {4194304, 72.464783}};
  for (const Sweep& sweep : sweeps) compare(sweep.bytes, chase(sweep.bytes, true), sweep.measured);
}

TEST_CASE("lw stream") {
  constexpr Sweep sweeps[] = {
      {8192, 1.038049},   {16384, 1.088483},  {32768, 4.526475},   {65536, 4.526137},   {131072, 4.523756},
      {262144, 4.522525}, {524288, 4.520719}, {1048576, 4.522942}, {2097152, 4.521493}, {4194304, 4.520282}};
  for (const Sweep& sweep : sweeps) compare(sweep.bytes, stream(sweep.bytes, false), sweep.measured);
}

TEST_CASE("lv.q stream") {
  constexpr Sweep sweeps[] = {
      {8192, 1.067523},   {16384, 2.467705},  {32768, 8.205307},   {65536, 8.090981},   {131072, 8.030561},
      {262144, 8.002417}, {524288, 7.986896}, {1048576, 7.979988}, {2097152, 7.978639}, {4194304, 7.974709}};
  for (const Sweep& sweep : sweeps) compare(sweep.bytes, stream(sweep.bytes, true), sweep.measured);
}

}  // namespace pspllm::simulator
