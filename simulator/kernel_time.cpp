// System time, the real-time clock and the C library's clocks.
#include "simulator/kernel.hpp"

namespace pspllm::simulator {

namespace {

constexpr DoubleWord tick_resolution = 1'000'000;
// The modelled run begins at 2026-01-01 00:00:00: microseconds since 0001-01-01, and seconds since 1970.
constexpr DoubleWord start_tick = 63'902'822'400'000'000;
constexpr DoubleWord start_unix_seconds = 1'767'225'600;

DoubleWord microseconds(const Kernel& kernel) {
  return kernel.now() / microsecond;
}

void system_time_wide(Kernel& kernel) {
  kernel.set_result64(microseconds(kernel));
}
void system_time_low(Kernel& kernel) {
  kernel.set_result(static_cast<Word>(microseconds(kernel)));
}

void system_time(Kernel& kernel) {
  const bool written = kernel.write_double(kernel.argument(0), microseconds(kernel));
  kernel.set_result(written ? result_code::ok : result_code::illegal_pointer);
}

void current_tick(Kernel& kernel) {
  const bool written = kernel.write_double(kernel.argument(0), start_tick + microseconds(kernel));
  kernel.set_result(written ? result_code::ok : result_code::illegal_pointer);
}

void get_tick_resolution(Kernel& kernel) {
  kernel.set_result(static_cast<Word>(tick_resolution));
}

// pspTime: year, month, day, hour, minute, second as halves, then microseconds. A run stays within January
// 2026.
bool write_time(Kernel& kernel, Address address) {
  const DoubleWord total = microseconds(kernel);
  const DoubleWord seconds = total / tick_resolution;
  const Word day = static_cast<Word>(seconds / 86400U) + 1U;
  const Word hour = static_cast<Word>(seconds / 3600U % 24U);
  const Word minute = static_cast<Word>(seconds / 60U % 60U);
  return kernel.write_word(address, 2026U | 1U << 16U) && kernel.write_word(address + 4, day | hour << 16U) &&
         kernel.write_word(address + 8, minute | static_cast<Word>(seconds % 60U) << 16U) &&
         kernel.write_word(address + 12, static_cast<Word>(total % tick_resolution));
}

void current_clock(Kernel& kernel) {
  kernel.set_result(write_time(kernel, kernel.argument(0)) ? result_code::ok : result_code::illegal_pointer);
}

void libc_clock(Kernel& kernel) {
  kernel.set_result(static_cast<Word>(microseconds(kernel)));
}

void libc_time(Kernel& kernel) {
  const Word seconds = static_cast<Word>(start_unix_seconds + microseconds(kernel) / tick_resolution);
  if (kernel.argument(0) != 0) (void)kernel.write_word(kernel.argument(0), seconds);
  kernel.set_result(seconds);
}

constexpr std::string_view threads = "ThreadManForUser";
constexpr std::string_view rtc = "sceRtc";
constexpr std::string_view utils = "UtilsForUser";

constexpr ServiceEntry entries[] = {
    {threads, "sceKernelGetSystemTimeWide", system_time_wide},
    {threads, "sceKernelGetSystemTimeLow", system_time_low},
    {threads, "sceKernelGetSystemTime", system_time},
    {rtc, "sceRtcGetCurrentTick", current_tick},
    {rtc, "sceRtcGetTickResolution", get_tick_resolution},
    {rtc, "sceRtcGetCurrentClock", current_clock},
    {rtc, "sceRtcGetCurrentClockLocalTime", current_clock},
    {utils, "sceKernelLibcClock", libc_clock},
    {utils, "sceKernelLibcTime", libc_time},
};

}  // namespace

std::span<const ServiceEntry> time_services() {
  return entries;
}

}  // namespace pspllm::simulator
