#include "host/formats/gguf_byte_level.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/formats/printable.hpp"

namespace pspllm::host {
namespace {

/// Where the metadata's byte-level vocabulary stands in the words of tokenizers.
struct PreTokenizerName {
  const char* name;
  PreTokenizer kind;
  bool ignores_merges;
  bool adds_bos;  // where the file does not say
};

// As llama.cpp reads "tokenizer.ggml.pre" (src/llama-vocab.cpp).
constexpr PreTokenizerName pre_tokenizer_names[] = {{"gpt-2", PreTokenizer::gpt2, false, false},
                                                    {"smollm", PreTokenizer::smollm2, false, false},
                                                    {"llama-bpe", PreTokenizer::llama3, true, true},
                                                    {"llama3", PreTokenizer::llama3, true, true}};

const PreTokenizerName& pre_tokenizer_of(const GgufMetadata& metadata) {
  const std::string name = metadata.find_text("tokenizer.ggml.pre").value_or("(none)");
  std::string supported;
  for (const PreTokenizerName& known : pre_tokenizer_names) {
    if (name == known.name) return known;
    supported += (supported.empty() ? "" : ", ") + std::string(known.name);
  }
  refuse_gguf(metadata, fmt::format("the pre-tokenizer is {}, which is not supported; supported: {}",
                                    printable(name), supported));
}

class ByteLevelReader {
 public:
  ByteLevelReader(const GgufMetadata& metadata, std::uint32_t vocab_size)
      : metadata_(metadata),
        pieces_(whole_gguf_list(metadata, metadata.find_texts("tokenizer.ggml.tokens"),
                                "tokenizer.ggml.tokens", vocab_size)) {}

  ByteLevelVocabulary read() {
    const PreTokenizerName& pre_tokenizer = pre_tokenizer_of(metadata_);
    vocabulary_.pre_tokenizer = pre_tokenizer.kind;
    vocabulary_.ignore_merges = pre_tokenizer.ignores_merges;
    vocabulary_.adds_bos =
        metadata_.find_bool("tokenizer.ggml.add_bos_token").value_or(pre_tokenizer.adds_bos);
    vocabulary_.bos = token("tokenizer.ggml.bos_token_id");
    vocabulary_.eos = token("tokenizer.ggml.eos_token_id");
    vocabulary_.pad = token("tokenizer.ggml.padding_token_id");
    read_pieces();
    read_merges();
    return std::move(vocabulary_);
  }

 private:
  std::int32_t token(const char* key) const {
    const std::optional<std::uint64_t> id = metadata_.find_unsigned(key);
    if (!id) return no_token;
    if (*id >= pieces_.size()) {
      refuse_gguf(metadata_, fmt::format("{} is {}, expected a token below {}", key, *id, pieces_.size()));
    }
    return static_cast<std::int32_t>(*id);
  }

  /// llama.cpp's token types: 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte.
  ByteLevelTextKind kind_of(std::int64_t type, std::size_t id) const {
    switch (type) {
      case 1:
        return ByteLevelTextKind::piece;
      case 2:
      case 3:
        return ByteLevelTextKind::special;
      case 5:
        return ByteLevelTextKind::unused;
      default:
        refuse_gguf(metadata_,
                    fmt::format("the token {} (\"{}\") has type {}, which is not supported in byte-level "
                                "vocabularies; supported: normal, unknown, control, unused",
                                id, printable(pieces_[id]), type));
    }
  }

  void read_pieces() {
    const auto* const types = metadata_.find_integers("tokenizer.ggml.token_type");
    if (types != nullptr) {
      (void)whole_gguf_list(metadata_, types, "tokenizer.ggml.token_type",
                            static_cast<std::uint32_t>(pieces_.size()));
    }
    for (std::size_t id = 0; id < pieces_.size(); ++id) {
      ByteLevelTextKind kind = ByteLevelTextKind::piece;
      if (types != nullptr) kind = kind_of((*types)[id], id);
      std::string bytes;
      if (kind == ByteLevelTextKind::special) bytes = pieces_[id];
      if (kind == ByteLevelTextKind::piece) {
        if (!from_printable_alphabet(pieces_[id], bytes)) {
          refuse_gguf(metadata_,
                      fmt::format("the token {} (\"{}\") has a character outside the byte alphabet; the "
                                  "file is damaged",
                                  id, printable(pieces_[id])));
        }
        ids_.emplace(pieces_[id], static_cast<std::int32_t>(id));
      }
      vocabulary_.pieces.push_back(std::move(bytes));
      vocabulary_.kinds.push_back(kind);
    }
  }

  /// Merges whose pieces are not all there do not exist.
  void read_merges() {
    const auto* const merges = metadata_.find_texts("tokenizer.ggml.merges");
    if (merges == nullptr)
      refuse_gguf(metadata_, "the metadata lacks tokenizer.ggml.merges; the file is incomplete");
    const auto id_of = [&](const std::string& piece) {
      const auto found = ids_.find(piece);
      return found == ids_.end() ? no_token : found->second;
    };
    for (const std::string& merge : *merges) {
      // A piece may begin with the separator's own character only in alphabets other than this.
      const std::size_t space = merge.find(' ');
      if (space == std::string::npos) {
        refuse_gguf(metadata_, fmt::format("the merge \"{}\" is no pair of pieces; the file is damaged",
                                           printable(merge)));
      }
      const std::string left = merge.substr(0, space);
      const std::string right = merge.substr(space + 1);
      const MergeRule rule{id_of(left), id_of(right), id_of(left + right)};
      if (rule.left != no_token && rule.right != no_token && rule.result != no_token) {
        vocabulary_.merges.push_back(rule);
      }
    }
  }

  const GgufMetadata& metadata_;
  const std::vector<std::string>& pieces_;
  ByteLevelVocabulary vocabulary_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

}  // namespace

ByteLevelVocabulary read_gguf_byte_level(const GgufMetadata& metadata, std::uint32_t vocab_size) {
  return ByteLevelReader(metadata, vocab_size).read();
}

}  // namespace pspllm::host
