#include "host/formats/gguf_checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "host/core/failure.hpp"
#include "host/formats/checkpoint_chat.hpp"
#include "host/formats/gguf_file.hpp"
#include "host/formats/gguf_tokenizer.hpp"
#include "host/formats/llama_tensors.hpp"
#include "host/formats/printable.hpp"
#include "host/formats/rope_frequencies.hpp"
#include "host/io/file_source.hpp"

namespace pspllm::host {
namespace {

constexpr const char* frequency_factors_name = "rope_freqs.weight";
constexpr const char* classifier_name = "output.weight";

std::string gguf_name(TensorRole role, std::uint32_t layer) {
  const auto in_layer = [layer](const char* part) { return fmt::format("blk.{}.{}.weight", layer, part); };
  switch (role) {
    case TensorRole::token_embedding:
      return "token_embd.weight";
    case TensorRole::attention_norm:
      return in_layer("attn_norm");
    case TensorRole::query:
      return in_layer("attn_q");
    case TensorRole::key:
      return in_layer("attn_k");
    case TensorRole::value:
      return in_layer("attn_v");
    case TensorRole::attention_output:
      return in_layer("attn_output");
    case TensorRole::ffn_norm:
      return in_layer("ffn_norm");
    case TensorRole::gate:
      return in_layer("ffn_gate");
    case TensorRole::up:
      return in_layer("ffn_up");
    case TensorRole::down:
      return in_layer("ffn_down");
    case TensorRole::final_norm:
      return "output_norm.weight";
    case TensorRole::classifier:
      break;
  }
  return classifier_name;
}

/// One import: a file whose directory is read.
class Import {
 public:
  Import(const ByteSource& source, const std::string& name)
      : source_(source),
        name_(name),
        file_(std::make_shared<const GgufFile>(read_gguf_file(source, name))),
        metadata_(file_->metadata) {}

  Checkpoint run() {
    const std::string architecture = metadata_.find_text("general.architecture").value_or("");
    if (architecture != "llama") {
      refuse(
          fmt::format("the architecture is \"{}\", which is not supported; supported: llama (Llama 1 to 3, "
                      "SmolLM, TinyLlama and others of their shape)",
                      printable(architecture)));
    }
    refuse_variants();
    read_config();
    checkpoint_.about = about();
    read_frequencies();
    checkpoint_.tensors =
        match_llama_tensors(name_, checkpoint_.config, gguf_name, list_tensors(),
                            [](const std::string& name) { return name == frequency_factors_name; });
    require_known_formats();
    read_gguf_tokenizer(metadata_, checkpoint_);
    take_chat_template(metadata_.find_text("tokenizer.chat_template").value_or(""), name_, checkpoint_);
    checkpoint_.read = [source = source_, name = name_, file = file_](const CheckpointTensor& tensor) {
      return read_tensor(source, name, *file, tensor);
    };
    return std::move(checkpoint_);
  }

 private:
  [[noreturn]] void refuse(const std::string& sentence) const { throw Failure(name_ + ": " + sentence); }

  /// Kinds of models that call themselves "llama" but compute something else.
  void refuse_variants() const {
    const struct {
      const char* key;
      const char* what;
      double neutral;  // the value that changes nothing, beside 0
    } unsupported[] = {{"llama.expert_count", "a mixture of experts", 0.0},
                       {"llama.attention.sliding_window", "sliding-window attention", 0.0},
                       {"llama.attention.clamp_kqv", "clamped queries, keys and values", 0.0},
                       {"llama.attention.scale", "an attention scale of its own", 0.0},
                       {"llama.logit_scale", "a logit scale", 1.0},
                       {"llama.embedding_scale", "an embedding scale", 1.0},
                       {"llama.residual_scale", "a residual scale", 1.0}};
    for (const auto& [key, what, neutral] : unsupported) {
      const double value = metadata_.find_number(key).value_or(0.0);
      if (value != 0.0 && value != neutral) {
        refuse(fmt::format("the model has {} ({}), which is not supported", what, key));
      }
    }
  }

  /// A required count that fits 32 bits.
  std::uint32_t count(const char* key) const {
    const std::optional<std::uint64_t> value = metadata_.find_unsigned(key);
    if (!value) refuse(fmt::format("the metadata lacks {}; the file is damaged or no language model", key));
    if (*value > std::numeric_limits<std::uint32_t>::max()) {
      refuse(fmt::format("{} is {}, which is not a model's; the file is damaged", key, *value));
    }
    return static_cast<std::uint32_t>(*value);
  }

  float number(const char* key, double fallback, double smallest) const {
    const double value = metadata_.find_number(key).value_or(fallback);
    if (!(value >= smallest && value <= static_cast<double>(std::numeric_limits<float>::max()))) {
      refuse(fmt::format("{} is {}, expected a finite number of at least {}", key, value, smallest));
    }
    return static_cast<float>(value);
  }

  const GgufTensor* find_tensor(const std::string& name) const {
    for (const GgufTensor& tensor : file_->tensors) {
      if (tensor.name == name) return &tensor;
    }
    return nullptr;
  }

