// Prints what runq.c would print, with the engine built for little-endian MIPS: run under qemu-mipsel, where
// its bits must be those of the host. Plain C input and output, the engine, nothing else.
//
// golden_driver MODEL TOKENIZER PROMPT STEPS TEMPERATURE TOP_P SEED
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/engine.hpp"
#include "engine/model/generator.hpp"
#include "engine/text/text_codec.hpp"
#include "host/generation/text_job.hpp"
#include "host/generation/text_writer.hpp"

namespace pspllm {
namespace {

constexpr int argument_count = 8;

std::vector<std::byte> read_file(const char* path) {
  std::vector<std::byte> bytes;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "rb"), std::fclose);
  if (file == nullptr) return bytes;
  std::byte chunk[65536];
  while (const std::size_t count = std::fread(chunk, 1, sizeof chunk, file.get())) {
    bytes.insert(bytes.end(), chunk, chunk + count);
  }
  return bytes;
}

class Printer : public host::TextListener {
 public:
  explicit Printer(const TextCodec& tokenizer) : tokenizer_(tokenizer) {}
  void token(std::int32_t previous, std::int32_t token) override {
    const std::string piece = host::reference_piece(tokenizer_, previous, token);
    std::fwrite(piece.data(), 1, piece.size(), stdout);
  }

 private:
  const TextCodec& tokenizer_;
};

Status print_text(char** arguments) {
  const std::vector<std::byte> model_file = read_file(arguments[1]);
  const std::vector<std::byte> tokenizer_file = read_file(arguments[2]);
  const std::span<const std::byte> model_bytes(model_file);
  const std::span<const std::byte> tokenizer_bytes(tokenizer_file);
  EngineSources sources;
  sources.model = memory_source(&model_bytes);
  sources.tokenizer = memory_source(&tokenizer_bytes);
  const auto file = std::make_unique<ModelFile>();
  if (Status status = read_model_file(sources.model, *file); !status) return status;
  PlanOptions options;
  options.tokenizer_file_bytes = tokenizer_file.size();
  MemoryPlan plan;
  if (Status status = plan_memory(*file, options, reference_kernels(), plan); !status) return status;
  struct alignas(block_alignment) Line {
    std::byte bytes[block_alignment];
  };
  std::vector<Line> block(static_cast<std::size_t>(plan.total_bytes / block_alignment));
  const auto engine = std::make_unique<Engine>();
  if (Status status = load_engine(sources, *file, plan, reference_kernels(),
                                  std::as_writable_bytes(std::span(block)), {}, *engine);
      !status) {
    return status;
  }
  const auto encoded = encode(engine->tokenizer, arguments[3], TextPlace::beginning, engine->encode_scratch);
  if (!encoded) return encoded.status();
  const std::vector<std::int32_t> prompt(encoded.value().begin(), encoded.value().end());
  SamplerOptions sampler;
  sampler.temperature = static_cast<float>(std::atof(arguments[5]));
  sampler.top_p = static_cast<float>(std::atof(arguments[6]));
  sampler.seed = std::strtoull(arguments[7], nullptr, 10);
  Generator generator = make_generator(*engine, sampler, {});
  Printer printer(engine->tokenizer);
  const auto steps = static_cast<std::uint32_t>(std::strtoul(arguments[4], nullptr, 10));
  return host::generate_text(generator, {prompt, steps, false}, printer).status();
}

}  // namespace
}  // namespace pspllm

int main(int argc, char** argv) {
  if (argc != pspllm::argument_count) {
    std::fputs("usage: golden_driver MODEL TOKENIZER PROMPT STEPS TEMPERATURE TOP_P SEED\n", stderr);
    return 2;
  }
  const pspllm::Status status = pspllm::print_text(argv);
  std::puts("");
  if (status) return 0;
  std::fprintf(stderr, "golden_driver: %s\n", status.error().message.c_str());
  return 1;
}
