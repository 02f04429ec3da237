#include "simulator/memory.hpp"

#include <algorithm>

namespace pspllm::simulator {

Memory::Memory(const DeviceModel& model, Word user_bytes)
    : user_bytes_(std::min(user_bytes, model.ram_bytes - (user_base - ram_base))),
      ram_(user_base - ram_base + user_bytes_),
      vram_(vram_bytes),
      scratchpad_(scratchpad_bytes) {}

Place Memory::find(Address address) {
  Place place;
  if (address & kernel_bit) {
    place.fault = FaultKind::kernel_access;
    return place;
  }
  place.cached = (address & uncached_bit) == 0;
  const Address physical = address & ~uncached_bit;
  place.physical = physical;
  if (physical - user_base < user_bytes_) {
    place.data = user_data() + (physical - user_base);
    place.left = user_base + user_bytes_ - physical;
    place.region = Region::user_ram;
  } else if (physical - vram_base < vram_window_bytes) {
    const Word offset = (physical - vram_base) % vram_bytes;
    place.data = vram_.data() + offset;
    place.left = vram_bytes - offset;
    place.region = Region::vram;
    place.physical = vram_base + offset;
  } else if (physical - scratchpad_base < scratchpad_bytes) {
    const Word offset = physical - scratchpad_base;
    place.data = scratchpad_.data() + offset;
    place.left = scratchpad_bytes - offset;
    place.region = Region::scratchpad;
  } else if (physical - volatile_base < volatile_bytes) {
    if (!volatile_locked) {
      place.fault = FaultKind::volatile_access;
      return place;
    }
    place.data = ram_.data() + (physical - ram_base);
    place.left = volatile_base + volatile_bytes - physical;
    place.region = Region::volatile_ram;
  } else {
    const bool kernel_ram = physical - ram_base < 64U * mebibyte;
    place.fault = kernel_ram ? FaultKind::kernel_access : FaultKind::unmapped_access;
  }
  return place;
}

std::span<Byte> Memory::range(Address address, Word size) {
  const Place place = find(address);
  if (place.data == nullptr || size > place.left) return {};
  return {place.data, size};
}

bool Memory::read_string(Address address, std::size_t limit, std::string& text) {
  text.clear();
  const Place place = find(address);
  if (place.data == nullptr) return false;
  const std::size_t most = std::min<std::size_t>(limit, place.left);
  const Byte* end = std::find(place.data, place.data + most, Byte{0});
  if (end == place.data + most && most == place.left) return false;
  text.assign(reinterpret_cast<const char*>(place.data), static_cast<std::size_t>(end - place.data));
  return true;
}

void Memory::track_definedness() {
  defined_.assign(ram_.size(), 0);
}

void Memory::set_defined(Address address, Word size, bool defined) {
  if (defined_.empty()) return;
  const Address offset = (address & ~uncached_bit) - ram_base;
  if (offset >= defined_.size()) return;
  const std::size_t count = std::min<std::size_t>(size, defined_.size() - offset);
  std::fill_n(defined_.begin() + offset, count, Byte{defined});
}

Address Memory::first_undefined(Address address, Word size) const {
  const Address offset = (address & ~uncached_bit) - ram_base;
  if (offset >= defined_.size() || size > defined_.size() - offset) return 0;
  for (Word i = 0; i < size; ++i)
    if (defined_[offset + i] == 0) return address + i;
  return 0;
}

}  // namespace pspllm::simulator
