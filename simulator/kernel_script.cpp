// The key script, one look at every vblank.
#include <fmt/format.h>

#include <algorithm>

#include "simulator/kernel.hpp"

namespace pspllm::simulator {

namespace {

constexpr DoubleWord fade_in_frames = 40;    // before the keyboard takes keys
constexpr DoubleWord patience_frames = 600;  // how long an open keyboard may wait for a script that has ended

std::string file_text(Storage& storage, const std::string& path) {
  constexpr DoubleWord most = 1U << 20U;
  const std::optional<std::string> found = storage.resolve(path);
  const std::optional<FileStatus> status = found ? storage.status(*found) : std::nullopt;
  if (!status || status->is_directory) return {};
  std::vector<Byte> bytes(static_cast<std::size_t>(std::min(status->size, most)));
  bytes.resize(storage.read(*found, 0, bytes));
  return {bytes.begin(), bytes.end()};
}

// A name without a folder is looked for where the program works.
bool file_holds(const Kernel& kernel, const Step& step) {
  const std::string path = step.name.find('/') == std::string::npos && !kernel.stick.working_directory.empty()
                               ? kernel.stick.working_directory + "/" + step.name
                               : step.name;
  const std::optional<std::string> found = kernel.storage.resolve(path);
  if (!found || !kernel.storage.status(*found)) return false;
  return step.text.empty() || file_text(kernel.storage, *found).find(step.text) != std::string::npos;
}

}  // namespace

// What a step does when its turn comes.
void Kernel::apply_step(const Step& step) {
  switch (step.kind) {
    case StepKind::press:
    case StepKind::hold:
      pad.buttons |= step.buttons;
      break;
    case StepKind::release:
      pad.buttons &= ~step.buttons;
      break;
    case StepKind::analog:
      pad.x = static_cast<Byte>(step.buttons & 0xFFU);
      pad.y = static_cast<Byte>(step.buttons >> 8U);
      break;
    case StepKind::home: {
      const auto callback = callbacks.find(exit_callback);
      log("HOME: quit");
      if (callback != callbacks.end())
        notify(callback->second, 0);
      else
        stop(Ending::exit_game, "HOME: the program has no exit callback");
      break;
    }
    case StepKind::power:
      for (const auto& [slot, uid] : power.callbacks)
        if (const auto callback = callbacks.find(uid); callback != callbacks.end())
          notify(callback->second, step.number);
      break;
    case StepKind::battery:
      power.battery_percent = std::min(step.number, 100U);
      power.online = step.number >= 100;
      break;
    case StepKind::screenshot:
      screenshots.push_back(take_screenshot(step.name));
      break;
    case StepKind::remove_stick:
      stick.removed = true;
      break;
    case StepKind::insert_stick:
      stick.removed = false;
      break;
    case StepKind::end:
      stop(Ending::script_end, "the key script ended the run");
      break;
    default:
      break;
  }
}

// True when the next step's turn has come.
bool Kernel::step_done(const Step& step) {
  const DoubleWord frames = frame_ - step_frame_;
  switch (step.kind) {
    case StepKind::wait:
      return frames >= step.number;
    case StepKind::press:
      if (frames >= step.number) pad.buttons &= ~step.buttons;
      return frames >= DoubleWord{step.number} * 2;
    case StepKind::type:
    case StepKind::cancel:
      if (keyboard.status != KeyboardStatus::running || keyboard.has_answer) return false;
      if (frame_ - keyboard.since_frame < fade_in_frames) return false;
      keyboard.has_answer = true;
      keyboard.cancelled = step.kind == StepKind::cancel;
      keyboard.answer = step.text;
      return true;
    case StepKind::until_keyboard:
      return keyboard.status == KeyboardStatus::running;
    case StepKind::until_output:
      return output.find(step.text) != std::string::npos;
    case StepKind::until_file:
      return file_holds(*this, step);
    case StepKind::until_marker:
      return std::any_of(markers.begin(), markers.end(),
                         [&](const MarkerRecord& one) { return static_cast<Word>(one.kind) == step.number; });
    default:
      return true;
  }
}

void Kernel::run_script() {
  while (!script_.empty() && ending_ == Ending::none) {
    const Step step = script_.front();
    if (!step_begun_) {
      step_begun_ = true;
      step_frame_ = frame_;
      apply_step(step);
    }
    if (!step_done(step)) return;
    script_.pop_front();
    step_begun_ = false;
  }
}

void Kernel::check_abandoned_keyboard() {
  if (!script_.empty() || keyboard.status != KeyboardStatus::running || keyboard.has_answer) return;
  if (frame_ - keyboard.since_frame < patience_frames) return;
  stop(Ending::no_text,
       fmt::format("the keyboard has been open for {} s and the key script has no text for it",
                   patience_frames / 60));
}

}  // namespace pspllm::simulator
