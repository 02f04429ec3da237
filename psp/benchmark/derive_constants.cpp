#include "psp/benchmark/derive_constants.hpp"

#include <algorithm>

namespace pspllm::psp {
namespace {

std::uint32_t rounded(float cycles) {
  return cycles < 0.5F ? 0 : static_cast<std::uint32_t>(cycles + 0.5F);
}

/// A producer and its consumer issue a cycle apart from the producer's latency.
std::uint32_t latency_of_pair(float pair_cycles) {
  return std::max<std::uint32_t>(rounded(pair_cycles - 1.0F), 1);
}

}  // namespace

DerivedConstants derive_constants(const LoopCycles& cycles) {
  const auto of = [&](LoopId id) { return cycles[static_cast<std::size_t>(id)]; };
  const float line = of(LoopId::stream_read);
  // transform keeps the VFPU busy for four cycles: three independent additions hide in them, or do not.
  const bool vfpu_blocks = of(LoopId::transform_integer) > of(LoopId::transform) + 1.5F;
  // Twenty-four additions behind a division of thirty cycles.
  const bool divide_blocks = of(LoopId::divide_integer) > 42.0F;
  const bool prefetch_overlaps = of(LoopId::stream_prefetch_work) < 0.8F * of(LoopId::stream_work);
  // The store itself, and its wait for the loaded word.
  constexpr float store_after_load = 3.0F;
  constexpr std::uint32_t row_bytes = 2048;
  const bool rows_stay_open = of(LoopId::near_lines) < 0.5F * (line + of(LoopId::far_lines));
  return {{
      {"multiply_accumulate_latency", std::max<std::uint32_t>(rounded(of(LoopId::multiply_accumulate)), 1)},
      {"divide_blocks_issue", divide_blocks ? 1U : 0U},
      {"nullified_slot_cycles", rounded(of(LoopId::nullified_slot) - 1.0F)},
      {"fpu_move_latency", std::max<std::uint32_t>(rounded(of(LoopId::float_move)), 1)},
      {"fpu_load_latency", latency_of_pair(of(LoopId::float_load))},
      {"move_to_fpu_latency", latency_of_pair(of(LoopId::to_float))},
      {"move_from_fpu_latency", latency_of_pair(of(LoopId::from_float))},
      {"vfpu_blocks_issue", vfpu_blocks ? 1U : 0U},
      {"vfpu_load_latency", latency_of_pair(of(LoopId::vector_load))},
      {"vfpu_store_quad_cycles", std::max<std::uint32_t>(rounded(of(LoopId::vector_store)), 1)},
      {"move_to_vfpu_latency", latency_of_pair(of(LoopId::to_vector))},
      {"move_from_vfpu_latency", latency_of_pair(of(LoopId::from_vector))},
      {"vfpu_compare_move_latency", latency_of_pair(of(LoopId::compare_move))},
      {"fill_sequential_cycles", rounded(line - 1.0F)},
      {"fill_random_cycles", rounded(of(LoopId::far_lines) - 2.0F)},
      {"open_row_bytes", rows_stay_open ? row_bytes : 0},
      {"fill_vram_cycles", rounded(of(LoopId::stream_vram) - 1.0F)},
      {"fill_scratchpad_cycles", rounded(of(LoopId::stream_scratchpad) - 1.0F)},
      {"dirty_eviction_cycles", rounded(of(LoopId::stream_change) - line - store_after_load)},
      {"uncached_read_cycles", rounded(of(LoopId::uncached_read) - 1.0F)},
      {"uncached_write_cycles", rounded(of(LoopId::uncached_write) - 1.0F)},
      {"prefetch_overlaps", prefetch_overlaps ? 1U : 0U},
      {"cache_operation_cycles", std::max<std::uint32_t>(rounded(of(LoopId::cache_operation)), 1)},
  }};
}

}  // namespace pspllm::psp
