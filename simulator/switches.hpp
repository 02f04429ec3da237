#pragma once
// Choosing timing constants by name, and reading those that were measured on a console.
#include <string_view>

#include "simulator/result.hpp"
#include "simulator/timing_constants.hpp"

namespace pspllm::simulator {

// "conservative", "optimistic", or either (default: what `base` holds) followed by name=value, separated by
// commas.
[[nodiscard]] Result<Timing> parse_switches(std::string_view text, const Timing& base);

// The file that the PSP program's benchmark screen writes: one "name value" a line. Names that are not
// constants are left alone: the file holds other figures too. `count` becomes how many were used.
[[nodiscard]] Result<Timing> parse_bench_file(std::string_view text, const Timing& base, std::size_t& count);

}  // namespace pspllm::simulator
