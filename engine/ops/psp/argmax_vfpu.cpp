#include <bit>
#include <cstdint>

#include "engine/ops/psp/largest_magnitude.hpp"
#include "engine/ops/psp/vfpu.hpp"
#include "engine/ops/psp/vfpu_kernels.hpp"
#include "engine/ops/reference/reference.hpp"

namespace pspllm::psp {
namespace {

using vfpu::column;
using vfpu::Quad;

/// Numbers whose maximum is found before it is compared: one in a block is then searched for.
constexpr std::uint32_t block_size = 128;
constexpr std::uint32_t numbers_a_step = 16;

constexpr Quad largest(std::uint32_t index) noexcept {
  return column(0, index);
}
constexpr Quad current(std::uint32_t index) noexcept {
  return column(1, index);
}

template <std::uint32_t Index>
[[gnu::always_inline]] inline void load_next(const float* x) noexcept {
  vfpu::load<current(Index), static_cast<int>(Index * 16)>(x);
}
template <std::uint32_t Index>
[[gnu::always_inline]] inline void keep_larger() noexcept {
  vfpu::maximum<largest(Index), largest(Index), current(Index)>();
}

/// The largest of block_size numbers; a NaN among them comes out as one.
float block_maximum(const float* x) noexcept {
  vfpu::load<largest(0), 0>(x);
  vfpu::load<largest(1), 16>(x);
  vfpu::load<largest(2), 32>(x);
  vfpu::load<largest(3), 48>(x);
  for (const float* next = x + numbers_a_step; next != x + block_size; next += numbers_a_step) {
    load_next<0>(next);
    load_next<1>(next);
    load_next<2>(next);
    load_next<3>(next);
    keep_larger<0>();
    keep_larger<1>();
    keep_larger<2>();
    keep_larger<3>();
  }
  vfpu::maximum<largest(0), largest(0), largest(1)>();
  vfpu::maximum<largest(2), largest(2), largest(3)>();
  vfpu::maximum<largest(0), largest(0), largest(2)>();
  spread_maximum<largest(0)>();
  return std::bit_cast<float>(vfpu::bits_of<vfpu::lane(largest(0), 0)>());
}

}  // namespace

std::uint32_t argmax_vfpu(const float* x, std::uint32_t n) noexcept {
  const bool aligned = reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
  const std::uint32_t blocks = aligned ? n / block_size : 0;
  if (blocks == 0) return reference::argmax(x, n);
  std::uint32_t best_block = 0;
  float best = block_maximum(x);
  for (std::uint32_t block = 1; block < blocks; ++block) {
    const float maximum = block_maximum(x + block * block_size);
    if (!(maximum <= best)) {
      // A NaN: the reference's comparisons decide what it is worth.
      if (!(maximum > best)) return reference::argmax(x, n);
      best = maximum;
      best_block = block;
    }
  }
  const std::uint32_t tail = blocks * block_size;
  if (tail < n) {
    const std::uint32_t in_tail = reference::argmax(x + tail, n - tail);
    if (x[tail + in_tail] > best) return tail + in_tail;
  }
  return best_block * block_size + reference::argmax(x + best_block * block_size, block_size);
}

}  // namespace pspllm::psp
