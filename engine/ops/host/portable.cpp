// 4 lanes of whatever the baseline processor has (SSE2, NEON): any group size, any int8.
#include "engine/ops/host/kernel_sets.hpp"
#include "engine/ops/host/kernel_table.hpp"

namespace pspllm::host {
namespace {

struct Portable {
  static constexpr const char* name = "q80 4x1 portable";
  static constexpr std::uint32_t lanes = 4;
  static constexpr std::uint32_t token_tile = 4;
  static constexpr PackedFormat format{.lanes = lanes, .columns_per_step = 1, .value_flip = 0};
  using Activation = std::int32_t;
  using WeightStep = Ints<lanes>;

  static WeightStep load_weights(const std::byte* from) noexcept {
    std::int8_t bytes[lanes];
    __builtin_memcpy(bytes, from, sizeof bytes);
    return WeightStep{bytes[0], bytes[1], bytes[2], bytes[3]};
  }
  static Ints<lanes> multiply_add(Ints<lanes> sum, WeightStep weights, std::int32_t activation) noexcept {
    return sum + weights * activation;
  }
};

}  // namespace

const Kernels& portable_kernels() noexcept {
  return KernelsOf<Portable>::table;
}

}  // namespace pspllm::host
