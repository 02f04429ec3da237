#include "simulator/fuzz_input.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "simulator/machine.hpp"
#include "simulator/pbp_for_tests.hpp"
#include "simulator/report.hpp"
#include "simulator/switches.hpp"
#include "simulator/test_program.hpp"

namespace pspllm::simulator {

namespace {

constexpr Cycles budget = 300'000;

}  // namespace

std::vector<Byte> small_program() {
  TestProgram program;
  const Word name = program.text("ms0:/PSP/GAME/PspLlm/model.bin");
  const Word buffer = program.space(64);
  const std::size_t opened =
      program.call("IoFileMgrForUser", "sceIoOpen",
                   {TestProgram::at(name), TestProgram::number(1), TestProgram::number(0)});
  program.call("IoFileMgrForUser", "sceIoRead",
               {TestProgram::result_of(opened), TestProgram::at(buffer), TestProgram::number(4)});
  program.exit();
  return pbp_around(program.build());
}

void run_program_input(std::span<const Byte> file, bool check_uninitialised) {
  MemoryStorage stick;
  stick.put("PSP/GAME/PspLlm/model.bin", std::string_view("0123456789"));
  MachineOptions options;
  options.device = Device::psp1000;
  options.check_uninitialised = check_uninitialised;
  Result<std::unique_ptr<Machine>> machine = Machine::make(file, {}, stick, options);
  if (!machine) return;
  (void)(*machine)->run(budget);
  (void)report_text(**machine, nullptr, true);
  (void)report_html(**machine, nullptr);
  (void)report_json(**machine, nullptr).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Words as code, with every general register pointing into the program's memory.
void run_code_input(std::span<const Byte> words, bool vector_unit) {
  TestProgram program;
  const Word data = program.space(4096);
  for (Word r = 2; r < 28; ++r) program.load(r, TestProgram::at(data));
  program.load(31, TestProgram::at(0));
  for (std::size_t i = 0; i + 4 <= words.size() && i < 8192; i += 4) {
    Word word = load_as<Word>(words.data() + i);
    // Opcodes 0x18 to 0x1B, 0x32 to 0x3F: where the VFPU's instructions are.
    if (vector_unit)
      word = (word & 0x03FFFFFFU) | (0x18U + (word >> 26U) % 4U + ((word & 1U) ? 0x1CU : 0U)) << 26U;
    program.emit(word);
  }
  program.call("ThreadManForUser", "sceKernelDelayThread", {});
  program.exit();
  run_program_input(program.build(), !words.empty() && (words[0] & 1U) != 0);
}

void run_text_input(std::span<const Byte> text) {
  const std::string_view view(reinterpret_cast<const char*>(text.data()), text.size());
  std::size_t count = 0;
  (void)parse_key_script(view);
  (void)parse_switches(view, conservative_timing());
  (void)parse_bench_file(view, conservative_timing(), count);
}

}  // namespace pspllm::simulator
