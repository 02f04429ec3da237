// A tiny program that uses every part of the platform, for the test in the emulator: reads in.txt, writes
// state.txt line by line, shows a screen, saves a file, asks for text, and leaves when told to.
//
//   START   the system keyboard (TRIANGLE on it: HOME)     CIRCLE  compute without end
//   SELECT  HOME, also while it computes                  CROSS   leave
#include <array>
#include <cstddef>
#include <span>

#include "psp/platform/clock.hpp"
#include "psp/platform/drawing.hpp"
#include "psp/platform/exit.hpp"
#include "psp/platform/files.hpp"
#include "psp/platform/keyboard.hpp"
#include "psp/platform/log.hpp"
#include "psp/platform/memory_block.hpp"
#include "psp/platform/pad.hpp"
#include "psp/platform/power.hpp"
#include "psp/platform/program.hpp"
#include "psp/platform/stick_store.hpp"
#include "psp/platform/system_settings.hpp"
#include "psp/platform/thread.hpp"
#include "psp/platform/time.hpp"

namespace pspllm::psp {
namespace {

constexpr Ink text_ink{rgb(230, 230, 230), rgb(16, 20, 48)};
constexpr Ink title_ink{rgb(255, 206, 92), rgb(16, 20, 48)};
constexpr std::size_t max_line_bytes = 240;
using Line = TextBuffer<max_line_bytes>;

/// Writes each line of the report to state.txt, to the log and to the screen's list.
class Report {
 public:
  explicit Report(const Path& folder) {
    (void)file_.open(join_path(folder.view(), "state.txt"), OpenMode::write);
  }

  void add(std::string_view key, std::string_view value) {
    Line line(key);
    line.append('=').append(value);
    log_line(line.view());
    if (count_ < lines_.size()) lines_[count_++] = line;
    line.append('\n');
    (void)file_.write(line.view());
  }
  void add(std::string_view key, std::uint64_t value) { add(key, Line().append_unsigned(value).view()); }
  void add(std::string_view key, const Status& status) {
    add(key, status.ok() ? "ok" : status.sentence.view());
  }

  void draw(Surface surface) const {
    fill_rectangle(surface, 0, 0, screen_width, screen_height, text_ink.background);
    draw_text(surface, 1, 0, "PspLlm platform sample", title_ink);
    for (std::size_t i = 0; i < count_; ++i)
      draw_text(surface, 1, static_cast<int>(i) + 2, lines_[i].view(), text_ink);
    draw_text(surface, 1, text_rows - 3, "“Curly” ‘quotes’ – dash — long… • bullet € ½ ß ñ Ø Œ ☃ ○△□✕",
              text_ink);
    for (int i = 0; i < 16; ++i) {
      fill_rectangle(surface, 9 + i * 29, 256, 27, 11,
                     rgb(static_cast<unsigned>(i) * 17, 255U - static_cast<unsigned>(i) * 17, 128));
    }
  }

 private:
  File file_;
  std::array<Line, text_rows> lines_;
  std::size_t count_ = 0;
};

Display display;
PadTracker tracker;

void show(const Report& report) {
  for (int buffer = 0; buffer < 2; ++buffer) {
    report.draw(display.begin_frame());
    display.end_frame();
  }
}

void try_files(Report& report, const Path& folder) {
  std::array<std::byte, 64> bytes{};
  std::size_t size = 0;
  report.add("in", read_whole_file(join_path(folder.view(), "in.txt"), bytes, size));
  report.add("in_text", std::string_view(reinterpret_cast<const char*>(bytes.data()), size));
  report.add("absent", read_whole_file(join_path(folder.view(), "absent.txt"), bytes, size));
  StickStore store;
  const Path saved = join_path(folder.view(), "saved.txt");
  for (const std::string_view text : {"first", "second"}) {
    const std::array<std::string_view, 2> pieces = {text, " version\n"};
    report.add("save", save_atomically(store, saved, pieces));
  }
  Directory directory;
  DirectoryEntry entry;
  bool found = true;
  std::uint64_t entries = 0;
  Status status = directory.open(folder);
  while (status.ok() && found) {
    status = directory.next(entry, found);
    if (found) ++entries;
  }
  report.add("folder", status);
  report.add("entries", entries);
  std::uint64_t free_bytes = 0;
  report.add("free_space", get_free_stick_bytes(free_bytes));
}

void try_system(Report& report) {
  report.add("clock", set_clock(full_speed));
  const ClockSpeed clock = read_clock();
  report.add("mhz", Line().append_signed(clock.cpu).append('/').append_signed(clock.bus).view());
  report.add("largest_block", largest_free_block());
  std::span<std::byte> block;
  constexpr std::size_t block_bytes = 20U << 20U;
  report.add("block", allocate_block(block_bytes, block));
  report.add("block_bytes", block.size());
  report.add("too_large", allocate_block(block_bytes, block));
  const Battery battery = read_battery();
  report.add("battery", Line().append_signed(battery.percent).view());
  report.add("year_known", local_time().year > 2000 ? "yes" : "no");
  report.add("confirm", confirm_button() == Button::cross ? "cross" : "circle");
  volatile float zero = 0.0F;
  volatile float infinite = 1.0F / zero;  // traps if floating-point exceptions are on
  report.add("infinity", infinite > 1e30F ? "yes" : "no");
}

void draw_behind_keyboard(Surface surface, void* context) {
  static_cast<const Report*>(context)->draw(surface);
  if (read_pad().held.has(Button::triangle)) simulate_home();
}

void try_keyboard(Report& report) {
  static std::array<char, max_typed_bytes> text;
  const KeyboardRequest request{.title = "Prompt – test",
                                .initial_text = "aé",
                                .draw_background = draw_behind_keyboard,
                                .context = &report};
  const TypedText typed = ask_for_text(display, request, text);
  report.add("keyboard", typed.status);
  report.add("outcome", typed.outcome == TypedOutcome::confirmed ? "confirmed" : "cancelled");
  report.add("typed", std::string_view(text.data(), typed.bytes));
}

}  // namespace

void run_program(const ProgramArguments& arguments) {
  Report report(arguments.folder);
  report.add("program", arguments.program_file.view());
  display.start();
  start_pad();
  try_files(report, arguments.folder);
  try_system(report);
  show(report);
  report.add("ready", "yes");
  for (;;) {
    const PadEvents events = tracker.update(read_pad());
    if (events.pressed.has(Button::cross)) break;
    if (events.pressed.has(Button::select)) simulate_home();
    if (events.pressed.has(Button::start)) {
      try_keyboard(report);
      show(report);
      report.add("keyboard_done", "yes");
    }
    if (events.pressed.has(Button::circle)) {
      report.add("busy", "yes");
      while (!exit_requested()) {
        if (tracker.update(read_pad()).pressed.has(Button::select)) simulate_home();
      }
    }
    stay_awake();
    Display::wait_vblank();
  }
  report.add("left", "yes");
}

}  // namespace pspllm::psp
