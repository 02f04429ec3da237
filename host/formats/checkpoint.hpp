// What every importer gives: a Llama-style model's shape and its tensors as floats, whatever the file was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/config.hpp"
#include "engine/model/pspm_format.hpp"
#include "engine/model/tensor.hpp"

namespace pspllm::host {

/// How a tensor is stored in a .pspm file. group_size: q80 weights a scale, or code width; f32: 0.
struct StoredFormat {
  TensorFormat format = TensorFormat::f32;
  std::uint32_t group_size = 0;

  friend bool operator==(const StoredFormat&, const StoredFormat&) = default;
};

/// One tensor of a checkpoint, not yet read.
struct CheckpointTensor {
  TensorRole role = TensorRole::token_embedding;
  std::uint32_t layer = 0;  ///< 0 for tensors that belong to no layer
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::string name;         ///< in the source, for messages
  std::string source_type;  ///< "Q4_1", "BF16", "F32" …
  /// Set where the source holds it in q80 or codes as we do: Checkpoint::read_stored gives its exact bytes.
  std::optional<StoredFormat> stored_format = std::nullopt;
};

/// A model as an importer found it. Tensors are listed in the order of use: embedding; per layer attention
/// norm, query, key, value, attention output, feed-forward norm, gate, up, down; final norm; classifier where
/// it is not tied. Norms are single rows here, one entry a layer. Query and key rows are in the engine's
/// order (interleaved RoPE pairs), whatever the source's was.
struct Checkpoint {
  ModelConfig config;
  std::string about;  ///< name, origin and licence as the source states them
  PspmTokenizerKind tokenizer_kind = PspmTokenizerKind::llama2c;
  std::vector<std::byte> tokenizer;     ///< payload of the .pspm tokenizer section
  std::vector<std::byte> chat;          ///< payload of the .pspm chat section; empty: none
  std::string chat_problem;             ///< why the source's chat template could not become `chat`
  std::vector<float> rope_frequencies;  ///< [head_dim / 2], scaling applied
  std::vector<CheckpointTensor> tensors;
  /// Reads one tensor as floats, row-major [rows, cols]. Throws Failure.
  std::function<std::vector<float>(const CheckpointTensor&)> read;
  /// Reads the bytes that a .pspm file has for a tensor with a stored_format. Throws Failure.
  std::function<std::vector<std::byte>(const CheckpointTensor&)> read_stored;
};

/// Opens a llama2.c file, a GGUF file, a .pspm file or a Hugging Face folder, told apart by content. Throws
/// Failure with one sentence where something is damaged or not supported.
[[nodiscard]] Checkpoint open_checkpoint(const std::string& path, const std::string& tokenizer_path = {});

}  // namespace pspllm::host
