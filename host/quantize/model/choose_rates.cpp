#include "host/quantize/model/choose_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/core/failure.hpp"

namespace pspllm::host {
namespace {

/// One tensor whose width may be lowered.
struct Candidate {
  std::uint32_t* width = nullptr;
  const ByWidth* divergence = nullptr;
  MatrixShape shape;

  [[nodiscard]] std::int64_t bytes(std::uint32_t at_width) const {
    return static_cast<std::int64_t>(CodeLayout{shape.rows, shape.cols, at_width}.bytes());
  }
};

std::vector<Candidate> candidates_of(Recipe& recipe, const RateTable& table, const ModelConfig& config) {
  std::vector<Candidate> candidates;
  const MatrixShape vocabulary{config.vocab_size, config.dim};
  candidates.push_back({&recipe.embedding, &table.embedding, vocabulary});
  if (!config.tied_classifier) candidates.push_back({&recipe.classifier, &table.classifier, vocabulary});
  for (std::size_t layer = 0; layer < recipe.layers.size(); ++layer) {
    for (std::size_t i = 0; i < layer_matrix_roles.size(); ++i) {
      candidates.push_back(
          {&recipe.layers[layer][i], &table.matrices[layer][i], shape_of(layer_matrix_roles[i], config)});
    }
  }
  return candidates;
}

/// The change of one tensor that saves most a byte.
struct Change {
  Candidate* candidate = nullptr;
  std::uint32_t width = 0;
  std::int64_t bytes = 0;  ///< more than now; less where a tiny matrix has a smaller codebook
  double saved_per_byte = 0.0;
};

void consider(Candidate& candidate, std::int64_t bytes_left, Change& best) {
  const std::uint32_t present = *candidate.width;
  for (std::uint32_t width = 1; width < present; ++width) {
    const std::int64_t bytes = candidate.bytes(width) - candidate.bytes(present);
    const double saved = (*candidate.divergence)[present] - (*candidate.divergence)[width];
    const double saved_per_byte = saved / static_cast<double>(std::max<std::int64_t>(bytes, 1));
    if (bytes > bytes_left || saved_per_byte <= best.saved_per_byte) continue;
    best = {&candidate, width, bytes, saved_per_byte};
  }
}

}  // namespace

ByWidth fill_widths(const std::vector<MeasuredError>& measured) {
  ByWidth errors{};
  for (std::uint32_t width = 1; width <= max_code_width; ++width) {
    std::size_t right = 1;
    while (right + 1 < measured.size() && measured[right].width < width) ++right;
    const MeasuredError& a = measured[right - 1];
    const MeasuredError& b = measured[right];
    const double share = (1.0 / width - 1.0 / a.width) / (1.0 / b.width - 1.0 / a.width);
    errors[width] = std::exp(std::log(a.error) + share * (std::log(b.error) - std::log(a.error)));
  }
  return errors;
}

Recipe choose_rates(const RateTable& table, const ModelConfig& config, double target_bits) {
  Recipe recipe = even_recipe(config, max_code_width, max_code_width);
  const double target_bytes = target_bits * static_cast<double>(config.parameter_count()) / 8.0;
  const std::uint64_t cheapest = recipe_bytes(recipe, config);
  if (static_cast<double>(cheapest) > target_bytes) {
    throw Failure(
        fmt::format("{} bits a weight are too few: with {} weights a byte everywhere the model takes {:.3f}",
                    target_bits, max_code_width, bits_per_weight(recipe, config)));
  }
  auto bytes_left = static_cast<std::int64_t>(target_bytes - static_cast<double>(cheapest));
  std::vector<Candidate> candidates = candidates_of(recipe, table, config);
  while (true) {
    Change best;
    for (Candidate& candidate : candidates) consider(candidate, bytes_left, best);
    if (best.candidate == nullptr) break;
    *best.candidate->width = best.width;
    bytes_left -= best.bytes;
  }
  if (config.tied_classifier) recipe.classifier = recipe.embedding;
  return recipe;
}

}  // namespace pspllm::host
