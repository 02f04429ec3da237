#pragma once
// The PSP's kernel as far as our program uses it: threads, files, memory, screen, pad, power, keyboard.
//
// A call arrives as the number of its import (loader.hpp). Each library's functions stand in a kernel_*.cpp
// of their own, in a table of names (ServiceEntry): to add a call, write a function there and a line in its
// table.
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simulator/clock.hpp"
#include "simulator/core.hpp"
#include "simulator/kernel_errors.hpp"
#include "simulator/key_script.hpp"
#include "simulator/loader.hpp"
#include "simulator/markers.hpp"
#include "simulator/partition.hpp"
#include "simulator/stick.hpp"
#include "simulator/thread.hpp"

namespace pspllm::simulator {

class Kernel;

struct ServiceEntry {
  std::string_view library;
  std::string_view name;
  void (*run)(Kernel&) = nullptr;
};

// How a run ended.
enum class Ending : Byte {
  none,          // it still runs
  exit_game,     // sceKernelExitGame
  returned,      // the last thread ended
  fault,         // what hardware refuses (Core::fault)
  unknown_call,  // an import or argument that the simulator does not serve
  deadlock,      // every thread waits for something that will not come
  cycle_limit,
  no_text,    // the keyboard is open and the script has no text for it
  script_end  // the script's "end"
};

[[nodiscard]] std::string_view name_of(Ending ending);

struct Display {
  Address frame_buffer = 0;
  Word stride = 0;  // pixels
  Word format = 0;  // 0 5650, 1 5551, 2 4444, 3 8888
  Address next_frame_buffer = 0;
  Word next_stride = 0;
  Word next_format = 0;
  bool latched = false;  // the next_ values count from the next vblank on
};

constexpr Word screen_width = 480;
constexpr Word screen_height = 272;

struct Screenshot {
  std::string name;
  std::vector<Byte> pixels;  // [screen_height][screen_width][3], red green blue
};

// Changes of the buttons since they were last read.
struct PadLatch {
  Word made = 0;
  Word broken = 0;
  Word pressed = 0;
  Word released = 0;
  Word frames = 0;
};

struct Pad {
  Word buttons = 0;
  Byte x = 128;
  Byte y = 128;
  Word mode = 0;              // 1: analog
  Word cycle = 0;             // microseconds; 0: every vblank
  DoubleWord frame_read = 0;  // the last frame whose sample was read
  Word last_buttons = 0;      // of the last frame
  PadLatch latch;
};

struct Power {
  Word pll_megahertz = 222;
  Word battery_percent = 100;
  bool online = true;
  bool volatile_locked = false;
  std::map<Word, Uid> callbacks;  // by slot
  Word locks = 0;
};

// The keyboard dialog's status, as sceUtilityOskGetStatus returns it.
enum class KeyboardStatus : Word { none = 0, starting = 1, running = 2, finished = 3, closing = 4 };

struct Keyboard {
  KeyboardStatus status = KeyboardStatus::none;
  Address parameters = 0;
  DoubleWord since_frame = 0;  // when the status last changed
  bool has_answer = false;
  bool cancelled = false;
  std::string answer;  // UTF-8
};

// Something that happened, for the report.
struct Event {
  Picoseconds time = 0;
  std::string what;
};

struct MarkerRecord {
  MarkerKind kind{};
  Word value = 0;
  Picoseconds time = 0;
  Cycles cycle = 0;
};

class Kernel {
 public:
  Kernel(Core& core, Memory& memory, Partition& partition, Storage& storage);

  // Starts the program as the console does: module_start with the path as its argument.
  void start(const Module& module, const std::string& program_path);

  // Runs until the program ends (also by reaching `cycle_limit`), or to about cycle `until`: then
  // Ending::none.
  Ending run(Cycles until, Cycles cycle_limit);

  // What the person does (parse_key_script).
  void set_script(std::vector<Step> steps) { script_ = {steps.begin(), steps.end()}; }

  // Called with every marker, before the program goes on; used by the profile.
  std::function<void(const MarkerRecord&)> on_marker;
  // Called when blocks are about to be dropped.
  std::function<void()> on_blocks_full;

  // --- state that reports read
  // -------------------------------------------------------------------------------
  Core& core;
  Memory& memory;
  Partition& partition;
  Storage& storage;
  Clock clock;
  Stick stick;
  Display display;
  Pad pad;
  Power power;
  Keyboard keyboard;
  Module module;
  std::string output;  // what the program wrote to stdout and stderr
  std::vector<Screenshot> screenshots;
  std::vector<Event> events;
  std::vector<MarkerRecord> markers;
  std::map<Uid, Thread> threads;
  std::map<Uid, Callback> callbacks;
  std::map<Uid, Semaphore> semaphores;
  std::map<Uid, Address> blocks;  // of sceKernelAllocPartitionMemory
  Word largest_block = 0;         // bytes of the largest one that was ever made
  std::map<std::string, DoubleWord> call_counts;
  Cycles idle_cycles = 0;
  Cycles kernel_cycles = 0;      // of calls and thread switches
  Cycles background_cycles = 0;  // of interrupts, and of switches before the first instruction
  DoubleWord thread_switches = 0;
  std::string ending_reason;
  bool check_uninitialised = false;

