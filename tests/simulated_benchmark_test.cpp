// The program's benchmark on the simulator must find the very constants that the simulator runs with, at both
// ends of what is uncertain: then a real console's bench.txt can be believed.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "simulator/timing_constants.hpp"
#include "tests/support/read_file.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pspllm::testing {
namespace {

std::map<std::string, double> numbers_of(const std::string& bench) {
  std::map<std::string, double> numbers;
  std::istringstream lines(bench);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    double value = 0;
    if (words >> name >> value) numbers[name] = value;
  }
  return numbers;
}

/// bench.txt as the EBOOT writes it on a simulated console with these constants.
std::map<std::string, double> run_benchmark(const TemporaryFolder& stick, const std::string& switches) {
  const std::string eboot = std::getenv("PSPLLM_EBOOT");
  const std::string game = stick.path("PSP/GAME/PspLlm");
  std::filesystem::create_directories(game);
  std::filesystem::copy_file(eboot, game + "/EBOOT.PBP", std::filesystem::copy_options::overwrite_existing);
  std::filesystem::remove(game + "/bench.txt");
  const ProgramResult result = run_pspllm({"simulate", stick.path(""), "--device", "psp1000", "--autorun",
                                           "benchmark=1", "--switches", switches, "--quiet"});
  CAPTURE(result.error);
  REQUIRE(result.exit_code == 0);
  return numbers_of(read_file(game + "/bench.txt"));
}

struct Expectation {
  std::string_view name;
  double tolerance;  ///< a share of the constant
};

/// Latencies to the cycle; memory within what interrupts, refresh of the loop and rounding leave.
constexpr Expectation expectations[] = {
    {"multiply_accumulate_latency", 0},
    {"divide_blocks_issue", 0},
    {"nullified_slot_cycles", 0},
    {"fpu_move_latency", 0},
    {"fpu_load_latency", 0},
    {"move_to_fpu_latency", 0},
    {"move_from_fpu_latency", 0},
    {"vfpu_blocks_issue", 0},
    {"vfpu_load_latency", 0},
    {"vfpu_store_quad_cycles", 0},
    {"move_to_vfpu_latency", 0},
    {"move_from_vfpu_latency", 0},
    {"vfpu_compare_move_latency", 0},
    {"fill_sequential_cycles", 0.03},
    {"fill_random_cycles", 0.03},
    {"open_row_bytes", 0},
    {"fill_vram_cycles", 0.03},
    {"fill_scratchpad_cycles", 0.06},
    {"dirty_eviction_cycles", 0.03},
    {"prefetch_overlaps", 0},
    {"cache_operation_cycles", 0},
    {"stick_read_kilobytes_per_second", 0.05},
    {"stick_call_microseconds", 0.05},
    {"stick_open_microseconds", 0.05},
    {"uncached_read_cycles", 0},
    {"uncached_write_cycles", 0},
};

void check_constants(const std::string& switches, const simulator::Timing& timing) {
  const TemporaryFolder stick;
  std::map<std::string, double> found = run_benchmark(stick, switches);
  for (const Expectation& expected : expectations) {
    CAPTURE(switches);
    CAPTURE(std::string(expected.name));
    const auto key = simulator::constant_named(expected.name);
    REQUIRE(key);
    REQUIRE(found.count(std::string(expected.name)) == 1);
    const double truth = timing[*key];
    CHECK(found[std::string(expected.name)] == doctest::Approx(truth).epsilon(expected.tolerance + 1e-9));
  }
}

}  // namespace

TEST_CASE("the benchmark finds the conservative constants") {
  check_constants("conservative", simulator::conservative_timing());
}

TEST_CASE("the benchmark finds the optimistic constants") {
  check_constants("optimistic", simulator::optimistic_timing());
}

}  // namespace pspllm::testing