  void read_config() {
    ModelConfig& config = checkpoint_.config;
    config.dim = count("llama.embedding_length");
    config.hidden_dim = count("llama.feed_forward_length");
    config.n_layers = count("llama.block_count");
    config.n_heads = count("llama.attention.head_count");
    config.n_kv_heads = metadata_.has("llama.attention.head_count_kv")
                            ? count("llama.attention.head_count_kv")
                            : config.n_heads;
    config.seq_len = count("llama.context_length");
    config.rope_base = number("llama.rope.freq_base", 10000.0, 1.0);
    config.norm_epsilon = number("llama.attention.layer_norm_rms_epsilon", 1e-5, 0.0);
    const GgufTensor* const embedding = find_tensor(gguf_name(TensorRole::token_embedding, 0));
    if (embedding == nullptr) refuse("the tensor token_embd.weight is missing; the file is incomplete");
    // Larger numbers are out of validate()'s range whatever they are.
    config.vocab_size = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(embedding->rows(), std::numeric_limits<std::uint32_t>::max()));
    config.tied_classifier = find_tensor(classifier_name) == nullptr;
    require(validate(config), name_);
    require_head_width("llama.rope.dimension_count");
    require_head_width("llama.attention.key_length");
    require_head_width("llama.attention.value_length");
  }

  void require_head_width(const char* key) const {
    const std::optional<std::uint64_t> width = metadata_.find_unsigned(key);
    const std::uint32_t head_dim = checkpoint_.config.head_dim();
    if (!width || *width == head_dim) return;
    refuse(
        fmt::format("{} is {}, expected embedding_length / head_count = {}; other widths are not supported",
                    key, *width, head_dim));
  }

  std::string about() const {
    std::string text;
    const auto add = [&](const char* label, const char* key) {
      if (const auto value = metadata_.find_text(key); value && !value->empty()) {
        text += fmt::format("{}: {}\n", label, *value);
      }
    };
    add("name", "general.name");
    add("author", "general.author");
    add("organization", "general.organization");
    add("description", "general.description");
    add("license", "general.license");
    add("license link", "general.license.link");
    add("source", "general.source.url");
    add("repository", "general.repo_url");
    return text;
  }

  void read_frequencies() {
    checkpoint_.rope_frequencies = rope_frequencies(checkpoint_.config);
    // llama.cpp takes a factor without a type as linear, and 0 as none.
    const std::string scaling = metadata_.find_text("llama.rope.scaling.type").value_or("linear");
    const char* const factor_key =
        metadata_.has("llama.rope.scaling.factor") ? "llama.rope.scaling.factor" : "llama.rope.scale_linear";
    if (scaling == "linear") {
      const float factor = number(factor_key, 1.0, 0.0);
      if (factor != 0.0F) scale_rope_linearly(checkpoint_.rope_frequencies, factor);
    } else if (scaling != "none") {
      refuse(
          fmt::format("the RoPE scaling is \"{}\", which is not supported; supported: none, linear, and "
                      "Llama 3's ({})",
                      printable(scaling), frequency_factors_name));
    }
    if (const GgufTensor* const factors = find_tensor(frequency_factors_name); factors != nullptr) {
      divide_by_factors(*factors);
    }
  }

  /// Llama 3's scaling lies in the file as one divisor a frequency.
  void divide_by_factors(const GgufTensor& tensor) {
    std::vector<float>& frequencies = checkpoint_.rope_frequencies;
    if (tensor.rows() != 1 || tensor.cols() != frequencies.size() || tensor.format->dequantize == nullptr) {
      refuse(fmt::format("{} has {} numbers of type {}, expected {} floats; the file is damaged",
                         frequency_factors_name, tensor.rows() * tensor.cols(), tensor.format->name,
                         frequencies.size()));
    }
    const std::vector<float> factors = read_values(source_, name_, tensor);
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      if (!(factors[i] > 0.0F) || !std::isfinite(factors[i])) {
        refuse(fmt::format("{} has the divisor {} at {}, expected a finite number above 0",
                           frequency_factors_name, factors[i], i));
      }
      frequencies[i] /= factors[i];
    }
  }

  std::vector<SourceTensor> list_tensors() const {
    std::vector<SourceTensor> list;
    for (const GgufTensor& tensor : file_->tensors) {
      list.push_back({tensor.name, tensor.format->name, tensor.rows(), tensor.cols()});
    }
    return list;
  }

  void require_known_formats() const {
    for (const GgufTensor& tensor : file_->tensors) {
      if (tensor.format->dequantize != nullptr) continue;
      refuse(fmt::format("the tensor {} is {}, which is not supported; supported: {}", printable(tensor.name),
                         tensor.format->name, importable_gguf_formats()));
    }
  }

  static std::vector<float> read_values(const ByteSource& source, const std::string& name,
                                        const GgufTensor& tensor) {
    std::vector<std::byte> blocks(static_cast<std::size_t>(tensor.bytes));
    require(source.read(source.context, tensor.offset, blocks), name);
    std::vector<float> values(blocks.size() / tensor.format->block_bytes * tensor.format->block_values);
    dequantize_gguf(*tensor.format, blocks, values);
    return values;
  }

  static std::vector<float> read_tensor(const ByteSource& source, const std::string& name,
                                        const GgufFile& file, const CheckpointTensor& wanted) {
    for (const GgufTensor& tensor : file.tensors) {
      if (tensor.name != wanted.name) continue;
      std::vector<float> values = read_values(source, name, tensor);
      require_finite(name, wanted, values);
      return values;
    }
    throw Failure(fmt::format("{}: there is no tensor {}", name, printable(wanted.name)));
  }

  ByteSource source_;
  std::string name_;
  std::shared_ptr<const GgufFile> file_;
  const GgufMetadata& metadata_;
  Checkpoint checkpoint_;
};

}  // namespace

Checkpoint import_gguf(const ByteSource& source, const std::string& name) {
  return Import(source, name).run();
}

Checkpoint open_gguf_checkpoint(const std::string& path) {
  const auto file = std::make_shared<const FileSource>(path, "model");
  Checkpoint checkpoint = import_gguf(file->source(), path);
  checkpoint.read = [file, read = std::move(checkpoint.read)](const CheckpointTensor& tensor) {
    return read(tensor);
  };
  return checkpoint;
}

}  // namespace pspllm::host
