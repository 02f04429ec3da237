// Finished layers of a quantisation that may be interrupted, in a folder beside its output: the next run of
// the same command goes on behind them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "host/quantize/calibration/quantize_layer.hpp"

namespace pspllm::host {

/// Adds bytes to a fingerprint (XXH3).
[[nodiscard]] std::uint64_t add_to_fingerprint(std::uint64_t fingerprint, std::span<const std::byte> bytes);
/// Of all weights of a layer.
[[nodiscard]] std::uint64_t fingerprint_of(const FloatLayer& layer);

/// The embedding, finished before the first layer.
struct FinishedEmbedding {
  CodeWeights codes;
  MatrixFit fit;
};

class WorkFolder {
 public:
  /// fingerprint: everything that the result depends on, as one number, but for the layers' weights, which
  /// are checked one by one. What `path` holds for another one is replaced in time. Nothing is written before
  /// the first save. An empty path: a folder that keeps nothing.
  WorkFolder(std::string path, std::uint64_t fingerprint);

  [[nodiscard]] std::optional<FinishedEmbedding> load_embedding() const;
  void save_embedding(const FinishedEmbedding& embedding) const;

  /// The layer, where it was finished from these weights.
  [[nodiscard]] std::optional<QuantizedLayer> load_layer(std::uint32_t layer, std::uint64_t weights) const;
  /// The streams behind the latest saved layer; false where they are not there or behind another layer.
  [[nodiscard]] bool load_streams(std::uint32_t behind_layer, CalibrationRun& run) const;
  /// Layers whose streams are there; 0: none.
  [[nodiscard]] std::uint32_t finished_layers() const;
  void save_layer(std::uint32_t layer, std::uint64_t weights, const QuantizedLayer& quantized,
                  const CalibrationRun& run) const;

 private:
  [[nodiscard]] std::string file(const std::string& name) const;

  std::string path_;
  std::uint64_t fingerprint_;
};

/// Deletes what a WorkFolder wrote there, and the folder where that leaves it empty.
void remove_work_folder(const std::string& path) noexcept;

}  // namespace pspllm::host
