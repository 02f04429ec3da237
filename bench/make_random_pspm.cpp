// Writes a .pspm file of a shape with random byte codes: for measuring speed and memory before such a model
// exists.
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <string>

#include "engine/testing/test_pspm.hpp"

int main(int argc, char** argv) {
  // The chat model's shape: about 90 million weights.
  pspllm::testing::TestShape shape{576, 1152, 30, 9, 3, 8192, 512, 0, true, 1};
  pspllm::testing::TestFormat format{pspllm::TensorFormat::codes, 6, 4, 2};
  std::string path;
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
  CLI11_PARSE(app, argc, argv);
  const std::string bytes = pspllm::testing::make_pspm_model(shape, format);
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
