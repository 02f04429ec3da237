// What people write for the simulator: key scripts, switches, bench files; and broken programs.
#include <doctest/doctest.h>

#include "simulator/key_script.hpp"
#include "simulator/machine.hpp"
#include "simulator/pbp_for_tests.hpp"
#include "simulator/switches.hpp"
#include "simulator/test_program.hpp"

namespace pspllm::simulator {

namespace {

std::string script_problem(std::string_view script) {
  const Result<std::vector<Step>> steps = parse_key_script(script);
  return steps ? "" : steps.error().message;
}

std::string load_problem(const std::vector<Byte>& file) {
  MemoryStorage stick;
  const Result<std::unique_ptr<Machine>> machine = Machine::make(file, {}, stick, {});
  return machine ? "" : machine.error().message;
}

bool mentions(const std::string& sentence, std::string_view what) {
  return sentence.find(what) != std::string::npos;
}

std::vector<Byte> good_module() {
  TestProgram program;
  program.exit();
  return program.build();
}

}  // namespace

TEST_CASE("a key script is a list of steps") {
  const Result<std::vector<Step>> steps = parse_key_script(
      "# a comment\nwait 1.001s; press cross\nhold l+r; release l\nanalog 0 255\n"
      "type \"a; \\\"b\\\"\\n\"; until output \"done\"; until file state.txt \"x\"\nuntil marker token; end");
  REQUIRE(steps);
  REQUIRE(steps->size() == 10);
  CHECK((*steps)[0].number == 60);
  CHECK((*steps)[1].buttons == button::cross);
  CHECK((*steps)[1].number == 6);
  CHECK((*steps)[2].buttons == (button::l | button::r));
  CHECK((*steps)[4].buttons == 0xFF00);
  CHECK((*steps)[5].text == "a; \"b\"\n");
  CHECK((*steps)[7].name == "state.txt");
  CHECK((*steps)[8].number == static_cast<Word>(MarkerKind::token));
  CHECK((*steps)[9].kind == StepKind::end);
}

TEST_CASE("a wrong step is refused with its number and what is right") {
  CHECK(mentions(script_problem("wait 1s; jump"), "step 2: unknown step jump"));
  CHECK(mentions(script_problem("press cros"), "no button is named cros"));
  CHECK(mentions(script_problem("type \"abc"), "no closing quote"));
  CHECK(mentions(script_problem("wait soon"), "needs a time"));
  CHECK(mentions(script_problem("until moon"), "keyboard, output, file or marker"));
  CHECK(mentions(script_problem("analog 300 0"), "0 to 255"));
}

TEST_CASE("switches by name") {
  const Result<Timing> timing = parse_switches("optimistic,dirty_eviction_cycles=28", conservative_timing());
  REQUIRE(timing);
  CHECK((*timing)[Constant::dirty_eviction_cycles] == 28);
  CHECK((*timing)[Constant::prefetch_overlaps] == 1);
  const Result<Timing> unknown = parse_switches("speed=9", conservative_timing());
  REQUIRE(!unknown);
  CHECK(mentions(unknown.error().message, "speed"));
  CHECK(!parse_switches("load_latency=fast", conservative_timing()));
}

TEST_CASE("a bench file sets the constants that it names") {
  std::size_t count = 0;
  const Result<Timing> timing = parse_bench_file(
      "# measured on a PSP-3000\r\nmultiply_accumulate_latency 1\r\nuncached_read_cycles 43.6\nmatmul_cycles "
      "99\n",
      conservative_timing(), count);
  REQUIRE(timing);
  CHECK(count == 2);
  CHECK((*timing)[Constant::multiply_accumulate_latency] == 1);
  CHECK((*timing)[Constant::uncached_read_cycles] == 44);
  CHECK(!parse_bench_file("load_latency -3\n", conservative_timing(), count));
}

TEST_CASE("a constant's optimistic value is never slower than its conservative one") {
  for (const ConstantInfo& row : constant_table) {
    CAPTURE(row.name);
    const bool more_is_faster = row.name.find("per_second") != std::string_view::npos ||
                                row.key == Constant::prefetch_overlaps || row.key == Constant::open_row_bytes;
    CHECK((more_is_faster ? row.optimistic >= row.conservative : row.optimistic <= row.conservative));
    CHECK(constant_named(row.name) == row.key);
    if (row.sureness == Sureness::measured) CHECK(row.optimistic == row.conservative);
  }
}

TEST_CASE("programs that cannot run are refused with one sentence") {
  CHECK(load_problem(good_module()).empty());
  CHECK(load_problem(pbp_around(good_module())).empty());
  CHECK(mentions(load_problem({}), "a header has 52"));
  CHECK(mentions(load_problem(std::vector<Byte>(100, 'x')), "no ELF magic"));
  const std::vector<Byte> encrypted{'~', 'P', 'S', 'P', 0, 0, 0, 0};
  CHECK(mentions(load_problem(encrypted), "encrypted"));
  std::vector<Byte> cut = good_module();
  cut.resize(cut.size() / 2);
  CHECK(mentions(load_problem(cut), "outside the file"));
  std::vector<Byte> wrong_machine = good_module();
  wrong_machine[18] = 40;
  CHECK(mentions(load_problem(wrong_machine), "machine 40"));
  std::vector<Byte> wrong_type = good_module();
  store_as<Half>(wrong_type.data() + 16, 3);
  CHECK(mentions(load_problem(wrong_type), "type 0x3"));
  std::vector<Byte> huge = good_module();
  store_as<Word>(huge.data() + 52 + 20, 60U * mebibyte);  // memory size of the segment
  CHECK(mentions(load_problem(huge), "the program needs"));
  std::vector<Byte> empty_pbp = pbp_around({});
  CHECK(mentions(load_problem(empty_pbp), "DATA.PSP is empty"));
  std::vector<Byte> crossed = pbp_around(good_module());
  store_as<Word>(crossed.data() + 12, 0xFFFFFF);
  CHECK(mentions(load_problem(crossed), "PBP: part"));
}

TEST_CASE("relocations that the console does not know are refused") {
  std::vector<Byte> file = good_module();
  const Word section_table = load_as<Word>(file.data() + 32);
  const Word relocations = load_as<Word>(file.data() + section_table + 56);
  store_as<Word>(file.data() + relocations + 4, 37);  // R_MIPS_JALR
  CHECK(mentions(load_problem(file), "type 37"));
  store_as<Word>(file.data() + relocations + 4, 2);
  store_as<Word>(file.data() + relocations, 0x00FFFFFC);
  CHECK(mentions(load_problem(file), "outside the module"));
}

TEST_CASE("an overlay leaves what is under it alone") {
  MemoryStorage base;
  base.put("a/one.txt", std::string_view("one"));
  base.put("a/two.txt", std::string_view("two"));
  OverlayStorage overlay(base);
  CHECK(overlay.write("a/one.txt", 1, std::vector<Byte>{'N', 'E', 'W'}));
  CHECK(overlay.remove("a/two.txt"));
  CHECK(overlay.create("a/three.txt"));
  CHECK(overlay.rename("a/one.txt", "a/four.txt"));
  CHECK(overlay.list("a") == std::vector<std::string>{"four.txt", "three.txt"});
  CHECK(overlay.changes().text("a/four.txt") == "oNEW");
  CHECK(overlay.resolve("A/FOUR.TXT") == "a/four.txt");
  CHECK(!overlay.status("a/two.txt"));
  CHECK(base.text("a/one.txt") == "one");
  CHECK(base.text("a/two.txt") == "two");
}

}  // namespace pspllm::simulator
