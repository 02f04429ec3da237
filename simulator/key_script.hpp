#pragma once
// What the person with the PSP does: a list of steps in modelled time. docs/simulator.md describes the
// language.
#include <string>
#include <string_view>
#include <vector>

#include "simulator/result.hpp"
#include "simulator/words.hpp"

namespace pspllm::simulator {

// Bits of SceCtrlData.Buttons.
namespace button {
constexpr Word select = 0x000001;
constexpr Word start = 0x000008;
constexpr Word up = 0x000010;
constexpr Word right = 0x000020;
constexpr Word down = 0x000040;
constexpr Word left = 0x000080;
constexpr Word l = 0x000100;
constexpr Word r = 0x000200;
constexpr Word triangle = 0x001000;
constexpr Word circle = 0x002000;
constexpr Word cross = 0x004000;
constexpr Word square = 0x008000;
}  // namespace button

enum class StepKind : Byte {
  wait,            // number: frames
  press,           // buttons, number: frames held, then as many released
  hold,            // buttons
  release,         // buttons
  analog,          // buttons: x | y << 8
  type,            // text: entered into the system keyboard, once it is open
  cancel,          // closes the system keyboard without a text
  until_keyboard,  // the system keyboard is open
  until_output,    // text appears on standard output
  until_file,      // file `name` exists and holds text
  until_marker,    // number: the kind of marker
  home,            // the HOME menu's "quit": the exit callback runs
  power,           // number: flags given to the power callbacks
  battery,         // number: per cent
  screenshot,      // name
  remove_stick,
  insert_stick,
  end  // stops the run
};

struct Step {
  StepKind kind = StepKind::wait;
  Word number = 0;
  Word buttons = 0;
  std::string name;
  std::string text;
};

[[nodiscard]] Result<std::vector<Step>> parse_key_script(std::string_view script);

}  // namespace pspllm::simulator
