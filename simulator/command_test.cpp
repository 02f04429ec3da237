// The command, on folders of this computer.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "simulator/command.hpp"
#include "simulator/cross_build.hpp"
#include "simulator/host_storage.hpp"
#include "simulator/pbp_for_tests.hpp"
#include "simulator/test_program.hpp"
#include "tests/support/read_file.hpp"

namespace pspllm::simulator {

namespace {

namespace fs = std::filesystem;
using P = TestProgram;

constexpr const char* io = "IoFileMgrForUser";

// A program that copies autorun.txt, which lies beside it, to state.txt.
std::vector<Byte> copying_program() {
  TestProgram program;
  const Word from = program.text("ms0:/PSP/GAME/Copy/autorun.txt");
  const Word to = program.text("ms0:/PSP/GAME/Copy/state.txt");
  const Word buffer = program.space(256);
  const std::size_t source = program.call(io, "sceIoOpen", {P::at(from), P::number(1), P::number(0)});
  const std::size_t count =
      program.call(io, "sceIoRead", {P::result_of(source), P::at(buffer), P::number(256)});
  const std::size_t target = program.call(io, "sceIoOpen", {P::at(to), P::number(0x602), P::number(0777)});
  program.call(io, "sceIoWrite", {P::result_of(target), P::at(buffer), P::result_of(count)});
  program.exit();
  return pbp_around(program.build());
}

void write(const fs::path& path, const std::vector<Byte>& content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
}

std::string problem_of(const SimulateOptions& options) {
  try {
    run_simulate(options);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("simulate runs a stick's folder and keeps what the program wrote") {
  const ScratchFolder folder;
  const fs::path game = folder.path() / "PSP" / "GAME" / "Copy";
  write(game / "EBOOT.PBP", copying_program());
  SimulateOptions options;
  options.quiet = true;
  options.autorun_prompt = "one\ntwo\\";
  options.autorun = {"steps=3"};
  options.json = (folder.path() / "report.json").string();
  options.html = (folder.path() / "report.html").string();
  options.screenshots = {(folder.path() / "screen.png").string()};
  for (const fs::path& target : {folder.path(), game, game / "EBOOT.PBP"}) {
    fs::remove(game / "state.txt");
    options.program = target.string();
    REQUIRE(problem_of(options).empty());
    CHECK(testing::read_file(game / "state.txt") == "prompt=one\\ntwo\\\\\nsteps=3\n");
    CHECK(!fs::exists(game / "autorun.txt"));
  }
  const nlohmann::json report = nlohmann::json::parse(testing::read_file(options.json));
  CHECK(report.at("exit") == "exit_game");
  CHECK(report.at("optimistic").is_object());
  CHECK(testing::read_file(options.html).find("</html>") != std::string::npos);
  CHECK(testing::read_file(options.screenshots[0]).substr(1, 3) == "PNG");
}

TEST_CASE("simulate can leave the folder as it was") {
  const ScratchFolder folder;
  const fs::path game = folder.path() / "PSP" / "GAME" / "Copy";
  write(game / "EBOOT.PBP", copying_program());
  SimulateOptions options;
  options.quiet = true;
  options.keep_stick = true;
  options.program = folder.path().string();
  REQUIRE(problem_of(options).empty());
  CHECK(!fs::exists(game / "state.txt"));
}

TEST_CASE("simulate says what is wrong") {
  const ScratchFolder folder;
  SimulateOptions options;
  options.quiet = true;
  const auto says = [&](std::string_view what) {
    return problem_of(options).find(what) != std::string::npos;
  };
  options.program = (folder.path() / "nothing").string();
  CHECK(says("is no file and no folder"));
  options.program = folder.path().string();
  CHECK(says("holds neither EBOOT.PBP"));
  write(folder.path() / "PSP/GAME/A/EBOOT.PBP", copying_program());
  write(folder.path() / "PSP/GAME/B/EBOOT.PBP", copying_program());
  CHECK(says("choose one with --name"));
  options.name = "A";
  options.keys = "press nothing";
  CHECK(says("no button is named nothing"));
  options.keys.clear();
  options.faults = {"fire:1"};
  CHECK(says("no such fault"));
  options.faults.clear();
  options.switches = "conservative,speed=9";
  CHECK(says("no constant of the timing model is named speed"));
  options.switches = "conservative";
  options.bench = (folder.path() / "PSP/GAME/A/EBOOT.PBP").string();
  CHECK(says("names no constant"));
  options.bench.clear();
  options.max_cycles = 1000;
  CHECK(says("cycle_limit"));
}

TEST_CASE("a folder becomes a stick") {
  const ScratchFolder folder;
  write(folder.path() / "model.bin", {'a', 'b', 'c'});
  HostStorage stick(folder.path(), "PSP/GAME/X");
  CHECK(stick.list("") == std::vector<std::string>{"PSP"});
  CHECK(stick.list("PSP/GAME") == std::vector<std::string>{"X"});
  CHECK(stick.list("PSP/GAME/X") == std::vector<std::string>{"model.bin"});
  CHECK(stick.resolve("psp/game/x/MODEL.BIN") == "PSP/GAME/X/model.bin");
  std::vector<Byte> bytes(8);
  CHECK(stick.read("PSP/GAME/X/model.bin", 1, bytes) == 2);
  CHECK(bytes[0] == 'b');
  CHECK(stick.create("PSP/GAME/X/new.txt"));
  CHECK(stick.write("PSP/GAME/X/new.txt", 2, std::vector<Byte>{'z'}));
  CHECK(stick.status("PSP/GAME/X/new.txt")->size == 3);
  CHECK(stick.rename("PSP/GAME/X/new.txt", "PSP/GAME/X/old.txt"));
  CHECK(stick.remove("PSP/GAME/X/old.txt"));
  CHECK(!stick.create("PSP/other.txt"));
}

}  // namespace pspllm::simulator
