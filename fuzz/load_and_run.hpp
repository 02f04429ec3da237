// What every fuzz target of model files does with a file that was read: plan, load, run.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "engine/model/engine.hpp"
#include "engine/model/forward.hpp"

namespace pspllm::fuzz {

/// Models above this are only planned: the point is the parser, not the arithmetic.
inline constexpr std::uint64_t largest_block = std::uint64_t{4} << 20;

/// A tokenizer.bin of `count` one-letter pieces.
inline std::vector<std::byte> plain_tokenizer(std::uint32_t count) {
  std::vector<std::byte> file(4 + std::size_t{count} * 9);
  const std::int32_t length = 1;
  for (std::size_t piece = 0; piece < count; ++piece) {
    std::memcpy(file.data() + 4 + piece * 9 + 4, &length, sizeof length);
    file[4 + piece * 9 + 8] = static_cast<std::byte>('a' + piece % 26);
  }
  return file;
}

/// Loads a small enough model and runs two tokens; stops where the engine refuses.
inline void load_and_run(ModelFile& file, const ByteSource& model) {
  const std::vector<std::byte> tokenizer_file = plain_tokenizer(file.config.vocab_size);
  const std::span<const std::byte> tokenizer_bytes(tokenizer_file);
  const EngineSources sources{model, memory_source(&tokenizer_bytes), {}};
  PlanOptions options;
  options.tokenizer_file_bytes = tokenizer_bytes.size();
  options.max_prompt_bytes = 64;
  MemoryPlan plan;
  const Kernels& kernels = reference_kernels();
  if (!plan_memory(file, options, kernels, plan) || plan.total_bytes > largest_block) return;
  std::vector<std::byte> memory(static_cast<std::size_t>(plan.total_bytes) + block_alignment);
  void* start = memory.data();
  std::size_t space = memory.size();
  if (std::align(block_alignment, static_cast<std::size_t>(plan.total_bytes), start, space) == nullptr)
    return;
  const std::span<std::byte> block(static_cast<std::byte*>(start),
                                   static_cast<std::size_t>(plan.total_bytes));
  const auto engine = std::make_unique<Engine>();
  if (!load_engine(sources, file, plan, kernels, block, {}, *engine)) return;
  const std::int32_t tokens[] = {0, static_cast<std::int32_t>(file.config.vocab_size - 1)};
  const std::size_t count = plan.options.context >= 2 ? 2 : 1;
  (void)forward(*engine, std::span(tokens).first(count), 0, LogitsFor::last_token, {});
}

/// Any bytes as a model file: refused with a sentence, or loaded and run.
inline void read_load_and_run(std::span<const std::byte> bytes) {
  const ByteSource source = memory_source(&bytes);
  const auto file = std::make_unique<ModelFile>();
  const Status status = read_model_file(source, *file);
  if (!status) {
    if (status.error().message.empty()) __builtin_trap();
    return;
  }
  load_and_run(*file, source);
}

}  // namespace pspllm::fuzz
