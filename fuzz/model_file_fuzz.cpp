// Any bytes as a model file: refused with a sentence, or loaded and run for a few tokens.
#include <cstring>
#include <memory>
#include <vector>

#include "engine/model/engine.hpp"
#include "engine/model/forward.hpp"

namespace {

using pspllm::ByteSource;

/// Models above this are only planned: the point is the parser, not the arithmetic.
constexpr std::uint64_t largest_block = std::uint64_t{4} << 20;

/// A tokenizer.bin of `count` one-letter pieces.
std::vector<std::byte> plain_tokenizer(std::uint32_t count) {
  std::vector<std::byte> file(4 + std::size_t{count} * 9);
  const std::int32_t length = 1;
  for (std::size_t piece = 0; piece < count; ++piece) {
    std::memcpy(file.data() + 4 + piece * 9 + 4, &length, sizeof length);
    file[4 + piece * 9 + 8] = static_cast<std::byte>('a' + piece % 26);
  }
  return file;
}

void load_and_run(pspllm::ModelFile& file, const ByteSource& model) {
  const std::vector<std::byte> tokenizer_file = plain_tokenizer(file.config.vocab_size);
  const std::span<const std::byte> tokenizer_bytes(tokenizer_file);
  const pspllm::EngineSources sources{model, pspllm::memory_source(&tokenizer_bytes), {}};
  pspllm::PlanOptions options;
  options.tokenizer_file_bytes = tokenizer_bytes.size();
  options.max_prompt_bytes = 64;
  pspllm::MemoryPlan plan;
  const pspllm::Kernels& kernels = pspllm::reference_kernels();
  if (!pspllm::plan_memory(file, options, kernels, plan) || plan.total_bytes > largest_block) return;
  std::vector<std::byte> memory(static_cast<std::size_t>(plan.total_bytes) + pspllm::block_alignment);
  void* start = memory.data();
  std::size_t space = memory.size();
  if (std::align(pspllm::block_alignment, static_cast<std::size_t>(plan.total_bytes), start, space) ==
      nullptr)
    return;
  const std::span<std::byte> block(static_cast<std::byte*>(start),
                                   static_cast<std::size_t>(plan.total_bytes));
  const auto engine = std::make_unique<pspllm::Engine>();
  if (!pspllm::load_engine(sources, file, plan, kernels, block, {}, *engine)) return;
  const std::int32_t tokens[] = {0, static_cast<std::int32_t>(file.config.vocab_size - 1)};
  const std::size_t count = plan.options.context >= 2 ? 2 : 1;
  (void)pspllm::forward(*engine, std::span(tokens).first(count), 0, pspllm::LogitsFor::last_token, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  const ByteSource source = pspllm::memory_source(&bytes);
  const auto file = std::make_unique<pspllm::ModelFile>();
  const pspllm::Status status = pspllm::read_model_file(source, *file);
  if (!status) {
    if (status.error().message.empty()) __builtin_trap();
    return 0;
  }
  load_and_run(*file, source);
  return 0;
}
