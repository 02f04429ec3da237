#include <algorithm>
#include <cstring>

#include "engine/core/checked.hpp"
#include "engine/model/engine.hpp"
#include "engine/model/pspm_directory.hpp"
#include "engine/model/pspm_file.hpp"
#include "engine/model/rope.hpp"

namespace pspllm {
namespace {

/// Bytes read between two calls of the progress callback: large enough for a memory stick's full speed.
constexpr std::size_t read_chunk_bytes = 256 * 1024;

struct Loader {
  const ByteSource& source;
  const Progress& progress;
  std::uint64_t done = 0;
  std::uint64_t total = 0;

  Status read(std::uint64_t offset, std::span<std::byte> into) noexcept {
    while (!into.empty()) {
      const std::span<std::byte> chunk = into.first(std::min(into.size(), read_chunk_bytes));
      if (Status status = source.read(source.context, offset, chunk); !status) return status;
      offset += chunk.size();
      done += chunk.size();
      into = into.subspan(chunk.size());
      if (!progress(done, total)) return interrupted();
    }
    return {};
  }
};

Matrix matrix_of(const TensorEntry& tensor, std::byte* block) noexcept {
  return {tensor.format, tensor.rows, tensor.cols, tensor.group_size, block + tensor.block_offset};
}

Status read_tensor(Loader& loader, const TensorEntry& tensor, std::byte* block) noexcept {
  std::byte* const values = block + tensor.block_offset;
  if (Status status = loader.read(tensor.file_offset, {values, static_cast<std::size_t>(tensor.value_bytes)});
      !status) {
    return status;
  }
  if (tensor.scale_bytes == 0) return {};
  std::byte* const scales = values + scales_offset(tensor.rows, tensor.cols);
  return loader.read(tensor.file_offset + tensor.value_bytes,
                     {scales, static_cast<std::size_t>(tensor.scale_bytes)});
}

bool is_norm(TensorRole role) noexcept {
  return role == TensorRole::attention_norm || role == TensorRole::ffn_norm || role == TensorRole::final_norm;
}

/// Points the engine's weights at a tensor.
void bind_tensor(const TensorEntry& tensor, std::byte* block, Engine& engine) noexcept {
  const Matrix matrix = matrix_of(tensor, block);
  const auto* floats = reinterpret_cast<const float*>(matrix.data);
  Weights& weights = engine.weights;
  LayerWeights& layer = weights.layers[tensor.layer];
  switch (tensor.role) {
    case TensorRole::token_embedding:
      weights.token_embedding = matrix;
      break;
    case TensorRole::attention_norm:
      for (std::uint32_t i = 0; i < tensor.rows; ++i) {
        weights.layers[tensor.layer + i].attention_norm = floats + std::size_t{i} * tensor.cols;
      }
      break;
    case TensorRole::query:
      layer.query = matrix;
      break;
    case TensorRole::key:
      layer.key = matrix;
      break;
    case TensorRole::value:
      layer.value = matrix;
      break;
    case TensorRole::attention_output:
      layer.attention_output = matrix;
      break;
    case TensorRole::ffn_norm:
      for (std::uint32_t i = 0; i < tensor.rows; ++i) {
        weights.layers[tensor.layer + i].ffn_norm = floats + std::size_t{i} * tensor.cols;
      }
      break;
    case TensorRole::gate:
      layer.gate = matrix;
      break;
    case TensorRole::down:
      layer.down = matrix;
      break;
    case TensorRole::up:
      layer.up = matrix;
      break;
    case TensorRole::final_norm:
      weights.final_norm = floats;
      break;
    case TensorRole::classifier:
      weights.classifier = matrix;
      break;
  }
}

Status load_weights(const EngineSources& sources, const ModelFile& file, std::span<std::byte> block,
                    const Progress& progress, Engine& engine) noexcept {
  Loader loader{sources.model, progress};
  for (const TensorEntry& tensor : file.tensors()) loader.total += tensor.file_bytes();
  // Nothing behind the weights is in use yet: kernels may borrow it while they rearrange.
  const std::span<std::byte> scratch =
      block.subspan(static_cast<std::size_t>(engine.plan.region(RegionId::key_cache).offset));
  for (const TensorEntry& tensor : file.tensors()) {
    if (Status status = read_tensor(loader, tensor, block.data()); !status) return status;
    if (file.kind == FileKind::pspm) {
      const std::span<const std::byte> bytes = block.subspan(static_cast<std::size_t>(tensor.block_offset),
                                                             static_cast<std::size_t>(tensor.file_bytes()));
      if (Status status = check_pspm_tensor(tensor, bytes); !status) return status;
    }
    if (!is_norm(tensor.role)) engine.kernels->prepare(matrix_of(tensor, block.data()), scratch);
    bind_tensor(tensor, block.data(), engine);
  }
  if (engine.config.tied_classifier) engine.weights.classifier = engine.weights.token_embedding;
  return {};
}

/// Hands out consecutive aligned pieces of a region.
class RegionCursor {
 public:
  explicit RegionCursor(std::byte* start) noexcept : next_(start) {}

  std::byte* take(std::uint64_t bytes) noexcept {
    std::byte* const piece = next_;
    next_ += align_up(bytes, block_alignment);
    return piece;
  }
  float* take_floats(std::uint64_t count) noexcept {
    return reinterpret_cast<float*>(take(count * sizeof(float)));
  }