  [[nodiscard]] Picoseconds now() const { return clock.time_at(core.cycle); }
  [[nodiscard]] DoubleWord frame() const { return frame_; }
  [[nodiscard]] Screenshot take_screenshot(const std::string& name);

  // --- for the services
  // -------------------------------------------------------------------------------------- Argument i of the
  // call, 0 to 7.
  [[nodiscard]] Word argument(unsigned i) const { return core.gpr[4 + i]; }
  // Arguments i and i + 1 as one 64-bit number; i is even.
  [[nodiscard]] DoubleWord argument64(unsigned i) const {
    return argument(i) | DoubleWord{argument(i + 1)} << 32U;
  }
  void set_result(Word value);
  void set_result64(DoubleWord value);
  [[nodiscard]] std::optional<std::string> string_argument(unsigned i, std::size_t limit = 4096);
  // Writes a word for the program; false when the address is not its own.
  bool write_word(Address address, Word value);
  bool write_double(Address address, DoubleWord value);
  [[nodiscard]] std::optional<Word> read_word(Address address);
  // A buffer of the program for the kernel to fill or read, its cache lines cleaned; empty: not its own.
  [[nodiscard]] std::span<Byte> buffer(Address address, Word size, bool writes);

  [[nodiscard]] Uid new_uid() { return next_uid_ += 2; }
  [[nodiscard]] Thread& current() { return threads.at(current_); }
  [[nodiscard]] Uid current_uid() const { return current_; }
  [[nodiscard]] Thread* thread_named_by(Uid uid);

  // Books kernel time.
  void spend(Cycles cycles);
  // Books time that the stick takes: the thread waits, others may run.
  void wait_for_stick(Picoseconds duration);
  // The current thread waits; its call's result is set when it wakes.
  void wait(Wait what);
  // Ends a thread's wait with this result.
  void wake(Thread& thread, Word result);
  void make_ready(Thread& thread);
  void end_thread(Thread& thread, Word status);
  void delete_thread(Uid uid);
  void notify(Callback& callback, Word argument);
  // Delivers the current thread's pending callbacks; true when there was one.
  bool run_pending_callback(Thread& thread);
  void log(std::string what);
  void stop(Ending ending, std::string reason);
  // The call has arguments that this kernel does not serve.
  void refuse(const std::string& reason);
  void set_clock(Word cpu_megahertz, Word bus_megahertz);
  // Writes the pad's present state as one SceCtrlData.
  void write_pad_sample(Address address);
  [[nodiscard]] bool script_done() const { return script_.empty(); }

  Uid exit_callback = 0;

 private:
  void register_services(std::span<const ServiceEntry> entries);
  void bind_imports();
  void handle_call(Word number);
  void handle_marker(Word kind, Word value);
  void finish_callback();
  void save_current();
  void switch_to(Thread& thread);
  [[nodiscard]] Thread* best_ready();
  [[nodiscard]] Picoseconds next_event() const;
  void process_time();
  void process_vblank();
  void wake_due_threads();
  void time_out(Thread& thread);
  [[nodiscard]] bool idle(Cycles until);
  [[nodiscard]] std::string caller() const;

  // The script (kernel_script.cpp).
  void run_script();
  [[nodiscard]] bool step_done(const Step& step);
  void apply_step(const Step& step);
  void check_abandoned_keyboard();
  void sample_pad();

  std::map<std::pair<std::string, Word>, const ServiceEntry*> services_;
  std::vector<const ServiceEntry*> bound_;  // by import number; nullptr: not served
  std::string call_name_;
  Uid next_uid_ = 0x1001;
  Uid current_ = 0;
  DoubleWord next_order_ = 1;
  DoubleWord frame_ = 0;       // vblanks so far
  DoubleWord step_frame_ = 0;  // when the present step began
  bool step_begun_ = false;
  std::deque<Step> script_;
  Ending ending_ = Ending::none;
};

// The services, by library.
[[nodiscard]] std::span<const ServiceEntry> file_services();
[[nodiscard]] std::span<const ServiceEntry> directory_services();
[[nodiscard]] std::span<const ServiceEntry> thread_services();
[[nodiscard]] std::span<const ServiceEntry> callback_services();
[[nodiscard]] std::span<const ServiceEntry> semaphore_services();
[[nodiscard]] std::span<const ServiceEntry> memory_services();
[[nodiscard]] std::span<const ServiceEntry> display_services();
[[nodiscard]] std::span<const ServiceEntry> graphics_services();
[[nodiscard]] std::span<const ServiceEntry> pad_services();
[[nodiscard]] std::span<const ServiceEntry> power_services();
[[nodiscard]] std::span<const ServiceEntry> time_services();
[[nodiscard]] std::span<const ServiceEntry> utility_services();
[[nodiscard]] std::span<const ServiceEntry> system_services();

}  // namespace pspllm::simulator
