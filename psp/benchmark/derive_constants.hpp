// From measured loops to the constants that the simulator's timing model is unsure of
// (simulator/timing_constants.hpp; the names are the same).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "psp/benchmark/measure_loops.hpp"

namespace pspllm::psp {

struct MeasuredConstant {
  std::string_view name;
  std::uint32_t value = 0;  ///< cycles, or 0 and 1 for no and yes
};

inline constexpr std::size_t derived_constant_count = 23;
using DerivedConstants = std::array<MeasuredConstant, derived_constant_count>;

[[nodiscard]] DerivedConstants derive_constants(const LoopCycles& cycles);

}  // namespace pspllm::psp
