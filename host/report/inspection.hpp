// Everything that can be read off a model file: what `pspllm inspect` prints.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/io/progress_bar.hpp"
#include "host/model/opened_model.hpp"

namespace pspllm::host {

/// The values of one tensor, scales applied.
struct TensorInspection {
  TensorEntry tensor;
  float smallest = 0.0F;
  float largest = 0.0F;
  double root_mean_square = 0.0;
  std::uint64_t not_finite = 0;  ///< NaNs and infinities, left out of the figures before
  std::uint64_t checksum = 0;    ///< XXH64 of its bytes in the file
};

struct TokenizerInspection {
  std::string path;
  std::string kind;  ///< for people
  std::uint64_t file_bytes = 0;
  std::uint64_t checksum = 0;
  std::uint32_t pieces = 0;
  std::uint32_t longest_piece_bytes = 0;
  std::uint32_t repeated_pieces = 0;  ///< pieces that spell what another one spells
  bool has_byte_pieces = false;       ///< any text can be spelled
};

struct Inspection {
  std::string path;
  ModelFile file;
  std::uint64_t checksum = 0;  ///< XXH64 of the whole file, as xxhsum -H1 prints it
  std::vector<TensorInspection> tensors;
  std::optional<TokenizerInspection> tokenizer;

  std::string about;  ///< what a .pspm file tells people

  /// Bits of tensors a parameter takes, scales and codebooks included.
  [[nodiscard]] double bits_per_weight() const;
  /// The same of the whole file, tokenizer and all.
  [[nodiscard]] double file_bits_per_weight() const;
};

/// Bits a weight of one tensor takes in the file, scales and codebook included.
[[nodiscard]] double bits_per_weight(const TensorEntry& tensor);

/// Reads the whole model, one tensor in memory at a time, and checks every checksum of a .pspm file.
/// `opened.tokenizer` may be null. Throws Failure, Interrupted.
[[nodiscard]] Inspection inspect(const OpenedModel& opened, ProgressBar& bar);

[[nodiscard]] std::string inspection_text(const Inspection& inspection);
[[nodiscard]] nlohmann::json inspection_json(const Inspection& inspection);

}  // namespace pspllm::host
