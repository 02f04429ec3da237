#include "psp/platform/system_settings.hpp"

#include <cstdint>

#include "psp/platform/psp_api.hpp"

namespace pspllm::psp {
namespace {

constexpr std::int32_t confirm_is_circle = 0;
constexpr std::int32_t confirm_is_cross = 1;
constexpr std::int32_t language_english = 1;

std::int32_t system_param(std::int32_t id, std::int32_t otherwise) {
  std::int32_t value = otherwise;
  return sceUtilityGetSystemParamInt(id, &value) < 0 ? otherwise : value;
}

bool circle_confirms() {
  return system_param(api::system_param_confirm_button, confirm_is_cross) == confirm_is_circle;
}

}  // namespace

Button confirm_button() {
  return circle_confirms() ? Button::circle : Button::cross;
}

Button cancel_button() {
  return circle_confirms() ? Button::cross : Button::circle;
}

int system_language() {
  return system_param(api::system_param_language, language_english);
}

}  // namespace pspllm::psp
