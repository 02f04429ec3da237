#include "host/formats/hugging_face_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "host/core/failure.hpp"
#include "host/formats/limited_json.hpp"
#include "host/formats/printable.hpp"
#include "host/formats/rope_frequencies.hpp"

namespace pspllm::host {
namespace {

using nlohmann::json;

constexpr double largest_float = static_cast<double>(std::numeric_limits<float>::max());

class Reader {
 public:
  Reader(const json& root, const std::string& name) : root_(root), name_(name) {}

  HuggingFaceConfig read() {
    if (!root_.is_object()) refuse("is no JSON object; this is no config.json");
    check_architecture();
    check_variants();
    read_shape();
    read_rope();
    read_tokens();
    const json& model_name = member(root_, "_name_or_path");
    if (model_name.is_string()) result_.model_name = model_name.get<std::string>();
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::string& sentence) const { throw Failure(name_ + ": " + sentence); }

  /// The member, or a null.
  static const json& member(const json& object, const char* key) {
    static const json null;
    if (!object.is_object()) return null;
    const auto found = object.find(key);
    return found == object.end() ? null : *found;
  }

  static std::string text_of(const json& value) { return printable(value.dump(-1, ' ', true)); }

  void check_architecture() const {
    const json& architectures = member(root_, "architectures");
    const json& type = member(root_, "model_type");
    const bool is_llama = architectures.is_array()
                              ? architectures.size() == 1 && architectures[0] == "LlamaForCausalLM"
                              : type == "llama";
    if (is_llama) return;
    refuse(fmt::format("the architecture is {}, which is not supported; supported: LlamaForCausalLM",
                       text_of(architectures.is_null() ? type : architectures)));
  }

  /// Settings that change what a layer computes.
  void check_variants() const {
    const json& activation = member(root_, "hidden_act");
    if (!activation.is_null() && activation != "silu") {
      refuse(
          fmt::format("hidden_act is {}, which is not supported; supported: \"silu\"", text_of(activation)));
    }
    for (const char* bias : {"attention_bias", "mlp_bias"}) {
      const json& value = member(root_, bias);
      if (!value.is_null() && value != false) {
        refuse(fmt::format("{} is {}, which is not supported; supported: false", bias, text_of(value)));
      }
    }
    const json& quantization = member(root_, "quantization_config");
    if (!quantization.is_null()) {
      refuse(fmt::format("the weights are quantised ({}), which is not supported; give the unquantised model",
                         text_of(member(quantization, "quant_method"))));
    }
  }

  std::optional<std::uint32_t> find_count(const char* key) const {
    const json& value = member(root_, key);
    if (value.is_null()) return std::nullopt;
    if (!value.is_number_unsigned() ||
        value.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max()) {
      refuse(fmt::format("{} is {}, expected a whole number", key, text_of(value)));
    }
    return value.get<std::uint32_t>();
  }

  std::uint32_t count(const char* key) const {
    const std::optional<std::uint32_t> value = find_count(key);
    if (!value) refuse(fmt::format("has no {}; it is damaged or no Llama model's", key));
    return *value;
  }

  /// A number of `object` in [smallest, largest float].
  double number(const json& object, const char* key, double fallback, double smallest) const {
    const json& value = member(object, key);
    if (value.is_null()) return fallback;
    const double number = value.is_number() ? value.get<double>() : -1.0;
    if (!(number >= smallest && number <= largest_float)) {
      refuse(fmt::format("{} is {}, expected a number of at least {}", key, text_of(value), smallest));
    }
    return number;
  }

