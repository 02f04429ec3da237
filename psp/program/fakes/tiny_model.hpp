// A model small enough to be made on the spot: random weights, a vocabulary of bytes and a few words. Tests
// of the program run with it where no real model is at hand.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace pspllm::psp {

struct TinyModel {
  std::string model;      // model.bin, llama2.c version 2
  std::string tokenizer;  // tokenizer.bin
};

struct TinyShape {
  std::uint32_t dim = 16;
  std::uint32_t hidden_dim = 32;
  std::uint32_t n_layers = 2;
  std::uint32_t n_heads = 2;
  std::uint32_t vocab_size = 300;
  std::uint32_t seq_len = 128;
  std::uint32_t group_size = 16;
};

namespace tiny_model_detail {

template <typename Value>
void append_value(std::string& bytes, Value value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

class Random {
 public:
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::uint32_t>(state_ >> 33);
  }

 private:
  std::uint64_t state_ = 42;
};

inline void append_matrix(std::string& bytes, Random& random, std::uint32_t count, std::uint32_t group_size) {
  for (std::uint32_t i = 0; i < count; ++i)
    bytes += static_cast<char>(static_cast<int>(random.next() % 255) - 127);
  for (std::uint32_t i = 0; i < count / group_size; ++i) append_value(bytes, 0.01F);
}

}  // namespace tiny_model_detail

inline TinyModel make_tiny_model(const TinyShape& shape = {}) {
  using tiny_model_detail::append_matrix;
  using tiny_model_detail::append_value;
  TinyModel tiny;
  std::string& model = tiny.model;
  append_value(model, std::uint32_t{0x616b3432});
  append_value(model, std::uint32_t{2});
  for (const std::uint32_t field : {shape.dim, shape.hidden_dim, shape.n_layers, shape.n_heads, shape.n_heads,
                                    shape.vocab_size, shape.seq_len}) {
    append_value(model, field);
  }
  model += '\1';
  append_value(model, shape.group_size);
  model.resize(256);
  for (std::uint32_t i = 0; i < (2 * shape.n_layers + 1) * shape.dim; ++i) append_value(model, 1.0F);
  tiny_model_detail::Random random;
  append_matrix(model, random, shape.vocab_size * shape.dim, shape.group_size);
  const std::uint32_t square = shape.dim * shape.dim;
  for (std::uint32_t i = 0; i < 4 * shape.n_layers; ++i)
    append_matrix(model, random, square, shape.group_size);
  for (std::uint32_t i = 0; i < 3 * shape.n_layers; ++i) {
    append_matrix(model, random, shape.dim * shape.hidden_dim, shape.group_size);
  }

  std::string& tokenizer = tiny.tokenizer;
  append_value(tokenizer, std::uint32_t{8});
  for (std::uint32_t id = 0; id < shape.vocab_size; ++id) {
    std::string piece;
    if (id < 3) {
      piece = id == 0 ? "<unk>" : id == 1 ? "\n<s>\n" : "\n</s>\n";
    } else if (id < 259) {
      const char* const digits = "0123456789ABCDEF";
      const std::uint32_t byte = id - 3;
      piece = std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">";
    } else if (id == 259) {
      piece = " ";
    } else if (id < 286) {
      piece = std::string(1, static_cast<char>('a' + (id - 260)));
    } else {
      piece = " w" + std::to_string(id);
    }
    append_value(tokenizer, -static_cast<float>(id));
    append_value(tokenizer, static_cast<std::int32_t>(piece.size()));
    tokenizer += piece;
  }
  return tiny;
}

}  // namespace pspllm::psp
