// pspllm quantize --type codes, from a model's path to a .pspm file.
#pragma once

#include <cstdint>
#include <string>

#include "host/quantize/model/quantize_report.hpp"

namespace pspllm::host {

struct QuantizeJob {
  std::string in;
  std::string out;
  std::string tokenizer;     ///< empty: what belongs to `in`
  std::string recipe;        ///< path; empty: the default recipe
  float target_bits = 0.0F;  ///< bits a weight, everything included; 0: as the recipe says
  std::string calibration;   ///< path of a text; empty: all inputs count alike
  std::uint32_t calibration_tokens = 50000;
  std::uint32_t threads = 0;  ///< 0: all cores
  std::uint64_t seed = 0;
};

/// With target_bits a recipe is searched (measure_rates.hpp, choose_rates.hpp) and written beside the output
/// as OUT.recipe.json; a later run takes it as --recipe. Throws Failure and Interrupted.
[[nodiscard]] ModelReport run_quantize_job(const QuantizeJob& job);

}  // namespace pspllm::host
