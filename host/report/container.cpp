#include "host/report/container.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <variant>

#include "engine/model/file_signature.hpp"
#include "host/core/failure.hpp"
#include "host/core/units.hpp"
#include "host/formats/gguf_file.hpp"
#include "host/formats/printable.hpp"
#include "host/formats/safetensors_file.hpp"
#include "host/io/file_source.hpp"

namespace pspllm::host {
namespace {

std::string value_text(const GgufValue& value) {
  if (const auto* flag = std::get_if<bool>(&value); flag != nullptr) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value); text != nullptr) return printable(*text);
  if (const auto* list = std::get_if<GgufArray>(&value); list != nullptr) {
    return std::visit([](const auto& elements) { return fmt::format("a list of {}", elements.size()); },
                      *list);
  }
  if (const auto* number = std::get_if<double>(&value); number != nullptr)
    return fmt::format("{:g}", *number);
  if (const auto* number = std::get_if<std::int64_t>(&value); number != nullptr)
    return fmt::format("{}", *number);
  return fmt::format("{}", std::get<std::uint64_t>(value));
}

void read_gguf(const ByteSource& source, Container& container) {
  const GgufFile file = read_gguf_file(source, container.path);
  container.kind = fmt::format("GGUF version {}", file.version);
  for (const auto& [key, value] : file.metadata.entries) {
    container.metadata.emplace_back(printable(key), value_text(value));
  }
  for (const GgufTensor& tensor : file.tensors) {
    container.tensors.push_back({printable(tensor.name),
                                 tensor.format->name,
                                 {tensor.dimensions.rbegin(), tensor.dimensions.rend()},
                                 tensor.offset,
                                 tensor.bytes});
  }
}

void read_safetensors(const ByteSource& source, Container& container) {
  container.kind = "safetensors";
  for (const SafetensorsTensor& tensor : read_safetensors_file(source, container.path)) {
    container.tensors.push_back(
        {printable(tensor.name), tensor.dtype, tensor.shape, tensor.offset, tensor.bytes});
  }
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, " x "));
}

}  // namespace

std::optional<Container> read_container(const std::string& path) {
  const FileSource file(path, "model");
  std::array<std::byte, 16> first_bytes{};
  const std::span<std::byte> into(first_bytes.data(), std::min<std::size_t>(first_bytes.size(), file.size()));
  require(file.source().read(file.source().context, 0, into), path);
  const char* const found = foreign_format(into);
  const std::string_view format = found == nullptr ? "" : found;
  Container container;
  container.path = path;
  container.file_bytes = file.size();
  if (format.find("GGUF") != std::string_view::npos) {
    read_gguf(file.source(), container);
  } else if (format.find("safetensors") != std::string_view::npos) {
    read_safetensors(file.source(), container);
  } else {
    return std::nullopt;
  }
  return container;
}

std::string container_text(const Container& container) {
  std::string text = fmt::format("file        {}, {} bytes\nkind        {}, {} tensors\n\n", container.path,
                                 grouped(container.file_bytes), container.kind, container.tensors.size());
  for (const auto& [key, value] : container.metadata) text += fmt::format("{:<44} {}\n", key, value);
  text +=
      fmt::format("\n{:<44} {:>18}  {:<8} {:>14} {:>14}\n", "tensor", "shape", "format", "offset", "bytes");
  for (const ContainerTensor& tensor : container.tensors) {
    text += fmt::format("{:<44} {:>18}  {:<8} {:>14} {:>14}\n", tensor.name, shape_text(tensor.shape),
                        tensor.format, grouped(tensor.offset), grouped(tensor.bytes));
  }
  return text;
}

nlohmann::json container_json(const Container& container) {
  nlohmann::json metadata = nlohmann::json::object();
  for (const auto& [key, value] : container.metadata) metadata[key] = value;
  nlohmann::json tensors = nlohmann::json::array();
  for (const ContainerTensor& tensor : container.tensors) {
    tensors.push_back({{"name", tensor.name},
                       {"format", tensor.format},
                       {"shape", tensor.shape},
                       {"offset", tensor.offset},
                       {"bytes", tensor.bytes}});
  }
  return {{"file", container.path},
          {"kind", container.kind},
          {"bytes", container.file_bytes},
          {"metadata", std::move(metadata)},
          {"tensors", std::move(tensors)}};
}

}  // namespace pspllm::host
