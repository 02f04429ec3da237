#include "host/formats/hugging_face_checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/text/tokenizer.hpp"
#include "host/core/failure.hpp"
#include "host/formats/checkpoint_chat.hpp"
#include "host/formats/hugging_face_config.hpp"
#include "host/formats/limited_json.hpp"
#include "host/formats/llama_tensors.hpp"
#include "host/formats/printable.hpp"
#include "host/formats/safetensors_file.hpp"
#include "host/formats/tokenizer_json.hpp"
#include "host/io/file_source.hpp"
#include "host/io/read_text.hpp"

namespace pspllm::host {
namespace {

using nlohmann::json;

constexpr const char* classifier_name = "lm_head.weight";

std::string hugging_face_name(TensorRole role, std::uint32_t layer) {
  const auto in_layer = [layer](const char* part) {
    return fmt::format("model.layers.{}.{}.weight", layer, part);
  };
  switch (role) {
    case TensorRole::token_embedding:
      return "model.embed_tokens.weight";
    case TensorRole::attention_norm:
      return in_layer("input_layernorm");
    case TensorRole::query:
      return in_layer("self_attn.q_proj");
    case TensorRole::key:
      return in_layer("self_attn.k_proj");
    case TensorRole::value:
      return in_layer("self_attn.v_proj");
    case TensorRole::attention_output:
      return in_layer("self_attn.o_proj");
    case TensorRole::ffn_norm:
      return in_layer("post_attention_layernorm");
    case TensorRole::gate:
      return in_layer("mlp.gate_proj");
    case TensorRole::up:
      return in_layer("mlp.up_proj");
    case TensorRole::down:
      return in_layer("mlp.down_proj");
    case TensorRole::final_norm:
      return "model.norm.weight";
    case TensorRole::classifier:
      break;
  }
  return classifier_name;
}

std::string path_in(const std::string& folder, const std::string& file) {
  return (std::filesystem::path(folder) / file).string();
}

bool has_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

/// One tensor and the file that holds it.
struct StoredTensor {
  std::shared_ptr<const FileSource> file;
  SafetensorsTensor tensor;
};

/// All weight files of a folder.
class Weights {
 public:
  explicit Weights(const std::string& folder) {
    const std::string whole = path_in(folder, "model.safetensors");
    const std::string index = path_in(folder, "model.safetensors.index.json");
    if (has_file(whole)) {
      add_file(whole);
    } else if (has_file(index)) {
      add_shards(folder, index);
    } else {
      throw Failure(
          fmt::format("{}: there is neither model.safetensors nor model.safetensors.index.json; a Hugging "
                      "Face model needs one of them (pytorch_model.bin is not supported)",
                      folder));
    }
  }

  [[nodiscard]] std::vector<SourceTensor> list() const {
    std::vector<SourceTensor> tensors;
    for (const auto& [name, stored] : tensors_) {
      tensors.push_back({name, stored.tensor.dtype, stored.tensor.rows(), stored.tensor.cols()});
    }
    return tensors;
  }

  [[nodiscard]] const StoredTensor& at(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) throw Failure("there is no tensor " + printable(name));
    return found->second;
  }

 private:
  void add_file(const std::string& path) {
    const auto file = std::make_shared<const FileSource>(path, "model");
    for (SafetensorsTensor& tensor : read_safetensors_file(file->source(), path)) {
      const std::string name = tensor.name;
      if (!tensors_.emplace(name, StoredTensor{file, std::move(tensor)}).second) {
        throw Failure(fmt::format("{}: the tensor {} is in another shard too; the folder is damaged", path,
                                  printable(name)));
      }
    }
  }

