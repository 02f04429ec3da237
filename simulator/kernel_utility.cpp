// sceUtility: the system's on-screen keyboard and system parameters. Layouts: psp-system.md.
#include <algorithm>

#include "simulator/kernel.hpp"

namespace pspllm::simulator {

namespace {

constexpr Word parameter_bytes = 64;
constexpr DoubleWord start_frames = 18;  // from InitStart to the running dialog
constexpr DoubleWord close_frames = 1;

// Offsets in the dialog's parameters and in its field.
constexpr Address base_result = 28;
constexpr Address field_pointer = 52;
constexpr Address dialog_state = 56;
constexpr Address field_text_length = 36;
constexpr Address field_text = 40;
constexpr Address field_result = 44;
constexpr Address field_text_limit = 48;

// Results of a field.
constexpr Word text_cancelled = 1;
constexpr Word text_changed = 2;

void enter(Kernel& kernel, KeyboardStatus status) {
  kernel.keyboard.status = status;
  kernel.keyboard.since_frame = kernel.frame();
}

void start(Kernel& kernel) {
  const Address parameters = kernel.argument(0);
  Keyboard& keyboard = kernel.keyboard;
  if (keyboard.status != KeyboardStatus::none) return kernel.set_result(result_code::utility_wrong_state);
  const std::optional<Word> size = kernel.read_word(parameters);
  if (!size || *size != parameter_bytes || kernel.memory.range(parameters, parameter_bytes).empty())
    return kernel.set_result(result_code::utility_bad_size);
  const std::optional<Word> field = kernel.read_word(parameters + field_pointer);
  if (!field || kernel.memory.range(*field, field_text_limit + 4U).empty())
    return kernel.set_result(result_code::utility_bad_parameter);
  keyboard = {};
  keyboard.parameters = parameters;
  enter(kernel, KeyboardStatus::starting);
  kernel.log("keyboard opens");
  kernel.set_result(result_code::ok);
}

void get_status(Kernel& kernel) {
  Keyboard& keyboard = kernel.keyboard;
  const DoubleWord frames = kernel.frame() - keyboard.since_frame;
  switch (keyboard.status) {
    // The dialog wants volatile memory; while the program holds it, the dialog does not come up.
    case KeyboardStatus::starting:
      if (frames >= start_frames && !kernel.power.volatile_locked) {
        std::ranges::fill(kernel.memory.volatile_memory(), Byte{0});
        enter(kernel, KeyboardStatus::running);
      }
      break;
    case KeyboardStatus::closing:
      kernel.set_result(static_cast<Word>(keyboard.status));
      if (frames >= close_frames) enter(kernel, KeyboardStatus::none);
      return;
    default:
      break;
  }
  kernel.set_result(static_cast<Word>(keyboard.status));
}

// UTF-8 to UTF-16; what is not UTF-8 becomes U+FFFD.
std::vector<Half> utf16_of(const std::string& text) {
  std::vector<Half> units;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto lead = static_cast<Byte>(text[at]);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 0;
    Word code = length == 1 ? lead : length == 0 ? 0xFFFDU : lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
      const Word next = at + i < text.size() ? static_cast<Byte>(text[at + i]) : 0U;
      code = (next & 0xC0U) == 0x80U ? code << 6U | (next & 0x3FU) : 0xFFFDU;
    }
    at += std::max<std::size_t>(length, 1);
    if (code >= 0x10000U && code < 0x110000U) {
      units.push_back(static_cast<Half>(0xD800U | (code - 0x10000U) >> 10U));
      units.push_back(static_cast<Half>(0xDC00U | (code & 0x3FFU)));
    } else {
      units.push_back(static_cast<Half>(code < 0x10000U ? code : 0xFFFDU));
    }
  }
  return units;
}

// The person has pressed the confirm key: the text goes to the program.
void deliver(Kernel& kernel) {
  const Keyboard& keyboard = kernel.keyboard;
  const Address field = kernel.read_word(keyboard.parameters + field_pointer).value_or(0);
  (void)kernel.write_word(keyboard.parameters + base_result, 0);
  (void)kernel.write_word(keyboard.parameters + dialog_state, 0);
  (void)kernel.write_word(field + field_result, keyboard.cancelled ? text_cancelled : text_changed);
  if (keyboard.cancelled) return;
  const Address to = kernel.read_word(field + field_text).value_or(0);
  const Word room = kernel.read_word(field + field_text_length).value_or(0);
  const Word limit = kernel.read_word(field + field_text_limit).value_or(0);
  std::vector<Half> units = utf16_of(keyboard.answer);
  std::size_t most = room == 0 ? 0 : room - 1U;
  if (limit != 0) most = std::min<std::size_t>(most, limit);
  if (units.size() > most) units.resize(most);
  units.push_back(0);
  const std::span<Byte> bytes = kernel.buffer(to, static_cast<Word>(units.size()) * 2U, true);
  if (bytes.empty() || room == 0)
    return kernel.refuse("the keyboard's text buffer is not in the program's memory");
  std::memcpy(bytes.data(), units.data(), bytes.size());
}

void update(Kernel& kernel) {
  Keyboard& keyboard = kernel.keyboard;
  if (keyboard.status != KeyboardStatus::running) return kernel.set_result(result_code::utility_wrong_state);
  kernel.set_result(result_code::ok);
  if (!keyboard.has_answer) return;
  deliver(kernel);
  enter(kernel, KeyboardStatus::finished);
}

void shut_down(Kernel& kernel) {
  if (kernel.keyboard.status != KeyboardStatus::finished)
    return kernel.set_result(result_code::utility_wrong_state);
  enter(kernel, KeyboardStatus::closing);
  kernel.log("keyboard closes");
  kernel.set_result(result_code::ok);
}

// Nickname is 1; the rest are numbers.
void get_parameter(Kernel& kernel) {
  constexpr std::array<Word, 11> values{0, 0, 0, 0, 2, 0, 60, 0, 1, 1, 9};  // 8: English, 9: Cross confirms
  const Word id = kernel.argument(0);
  if (id < 2 || id >= values.size()) return kernel.set_result(result_code::utility_bad_parameter);
  const bool written = kernel.write_word(kernel.argument(1), values[id]);
  kernel.set_result(written ? result_code::ok : result_code::illegal_pointer);
}

constexpr std::string_view library = "sceUtility";

constexpr ServiceEntry entries[] = {
    {library, "sceUtilityOskInitStart", start},
    {library, "sceUtilityOskGetStatus", get_status},
    {library, "sceUtilityOskUpdate", update},
    {library, "sceUtilityOskShutdownStart", shut_down},
    {library, "sceUtilityGetSystemParamInt", get_parameter},
};

}  // namespace

std::span<const ServiceEntry> utility_services() {
  return entries;
}

}  // namespace pspllm::simulator
