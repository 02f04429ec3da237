// scePower and sceSuspendForUser: clocks, battery, volatile memory.
#include <algorithm>

#include "simulator/kernel.hpp"

namespace pspllm::simulator {

namespace {

constexpr Word lowest_pll = 19;
constexpr Word highest_pll = 333;
constexpr Word highest_bus = 166;
constexpr Word slots = 16;

// Flags of a power callback.
constexpr Word flag_battery_exists = 0x80;
constexpr Word flag_power_online = 0x1000;

void apply_clock(Kernel& kernel, Word pll, Word cpu) {
  kernel.power.pll_megahertz = pll;
  kernel.set_clock(cpu, pll / 2);
}

// The bus runs at half the PLL whatever is asked (allegrex.md 3).
void set_clock_frequency(Kernel& kernel) {
  const Word pll = kernel.argument(0);
  const Word cpu = kernel.argument(1);
  const Word bus = kernel.argument(2);
  const bool valid = pll >= lowest_pll && pll <= highest_pll && cpu >= 1 && cpu <= pll && bus >= 1 &&
                     bus <= highest_bus && bus * 2 <= pll;
  if (!valid) return kernel.set_result(result_code::out_of_range);
  apply_clock(kernel, pll, cpu);
  kernel.set_result(result_code::ok);
}

void set_cpu_frequency(Kernel& kernel) {
  const Word cpu = kernel.argument(0);
  if (cpu < 1 || cpu > highest_pll) return kernel.set_result(result_code::out_of_range);
  apply_clock(kernel, std::max(kernel.power.pll_megahertz, cpu), cpu);
  kernel.set_result(result_code::ok);
}

void set_bus_frequency(Kernel& kernel) {
  const Word bus = kernel.argument(0);
  kernel.set_result(bus >= 1 && bus <= highest_bus ? result_code::ok : result_code::out_of_range);
}

void set_float_result(Kernel& kernel, Word value) {
  kernel.core.fpr[0] = as_bits(static_cast<float>(value));
  kernel.core.ready[scoreboard::fpr] = 0;
}

void get_cpu(Kernel& kernel) {
  kernel.set_result(kernel.clock.cpu_megahertz());
}
void get_bus(Kernel& kernel) {
  kernel.set_result(kernel.clock.bus_megahertz());
}
void get_pll(Kernel& kernel) {
  kernel.set_result(kernel.power.pll_megahertz);
}
void get_cpu_float(Kernel& kernel) {
  set_float_result(kernel, kernel.clock.cpu_megahertz());
}
void get_bus_float(Kernel& kernel) {
  set_float_result(kernel, kernel.clock.bus_megahertz());
}
void get_pll_float(Kernel& kernel) {
  set_float_result(kernel, kernel.power.pll_megahertz);
}

void accept(Kernel& kernel) {
  kernel.set_result(result_code::ok);
}
void battery_exists(Kernel& kernel) {
  kernel.set_result(1);
}
void power_online(Kernel& kernel) {
  kernel.set_result(Word{kernel.power.online});
}
void battery_percent(Kernel& kernel) {
  kernel.set_result(kernel.power.battery_percent);
}
void battery_charging(Kernel& kernel) {
  kernel.set_result(Word{kernel.power.online && kernel.power.battery_percent < 100});
}
void battery_low(Kernel& kernel) {
  constexpr Word low = 12;
  kernel.set_result(Word{kernel.power.battery_percent < low});
}
// About five hours when full.
void battery_minutes(Kernel& kernel) {
  kernel.set_result(kernel.power.battery_percent * 3U);
}
void battery_temperature(Kernel& kernel) {
  kernel.set_result(28);
}
void battery_millivolts(Kernel& kernel) {
  kernel.set_result(3600U + kernel.power.battery_percent * 6U);
}

// Results: pspautotests power/power.expected. Registering notifies at once.
void register_callback(Kernel& kernel) {
  Word slot = kernel.argument(0);
  const auto callback = kernel.callbacks.find(kernel.argument(1));
  std::map<Word, Uid>& registered = kernel.power.callbacks;
  if (slot != ~Word{0} && slot >= 32) return kernel.set_result(result_code::invalid_index);
  if (slot != ~Word{0} && slot >= slots) return kernel.set_result(result_code::not_allowed_index);
  if (callback == kernel.callbacks.end()) return kernel.set_result(result_code::invalid_id);
  if (slot == ~Word{0}) {
    slot = 0;
    while (registered.contains(slot)) ++slot;
    if (slot >= slots) return kernel.set_result(result_code::out_of_slots);
  } else if (registered.contains(slot)) {
    return kernel.set_result(result_code::already);
  }
  registered[slot] = callback->first;
  kernel.set_result(kernel.argument(0) == ~Word{0} ? slot : result_code::ok);
  kernel.notify(callback->second, flag_battery_exists | (kernel.power.online ? flag_power_online : 0U));
}

void unregister_callback(Kernel& kernel) {
  const Word slot = kernel.argument(0);
  if (slot >= 32) return kernel.set_result(result_code::invalid_index);
  if (slot >= slots) return kernel.set_result(result_code::not_allowed_index);
  kernel.set_result(kernel.power.callbacks.erase(slot) != 0 ? result_code::ok : result_code::not_found);
}

void power_lock(Kernel& kernel) {
  if (kernel.argument(0) != 0) return kernel.set_result(result_code::invalid_mode);
  ++kernel.power.locks;
  kernel.set_result(result_code::ok);
}

void power_unlock(Kernel& kernel) {
  if (kernel.argument(0) != 0) return kernel.set_result(result_code::invalid_mode);
  if (kernel.power.locks != 0) --kernel.power.locks;
  kernel.set_result(result_code::ok);
}

// --- volatile memory: pspautotests power/volatile
// ----------------------------------------------------------------

void write_volatile_location(Kernel& kernel) {
  if (kernel.argument(1) != 0) (void)kernel.write_word(kernel.argument(1), volatile_base);
  if (kernel.argument(2) != 0) (void)kernel.write_word(kernel.argument(2), volatile_bytes);
}

void take_volatile(Kernel& kernel) {
  kernel.power.volatile_locked = kernel.memory.volatile_locked = true;
  kernel.memory.set_defined(volatile_base, volatile_bytes, false);
}

void volatile_lock(Kernel& kernel) {
  if (kernel.argument(0) != 0) return kernel.set_result(result_code::invalid_mode);
  write_volatile_location(kernel);
  if (!kernel.power.volatile_locked) {
    take_volatile(kernel);
    return kernel.set_result(result_code::ok);
  }
  Wait wait;
  wait.kind = WaitKind::volatile_memory;
  kernel.wait(wait);
}

void volatile_try_lock(Kernel& kernel) {
  if (kernel.argument(0) != 0) return kernel.set_result(result_code::invalid_mode);
  if (kernel.power.volatile_locked) return kernel.set_result(result_code::volatile_in_use);
  write_volatile_location(kernel);
  take_volatile(kernel);
  kernel.set_result(result_code::ok);
}

void volatile_unlock(Kernel& kernel) {
  if (kernel.argument(0) != 0) return kernel.set_result(result_code::invalid_mode);
  if (!kernel.power.volatile_locked) return kernel.set_result(result_code::volatile_not_locked);
  kernel.power.volatile_locked = kernel.memory.volatile_locked = false;
  kernel.set_result(result_code::ok);
  for (auto& [uid, thread] : kernel.threads) {
    if (thread.status != ThreadStatus::waiting || thread.wait.kind != WaitKind::volatile_memory) continue;
    take_volatile(kernel);
    kernel.wake(thread, result_code::ok);
    return;
  }
}

constexpr std::string_view power = "scePower";
constexpr std::string_view suspend = "sceSuspendForUser";

constexpr ServiceEntry entries[] = {
    {power, "scePowerSetClockFrequency", set_clock_frequency},
    {power, "scePowerSetCpuClockFrequency", set_cpu_frequency},
    {power, "scePowerSetBusClockFrequency", set_bus_frequency},
    {power, "scePowerGetCpuClockFrequency", get_cpu},
    {power, "scePowerGetCpuClockFrequencyInt", get_cpu},
    {power, "scePowerGetCpuClockFrequencyFloat", get_cpu_float},
    {power, "scePowerGetBusClockFrequency", get_bus},
    {power, "scePowerGetBusClockFrequencyInt", get_bus},
    {power, "scePowerGetBusClockFrequencyFloat", get_bus_float},
    {power, "scePowerGetPllClockFrequencyInt", get_pll},
    {power, "scePowerGetPllClockFrequencyFloat", get_pll_float},
    {power, "scePowerTick", accept},
    {power, "scePowerLock", power_lock},
    {power, "scePowerUnlock", power_unlock},
    {power, "scePowerIsBatteryExist", battery_exists},
    {power, "scePowerIsPowerOnline", power_online},
    {power, "scePowerIsBatteryCharging", battery_charging},
    {power, "scePowerIsLowBattery", battery_low},
    {power, "scePowerGetBatteryLifePercent", battery_percent},
    {power, "scePowerGetBatteryLifeTime", battery_minutes},
    {power, "scePowerGetBatteryTemp", battery_temperature},
    {power, "scePowerGetBatteryVolt", battery_millivolts},
    {power, "scePowerRegisterCallback", register_callback},
    {power, "scePowerUnregisterCallback", unregister_callback},
    {suspend, "sceKernelPowerTick", accept},
    {suspend, "sceKernelPowerLock", power_lock},
    {suspend, "sceKernelPowerUnlock", power_unlock},
    {suspend, "sceKernelVolatileMemLock", volatile_lock},
    {suspend, "sceKernelVolatileMemTryLock", volatile_try_lock},
    {suspend, "sceKernelVolatileMemUnlock", volatile_unlock},
};

}  // namespace

std::span<const ServiceEntry> power_services() {
  return entries;
}

}  // namespace pspllm::simulator