  void add_shards(const std::string& folder, const std::string& index) {
    const json root = parse_limited_json(read_text(index), index);
    const auto weight_map = root.is_object() ? root.find("weight_map") : root.end();
    if (!root.is_object() || weight_map == root.end() || !weight_map->is_object()) {
      throw Failure(
          fmt::format("{}: there is no \"weight_map\"; it is damaged or no index of shards", index));
    }
    std::map<std::string, std::vector<std::string>> shards;
    for (const auto& [tensor, file] : weight_map->items()) {
      const std::string name = file.is_string() ? file.get<std::string>() : "";
      // A shard lies in the folder itself: nothing else on the disk is opened for an index.
      if (name.empty() || name.find_first_of("/\\") != std::string::npos || name == "..") {
        throw Failure(
            fmt::format("{}: the tensor {} is said to be in \"{}\", expected the name of a file in the "
                        "folder",
                        index, printable(tensor), printable(name)));
      }
      shards[name].push_back(tensor);
    }
    for (const auto& [file, names] : shards) {
      add_file(path_in(folder, file));
      for (const std::string& name : names) require_in(name, path_in(folder, file));
    }
  }

  void require_in(const std::string& name, const std::string& path) const {
    const auto found = tensors_.find(name);
    if (found != tensors_.end() && found->second.file->path() == path) return;
    throw Failure(
        fmt::format("{}: the tensor {} is missing although the index says it is here; download the file "
                    "again",
                    path, printable(name)));
  }

  std::map<std::string, StoredTensor> tensors_;
};

std::vector<float> read_tensor(const Weights& weights, const CheckpointTensor& tensor,
                               std::uint32_t head_dim) {
  const StoredTensor& stored = weights.at(tensor.name);
  std::vector<float> values =
      read_safetensors_values(stored.file->source(), stored.file->path(), stored.tensor);
  require_finite(stored.file->path(), tensor, values);
  const bool rotates = tensor.role == TensorRole::query || tensor.role == TensorRole::key;
  return rotates ? interleave_rope_rows(values, tensor.cols, head_dim) : values;
}

/// A llama2.c vocabulary that the user named.
std::vector<std::byte> read_tokenizer_bin(const std::string& path, std::uint32_t vocab_size) {
  const FileSource file(path, "tokenizer");
  std::vector<std::uint32_t> memory(
      static_cast<std::size_t>(tokenizer_bytes(file.size(), vocab_size) / sizeof(std::uint32_t)) + 1);
  Tokenizer tokenizer;
  require(load_tokenizer(file.source(), vocab_size, std::as_writable_bytes(std::span(memory)), tokenizer),
          path);
  return {tokenizer.file.begin(), tokenizer.file.end()};
}

void read_tokenizer(const std::string& folder, const std::string& tokenizer_path, const TokenizerHints& hints,
                    Checkpoint& checkpoint) {
  if (!tokenizer_path.empty()) {
    checkpoint.tokenizer_kind = PspmTokenizerKind::llama2c;
    checkpoint.tokenizer = read_tokenizer_bin(tokenizer_path, checkpoint.config.vocab_size);
    return;
  }
  const std::string path = path_in(folder, "tokenizer.json");
  if (!has_file(path)) {
    throw Failure(
        fmt::format("{}: there is no tokenizer.json; give the model's tokenizer.bin with --tokenizer "
                    "(tokenizer.model is not supported)",
                    folder));
  }
  TokenizerPayload payload = read_tokenizer_json(read_text(path), hints, path);
  checkpoint.tokenizer_kind = payload.kind;
  checkpoint.tokenizer = std::move(payload.bytes);
}

/// "chat_template" of tokenizer_config.json: a text, or a list of named ones, of which "default" counts.
/// Empty where there is none.
std::string chat_template_in(const nlohmann::json& config) {
  if (!config.is_object()) return {};
  const auto entry = config.find("chat_template");
  if (entry == config.end()) return {};
  if (entry->is_string()) return entry->get<std::string>();
  if (!entry->is_array()) return {};
  for (const nlohmann::json& named : *entry) {
    if (named.is_object() && named.value("name", nlohmann::json()) == "default" &&
        named.value("template", nlohmann::json()).is_string()) {
      return named["template"].get<std::string>();
    }
  }
  return {};
}

/// The model's Jinja template: a file of its own in newer folders.
std::string chat_template_of(const std::string& folder) {
  const std::string own = path_in(folder, "chat_template.jinja");
  if (has_file(own)) return read_text(own);
  const std::string config = path_in(folder, "tokenizer_config.json");
  return has_file(config) ? chat_template_in(parse_limited_json(read_text(config), config)) : std::string();
}

/// The licence that a model card's front matter states: "license: mit" between lines of "---".
std::string licence_of(const std::string& folder) {
  const std::string path = path_in(folder, "README.md");
  if (!has_file(path)) return {};
  const std::string card = read_text(path);
  constexpr std::string_view fence = "---\n";
  if (!card.starts_with(fence)) return {};
  const std::string front = card.substr(0, card.find("\n---", fence.size()));
  constexpr std::string_view label = "\nlicense:";
  const std::size_t at = front.find(label);
  if (at == std::string::npos) return {};
  const std::size_t begin = front.find_first_not_of(' ', at + label.size());
  return begin == std::string::npos ? std::string() : front.substr(begin, front.find('\n', begin) - begin);
}

std::string about(const std::string& folder, const std::string& model_name) {
  const std::string name =
      model_name.empty() ? std::filesystem::weakly_canonical(folder).filename().string() : model_name;
  const std::string licence = licence_of(folder);
  return fmt::format("name: {}\n", name) + (licence.empty() ? "" : fmt::format("license: {}\n", licence));
}

}  // namespace

