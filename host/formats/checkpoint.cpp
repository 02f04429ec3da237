#include "host/formats/checkpoint.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "host/core/failure.hpp"
#include "host/formats/engine_checkpoint.hpp"
#include "host/formats/gguf_checkpoint.hpp"
#include "host/formats/hugging_face_checkpoint.hpp"
#include "host/io/file_source.hpp"

namespace pspllm::host {
namespace {

bool is_gguf(const std::string& path) {
  constexpr std::string_view magic = "GGUF";
  const FileSource file(path, "model");
  std::array<char, magic.size()> first_bytes{};
  if (file.size() < magic.size()) return false;
  const ByteSource source = file.source();
  require(source.read(source.context, 0, std::as_writable_bytes(std::span(first_bytes))), path);
  return std::string_view(first_bytes.data(), first_bytes.size()) == magic;
}

}  // namespace

Checkpoint open_checkpoint(const std::string& path, const std::string& tokenizer_path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return open_hugging_face_checkpoint(path, tokenizer_path);
  if (!is_gguf(path)) return open_engine_checkpoint(path, tokenizer_path);
  if (tokenizer_path.empty()) return open_gguf_checkpoint(path);
  throw Failure(fmt::format("{} holds its own tokenizer; leave --tokenizer {} out", path, tokenizer_path));
}

}  // namespace pspllm::host
