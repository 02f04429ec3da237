// A taste of the fuzz target in every test run: fixed random inputs, and real modules with bytes turned.
#include <doctest/doctest.h>

#include <random>

#include "simulator/fuzz_input.hpp"
#include "simulator/machine.hpp"
#include "simulator/pbp_for_tests.hpp"
#include "simulator/test_program.hpp"

namespace pspllm::simulator {

namespace {

std::vector<Byte> module_file() {
  TestProgram program;
  const Word name = program.text("ms0:/PSP/GAME/PspLlm/model.bin");
  const Word buffer = program.space(64);
  const std::size_t opened =
      program.call("IoFileMgrForUser", "sceIoOpen",
                   {TestProgram::at(name), TestProgram::number(1), TestProgram::number(0)});
  program.call("IoFileMgrForUser", "sceIoRead",
               {TestProgram::result_of(opened), TestProgram::at(buffer), TestProgram::number(4)});
  program.exit();
  return program.build();
}

std::vector<Byte> input_of(Byte kind, const std::vector<Byte>& content) {
  std::vector<Byte> input{kind};
  input.insert(input.end(), content.begin(), content.end());
  return input;
}

}  // namespace

TEST_CASE("the modules that are to be broken run as they are") {
  MemoryStorage stick;
  Result<std::unique_ptr<Machine>> machine = Machine::make(pbp_around(module_file()), {}, stick, {});
  REQUIRE_MESSAGE(machine, (machine ? "" : machine.error().message));
  CHECK((*machine)->memory.user_bytes() == 51U * mebibyte);
  CHECK((*machine)->run(1'000'000'000) == Ending::exit_game);
}

TEST_CASE("random code neither crashes nor hangs") {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::vector<Byte> content(4 + random() % 400 * 4);
    for (Byte& value : content) value = static_cast<Byte>(random());
    run_fuzz_input(input_of(static_cast<Byte>(1 + i % 2), content));
  }
}

TEST_CASE("broken files neither crash nor hang") {
  std::mt19937 random(2);
  const std::vector<Byte> whole = pbp_around(module_file());
  for (int i = 0; i < 1500; ++i) {
    std::vector<Byte> file = i % 2 == 0 ? whole : module_file();
    // Most turns in the headers, where they matter.
    for (auto turns = 1 + random() % 6; turns > 0; --turns) {
      const bool head = random() % 3 != 0;
      const std::size_t at = head ? random() % 300 : file.size() - 1 - random() % 3000;
      file[at] = static_cast<Byte>(random() % 4 == 0 ? 0xFF : random());
    }
    if (random() % 8 == 0) file.resize(random() % file.size());
    run_fuzz_input(input_of(0, file));
  }
}

TEST_CASE("random scripts are refused with a sentence") {
  std::mt19937 random(3);
  const std::string alphabet = "waitpresscross 0123456789;\n\"\\#=,.until+";
  for (int i = 0; i < 2000; ++i) {
    std::vector<Byte> content(random() % 60);
    for (Byte& value : content) value = static_cast<Byte>(alphabet[random() % alphabet.size()]);
    run_fuzz_input(input_of(3, content));
  }
}

}  // namespace pspllm::simulator