std::vector<float> interleave_rope_rows(std::span<const float> values, std::uint32_t cols,
                                        std::uint32_t head_dim) {
  std::vector<float> rows(values.size());
  const std::size_t n_rows = values.size() / cols;
  for (std::size_t row = 0; row < n_rows; ++row) {
    const std::size_t in_head = row % head_dim;
    const std::size_t from = row - in_head + in_head / 2 + (in_head % 2) * (head_dim / 2);
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from * cols), cols,
                rows.begin() + static_cast<std::ptrdiff_t>(row * cols));
  }
  return rows;
}

Checkpoint open_hugging_face_checkpoint(const std::string& folder, const std::string& tokenizer_path) {
  const std::string config_path = path_in(folder, "config.json");
  if (!has_file(config_path)) {
    throw Failure(fmt::format("{}: there is no config.json; expected a Hugging Face model's folder", folder));
  }
  const HuggingFaceConfig config = read_hugging_face_config(read_text(config_path), config_path);
  Checkpoint checkpoint;
  checkpoint.config = config.config;
  checkpoint.rope_frequencies = config.rope_frequencies;
  checkpoint.about = about(folder, config.model_name);
  const auto weights = std::make_shared<const Weights>(folder);
  const bool tied = config.config.tied_classifier;
  checkpoint.tensors = match_llama_tensors(
      folder, config.config, hugging_face_name, weights->list(), [tied](const std::string& name) {
        // Old files store the frequencies; tied ones may store the classifier a second time.
        return name.ends_with(".rotary_emb.inv_freq") || (tied && name == classifier_name);
      });
  for (const CheckpointTensor& tensor : checkpoint.tensors) {
    if (is_importable_dtype(tensor.source_type)) continue;
    throw Failure(fmt::format("{}: the tensor {} is {}, which is not supported; supported: F32, F16, BF16",
                              folder, printable(tensor.name), tensor.source_type));
  }
  read_tokenizer(folder, tokenizer_path, config.tokenizer, checkpoint);
  take_chat_template(chat_template_of(folder), folder, checkpoint);
  checkpoint.read = [weights, head_dim = config.config.head_dim()](const CheckpointTensor& tensor) {
    return read_tensor(*weights, tensor, head_dim);
  };
  return checkpoint;
}

}  // namespace pspllm::host
