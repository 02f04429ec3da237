// A taste of the fuzz target in every test run: fixed random inputs, and real modules with bytes turned.
#include <doctest/doctest.h>

#include <random>

#include "simulator/fuzz_input.hpp"
#include "simulator/machine.hpp"

namespace pspllm::simulator {

TEST_CASE("the modules that are to be broken run as they are") {
  MemoryStorage stick;
  Result<std::unique_ptr<Machine>> machine = Machine::make(small_program(), {}, stick, {});
  REQUIRE_MESSAGE(machine, (machine ? "" : machine.error().message));
  CHECK((*machine)->memory.user_bytes() == 51U * mebibyte);
  CHECK((*machine)->run(1'000'000'000) == Ending::exit_game);
}

TEST_CASE("random code neither crashes nor hangs") {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::vector<Byte> content(4 + random() % 400 * 4);
    for (Byte& value : content) value = static_cast<Byte>(random());
    run_code_input(content, i % 2 != 0);
  }
}

TEST_CASE("broken files neither crash nor hang") {
  std::mt19937 random(2);
  const std::vector<Byte> whole = small_program();
  // The module without the PBP around it, whose header says where it begins.
  const std::vector<Byte> module(whole.begin() + load_as<Word>(whole.data() + 32), whole.end());
  for (int i = 0; i < 1500; ++i) {
    std::vector<Byte> file = i % 2 == 0 ? whole : module;
    // Most turns in the headers, where they matter.
    for (auto turns = 1 + random() % 6; turns > 0; --turns) {
      const bool head = random() % 3 != 0;
      const std::size_t at = head ? random() % 300 : file.size() - 1 - random() % 3000;
      file[at] = static_cast<Byte>(random() % 4 == 0 ? 0xFF : random());
    }
    if (random() % 8 == 0) file.resize(random() % file.size());
    run_program_input(file, false);
  }
}

TEST_CASE("random scripts are refused with a sentence") {
  std::mt19937 random(3);
  const std::string alphabet = "waitpresscross 0123456789;\n\"\\#=,.until+";
  for (int i = 0; i < 2000; ++i) {
    std::vector<Byte> content(random() % 60);
    for (Byte& value : content) value = static_cast<Byte>(alphabet[random() % alphabet.size()]);
    run_text_input(content);
  }
}

}  // namespace pspllm::simulator
