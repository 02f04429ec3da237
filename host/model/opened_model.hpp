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
  std::unique_ptr<FileSource> tokenizer;
  ModelFile file;
};

/// The tokenizer that lies beside a model: tokenizer.bin in the same folder, where there is one.
[[nodiscard]] std::optional<std::string> tokenizer_beside(const std::string& model_path);

/// Opens the model file alone. Throws Failure: what FileSource or read_model_file() say, with the path.
[[nodiscard]] OpenedModel open_model_alone(const std::string& model_path);

/// Opens both; an empty `tokenizer_path` means the one beside the model. Throws Failure also where there is
/// none.
[[nodiscard]] OpenedModel open_model(const std::string& model_path, const std::string& tokenizer_path);

}  // namespace pspllm::host