  void read_shape() {
    ModelConfig& config = result_.config;
    config.dim = count("hidden_size");
    config.hidden_dim = count("intermediate_size");
    config.n_layers = count("num_hidden_layers");
    config.n_heads = count("num_attention_heads");
    config.n_kv_heads = find_count("num_key_value_heads").value_or(config.n_heads);
    config.vocab_size = count("vocab_size");
    // transformers' defaults of LlamaConfig.
    config.seq_len = find_count("max_position_embeddings").value_or(2048);
    config.norm_epsilon = static_cast<float>(number(root_, "rms_norm_eps", 1e-6, 0.0));
    const json& tied = member(root_, "tie_word_embeddings");
    if (!tied.is_null() && !tied.is_boolean()) {
      refuse(fmt::format("tie_word_embeddings is {}, expected true or false", text_of(tied)));
    }
    config.tied_classifier = tied == true;
    require(validate(config), name_);
    const std::optional<std::uint32_t> head_dim = find_count("head_dim");
    if (head_dim && *head_dim != config.head_dim()) {
      refuse(fmt::format(
          "head_dim is {}, which is not supported; supported: hidden_size / num_attention_heads = {}",
          *head_dim, config.head_dim()));
    }
  }

  /// transformers 4 has rope_theta and rope_scaling, transformers 5 rope_parameters with both.
  void read_rope() {
    const json& parameters = member(root_, "rope_parameters");
    const json& scaling = parameters.is_null() ? member(root_, "rope_scaling") : parameters;
    const json& base_holder = member(scaling, "rope_theta").is_null() ? root_ : scaling;
    result_.config.rope_base = static_cast<float>(number(base_holder, "rope_theta", 10000.0, 1.0));
    result_.rope_frequencies = rope_frequencies(result_.config);
    if (!scaling.is_null()) scale_rope(scaling);
  }

  void scale_rope(const json& scaling) {
    const json& new_name = member(scaling, "rope_type");
    const json& type = new_name.is_null() ? member(scaling, "type") : new_name;
    constexpr double smallest_factor = 1e-6;
    if (type == "default") return;
    if (type == "linear") {
      scale_rope_linearly(result_.rope_frequencies,
                          static_cast<float>(number(scaling, "factor", 1.0, smallest_factor)));
      return;
    }
    if (type != "llama3") {
      refuse(
          fmt::format("rope_scaling has type {}, which is not supported; supported: default, linear, llama3",
                      text_of(type)));
    }
    Llama3RopeScaling llama3;
    llama3.factor = number(scaling, "factor", llama3.factor, smallest_factor);
    llama3.low_freq_factor = number(scaling, "low_freq_factor", llama3.low_freq_factor, smallest_factor);
    llama3.high_freq_factor = number(scaling, "high_freq_factor", llama3.high_freq_factor, smallest_factor);
    llama3.original_max_position_embeddings =
        number(scaling, "original_max_position_embeddings", llama3.original_max_position_embeddings, 1.0);
    if (llama3.high_freq_factor <= llama3.low_freq_factor) {
      refuse(fmt::format("rope_scaling has high_freq_factor {}, expected more than low_freq_factor {}",
                         llama3.high_freq_factor, llama3.low_freq_factor));
    }
    scale_rope_like_llama3(result_.rope_frequencies, llama3);
  }

  /// A token id, or the first of a list of them.
  std::int32_t token(const char* key) const {
    const json& value = member(root_, key);
    const json& id = value.is_array() && !value.empty() ? value[0] : value;
    if (id.is_null()) return no_token;
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= result_.config.vocab_size) {
      refuse(fmt::format("{} is {}, expected a token below vocab_size {}", key, text_of(value),
                         result_.config.vocab_size));
    }
    return id.get<std::int32_t>();
  }

  void read_tokens() {
    result_.tokenizer.vocab_size = result_.config.vocab_size;
    result_.tokenizer.bos = token("bos_token_id");
    result_.tokenizer.eos = token("eos_token_id");
    const json& pad = member(root_, "pad_token_id");
    // Llama 2's files say -1 for none.
    result_.tokenizer.pad = pad == -1 ? no_token : token("pad_token_id");
  }

  const json& root_;
  const std::string& name_;
  HuggingFaceConfig result_;
};

}  // namespace

HuggingFaceConfig read_hugging_face_config(std::string_view text, const std::string& name) {
  const json root = parse_limited_json(text, name);
  return Reader(root, name).read();
}

}  // namespace pspllm::host
