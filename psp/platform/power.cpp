#include "psp/platform/power.hpp"

#include "psp/platform/psp_api.hpp"

namespace pspllm::psp {

Battery read_battery() {
  Battery battery;
  battery.on_mains = scePowerIsPowerOnline() == 1;
  battery.present = scePowerIsBatteryExist() == 1;
  if (!battery.present) return battery;
  battery.charging = scePowerIsBatteryCharging() == 1;
  battery.low = scePowerIsLowBattery() == 1;
  const std::int32_t percent = scePowerGetBatteryLifePercent();
  if (percent >= 0 && percent <= 100) battery.percent = percent;
  const std::int32_t minutes = scePowerGetBatteryLifeTime();
  if (minutes >= 0 && !battery.on_mains) battery.remaining_minutes = minutes;
  return battery;
}

void stay_awake() {
  scePowerTick(api::power_tick_all);
}

}  // namespace pspllm::psp
