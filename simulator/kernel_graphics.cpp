// sceGe_user: display lists are followed to their end and checked, not drawn.
#include <fmt/format.h>

#include <vector>

#include "simulator/kernel.hpp"

namespace pspllm::simulator {

namespace {

constexpr Word first_list = 0x35000000;
constexpr std::size_t longest_list = 1U << 20U;

// Commands that change where the list goes on (high byte of the word).
constexpr Word command_jump = 0x08;
constexpr Word command_call = 0x0A;
constexpr Word command_return = 0x0B;
constexpr Word command_end = 0x0C;
constexpr Word command_base = 0x10;

// Reads the list as the graphics engine would; the reason why it cannot, or nothing.
std::string follow_list(Kernel& kernel, Address at, Address stall) {
  std::vector<Address> calls;
  Word base = 0;
  for (std::size_t count = 0; count < longest_list; ++count) {
    if (at == stall && stall != 0) return {};
    const std::optional<Word> word = kernel.read_word(at);
    if (!word) return fmt::format("the display list leaves memory at {:08x}", at);
    const Place place = kernel.memory.find(at);
    if (kernel.core.data_cache.holds_changed(line_of(place.physical)))
      kernel.core.hazards.report(HazardKind::stale_display_list, kernel.core.gpr[31] - 8U, at);
    const Address target = (base | (*word & 0x00FFFFFFU)) & 0x0FFFFFFCU;
    at += 4;
    switch (*word >> 24U) {
      case command_base:
        base = (*word << 8U) & 0x0F000000U;
        break;
      case command_jump:
        at = target;
        break;
      case command_call:
        calls.push_back(at);
        at = target;
        break;
      case command_return:
        if (calls.empty()) return "the display list returns from no call";
        at = calls.back();
        calls.pop_back();
        break;
      case command_end:
        return {};
      default:
        break;
    }
  }
  return "the display list does not end";
}

void enqueue(Kernel& kernel) {
  const Address list = kernel.argument(0) & 0x0FFFFFFFU;
  const Address stall = kernel.argument(1) & 0x0FFFFFFFU;
  if ((list & 3U) != 0) return kernel.set_result(result_code::invalid_pointer);
  if (const std::string reason = follow_list(kernel, list, stall); !reason.empty())
    return kernel.refuse(reason);
  kernel.set_result(first_list);
}

void accept(Kernel& kernel) {
  kernel.set_result(result_code::ok);
}
void video_memory(Kernel& kernel) {
  kernel.set_result(vram_base);
}
void video_memory_size(Kernel& kernel) {
  kernel.set_result(vram_bytes);
}

constexpr std::string_view library = "sceGe_user";

constexpr ServiceEntry entries[] = {
    {library, "sceGeEdramGetAddr", video_memory},
    {library, "sceGeEdramGetSize", video_memory_size},
    {library, "sceGeListEnQueue", enqueue},
    {library, "sceGeListEnQueueHead", enqueue},
    {library, "sceGeListUpdateStallAddr", accept},
    {library, "sceGeListSync", accept},
    {library, "sceGeDrawSync", accept},
    {library, "sceGeSetCallback", accept},
    {library, "sceGeUnsetCallback", accept},
};

}  // namespace

std::span<const ServiceEntry> graphics_services() {
  return entries;
}

}  // namespace pspllm::simulator
