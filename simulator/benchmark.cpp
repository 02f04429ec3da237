// How fast the simulator is: simulated instructions a second, with timing on, on one core.
#include <benchmark/benchmark.h>

#include "simulator/test_core.hpp"

namespace pspllm::simulator {

namespace {

using namespace encode;

constexpr Word iterations = 20'000;

// Runs `body` in a loop; $a0 points to the data and starts anew in every pass.
void run_loop(benchmark::State& state, const std::vector<Word>& body) {
  TestCore machine;
  std::vector<Word> program{lui(a3, iterations >> 16U), ori(a3, a3, iterations & 0xFFFFU)};
  program.insert(program.end(), body.begin(), body.end());
  program.push_back(addiu(a3, a3, -1));
  program.push_back(bne(a3, zero, -static_cast<SignedWord>(body.size()) - 2));
  program.push_back(nop);
  program.push_back(break_(TestCore::end_code));
  program.push_back(nop);
  machine.place(TestCore::code, program);
  DoubleWord instructions = 0;
  for ([[maybe_unused]] auto _ : state) {
    machine.core.pc = TestCore::code;
    machine.core.gpr[a0] = TestCore::data;
    machine.core.gpr[a1] = TestCore::data + 4096;
    const DoubleWord before = machine.core.instructions;
    benchmark::DoNotOptimize(machine.core.run(~Cycles{0}));
    instructions += machine.core.instructions - before;
  }
  state.counters["instructions/s"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}

void integer_arithmetic(benchmark::State& state) {
  run_loop(state, {addu(t0, t0, t1), subu(t1, t1, t2), ori(t2, t0, 3), sltu(t3, t0, t1), addiu(t4, t4, 1),
                   seb(t5, t0), ext(t6, t1, 4, 8), movz(t7, t0, t3)});
}
BENCHMARK(integer_arithmetic);

// The inner step of a textbook int8 product.
void integer_product(benchmark::State& state) {
  run_loop(state, {lb(t0, 0, a0), lb(t1, 0, a1), mult(t0, t1), mflo(t2), addu(t3, t3, t2), addiu(a0, a0, 0),
                   addiu(a1, a1, 0)});
}
BENCHMARK(integer_product);

void float_arithmetic(benchmark::State& state) {
  run_loop(state, {mul_s(3, 1, 2), add_s(4, 4, 3), mul_s(5, 1, 2), add_s(6, 6, 5)});
}
BENCHMARK(float_arithmetic);

// 16 int8 weights: one load, unpacking, a matrix transform and an addition.
std::vector<Word> vector_kernel() {
  std::vector<Word> words{lv_q(0x1C, 0, a0)};
  for (Word i = 0; i < 4; ++i) words.push_back(vfpu(0xD0390000, i, 0x1C + 32 * i));   // vc2i.s
  for (Word i = 0; i < 4; ++i) words.push_back(vfpu(0xD2808080 | 24U << 16U, i, i));  // vi2f.q
  words.push_back(lv_q(0x08, 0, a1));
  words.push_back(vfpu(0xF1808080, 0x0C, 0, 0x08));     // vtfm4.q
  words.push_back(vfpu(0x60008080, 0x10, 0x10, 0x0C));  // vadd.q
  return words;
}
void vector_product(benchmark::State& state) {
  run_loop(state, vector_kernel());
}
BENCHMARK(vector_product);

// A new cache line with every load.
void memory_stream(benchmark::State& state) {
  run_loop(state, {lw(t0, 0, a0), lw(t1, 64, a0), lw(t2, 128, a0), lw(t3, 192, a0), addiu(a0, a0, 256)});
}
BENCHMARK(memory_stream);

}  // namespace

}  // namespace pspllm::simulator

BENCHMARK_MAIN();
