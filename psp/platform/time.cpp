#include "psp/platform/time.hpp"

#include "psp/platform/psp_api.hpp"

namespace pspllm::psp {

std::uint64_t now_us() {
  return static_cast<std::uint64_t>(sceKernelGetSystemTimeWide());
}

DateTime local_time() {
  api::IoDateTime raw{};
  if (sceRtcGetCurrentClockLocalTime(&raw) < 0) return {};
  return {raw.year, raw.month, raw.day, raw.hour, raw.minute, raw.second};
}

void sleep_us(std::uint32_t microseconds) {
  sceKernelDelayThread(microseconds);
}

}  // namespace pspllm::psp
