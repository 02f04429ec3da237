#include "simulator/fuzz_input.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "simulator/machine.hpp"
#include "simulator/report.hpp"
#include "simulator/switches.hpp"
#include "simulator/test_program.hpp"

namespace pspllm::simulator {

namespace {

constexpr Cycles budget = 2'000'000;

void run_program(std::span<const Byte> file, bool check_uninitialised) {
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
void run_code(std::span<const Byte> words, bool vector_unit) {
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
  run_program(program.build(), !words.empty() && (words[0] & 1U) != 0);
}

}  // namespace

void run_fuzz_input(std::span<const Byte> input) {
  if (input.empty()) return;
  const std::span<const Byte> rest = input.subspan(1);
  const std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
  switch (input[0] % 4U) {
    case 0:
      run_program(rest, false);
      break;
    case 1:
      run_code(rest, false);
      break;
    case 2:
      run_code(rest, true);
      break;
    default: {
      std::size_t count = 0;
      (void)parse_key_script(text);
      (void)parse_switches(text, conservative_timing());
      (void)parse_bench_file(text, conservative_timing(), count);
      break;
    }
  }
}

}  // namespace pspllm::simulator
