#pragma once
// The memory of a PSP as a user-mode program may reach it.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/device.hpp"
#include "simulator/fault.hpp"
#include "simulator/words.hpp"
#include "simulator/zeroed_bytes.hpp"

namespace pspllm::simulator {

enum class Region : Byte { none, scratchpad, vram, user_ram, volatile_ram };

// Where an address leads. data == nullptr: nowhere, for the reason in `fault`.
struct Place {
  Byte* data = nullptr;
  Word left = 0;  // bytes from data to the end of the region
  Region region = Region::none;
  bool cached = true;
  Address physical = 0;
  FaultKind fault = FaultKind::none;
};

class Memory {
 public:
  // user_bytes: the size of partition 2, at most the device's RAM above user_base.
  Memory(const DeviceModel& model, Word user_bytes);

  [[nodiscard]] Place find(Address address);

  // The bytes [address, address + size) as one piece of memory; empty when any of them cannot be reached.
  [[nodiscard]] std::span<Byte> range(Address address, Word size);

  // The NUL-terminated string at `address`, at most `limit` bytes; false when it leaves mapped memory.
  [[nodiscard]] bool read_string(Address address, std::size_t limit, std::string& text);

  [[nodiscard]] Byte* user_data() { return ram_.data() + (user_base - ram_base); }
  [[nodiscard]] Word user_bytes() const { return user_bytes_; }
  [[nodiscard]] Address user_end() const { return user_base + user_bytes_; }
  [[nodiscard]] std::span<Byte> vram() { return vram_.span(); }
  [[nodiscard]] std::span<Byte> volatile_memory() {
    return {ram_.data() + (volatile_base - ram_base), volatile_bytes};
  }

  bool volatile_locked = false;

  // Definedness, one byte of shadow a byte of RAM; nothing is kept until track_definedness().
  void track_definedness();
  [[nodiscard]] bool tracks_definedness() const { return !defined_.empty(); }
  void set_defined(Address address, Word size, bool defined);
  // The first undefined byte in the range, or 0.
  [[nodiscard]] Address first_undefined(Address address, Word size) const;

 private:
  Word user_bytes_;
  ZeroedBytes ram_;  // from ram_base
  ZeroedBytes vram_;
  ZeroedBytes scratchpad_;
  std::vector<Byte> defined_;  // of ram_; empty: not tracked
};

}  // namespace pspllm::simulator
