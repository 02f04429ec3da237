// A whole model to byte codes: embedding, layers one after the other, classifier.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/formats/checkpoint.hpp"
#include "host/quantize/calibration/quantize_layer.hpp"
#include "host/quantize/model/calibration_tokens.hpp"
#include "host/quantize/model/recipe.hpp"

namespace pspllm::host {

struct QuantizeModelOptions {
  Recipe recipe;
  MatrixOptions matrix;
  double ridge = 0.05;  ///< LayerOptions::ridge
  std::uint64_t seed = 0;
  std::string work_folder;  ///< where finished layers are kept (work_folder.hpp); empty: nowhere
};

/// How the finished model does on the held-out windows, beside the reference.
struct HeldOutQuality {
  std::uint64_t tokens = 0;     ///< predicted
  double reference_loss = 0.0;  ///< nats a token
  double quantized_loss = 0.0;  ///< nats a token
  double divergence = 0.0;      ///< KL(reference, quantised), nats a token
  double top_agreement = 0.0;   ///< share of tokens for which both think the same most likely
};

struct QuantizedModel {
  CodeWeights embedding;
  MatrixFit embedding_fit;
  std::vector<QuantizedLayer> layers;
  std::optional<CodeWeights> classifier;  ///< where it is not tied
  MatrixFit classifier_fit;
  HeldOutQuality quality;
};

/// Told about what is going on.
struct QuantizeObserver {
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  ///< may throw, to stop
  std::function<void(std::uint32_t layer, const QuantizedLayer&)> finished_layer;
  std::function<void(std::uint32_t layers)> resumed;  ///< with what the work folder held
};

/// Without calibration windows every input of a matrix counts alike: quick, and much worse below 4 bits.
/// Throws Failure where a tensor is missing or not finite.
[[nodiscard]] QuantizedModel quantize_model(const Checkpoint& checkpoint,
                                            const CalibrationTokens& calibration,
                                            const QuantizeModelOptions& options,
                                            const QuantizeObserver& observer, const Parallel& parallel);

}  // namespace pspllm::host
