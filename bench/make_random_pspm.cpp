// Writes a .pspm file of a shape with random byte codes: for measuring speed and memory before such a model
// exists.
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <string>

#include "engine/testing/test_pspm.hpp"
#include "host/core/failure.hpp"
#include "host/formats/chat_presets.hpp"
#include "host/formats/loaded_codec.hpp"

namespace {

/// The chat section's bytes, for the file's own vocabulary.
std::string chat_section(const pspllm::testing::PspmParts& parts, const pspllm::host::ChatChoice& choice) {
  const std::string vocabulary = parts.tokenizer.substr(pspllm::pspm_tokenizer_header_bytes);
  const auto bytes = std::as_bytes(std::span(vocabulary));
  const pspllm::host::LoadedCodec codec(pspllm::PspmTokenizerKind::llama2c, pspllm::memory_source(&bytes),
                                        parts.config.vocab_size, "vocabulary");
  const std::vector<std::byte> payload = pspllm::host::chat_payload(choice, codec.codec());
  return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

}  // namespace

int main(int argc, char** argv) {
  // The chat model's shape: about 90 million weights.
  pspllm::testing::TestShape shape{576, 1152, 30, 9, 3, 8192, 512, 0, true, 1};
  pspllm::testing::TestFormat format{pspllm::TensorFormat::codes, 6, 4, 2};
  std::string path;
  std::string about;
  std::string chat_template;
  pspllm::host::ChatChoice choice;
  CLI::App app(
      "A .pspm file of random byte codes, the shape of the 90M-parameter chat model unless told otherwise");
  app.add_option("out", path, "file to write")->required();
  app.add_option("--dim", shape.dim, "width")->capture_default_str();
  app.add_option("--hidden-dim", shape.hidden_dim, "width of the feed-forward")->capture_default_str();
  app.add_option("--layers", shape.n_layers, "layers")->capture_default_str();
  app.add_option("--heads", shape.n_heads, "query heads")->capture_default_str();
  app.add_option("--kv-heads", shape.n_kv_heads, "key and value heads")->capture_default_str();
  app.add_option("--vocab", shape.vocab_size, "vocabulary")->capture_default_str();
  app.add_option("--seq-len", shape.seq_len, "positions")->capture_default_str();
  app.add_option("--width", format.group_size, "weights a code")->capture_default_str();
  app.add_option("--value-width", format.value_group_size, "of the value matrices")->capture_default_str();
  app.add_option("--embedding-width", format.embedding_group_size, "of the embedding")->capture_default_str();
  app.add_option("--seed", shape.seed, "of the numbers")->capture_default_str();
  app.add_option("--about", about, "name, origin and licence");
  app.add_option("--template", chat_template, "chat template: " + pspllm::host::chat_preset_names());
  app.add_option("--system", choice.default_system, "the template's system prompt");
  CLI11_PARSE(app, argc, argv);
  pspllm::testing::PspmParts parts = pspllm::testing::make_pspm_parts(shape, format);
  parts.about = about;
  try {
    if (!chat_template.empty()) {
      choice.preset = pspllm::host::require_chat_preset(chat_template);
      parts.chat = chat_section(parts, choice);
    }
  } catch (const pspllm::host::Failure& failure) {
    std::cerr << "make_random_pspm: " << failure.what() << "\n";
    return 1;
  }
  const std::string bytes = pspllm::testing::assemble(parts);
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    std::cerr << "make_random_pspm: " << path << " cannot be written\n";
    return 1;
  }
  std::cout << path << ": " << bytes.size() << " bytes\n";
  return 0;
}
