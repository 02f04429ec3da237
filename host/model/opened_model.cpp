#include "host/model/opened_model.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "host/core/failure.hpp"

namespace pspllm::host {

std::optional<std::string> file_beside(const std::string& model_path, const char* name) {
  const std::filesystem::path path = std::filesystem::path(model_path).parent_path() / name;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  return path.string();
}

OpenedModel open_model_alone(const std::string& model_path) {
  OpenedModel opened;
  opened.model = std::make_unique<FileSource>(model_path, "model");
  require(read_model_file(opened.model->source(), opened.file), model_path);
  return opened;
}

OpenedModel open_model(const std::string& model_path, const std::string& tokenizer_path) {
  OpenedModel opened = open_model_alone(model_path);
  std::string path = tokenizer_path;
  if (path.empty()) {
    const std::optional<std::string> beside = file_beside(model_path, "tokenizer.bin");
    if (!beside) {
      throw Failure(fmt::format(
          "no tokenizer.bin lies beside {}; name the model's tokenizer with --tokenizer", model_path));
    }
    path = *beside;
  }
  opened.tokenizer = std::make_unique<FileSource>(path, "tokenizer");
  if (const auto draft = file_beside(model_path, "draft.bin"); draft) {
    opened.draft_table = std::make_unique<FileSource>(*draft, "draft table");
  }
  return opened;
}

}  // namespace pspllm::host
