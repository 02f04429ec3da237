// Markers, profile and reports.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "simulator/report.hpp"
#include "simulator/test_program.hpp"

namespace pspllm::simulator {

namespace {

using namespace encode;

constexpr Word layers = 2;
constexpr Word tokens = 4;

void mark(TestProgram& program, MarkerKind kind, Word value) {
  program.load(t0, TestProgram::number(value));
  program.emit(marker_word(kind, t0));
}

void mark_name(TestProgram& program, MarkerKind kind, Word name) {
  program.load(t0, TestProgram::at(name));
  program.emit(marker_word(kind, t0));
}

// A loop that takes about `thousands` * 1000 cycles: a turn is three instructions and two bubbles.
void work(TestProgram& program, Word thousands) {
  program.load(t1, TestProgram::number(thousands * 200U));
  program.emit(addiu(t1, t1, -1));
  program.emit(bne(t1, zero, -2));
  program.emit(nop);
}

// What a language model's program marks: two layers for each of three prompt tokens at once, then four
// tokens.
TestProgram marked_program() {
  TestProgram program;
  const Word attention = program.text("attention");
  work(program, 100);
  mark(program, MarkerKind::ready, 0);
  program.call("ThreadManForUser", "sceKernelDelayThread", {TestProgram::number(10'000)});
  mark(program, MarkerKind::prompt_begin, 3);
  const auto forward = [&](Word thousands) {
    for (Word layer = 0; layer < layers; ++layer) {
      mark(program, MarkerKind::layer_begin, layer);
      mark_name(program, MarkerKind::phase_begin, attention);
      work(program, thousands);
      mark(program, MarkerKind::phase_end, 0);
      work(program, thousands * 2);
      mark(program, MarkerKind::layer_end, 0);
    }
  };
  forward(50);
  mark(program, MarkerKind::prompt_end, 0);
  for (Word i = 1; i <= tokens; ++i) {
    forward(20);
    mark(program, MarkerKind::token, i);
  }
  mark(program, MarkerKind::answer_end, 0);
  program.exit();
  return program;
}

std::unique_ptr<Machine> run(TestProgram program, const Timing& timing) {
  static MemoryStorage stick;
  MachineOptions options;
  options.timing = timing;
  Result<std::unique_ptr<Machine>> machine = Machine::make(program.build(), {}, stick, options);
  REQUIRE_MESSAGE(machine, (machine ? "" : machine.error().message));
  REQUIRE((*machine)->run(1'000'000'000) == Ending::exit_game);
  return std::move(*machine);
}

}  // namespace

TEST_CASE("token figures come from the markers") {
  const std::unique_ptr<Machine> machine = run(marked_program(), conservative_timing());
  const TokenFigures figures = token_figures(machine->kernel.markers);
  constexpr double megahertz = 222.0;
  CHECK(figures.prompt_tokens == 3);
  CHECK(figures.tokens == tokens);
  // A token takes two layers of 60 thousand cycles each.
  const double token_seconds = 120'000.0 / (megahertz * 1e6);
  REQUIRE(figures.decode_tokens_per_second);
  CHECK(*figures.decode_tokens_per_second == doctest::Approx(1.0 / token_seconds).epsilon(0.1));
  REQUIRE(figures.prefill_tokens_per_second);
  CHECK(*figures.prefill_tokens_per_second == doctest::Approx(3.0 / (token_seconds * 2.5)).epsilon(0.1));
  REQUIRE(figures.first_token_seconds);
  CHECK(*figures.first_token_seconds == doctest::Approx(token_seconds * 3.5).epsilon(0.1));
  REQUIRE(figures.start_seconds);
  CHECK(*figures.start_seconds == doctest::Approx(100'000.0 / (megahertz * 1e6)).epsilon(0.1));
}

TEST_CASE("no markers, no figures") {
  const TokenFigures figures = token_figures({});
  CHECK(!figures.start_seconds);
  CHECK(!figures.decode_tokens_per_second);
}

TEST_CASE("the profile's cycles add up to the run's") {
  const std::unique_ptr<Machine> machine = run(marked_program(), conservative_timing());
  const PhaseTotals total = machine->profile.total();
  CHECK(total.cycles == machine->core.cycle);
  CHECK(total.statistics.cycles + total.idle_cycles == machine->core.cycle);
  Cycles functions = 0;
  for (const auto& [name, statistics] : total.functions) functions += statistics.cycles;
  CHECK(functions == total.statistics.cycles);
  Cycles stalls = 0;
  for (const Cycles cycles : total.statistics.stalls) stalls += cycles;
  CHECK(stalls <= total.statistics.cycles);
  const PhaseTotals& decode = machine->profile.phases()[static_cast<std::size_t>(Phase::decode)];
  REQUIRE(decode.parts.contains("layer 1/attention"));
  REQUIRE(decode.parts.contains("layer 1"));
  const double ratio = static_cast<double>(decode.parts.at("layer 1").cycles) /
                       static_cast<double>(decode.parts.at("layer 1/attention").cycles);
  CHECK(ratio == doctest::Approx(2.0).epsilon(0.1));
}

TEST_CASE("the JSON report holds what readers rely on") {
  const std::unique_ptr<Machine> machine = run(marked_program(), conservative_timing());
  const std::unique_ptr<Machine> other = run(marked_program(), optimistic_timing());
  const nlohmann::json report = report_json(*machine, other.get());
  for (const char* const key :
       {"prefill_tokens_per_second", "decode_tokens_per_second", "first_token_seconds", "start_seconds",
        "cycles", "instructions", "block_bytes", "free_bytes"})
    CHECK_MESSAGE(report.at(key).is_number(), key);
  CHECK(report.at("device") == "psp2000");
  CHECK(report.at("exit") == "exit_game");
  CHECK(report.at("optimistic").at("cycles").get<DoubleWord>() <= report.at("cycles").get<DoubleWord>());
  CHECK(report.at("switches").at("prefetch_overlaps") == 0);
  CHECK(report.at("phases").at("decode").at("parts").contains("layer 0"));
}

TEST_CASE("table and page name what ran") {
  const std::unique_ptr<Machine> machine = run(marked_program(), conservative_timing());
  const std::string text = report_text(*machine, nullptr, true);
  CHECK(text.find("decode tokens/s") != std::string::npos);
  CHECK(text.find("layer 1/attention") != std::string::npos);
  const std::string page = report_html(*machine, machine.get());
  CHECK(page.find("<svg") != std::string::npos);
  CHECK(page.find("layer 1/attention") != std::string::npos);
  CHECK(page.find("<script") == std::string::npos);
}

TEST_CASE("function names are shortened for columns") {
  CHECK(short_function_name("pspllm::psp::(anonymous namespace)::put(pspllm::psp::Cell*, unsigned int)") ==
        "pspllm::psp::put");
  CHECK(short_function_name("void std::__introsort_loop<unsigned int*, long>(unsigned int*, int)") ==
        "std::__introsort_loop");
  CHECK(short_function_name("memcpy") == "memcpy");
  CHECK(short_function_name("(kernel in the background)") == "(kernel in the background)");
}

}  // namespace pspllm::simulator