 private:
  std::byte* next_;
};

void bind_regions(std::span<std::byte> block, Engine& engine) noexcept {
  const ModelConfig& config = engine.config;
  const PlanOptions& options = engine.plan.options;
  const auto start = [&](RegionId id) { return block.data() + engine.plan.region(id).offset; };
  const auto floats = [&](RegionId id) { return reinterpret_cast<float*>(start(id)); };
  engine.key_cache = start(RegionId::key_cache);
  engine.value_cache = start(RegionId::value_cache);
  engine.rope_table = floats(RegionId::rope_table);
  engine.rope_frequencies = {engine.rope_table + rope_rows(engine.plan) * config.head_dim(),
                             config.head_dim() / 2};
  engine.scores = floats(RegionId::scores);
  engine.logits = {floats(RegionId::logits), std::size_t{options.logit_rows} * config.vocab_size};
  engine.candidates = {reinterpret_cast<Candidate*>(start(RegionId::sampler)), config.vocab_size};

  const std::uint64_t batch = options.batch;
  RegionCursor cursor(start(RegionId::activations));
  Activations& activations = engine.activations;
  activations.x = cursor.take_floats(batch * config.dim);
  activations.branch = cursor.take_floats(batch * config.dim);
  activations.query = cursor.take_floats(batch * config.dim);
  activations.key = cursor.take_floats(batch * config.kv_dim());
  activations.value = cursor.take_floats(batch * config.kv_dim());
  activations.gate = cursor.take_floats(batch * config.hidden_dim);
  activations.up = cursor.take_floats(batch * config.hidden_dim);
  activations.quantized = cursor.take(0);

  RegionCursor text(start(RegionId::text));
  const std::size_t history_tokens = history_capacity(engine.plan);
  engine.history = {reinterpret_cast<std::int32_t*>(text.take(history_tokens * sizeof(std::int32_t))),
                    history_tokens};
  const auto scratch_bytes = static_cast<std::size_t>(encode_scratch_bytes(options.max_prompt_bytes));
  engine.encode_scratch = {text.take(scratch_bytes), scratch_bytes};
}

/// The vocabulary, from the model file itself or from a file of its own, into the tokenizer region's front.
Status load_vocabulary(const EngineSources& sources, const ModelFile& file, std::span<std::byte> memory,
                       Engine& engine) noexcept {
  const std::span<std::byte> front =
      memory.first(static_cast<std::size_t>(vocabulary_bytes(file, engine.plan.options)));
  if (file.own_tokenizer_bytes() == 0) {
    return load_text_codec(PspmTokenizerKind::llama2c, sources.tokenizer, file.config.vocab_size, front,
                           engine.tokenizer);
  }
  const PspmSection& section = file.section(PspmSectionKind::tokenizer);
  if (Status status = check_pspm_section(sources.model, section); !status) return status;
  const SourceRange payload{sources.model, section.offset + pspm_tokenizer_header_bytes,
                            file.own_tokenizer_bytes()};
  return load_text_codec(file.tokenizer_kind, range_source(&payload), file.config.vocab_size, front,
                         engine.tokenizer);
}

/// The chat template, behind the vocabulary.
Status load_chat(const ByteSource& model, const ModelFile& file, std::span<std::byte> memory,
                 Engine& engine) noexcept {
  engine.chat = {};
  const PspmSection& section = file.section(PspmSectionKind::chat);
  if (section.kind == 0) return {};
  if (Status status = check_pspm_section(model, section); !status) return status;
  const std::span<std::byte> into =
      memory.subspan(static_cast<std::size_t>(vocabulary_bytes(file, engine.plan.options)),
                     static_cast<std::size_t>(section.bytes));
  engine.chat = into;
  return model.read(model.context, section.offset, into);
}

/// Angles of all positions, from the file's frequencies where it has any.
Status load_rope(const ByteSource& model, const ModelFile& file, Engine& engine) noexcept {
  const PspmSection& section = file.section(PspmSectionKind::rope);
  if (section.kind == 0) {
    fill_rope_frequencies(file.config, engine.rope_frequencies);
  } else {
    const std::span<std::byte> into = std::as_writable_bytes(engine.rope_frequencies);
    if (Status status = model.read(model.context, section.offset, into); !status) return status;
  }
  fill_rope_rows(engine.rope_frequencies, 0, engine.plan.capacity, engine.rope_table);
  return {};
}

}  // namespace

Status load_engine(const EngineSources& sources, const ModelFile& file, const MemoryPlan& plan,
                   const Kernels& kernels, std::span<std::byte> block, const Progress& progress,
                   Engine& engine) noexcept {
  if (block.size() < plan.total_bytes) {
    return does_not_fit("the model needs one block of ", plan.total_bytes, " bytes, there are ",
                        block.size());
  }
  if (reinterpret_cast<std::uintptr_t>(block.data()) % block_alignment != 0) {
    return bad_input("the memory block is not aligned to ", block_alignment, " bytes");
  }
  engine.config = file.config;
  engine.plan = plan;
  engine.kernels = &kernels;
  if (Status status = load_weights(sources, file, block, progress, engine); !status) return status;
  bind_regions(block, engine);
  const auto memory_of = [&](RegionId id) {
    const Region& region = plan.region(id);
    return block.subspan(static_cast<std::size_t>(region.offset), static_cast<std::size_t>(region.bytes));
  };
  const std::span<std::byte> text = memory_of(RegionId::tokenizer);
  if (Status status = load_vocabulary(sources, file, text, engine); !status) return status;
  if (Status status = load_chat(sources.model, file, text, engine); !status) return status;
  if (Status status = load_draft_table(sources.draft_table, file.config.vocab_size,
                                       memory_of(RegionId::draft_table), engine.draft_table);
      !status) {
    return status;
  }
  return load_rope(sources.model, file, engine);
}

}  // namespace pspllm
