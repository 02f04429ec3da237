#include "host/formats/gguf_tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/tokenizer.hpp"
#include "host/core/failure.hpp"
#include "host/formats/byte_level_payload.hpp"
#include "host/formats/gguf_byte_level.hpp"
#include "host/formats/printable.hpp"

namespace pspllm::host {
namespace {

/// The engine's SentencePiece tokenizer has llama2.c's fixed ids and always a dummy prefix.
void require_llama2_conventions(const GgufMetadata& metadata) {
  const auto require_id = [&](const char* key, std::int32_t expected) {
    const auto id = metadata.find_unsigned(key);
    if (id && *id != static_cast<std::uint64_t>(expected)) {
      refuse_gguf(metadata,
                  fmt::format("{} is {}, which is not supported for this kind of tokenizer; supported: {}",
                              key, *id, expected));
    }
  };
  require_id("tokenizer.ggml.bos_token_id", bos_token);
  require_id("tokenizer.ggml.eos_token_id", eos_token);
  if (!metadata.find_bool("tokenizer.ggml.add_space_prefix").value_or(true)) {
    refuse_gguf(metadata,
                "tokenizer.ggml.add_space_prefix is false, which is not supported; supported: true");
  }
}

/// As llama2.c's exporter spells pieces: U+2581 as a space, the marks of begin and end on lines of their own.
std::string llama2c_piece(std::string_view piece, std::int32_t id) {
  if (id == bos_token) return "\n<s>\n";
  if (id == eos_token) return "\n</s>\n";
  constexpr std::string_view space_mark = "\xe2\x96\x81";
  std::string spelled;
  while (!piece.empty()) {
    const bool is_space = piece.starts_with(space_mark);
    spelled += is_space ? ' ' : piece.front();
    piece.remove_prefix(is_space ? space_mark.size() : 1);
  }
  return spelled;
}

void append(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

template <typename Number>
void append_number(std::vector<std::byte>& out, Number number) {
  append(out, std::as_bytes(std::span(&number, 1)));
}

/// Layout: engine/text/tokenizer.hpp.
std::vector<std::byte> llama2c_tokenizer(const std::vector<std::string>& pieces,
                                         const std::vector<double>& scores) {
  std::size_t longest = 0;
  std::vector<std::byte> body;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string piece = llama2c_piece(pieces[i], static_cast<std::int32_t>(i));
    longest = std::max(longest, piece.size());
    append_number(body, static_cast<float>(scores[i]));
    append_number(body, static_cast<std::int32_t>(piece.size()));
    append(body, std::as_bytes(std::span(piece)));
  }
  std::vector<std::byte> file;
  append_number(file, static_cast<std::uint32_t>(longest));
  append(file, body);
  return file;
}

/// What the engine will say when it reads the vocabulary, said now.
void require_loadable(const GgufMetadata& metadata, const std::vector<std::byte>& file,
                      std::uint32_t vocab_size) {
  std::vector<std::uint32_t> memory(
      static_cast<std::size_t>(tokenizer_bytes(file.size(), vocab_size) / sizeof(std::uint32_t)) + 1);
  const std::span<const std::byte> bytes(file);
  Tokenizer tokenizer;
  require(
      load_tokenizer(memory_source(&bytes), vocab_size, std::as_writable_bytes(std::span(memory)), tokenizer),
      metadata.file_name);
}

/// SentencePiece with scores becomes a llama2.c vocabulary.
void read_sentence_piece(const GgufMetadata& metadata, Checkpoint& checkpoint) {
  require_llama2_conventions(metadata);
  const std::uint32_t vocab_size = checkpoint.config.vocab_size;
  const auto& pieces = whole_gguf_list(metadata, metadata.find_texts("tokenizer.ggml.tokens"),
                                       "tokenizer.ggml.tokens", vocab_size);
  const auto& scores = whole_gguf_list(metadata, metadata.find_numbers("tokenizer.ggml.scores"),
                                       "tokenizer.ggml.scores", vocab_size);
  checkpoint.tokenizer_kind = PspmTokenizerKind::llama2c;
  checkpoint.tokenizer = llama2c_tokenizer(pieces, scores);
  require_loadable(metadata, checkpoint.tokenizer, vocab_size);
}

void read_byte_level(const GgufMetadata& metadata, Checkpoint& checkpoint) {
  const ByteLevelVocabulary vocabulary = read_gguf_byte_level(metadata, checkpoint.config.vocab_size);
  checkpoint.tokenizer_kind = PspmTokenizerKind::byte_level;
  try {
    checkpoint.tokenizer = byte_level_payload(vocabulary);
  } catch (const Failure& failure) {
    refuse_gguf(metadata, failure.what());
  }
}

}  // namespace

void read_gguf_tokenizer(const GgufMetadata& metadata, Checkpoint& checkpoint) {
  const std::string model = metadata.find_text("tokenizer.ggml.model").value_or("");
  if (model == "llama") return read_sentence_piece(metadata, checkpoint);
  if (model == "gpt2") return read_byte_level(metadata, checkpoint);
  refuse_gguf(metadata, fmt::format("the tokenizer is \"{}\", which is not supported; supported: llama, gpt2",
                                    printable(model)));
}

}  // namespace pspllm::host
