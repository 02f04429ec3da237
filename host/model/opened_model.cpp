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

std::uint64_t OpenedModel::tokenizer_bytes() const noexcept {
  return tokenizer == nullptr ? file.own_tokenizer_bytes() : tokenizer->size();
}

const std::string& OpenedModel::tokenizer_path() const noexcept {
  return tokenizer == nullptr ? model->path() : tokenizer->path();
}

OpenedModel open_model_alone(const std::string& model_path) {
  OpenedModel opened;
  opened.model = std::make_unique<FileSource>(model_path, "model");
  require(read_model_file(opened.model->source(), opened.file), model_path);
  return opened;
}

namespace {

void open_tokenizer(const std::string& model_path, const std::string& tokenizer_path, OpenedModel& opened) {
  if (opened.file.own_tokenizer_bytes() > 0) {
    if (tokenizer_path.empty()) return;
    throw Failure(
        fmt::format("{} holds its own tokenizer; leave --tokenizer {} out", model_path, tokenizer_path));
  }
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
}

}  // namespace

OpenedModel open_model(const std::string& model_path, const std::string& tokenizer_path) {
  OpenedModel opened = open_model_alone(model_path);
  open_tokenizer(model_path, tokenizer_path, opened);
  if (const auto draft = file_beside(model_path, "draft.bin"); draft) {
    opened.draft_table = std::make_unique<FileSource>(*draft, "draft table");
  }
  return opened;
}

}  // namespace pspllm::host
