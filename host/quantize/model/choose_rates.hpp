// Mixed rates: which matrices get more bits so that a model of a given size loses least.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/model/code_layout.hpp"
#include "host/quantize/model/recipe.hpp"

namespace pspllm::host {

/// A number for every code width; entry 0 is not used.
using ByWidth = std::array<double, max_code_width + 1>;

/// What was measured about a model: what each tensor costs the model's predictions at each width, as KL
/// divergence from the reference in nats a token. Effects of several tensors are taken to add up.
struct RateTable {
  std::vector<std::array<ByWidth, layer_matrix_roles.size()>> matrices;  // [n_layers]
  ByWidth embedding{};
  ByWidth classifier{};  ///< zeros where it is tied
};

/// The cheapest recipe first (8 weights a byte everywhere), then again and again the change that saves most
/// divergence a byte, as long as the model stays within `target_bits` a weight, everything included. Throws
/// Failure where even the cheapest recipe is larger.
[[nodiscard]] Recipe choose_rates(const RateTable& table, const ModelConfig& config, double target_bits);

/// Fills the widths between those that were measured: the logarithm of an error is close to linear in bits a
/// weight. measured: rising widths, errors above 0; widths outside continue the nearest line.
struct MeasuredError {
  std::uint32_t width = 0;
  double error = 0.0;
};
[[nodiscard]] ByWidth fill_widths(const std::vector<MeasuredError>& measured);

}  // namespace pspllm::host
