// The timing model against every published measurement of an instruction: the same loops that were run on
// hardware. A figure may differ by 5 %; the measured ones contain about 0.75 % of the system's interrupts.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>

#include "simulator/published_timings.hpp"
#include "simulator/test_core.hpp"

namespace pspllm::simulator {

namespace {

using namespace encode;  // the loops read like assembly

constexpr double allowed = 0.05;
constexpr SignedWord iterations = 64;
constexpr std::size_t unrolled = 256;  // as in the measured loops

// Cycles of one iteration of `body` in the measured loop's frame: sub, bnez, nop.
double loop_cycles(const std::vector<Word>& before, const std::vector<Word>& body, Word slot = nop) {
  TestCore machine;
  std::vector<Word> program = before;
  program.push_back(addiu(a3, zero, iterations));
  const std::size_t top = program.size();
  program.insert(program.end(), body.begin(), body.end());
  program.push_back(addiu(a3, a3, -1));
  program.push_back(bne(a3, zero, -static_cast<SignedWord>(program.size() - top + 1)));
  program.push_back(slot);
  program.push_back(break_(TestCore::end_code));
  program.push_back(nop);
  machine.place(TestCore::code, program);
  for (Word& value : machine.core.vpr) value = as_bits(1.0F);
  Cycles start = 0;
  for (int pass = 0; pass < 2; ++pass) {  // the first one fills the instruction cache
    machine.core.pc = TestCore::code;
    start = machine.core.cycle;
    REQUIRE(machine.core.run(~Cycles{0}) == RunResult::fault);
    REQUIRE(machine.core.fault.kind == FaultKind::breakpoint);
  }
  return static_cast<double>(machine.core.cycle - start) / iterations;
}

std::vector<Word> repeated(const std::vector<Word>& words, std::size_t times) {
  std::vector<Word> result;
  for (std::size_t i = 0; i < times; ++i) result.insert(result.end(), words.begin(), words.end());
  return result;
}

void compare(const std::string& name, double modelled, double measured) {
  CAPTURE(name);
  CAPTURE(modelled);
  CAPTURE(measured);
  CHECK(std::fabs(modelled / measured - 1.0) <= allowed);
}

// The registers that the measured loops use for the i-th instruction.
Word with_registers(const PublishedTiming& row, Word i) {
  const auto place = [](Word index) { return 4U * (index % 8U); };
  Word word = row.base;
  if (row.d_shift >= 0) word |= place(i) << static_cast<unsigned>(row.d_shift);
  if (row.has_s) word |= place(i + 1) << 8U;
  if (row.has_t) word |= place(i + 2) << 16U;
  return word;
}

constexpr Word vabs_q = 0xD0018080;

double modelled_throughput(const PublishedTiming& row) {
  std::vector<Word> eight;
  for (Word i = 0; i < 8; ++i) eight.push_back(with_registers(row, i));
  return loop_cycles({}, repeated(eight, unrolled / 8)) / unrolled;
}

double modelled_latency(const PublishedTiming& row) {
  std::vector<Word> sixteen;
  for (Word i = 0; i < 8; ++i) {
    sixteen.push_back(with_registers(row, i));
    sixteen.push_back(vfpu(vabs_q, 4 * i, 4 * i));
  }
  return loop_cycles({}, repeated(sixteen, unrolled / 8)) / unrolled - 1.0;
}

// A branch over eight instructions, as measured: with its delay slot it lands ten instructions on.
std::vector<Word> hop(Word branch, Word slot = nop) {
  std::vector<Word> words(10, nop);
  words[0] = branch;
  words[1] = slot;
  return words;
}

constexpr SignedWord hop_distance = 9;

}  // namespace

TEST_CASE("every VFPU operation: throughput and latency") {
  double worst = 0.0;
  std::string worst_name;
  for (const PublishedTiming& row : published_timings) {
    const double throughput = modelled_throughput(row);
    const double latency = modelled_latency(row);
    compare(std::string(row.name) + " throughput", throughput, row.throughput);
    compare(std::string(row.name) + " latency", latency, row.latency);
    for (const double error : {throughput / row.throughput - 1.0, latency / row.latency - 1.0}) {
      if (std::fabs(error) <= std::fabs(worst)) continue;
      worst = error;
      worst_name = row.name;
    }
  }
  MESSAGE("largest error over " << published_timings.size() << " operations: " << worst * 100.0 << " % ("
                                << worst_name << ")");
}

TEST_CASE("branches") {
  const std::vector<Word> conditions_true{vfpu(0xD0068080, 0x20, 0), vfpu(0x6C008080, 1, 0x20, 0x20)};
  const std::vector<Word> conditions_false{vfpu(0xD0068080, 0x20, 0), vfpu(0x6C008080, 5, 0x20, 0x20)};
  const auto taken = [](const std::vector<Word>& before, Word branch) {
    return loop_cycles(before, repeated(hop(branch), unrolled)) / unrolled;
  };
  compare("bvt", taken(conditions_true, bvt(0, hop_distance)), 4.069626);
  compare("bvf", taken(conditions_false, bvf(0, hop_distance)), 4.067561);
  compare("bvtl", taken(conditions_true, bvtl(0, hop_distance)), 4.066847);
  compare("bvfl", taken(conditions_false, bvfl(0, hop_distance)), 4.066053);
  compare("beq", taken({}, beq(zero, zero, hop_distance)), 4.067164);
}

TEST_CASE("jumps") {
  std::vector<Word> body;
  for (Word i = 0; i < unrolled; ++i) {
    const Address target = TestCore::code + (1U + (i + 1U) * 10U) * 4U;
    const std::vector<Word> words = hop(j(target));
    body.insert(body.end(), words.begin(), words.end());
  }
  compare("j", loop_cycles({}, body) / unrolled, 3.054025);

  // jr $t0 with $t0 moved on in the slot; reloaded from $t1 in the loop's slot.
  const Address first = TestCore::code + (4U + 10U) * 4U;
  const std::vector<Word> before{lui(t1, first >> 16U), ori(t1, t1, first & 0xFFFFU), addu(t0, t1, zero)};
  compare(
      "jr",
      loop_cycles(before, repeated(hop(jr(t0), addiu(t0, t0, 40)), unrolled), addu(t0, t1, zero)) / unrolled,
      3.062282);
}

TEST_CASE("vcmp to bvt") {
  const std::vector<Word> body = repeated({vfpu(0x6C008080, 5, 0x20, 0x20), bvt(0, -2), nop}, unrolled);
  compare("vcmp", loop_cycles({vfpu(0xD0068080, 0x20, 0)}, body) / unrolled - 2.0, 8.115432);
}

TEST_CASE("FPU") {
  const std::vector<Word> one{lui(a3, 0x3F80), mtc1(a3, 1), mtc1(a3, 2)};
  const auto independent = [&](const std::function<Word(Word)>& make) {
    std::vector<Word> eight;
    for (Word d = 3; d <= 10; ++d) eight.push_back(make(d));
    return loop_cycles(one, repeated(eight, unrolled / 8)) / unrolled;
  };
  // Each result is the next one's second operand; the eighth goes back to the first.
  const auto chained = [&](const std::function<Word(Word, Word)>& make) {
    std::vector<Word> eight;
    for (Word i = 0; i < 8; ++i) eight.push_back(make(i == 7 ? 2 : i + 3, i == 0 ? 2 : i + 2));
    return loop_cycles(one, repeated(eight, unrolled / 8)) / unrolled;
  };
  compare("add.s throughput", independent([](Word d) { return add_s(d, 1, 2); }), 1.031241);
  compare("mul.s throughput", independent([](Word d) { return mul_s(d, 1, 2); }), 1.031003);
  compare("div.s throughput", independent([](Word d) { return div_s(d, 1, 2); }), 30.264521);
  compare("sqrt.s throughput", independent([](Word d) { return sqrt_s(d, 1); }), 29.262577);
  compare("add.s latency", chained([](Word d, Word t) { return add_s(d, 1, t); }), 5.046085);
  compare("mul.s latency", chained([](Word d, Word t) { return mul_s(d, 1, t); }), 5.051007);
  compare("div.s latency", chained([](Word d, Word t) { return div_s(d, 1, t); }), 31.268133);
  compare("sqrt.s latency", chained([](Word d, Word t) { return sqrt_s(d, t); }), 30.259201);
}

TEST_CASE("multiplication and division") {
  const std::vector<Word> operands{lui(t0, 0x1EAD), ori(t0, t0, 0xC0FE), lui(t1, 0xF00D),
                                   ori(t1, t1, 0xF00D)};
  compare("mult throughput", loop_cycles(operands, repeated({mult(t0, t1)}, unrolled)) / unrolled, 1.028541);
  compare("div throughput", loop_cycles(operands, repeated({div(t0, t1)}, unrolled)) / unrolled, 20.247774);
  compare("mult latency", loop_cycles(operands, repeated({mult(t0, t1), mflo(t2)}, unrolled)) / unrolled,
          7.082684);
  compare("div latency", loop_cycles(operands, repeated({div(t0, t1), mflo(t2)}, unrolled)) / unrolled,
          21.254801);
}

TEST_CASE("load to use") {
  TestCore machine;
  machine.store(TestCore::data, TestCore::data);
  std::vector<Word> chase = repeated({lw(v0, 0, v0)}, 1024);
  machine.core.gpr[v0] = TestCore::data;
  REQUIRE(machine.run(chase));
  const Cycles start = machine.core.cycle;
  machine.core.pc = TestCore::code;
  REQUIRE(machine.core.run(~Cycles{0}) == RunResult::fault);
  compare("lw pointer chase", static_cast<double>(machine.core.cycle - start) / 1024.0, 3.04);
}

}  // namespace pspllm::simulator
