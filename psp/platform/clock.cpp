#include "psp/platform/clock.hpp"

#include "psp/platform/psp_api.hpp"

namespace pspllm::psp {

Status set_clock(ClockSpeed speed) {
  const std::int32_t code = scePowerSetClockFrequency(speed.cpu, speed.cpu, speed.bus);
  if (code < 0) return failure("Cannot set the clock", "", code);
  const ClockSpeed now = read_clock();
  // Firmware rounds to what its dividers give: 332 for 333 is seen on consoles.
  if (now.cpu >= speed.cpu - 2 && now.cpu <= speed.cpu + 2) return {};
  Status status = failure_sentence(error_not_open, "The clock was to be ");
  status.sentence.append_signed(speed.cpu).append(" MHz and is ").append_signed(now.cpu).append(" MHz.");
  return status;
}

ClockSpeed read_clock() {
  return {scePowerGetCpuClockFrequencyInt(), scePowerGetBusClockFrequencyInt()};
}

}  // namespace pspllm::psp
