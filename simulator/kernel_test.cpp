// The kernel calls: results as hardware gives them (pspautotests), files, threads, memory, time, keyboard.
#include <doctest/doctest.h>

#include "simulator/machine.hpp"
#include "simulator/report.hpp"
#include "simulator/test_program.hpp"

namespace pspllm::simulator {

namespace {

using namespace encode;

constexpr const char* io = "IoFileMgrForUser";
constexpr const char* threads = "ThreadManForUser";
constexpr const char* sysmem = "SysMemUserForUser";
constexpr const char* utility = "sceUtility";

// A program that has run, with its memory.
struct Ran {
  std::unique_ptr<Machine> machine;
  Ending ending = Ending::none;

  [[nodiscard]] Word result(std::size_t call) {
    return machine->kernel.read_word(TestProgram::result_address(machine->kernel.module.base, call))
        .value_or(0xDEAD);
  }
  [[nodiscard]] std::string text(Word offset, Word size) {
    const auto bytes = machine->memory.range(TestProgram::address(machine->kernel.module.base, offset), size);
    return {bytes.begin(), bytes.end()};
  }
  [[nodiscard]] Word word(Word offset) {
    return machine->kernel.read_word(TestProgram::address(machine->kernel.module.base, offset))
        .value_or(0xDEAD);
  }
};

Ran run(TestProgram program, Storage& stick, const MachineOptions& options = {},
        Cycles limit = 20'000'000'000) {
  const std::vector<Byte> file = program.build();
  Result<std::unique_ptr<Machine>> machine = Machine::make(file, {}, stick, options);
  REQUIRE_MESSAGE(machine, (machine ? "" : machine.error().message));
  Ran ran{std::move(*machine), Ending::none};
  ran.ending = ran.machine->run(limit);
  INFO(ran.machine->kernel.ending_reason);
  return ran;
}

MemoryStorage example_stick() {
  MemoryStorage stick;
  stick.put("PSP/GAME/PspLlm/model.bin", "0123456789");
  return stick;
}

std::vector<Step> script_of(std::string_view text) {
  const Result<std::vector<Step>> steps = parse_key_script(text);
  REQUIRE_MESSAGE(steps, (steps ? "" : steps.error().message));
  return *steps;
}

using P = TestProgram;

}  // namespace

TEST_CASE("files: open, read, seek, write, close") {
  MemoryStorage stick = example_stick();
  TestProgram program;
  const Word folder = program.text("ms0:/PSP/GAME/PspLlm");
  const Word name = program.text("model.bin");
  const Word upper = program.text("MODEL.BIN");
  const Word missing = program.text("nothing.bin");
  const Word fresh = program.text("new.txt");
  const Word buffer = program.space(64);
  const std::size_t before_chdir = program.call(io, "sceIoOpen", {P::at(name), P::number(1), P::number(0)});
  const std::size_t chdir = program.call(io, "sceIoChdir", {P::at(folder)});
  const std::size_t opened = program.call(io, "sceIoOpen", {P::at(name), P::number(1), P::number(0)});
  const std::size_t read4 =
      program.call(io, "sceIoRead", {P::result_of(opened), P::at(buffer), P::number(4)});
  const std::size_t end = program.call(
      io, "sceIoLseek",
      {P::result_of(opened), P::number(0), P::number(0xFFFFFFFE), P::number(0xFFFFFFFF), P::number(2)});
  const std::size_t read_rest =
      program.call(io, "sceIoRead", {P::result_of(opened), P::at(buffer + 16), P::number(9)});
  const std::size_t past = program.call(io, "sceIoRead", {P::result_of(opened), P::at(buffer), P::number(9)});
  const std::size_t negative =
      program.call(io, "sceIoLseek32", {P::result_of(opened), P::number(0xFFFFFFF0), P::number(0)});
  const std::size_t cannot_write =
      program.call(io, "sceIoWrite", {P::result_of(opened), P::at(buffer), P::number(1)});
  const std::size_t closed = program.call(io, "sceIoClose", {P::result_of(opened)});
  const std::size_t closed_again = program.call(io, "sceIoClose", {P::result_of(opened)});
  const std::size_t any_case = program.call(io, "sceIoOpen", {P::at(upper), P::number(1), P::number(0)});
  const std::size_t not_there = program.call(io, "sceIoOpen", {P::at(missing), P::number(1), P::number(0)});
  const std::size_t made = program.call(io, "sceIoOpen", {P::at(fresh), P::number(0x602), P::number(0777)});
  const std::size_t written = program.call(io, "sceIoWrite", {P::result_of(made), P::at(name), P::number(5)});
  program.exit();
  Ran ran = run(program, stick);
  CHECK(ran.ending == Ending::exit_game);
  CHECK(ran.result(before_chdir) == result_code::no_working_directory);
  CHECK(ran.result(chdir) == 0);
  CHECK(ran.result(opened) == 3);
  CHECK(ran.result(read4) == 4);
  CHECK(ran.text(buffer, 4) == "0123");
  CHECK(ran.result(end) == 8);
  CHECK(ran.result(read_rest) == 2);
  CHECK(ran.text(buffer + 16, 2) == "89");
  CHECK(ran.result(past) == 0);
  CHECK(ran.result(negative) == 0xFFFFFFFF);
  CHECK(ran.result(cannot_write) == result_code::bad_file);
  CHECK(ran.result(closed) == 0);
  CHECK(ran.result(closed_again) == result_code::bad_file);
  CHECK(ran.result(any_case) == 3);
  CHECK(ran.result(not_there) == result_code::no_file);
  CHECK(ran.result(written) == 5);
  CHECK(stick.text("PSP/GAME/PspLlm/new.txt") == "model");
}

TEST_CASE("files: directories, rename, remove") {
  MemoryStorage stick = example_stick();
  TestProgram program;
  const Word folder = program.text("ms0:/PSP/GAME/PspLlm");
  const Word model = program.text("ms0:/PSP/GAME/PspLlm/model.bin");
  const Word other = program.text("ms0:/PSP/GAME/PspLlm/other.bin");
  const Word moved = program.text("ms0:/PSP/other2.bin");
  const Word made = program.text("ms0:/PSP/GAME/PspLlm/saved");
  const Word entry = program.space(352);
  const Word status = program.space(96);
  const std::size_t directory = program.call(io, "sceIoDopen", {P::at(folder)});
  std::vector<std::size_t> reads;
  reads.reserve(4);
  for (int i = 0; i < 4; ++i)
    reads.push_back(program.call(io, "sceIoDread", {P::result_of(directory), P::at(entry)}));
  const std::size_t closed = program.call(io, "sceIoDclose", {P::result_of(directory)});
  const std::size_t stat = program.call(io, "sceIoGetstat", {P::at(model), P::at(status)});
  const std::size_t renamed = program.call(io, "sceIoRename", {P::at(model), P::at(other)});
  const std::size_t elsewhere = program.call(io, "sceIoRename", {P::at(other), P::at(moved)});
  const std::size_t mkdir = program.call(io, "sceIoMkdir", {P::at(made), P::number(0777)});
  const std::size_t mkdir_again = program.call(io, "sceIoMkdir", {P::at(made), P::number(0777)});
  const std::size_t rmdir = program.call(io, "sceIoRmdir", {P::at(made)});
  const std::size_t removed_missing = program.call(io, "sceIoRemove", {P::at(model)});
  program.exit();
  Ran ran = run(program, stick);
  CHECK(ran.ending == Ending::exit_game);
  CHECK(ran.result(reads[0]) == 1);  // .
  CHECK(ran.result(reads[2]) == 1);  // model.bin
  CHECK(ran.result(reads[3]) == 0);
  CHECK(ran.text(entry + 88, 9) == "model.bin");
  CHECK(ran.result(closed) == 0);
  CHECK(ran.result(stat) == 0);
  CHECK(ran.word(status + 8) == 10);
  CHECK(ran.result(renamed) == 0);
  CHECK(ran.result(elsewhere) == 0);
  // Hardware keeps the file in its own directory.
  CHECK(stick.text("PSP/GAME/PspLlm/other2.bin") == "0123456789");
  CHECK(ran.result(mkdir) == 0);
  CHECK(ran.result(mkdir_again) == result_code::file_exists);
  CHECK(ran.result(rmdir) == 0);
  CHECK(ran.result(removed_missing) == result_code::no_file);
}

TEST_CASE("files: injected faults") {
  TestProgram program;
  const Word model = program.text("ms0:/PSP/GAME/PspLlm/model.bin");
  const Word saved = program.text("ms0:/PSP/saved.txt");
  const Word buffer = program.space(64);
  const std::size_t opened = program.call(io, "sceIoOpen", {P::at(model), P::number(1), P::number(0)});
  const std::size_t first =
      program.call(io, "sceIoRead", {P::result_of(opened), P::at(buffer), P::number(4)});
  const std::size_t second_read =
      program.call(io, "sceIoRead", {P::result_of(opened), P::at(buffer), P::number(4)});
  const std::size_t made = program.call(io, "sceIoOpen", {P::at(saved), P::number(0x602), P::number(0777)});
  const std::size_t written =
      program.call(io, "sceIoWrite", {P::result_of(made), P::at(buffer), P::number(8)});
  const std::size_t full = program.call(io, "sceIoWrite", {P::result_of(made), P::at(buffer), P::number(8)});
  program.exit();
  MachineOptions options;
  SUBCASE("a read fails, the stick fills up") {
    MemoryStorage stick = example_stick();
    options.faults.failing_read = 2;
    options.faults.space_bytes = 5;
    Ran ran = run(program, stick, options);
    CHECK(ran.result(first) == 4);
    CHECK(ran.result(second_read) == result_code::io_error);
    CHECK(ran.result(written) == 5);
    CHECK(ran.result(full) == result_code::no_space);
  }
  SUBCASE("a read comes up short, the stick is read-only") {
    MemoryStorage stick = example_stick();
    options.faults.short_read = 1;
    options.faults.read_only = true;
    Ran ran = run(program, stick, options);
    CHECK(ran.result(first) == 2);
    CHECK(ran.result(made) == result_code::read_only);
  }
  SUBCASE("the stick is taken out") {
    MemoryStorage stick = example_stick();
    options.faults.removed_at = 0;
    Ran ran = run(program, stick, options);
    CHECK(ran.result(opened) == 3);  // within the first frame it is still there
    options.faults.removed_at.reset();
    options.script = script_of("remove-stick");
    CHECK(run(program, stick, options).ending == Ending::exit_game);
  }
}

TEST_CASE("reading takes the stick's time") {
  MemoryStorage stick;
  stick.put("big.bin", std::string(1'000'000, 'x'));
  TestProgram program;
  const Word name = program.text("ms0:/big.bin");
  const std::size_t block =
      program.call(sysmem, "sceKernelAllocPartitionMemory",
                   {P::number(2), P::at(name), P::number(0), P::number(1'000'000), P::number(0)});
  const std::size_t address = program.call(sysmem, "sceKernelGetBlockHeadAddr", {P::result_of(block)});
  const std::size_t opened = program.call(io, "sceIoOpen", {P::at(name), P::number(1), P::number(0)});
  const std::size_t before = program.call(threads, "sceKernelGetSystemTimeLow", {});
  const std::size_t read =
      program.call(io, "sceIoRead", {P::result_of(opened), P::result_of(address), P::number(1'000'000)});
  const std::size_t after = program.call(threads, "sceKernelGetSystemTimeLow", {});
  program.exit();
  Ran ran = run(program, stick);
  CHECK(ran.result(read) == 1'000'000);
  const Word elapsed = ran.result(after) - ran.result(before);
  CHECK(elapsed >= 100'000);  // 10 MB/s
  CHECK(elapsed <= 103'000);
}

TEST_CASE("memory partitions of each model") {
  TestProgram program;
  const Word name = program.text("block");
  const std::size_t most = program.call(sysmem, "sceKernelMaxFreeMemSize", {});
  const std::size_t all =
      program.call(sysmem, "sceKernelAllocPartitionMemory",
                   {P::number(2), P::at(name), P::number(0), P::result_of(most), P::number(0)});
  const std::size_t more =
      program.call(sysmem, "sceKernelAllocPartitionMemory",
                   {P::number(2), P::at(name), P::number(0), P::number(256), P::number(0)});
  const std::size_t wrong =
      program.call(sysmem, "sceKernelAllocPartitionMemory",
                   {P::number(1), P::at(name), P::number(0), P::number(256), P::number(0)});
  const std::size_t freed = program.call(sysmem, "sceKernelFreePartitionMemory", {P::result_of(all)});
  const std::size_t freed_again = program.call(sysmem, "sceKernelFreePartitionMemory", {P::result_of(all)});
  const std::size_t most_again = program.call(sysmem, "sceKernelMaxFreeMemSize", {});
  program.exit();
  for (const Device device : {Device::psp1000, Device::psp2000}) {
    MemoryStorage stick;
    MachineOptions options;
    options.device = device;
    Ran ran = run(program, stick, options);
    const Word partition = device == Device::psp1000 ? 24U * mebibyte : 51U * mebibyte;
    CHECK(ran.result(most) < partition);
    CHECK(ran.result(most) > partition - mebibyte);
    CHECK(as_signed(ran.result(all)) > 0);
    CHECK(ran.result(more) == result_code::allocation_failed);
    CHECK(ran.result(wrong) == result_code::illegal_partition);
    CHECK(ran.result(freed) == 0);
    CHECK(ran.result(freed_again) == result_code::unknown_uid);
    CHECK(ran.result(most_again) == ran.result(most));
    CHECK(ran.machine->kernel.largest_block == ran.result(most));
  }
}

TEST_CASE("threads: a better one runs first; semaphores, sleep and end") {
  MemoryStorage stick;
  TestProgram program;
  const Word name = program.text("worker");
  const Word flag = program.space(16);
  // The worker comes first in the code; the start jumps over it.
  program.emit(0);
  program.emit(nop);
  const P::Argument worker = program.begin_function();
  program.load(t0, P::at(flag));
  program.emit(addiu(t1, zero, 77));
  program.emit(sw(t1, 0, t0));
  program.call(threads, "sceKernelSleepThread", {});
  program.load(t0, P::at(flag));
  program.emit(addiu(t1, zero, 88));
  program.emit(sw(t1, 4, t0));
  program.call(threads, "sceKernelExitThread", {P::number(5)});
  const std::size_t start = program.position();
  program.patch(0, beq(zero, zero, static_cast<SignedWord>(start) - 1));
  const std::size_t low_stack =
      program.call(threads, "sceKernelCreateThread",
                   {P::at(name), worker, P::number(0x10), P::number(0x100), P::number(0), P::number(0)});
  const std::size_t made =
      program.call(threads, "sceKernelCreateThread",
                   {P::at(name), worker, P::number(0x10), P::number(0x1000), P::number(0), P::number(0)});
  const std::size_t started =
      program.call(threads, "sceKernelStartThread", {P::result_of(made), P::number(0), P::number(0)});
  program.load(t0, P::at(flag));
  program.emit(lw(t1, 0, t0));
  const std::size_t ran_at_once = program.keep(t1);
  const std::size_t twice =
      program.call(threads, "sceKernelStartThread", {P::result_of(made), P::number(0), P::number(0)});
  const std::size_t woken = program.call(threads, "sceKernelWakeupThread", {P::result_of(made)});
  const std::size_t ended =
      program.call(threads, "sceKernelWaitThreadEnd", {P::result_of(made), P::number(0)});
  program.load(t0, P::at(flag));
  program.emit(lw(t1, 4, t0));
  const std::size_t went_on = program.keep(t1);
  const std::size_t deleted = program.call(threads, "sceKernelDeleteThread", {P::result_of(made)});
  const std::size_t gone = program.call(threads, "sceKernelDeleteThread", {P::result_of(made)});
  program.exit();
  Ran ran = run(program, stick);
  CHECK(ran.ending == Ending::exit_game);
  CHECK(ran.result(low_stack) == result_code::illegal_stack_size);
  CHECK(ran.result(started) == 0);
  CHECK(ran.result(ran_at_once) == 77);
  CHECK(ran.result(twice) == result_code::not_dormant);
  CHECK(ran.result(woken) == 0);
  CHECK(ran.result(ended) == 5);
  CHECK(ran.result(went_on) == 88);
  CHECK(ran.result(deleted) == 0);
  CHECK(ran.result(gone) == result_code::unknown_thread);
}

TEST_CASE("semaphores count, time out and are polled") {
  MemoryStorage stick;
  TestProgram program;
  const Word name = program.text("sema");
  const Word timeout = program.space(16);
  program.load(t0, P::at(timeout));
  program.emit(addiu(t1, zero, 2000));
  program.emit(sw(t1, 0, t0));
  const std::size_t made = program.call(
      threads, "sceKernelCreateSema", {P::at(name), P::number(0), P::number(1), P::number(1), P::number(0)});
  const std::size_t taken =
      program.call(threads, "sceKernelWaitSema", {P::result_of(made), P::number(1), P::number(0)});
  const std::size_t empty = program.call(threads, "sceKernelPollSema", {P::result_of(made), P::number(1)});
  const std::size_t late =
      program.call(threads, "sceKernelWaitSema", {P::result_of(made), P::number(1), P::at(timeout)});
  const std::size_t signalled =
      program.call(threads, "sceKernelSignalSema", {P::result_of(made), P::number(1)});
  const std::size_t overflow =
      program.call(threads, "sceKernelSignalSema", {P::result_of(made), P::number(1)});
  const std::size_t much =
      program.call(threads, "sceKernelWaitSema", {P::result_of(made), P::number(2), P::number(0)});
  program.exit();
  Ran ran = run(program, stick);
  CHECK(ran.result(taken) == 0);
  CHECK(ran.result(empty) == result_code::semaphore_zero);
  CHECK(ran.result(late) == result_code::wait_timeout);
  CHECK(ran.word(timeout) == 0);
  CHECK(ran.result(signalled) == 0);
  CHECK(ran.result(overflow) == result_code::semaphore_overflow);
  CHECK(ran.result(much) == result_code::illegal_count);
}

TEST_CASE("callbacks run when a thread waits for them, and at HOME") {
  MemoryStorage stick;
  TestProgram program;
  const Word name = program.text("callback");
  const Word seen = program.space(16);
  program.emit(0);
  program.emit(nop);
  const P::Argument function = program.begin_function();
  program.load(t0, P::at(seen));
  program.emit(sw(a0, 0, t0));
  program.emit(sw(a1, 4, t0));
  program.emit(sw(a2, 8, t0));
  program.emit(jr(ra));
  program.emit(addiu(v0, zero, 0));
  program.patch(0, beq(zero, zero, static_cast<SignedWord>(program.position()) - 1));
  const std::size_t made =
      program.call(threads, "sceKernelCreateCallback", {P::at(name), function, P::number(99)});
  const std::size_t none = program.call(threads, "sceKernelCheckCallback", {});
  const std::size_t notified =
      program.call(threads, "sceKernelNotifyCallback", {P::result_of(made), P::number(7)});
  program.call(threads, "sceKernelNotifyCallback", {P::result_of(made), P::number(8)});
  const std::size_t checked = program.call(threads, "sceKernelCheckCallback", {});
  program.load(t0, P::at(seen));
  program.emit(lw(t1, 0, t0));
  const std::size_t count = program.keep(t1);
  program.emit(lw(t1, 4, t0));
  const std::size_t unused_registers_survive = program.keep(t1);
  program.call("LoadExecForUser", "sceKernelRegisterExitCallback", {P::result_of(made)});
  const std::size_t slept = program.call(threads, "sceKernelDelayThreadCB", {P::number(1'000'000)});
  program.exit();
  MachineOptions options;
  options.script = script_of("wait 0.3s; home");
  Ran ran = run(program, stick, options);
  CHECK(ran.ending == Ending::exit_game);
  CHECK(ran.result(none) == 0);
  CHECK(ran.result(notified) == 0);
  CHECK(ran.result(checked) == 1);
  CHECK(ran.result(count) == 2);
  CHECK(ran.result(unused_registers_survive) != 0);
  CHECK(ran.result(slept) == 0);
  CHECK(ran.word(seen) == 1);  // the HOME notification
  CHECK(ran.word(seen + 4) == 0);
  CHECK(ran.word(seen + 8) == 99);
}

TEST_CASE("time, vblanks and clocks") {
  MemoryStorage stick;
  TestProgram program;
  const std::size_t set =
      program.call("scePower", "scePowerSetClockFrequency", {P::number(333), P::number(333), P::number(166)});
  const std::size_t cpu = program.call("scePower", "scePowerGetCpuClockFrequencyInt", {});
  const std::size_t bus = program.call("scePower", "scePowerGetBusClockFrequencyInt", {});
  const std::size_t wrong =
      program.call("scePower", "scePowerSetClockFrequency", {P::number(400), P::number(400), P::number(200)});
  program.call("sceDisplay", "sceDisplayWaitVblankStart", {});
  const std::size_t before = program.call(threads, "sceKernelGetSystemTimeLow", {});
  for (int i = 0; i < 60; ++i) program.call("sceDisplay", "sceDisplayWaitVblankStart", {});
  const std::size_t after = program.call(threads, "sceKernelGetSystemTimeLow", {});
  const std::size_t frames = program.call("sceDisplay", "sceDisplayGetVcount", {});
  program.exit();
  Ran ran = run(program, stick);
  CHECK(ran.result(set) == 0);
  CHECK(ran.result(cpu) == 333);
  CHECK(ran.result(bus) == 166);
  CHECK(ran.result(wrong) == result_code::out_of_range);
  CHECK(ran.result(after) - ran.result(before) == doctest::Approx(1'001'000).epsilon(0.0005));
  CHECK(ran.result(frames) == 61);
}

TEST_CASE("the pad follows the key script") {
  MemoryStorage stick;
  TestProgram program;
  const Word sample = program.space(16);
  program.call("sceCtrl", "sceCtrlSetSamplingMode", {P::number(1)});
  std::vector<std::size_t> buttons;
  for (int i = 0; i < 10; ++i) {
    program.call("sceCtrl", "sceCtrlReadBufferPositive", {P::at(sample), P::number(1)});
    program.load(t0, P::at(sample));
    program.emit(lw(t1, 4, t0));
    buttons.push_back(program.keep(t1));
  }
  program.exit();
  MachineOptions options;
  options.script = script_of("wait 2f; press cross+up 3f; analog 0 255");
  Ran ran = run(program, stick, options);
  std::string pattern;
  for (const std::size_t one : buttons)
    pattern += ran.result(one) == (button::cross | button::up) ? 'x' : '.';
  CHECK(pattern == "..xxx.....");
  CHECK(ran.word(sample + 8) == (0U | 255U << 8U));
}

TEST_CASE("volatile memory belongs to whoever holds its lock") {
  MemoryStorage stick;
  TestProgram program;
  const Word where = program.space(16);
  const char* const suspend = "sceSuspendForUser";
  const std::size_t unlocked = program.call(suspend, "sceKernelVolatileMemUnlock", {P::number(0)});
  const std::size_t locked =
      program.call(suspend, "sceKernelVolatileMemTryLock", {P::number(0), P::at(where), P::at(where + 4)});
  program.load(t0, P::at(where));
  program.emit(lw(t0, 0, t0));
  program.emit(sw(t0, 64, t0));
  const std::size_t again =
      program.call(suspend, "sceKernelVolatileMemTryLock", {P::number(0), P::at(where), P::at(where + 4)});
  const std::size_t released = program.call(suspend, "sceKernelVolatileMemUnlock", {P::number(0)});
  program.load(t0, P::at(where));
  program.emit(lw(t0, 0, t0));
  program.emit(lw(t1, 64, t0));
  program.exit();
  Ran ran = run(program, stick);
  CHECK(ran.result(unlocked) == result_code::volatile_not_locked);
  CHECK(ran.result(locked) == 0);
  CHECK(ran.word(where) == volatile_base);
  CHECK(ran.word(where + 4) == volatile_bytes);
  CHECK(ran.result(again) == result_code::volatile_in_use);
  CHECK(ran.result(released) == 0);
  CHECK(ran.ending == Ending::fault);
  CHECK(ran.machine->core.fault.kind == FaultKind::volatile_access);
}

namespace {

// A program that opens the keyboard, keeps it going and leaves when it has closed.
TestProgram keyboard_program(Word& text, Word& field) {
  TestProgram program;
  const Word parameters = program.space(64);
  field = program.space(64);
  text = program.space(256);
  const auto set = [&](Word offset, const P::Argument& value) {
    program.load(t0, P::at(offset));
    program.load(t1, value);
    program.emit(sw(t1, 0, t0));
  };
  set(parameters, P::number(64));
  set(parameters + 48, P::number(1));
  set(parameters + 52, P::at(field));
  set(field + 36, P::number(17));
  set(field + 40, P::at(text));
  set(field + 48, P::number(16));
  program.call(utility, "sceUtilityOskInitStart", {P::at(parameters)});
  const std::size_t top = program.position();
  program.call("sceDisplay", "sceDisplayWaitVblankStart", {});
  program.call(utility, "sceUtilityOskUpdate", {P::number(1)});
  program.call(utility, "sceUtilityOskShutdownStart", {});
  program.call(utility, "sceUtilityOskGetStatus", {});
  program.emit(bne(v0, zero, static_cast<SignedWord>(top) - static_cast<SignedWord>(program.position()) - 1));
  program.emit(nop);
  program.exit();
  return program;
}

}  // namespace

TEST_CASE("the keyboard gives what the script types, as UTF-16") {
  MemoryStorage stick;
  Word text = 0;
  Word field = 0;
  TestProgram program = keyboard_program(text, field);
  MachineOptions options;
  SUBCASE("text") {
    options.script = script_of("type \"Hé\\\"€😀\"");
    Ran ran = run(program, stick, options);
    CHECK(ran.ending == Ending::exit_game);
    CHECK(ran.word(field + 44) == 2);
    CHECK(ran.word(text) == (0x48U | 0xE9U << 16U));
    CHECK(ran.word(text + 4) == (0x22U | 0x20ACU << 16U));
    CHECK(ran.word(text + 8) == (0xD83DU | 0xDE00U << 16U));
    CHECK((ran.word(text + 12) & 0xFFFFU) == 0);
  }
  SUBCASE("longer than the field") {
    options.script = script_of("type \"12345678901234567890\"");
    Ran ran = run(program, stick, options);
    CHECK(ran.word(text + 28) == (0x35U | 0x36U << 16U));
    CHECK((ran.word(text + 32) & 0xFFFFU) == 0);
  }
  SUBCASE("cancelled") {
    options.script = script_of("until keyboard; cancel");
    Ran ran = run(program, stick, options);
    CHECK(ran.word(field + 44) == 1);
    CHECK(ran.word(text) == 0);
  }
  SUBCASE("nobody types") {
    Ran ran = run(program, stick, options);
    CHECK(ran.ending == Ending::no_text);
  }
}

TEST_CASE("calls that are not served stop the run by name") {
  MemoryStorage stick;
  TestProgram program;
  program.call("sceAudio", "sceAudioChReserve", {P::number(0)});
  program.exit();
  Ran ran = run(program, stick);
  CHECK(ran.ending == Ending::unknown_call);
  CHECK(ran.machine->kernel.ending_reason.find("sceAudio") != std::string::npos);
  CHECK(ran.machine->kernel.ending_reason.find("called at") != std::string::npos);
}

TEST_CASE("a display list that leaves memory stops the run") {
  MemoryStorage stick;
  TestProgram program;
  program.call("sceGe_user", "sceGeListEnQueue",
               {P::number(0x0A000000), P::number(0), P::number(0), P::number(0)});
  program.exit();
  MachineOptions options;
  options.device = Device::psp1000;
  CHECK(run(program, stick, options).ending == Ending::unknown_call);
}

TEST_CASE("a stack that overflows stops the run") {
  MemoryStorage stick;
  TestProgram program;
  const std::size_t top = program.position();
  program.emit(addiu(sp, sp, -4096));
  program.emit(
      beq(zero, zero, static_cast<SignedWord>(top) - static_cast<SignedWord>(program.position()) - 1));
  program.emit(nop);
  Ran ran = run(program, stick);
  CHECK(ran.ending == Ending::fault);
  CHECK(ran.machine->core.fault.kind == FaultKind::stack_overflow);
}

TEST_CASE("a thread that waits for nothing, and one that never ends") {
  MemoryStorage stick;
  TestProgram sleeper;
  sleeper.call(threads, "sceKernelSleepThread", {});
  CHECK(run(sleeper, stick).ending == Ending::deadlock);
  TestProgram busy;
  busy.emit(beq(zero, zero, -1));
  busy.emit(nop);
  CHECK(run(busy, stick, {}, 1'000'000).ending == Ending::cycle_limit);
}

TEST_CASE("two runs are equal to the cycle, wherever the module lies") {
  const auto cycles = [](Address base, Cycles slice) {
    MemoryStorage stick = example_stick();
    TestProgram program;
    const Word name = program.text("ms0:/PSP/GAME/PspLlm/model.bin");
    const Word buffer = program.space(64);
    const std::size_t opened = program.call(io, "sceIoOpen", {P::at(name), P::number(1), P::number(0)});
    program.call(io, "sceIoRead", {P::result_of(opened), P::at(buffer), P::number(10)});
    for (int i = 0; i < 5; ++i) program.call(threads, "sceKernelDelayThread", {P::number(10'000)});
    program.exit();
    MachineOptions options;
    options.load_address = base;
    const std::vector<Byte> file = program.build();
    Result<std::unique_ptr<Machine>> machine = Machine::make(file, {}, stick, options);
    REQUIRE(machine);
    while ((*machine)->run_slice(slice, 1'000'000'000) == Ending::none) {
    }
    CHECK((*machine)->ending == Ending::exit_game);
    CHECK(machine->get()->kernel.module.base == (base == 0 ? 0x08804000 : base));
    return (*machine)->core.cycle;
  };
  const Cycles whole = cycles(0, ~Cycles{0});
  CHECK(cycles(0, ~Cycles{0}) == whole);
  CHECK(cycles(0, 1000) == whole);
  CHECK(cycles(0x09123400, ~Cycles{0}) > 0);
  CHECK(cycles(0x0897FF00, ~Cycles{0}) > 0);  // its data address has a low half of 0x8000 and more
}

}  // namespace pspllm::simulator
