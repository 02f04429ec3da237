// Which files make a model: the checkpoint and its vocabulary.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/model/model_file.hpp"
#include "host/io/file_source.hpp"

namespace pspllm::host {

/// A model and its tokenizer, opened, the model's header read and checked; nothing loaded yet.
struct OpenedModel {
  std::unique_ptr<FileSource> model;
  std::unique_ptr<FileSource> tokenizer;    ///< null where the model file holds its own (.pspm)
  std::unique_ptr<FileSource> draft_table;  ///< draft.bin beside the model, where there is one
  ModelFile file;

  /// Bytes of the vocabulary, wherever it lies; 0 where it is not opened.
  [[nodiscard]] std::uint64_t tokenizer_bytes() const noexcept;
  /// The file that holds the vocabulary.
  [[nodiscard]] const std::string& tokenizer_path() const noexcept;
};

/// The path of `name` in a model's folder, where there is such a file: "tokenizer.bin", "draft.bin".
[[nodiscard]] std::optional<std::string> file_beside(const std::string& model_path, const char* name);

/// Opens the model file alone. Throws Failure: what FileSource or read_model_file() say, with the path.
[[nodiscard]] OpenedModel open_model_alone(const std::string& model_path);

/// Opens model and tokenizer, and the draft table if there is one; an empty `tokenizer_path` means the one
/// beside the model. Throws Failure also where there is none, or one is named although the model file holds
/// its own.
[[nodiscard]] OpenedModel open_model(const std::string& model_path, const std::string& tokenizer_path);

}  // namespace pspllm::host
