#include "engine/model/memory_plan.hpp"

#include <algorithm>

#include "engine/core/checked.hpp"
#include "engine/model/draft.hpp"
#include "engine/model/sampler.hpp"
#include "engine/model/window.hpp"
#include "engine/text/text_codec.hpp"

namespace pspllm {
namespace {

Status check_options(const ModelConfig& config, const PlanOptions& options) noexcept {
  const struct {
    const char* name;
    std::uint32_t value;
    std::uint32_t largest;
  } ranges[] = {
      {"context", options.context, config.seq_len},
      {"batch", options.batch, 4096},
      {"rows of logits", options.logit_rows, options.batch},
      {"longest prompt in bytes", options.max_prompt_bytes, 64U << 20},
  };
  for (const auto& range : ranges) {
    if (range.value >= 1 && range.value <= range.largest) continue;
    return bad_input("memory plan: ", range.name, " is ", range.value, ", expected 1 to ", range.largest,
                     range.largest == config.seq_len ? " (the model's own context)" : "");
  }
  return {};
}

/// Places tensors in file order, so that loading is one sequential read and running one sequential stream.
CheckedSize place_tensors(ModelFile& file) noexcept {
  CheckedSize offset = 0;
  for (TensorEntry& tensor : file.tensors()) {
    tensor.block_offset = offset.value();
    offset = offset + block_bytes(tensor);
  }
  return offset;
}

bool has_byte_codes(const ModelFile& file) noexcept {
  for (const TensorEntry& tensor : file.tensors()) {
    if (tensor.role == TensorRole::key && tensor.format == TensorFormat::codes) return true;
  }
  return false;
}

bool resolve(Choice choice, bool by_model) noexcept {
  return choice == Choice::by_model ? by_model : choice == Choice::yes;
}

/// Settles what was left to the model.
Status resolve_choices(const ModelFile& file, MemoryPlan& plan) noexcept {
  const PlanOptions& options = plan.options;
  const bool byte_codes = has_byte_codes(file);
  plan.int8_cache = resolve(options.int8_cache, byte_codes);
  const bool goes_on = byte_codes || file.section(PspmSectionKind::chat).kind != 0;
  plan.rolling = resolve(options.rolling, goes_on && options.context >= smallest_rolling_context);
  plan.position_limit = plan.rolling && plan.int8_cache ? file.config.seq_len : options.context;
  if (plan.rolling && options.context < smallest_rolling_context) {
    return bad_input("memory plan: context is ", options.context, ", a rolling window needs at least ",
                     smallest_rolling_context);
  }
  return {};
}

/// Bytes of one of the two cache regions.
CheckedSize cache_bytes(const ModelConfig& config, const MemoryPlan& plan) noexcept {
  if (plan.int8_cache) {
    return CheckedSize(config.n_layers) *
           int8_layer_bytes(config.n_kv_heads, config.head_dim(), plan.capacity);
  }
  return CheckedSize(config.n_layers) * config.kv_dim() * plan.capacity * sizeof(float);
}

std::size_t largest_prepare_scratch(const ModelFile& file, const Kernels& kernels) noexcept {
  std::size_t largest = 0;
  for (const TensorEntry& tensor : file.tensors()) {
    const Matrix matrix{tensor.format, tensor.rows, tensor.cols, tensor.group_size, nullptr};
    largest = std::max(largest, kernels.prepare_scratch_bytes(matrix));
  }
  return largest;
}

/// The most that any matrix's quantised input takes.
std::uint64_t quantized_input_bytes(const ModelFile& file, const Kernels& kernels) noexcept {
  std::uint64_t largest = 0;
  for (const TensorEntry& tensor : file.tensors()) {
    std::uint64_t bytes = 0;
    if (tensor.format == TensorFormat::q80) bytes = kernels.quantized_bytes(tensor.cols, tensor.group_size);
    if (tensor.format == TensorFormat::codes) bytes = kernels.code_activation_bytes(tensor.cols);
    largest = std::max(largest, bytes);
  }
  return largest;
}

}  // namespace

std::uint64_t vocabulary_bytes(const ModelFile& file, const PlanOptions& options) noexcept {
  const std::uint64_t own = file.own_tokenizer_bytes();
  const std::uint64_t bytes = own != 0 ? own : options.tokenizer_file_bytes;
  const auto kind = own != 0 ? file.tokenizer_kind : PspmTokenizerKind::llama2c;
  return align_up(text_codec_bytes(kind, bytes, file.config.vocab_size), block_alignment);
}

const char* name_of(RegionId id) noexcept {
  constexpr const char* names[region_count] = {"weights",     "key_cache",   "value_cache", "rope_table",
                                               "activations", "scores",      "logits",      "sampler",
                                               "tokenizer",   "draft_table", "text"};
  return names[static_cast<std::size_t>(id)];
}

const char* describe(RegionId id) noexcept {
  constexpr const char* lines[region_count] = {
      "the model's tensors, each on a 64-byte boundary",
      "keys of all positions and layers",
      "values of all positions and layers",
      "cosines and sines of positions",
      "one batch of tokens between layers",
      "attention scores of all heads",
      "one number a vocabulary piece",
      "candidates of top-p sampling",
      "vocabulary pieces, scores and index, chat template",
      "n-grams that propose the next token",
      "the prompt while it is encoded, tokens",
  };
  return lines[static_cast<std::size_t>(id)];
}

std::uint64_t activation_bytes_per_token(const ModelFile& file, const Kernels& kernels) noexcept {
  const ModelConfig& config = file.config;
  const auto floats = [](std::uint32_t count) {
    return align_up(std::uint64_t{count} * sizeof(float), block_alignment);
  };
  return floats(config.dim) * 3 + floats(config.kv_dim()) * 2 + floats(config.hidden_dim) * 2 +
         quantized_input_bytes(file, kernels);
}

Status plan_memory(ModelFile& file, const PlanOptions& requested, const Kernels& kernels,
                   MemoryPlan& plan) noexcept {
  plan = {};
  plan.options = requested;
  if (plan.options.context == 0) plan.options.context = file.config.seq_len;
  const PlanOptions& options = plan.options;
  const ModelConfig& config = file.config;
  if (Status status = check_options(config, options); !status) return status;
  plan.capacity = static_cast<std::uint32_t>(align_up(options.context, kernels.key_tile));
  if (Status status = resolve_choices(file, plan); !status) return status;

  const CheckedSize capacity = plan.capacity;
  const CheckedSize cache = cache_bytes(config, plan);
  CheckedSize sizes[region_count];
  const auto set = [&sizes](RegionId id, CheckedSize bytes) { sizes[static_cast<std::size_t>(id)] = bytes; };
  set(RegionId::weights, place_tensors(file));
  set(RegionId::key_cache, cache);
  set(RegionId::value_cache, cache);
  set(RegionId::rope_table,
      (CheckedSize(rope_rows(plan)) * 2 + CheckedSize(1)) * (config.head_dim() / 2) * sizeof(float));
  set(RegionId::activations, CheckedSize(activation_bytes_per_token(file, kernels)) * options.batch);
  set(RegionId::scores, capacity * config.n_heads * sizeof(float));
  set(RegionId::logits, CheckedSize(options.logit_rows) * config.vocab_size * sizeof(float));
  set(RegionId::sampler, CheckedSize(config.vocab_size) * sizeof(Candidate));
  set(RegionId::tokenizer, vocabulary_bytes(file, options) + file.section(PspmSectionKind::chat).bytes);
  set(RegionId::draft_table, CheckedSize(draft_table_bytes(options.draft_file_bytes)));
  set(RegionId::text,
      CheckedSize(encode_scratch_bytes(options.max_prompt_bytes)) +
          CheckedSize(align_up(history_capacity(plan) * sizeof(std::int32_t), block_alignment)));

  // Rearranging a matrix borrows what follows the weights; only odd shapes need that enlarged.
  CheckedSize behind_weights = 0;
  for (std::size_t i = 1; i < region_count; ++i) behind_weights = behind_weights + sizes[i];
  const std::size_t scratch = largest_prepare_scratch(file, kernels);
  if (!behind_weights.overflowed() && behind_weights.value() < scratch) {
    set(RegionId::text, sizes[region_count - 1] + CheckedSize(scratch - behind_weights.value()));
  }

  CheckedSize offset = 0;
  for (std::size_t i = 0; i < region_count; ++i) {
    plan.regions[i] = {static_cast<RegionId>(i), offset.value(), align_up(sizes[i].value(), block_alignment)};
    offset = offset + sizes[i] + CheckedSize(block_alignment - 1);
    offset = offset.overflowed()
                 ? offset
                 : CheckedSize(align_up(offset.value() - (block_alignment - 1), block_alignment));
  }
  if (offset.overflowed()) return bad_input("memory plan: the model's shape needs more than 2^64 bytes");
  plan.total_bytes = offset.value();
  return {};
}

}  // namespace pspllm
