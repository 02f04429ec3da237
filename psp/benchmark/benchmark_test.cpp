#include <doctest/doctest.h>

#include <string>

#include "psp/benchmark/run_benchmark.hpp"
#include "psp/program/fakes/play.hpp"
#include "psp/screens/menu_screen.hpp"

namespace pspllm::psp {
namespace {

/// What the fake loops move the fake console's clock by.
FakeConsole* running_console = nullptr;

template <std::uint64_t microseconds>
void fake_loop(std::uint32_t iterations, void*) {
  running_console->time_us += iterations * microseconds;
}

/// Every loop takes 9 us an iteration, the empty one 1.
LoopSet fake_loops(FakeConsole& console, std::span<std::byte> memory) {
  running_console = &console;
  LoopSet loops;
  loops.run.fill(fake_loop<9>);
  loops.run[static_cast<std::size_t>(LoopId::empty)] = fake_loop<1>;
  loops.vram = memory.data();
  loops.scratchpad = memory.data();
  loops.uncached = [](void* same, std::size_t) { return same; };
  return loops;
}

float& at(LoopCycles& cycles, LoopId id) {
  return cycles[static_cast<std::size_t>(id)];
}

std::uint32_t constant(const DerivedConstants& constants, std::string_view name) {
  for (const MeasuredConstant& one : constants)
    if (one.name == name) return one.value;
  FAIL("no constant is named " << std::string(name));
  return 0;
}

/// A console on which nothing overlaps.
LoopCycles slow_console() {
  LoopCycles cycles;
  cycles.fill(4.0F);
  at(cycles, LoopId::transform_integer) = 7.0F;
  at(cycles, LoopId::divide_integer) = 54.2F;
  at(cycles, LoopId::stream_read) = 57.3F;
  at(cycles, LoopId::stream_change) = 114.4F;
  at(cycles, LoopId::stream_work) = 121.0F;
  at(cycles, LoopId::stream_prefetch_work) = 122.0F;
  at(cycles, LoopId::near_lines) = 71.0F;
  at(cycles, LoopId::far_lines) = 72.0F;
  return cycles;
}

TEST_CASE("a loop's figure is cycles an operation, without the loop's own") {
  Play play;
  play.console.clock_speed = {333, 166};
  const LoopSet loops = fake_loops(play.console, play.state().block);
  const LoopBench bench{loops, play.console, play.state().block};
  const float overhead = measure_overhead(bench);
  CHECK(overhead == doctest::Approx(333.0).epsilon(0.01));
  CHECK(measure_loop(bench, LoopId::float_move, overhead) ==
        doctest::Approx(8.0 * 333.0 / 64.0).epsilon(0.01));
}

TEST_CASE("constants follow from the loops") {
  const DerivedConstants slow = derive_constants(slow_console());
  CHECK(constant(slow, "vfpu_blocks_issue") == 1);
  CHECK(constant(slow, "divide_blocks_issue") == 1);
  CHECK(constant(slow, "prefetch_overlaps") == 0);
  CHECK(constant(slow, "open_row_bytes") == 0);
  CHECK(constant(slow, "fill_sequential_cycles") == 56);
  CHECK(constant(slow, "dirty_eviction_cycles") == 54);
  CHECK(constant(slow, "vfpu_load_latency") == 3);

  LoopCycles cycles = slow_console();
  at(cycles, LoopId::transform_integer) = 4.1F;
  at(cycles, LoopId::divide_integer) = 30.5F;
  at(cycles, LoopId::stream_prefetch_work) = 67.0F;
  at(cycles, LoopId::near_lines) = 57.4F;
  at(cycles, LoopId::stream_change) = 58.5F;
  const DerivedConstants fast = derive_constants(cycles);
  CHECK(constant(fast, "vfpu_blocks_issue") == 0);
  CHECK(constant(fast, "divide_blocks_issue") == 0);
  CHECK(constant(fast, "prefetch_overlaps") == 1);
  CHECK(constant(fast, "open_row_bytes") == 2048);
  CHECK(constant(fast, "dirty_eviction_cycles") == 0);
}

TEST_CASE("the menu's benchmark measures, saves bench.txt and loads the model again") {
  Play play;
  play.put_model();
  play.file("EBOOT.PBP") = std::string(200'000, 'x');
  const LoopSet loops = fake_loops(play.console, play.state().block);
  play.state().benchmark_loops = &loops;
  play.console.press(Button::triangle);
  for (int i = static_cast<int>(MenuChoice::begin_anew); i < static_cast<int>(MenuChoice::benchmark); ++i)
    play.console.press(Button::down);
  play.console.press(Button::cross);
  play.console.press(Button::cross);
  play.console.look([](const std::string& screen) {
    CAPTURE(screen);
    CHECK(screen.find("multiply_accumulate_latency") != std::string::npos);
    CHECK(screen.find("Saved as bench.txt") != std::string::npos);
  });
  play.console.press(Button::circle);
  play.console.look([](const std::string& screen) {
    CHECK(screen.find("write the beginning of a story") != std::string::npos);
  });
  play.run();
  CHECK(play.console.script_done());
  CHECK(play.state().model.ready);
  const std::string saved = play.file("bench.txt");
  CAPTURE(saved);
  CHECK(saved.find("\nloop_vector_load ") != std::string::npos);
  CHECK(saved.find("\nkernel_matmul ") != std::string::npos);
  CHECK(saved.find("\nstick_read_kilobytes_per_second ") != std::string::npos);
}

TEST_CASE("autorun benchmark=1 writes bench.txt without a person; CIRCLE stops it") {
  for (const bool stops : {false, true}) {
    Play play;
    play.file("autorun.txt") = "benchmark=1\n";
    const LoopSet loops = fake_loops(play.console, play.state().block);
    play.state().benchmark_loops = &loops;
    if (stops) play.console.press_while_busy(Button::circle);
    play.run();
    CHECK(play.has_file("bench.txt") == !stops);
    CHECK((play.file("figures.txt").find("error=The benchmark was stopped.") != std::string::npos) == stops);
  }
}

TEST_CASE("without loops the benchmark is not offered, and an autorun says so") {
  Play play;
  play.file("autorun.txt") = "benchmark=1\n";
  play.run();
  CHECK(play.file("figures.txt").find("error=") != std::string::npos);
  CHECK_FALSE(play.has_file("bench.txt"));
}

}  // namespace
}  // namespace pspllm::psp
