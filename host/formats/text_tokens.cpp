#include "host/formats/text_tokens.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "engine/text/encode.hpp"
#include "host/core/failure.hpp"

namespace pspllm::host {
namespace {

constexpr std::string_view document_end = "<|endoftext|>";

struct Special {
  std::string name;
  std::int32_t token = no_token;
};

/// Names that part a text: the vocabulary's special tokens, and the end of a document.
std::vector<Special> specials_of(const TextCodec& codec) {
  std::vector<Special> specials;
  if (codec.kind == PspmTokenizerKind::byte_level) {
    for (std::uint32_t id = 0; id < codec.vocab_size(); ++id) {
      const auto token = static_cast<std::int32_t>(id);
      PieceStorage storage;
      if (is_special(codec.byte_level, token)) {
        specials.push_back({std::string(piece_of(codec.byte_level, token, storage)), token});
      }
    }
  }
  const auto is_end = [](const Special& special) { return special.name == document_end; };
  if (std::none_of(specials.begin(), specials.end(), is_end)) {
    specials.push_back({std::string(document_end), eos_of(codec)});
  }
  std::erase_if(specials, [](const Special& special) { return special.name.empty(); });
  return specials;
}

class MarkedTextReader {
 public:
  MarkedTextReader(const TextCodec& codec, std::string_view text)
      : codec_(codec), specials_(specials_of(codec)), text_(text) {}

  std::vector<std::int32_t> read() {
    while (!text_.empty()) {
      const Special* special = nullptr;
      const std::size_t end = next_special(special);
      add_plain(text_.substr(0, end));
      text_.remove_prefix(end);
      if (special == nullptr) continue;
      text_.remove_prefix(special->name.size());
      add_special(*special);
    }
    return std::move(tokens_);
  }

 private:
  /// Where the next special token begins, or the text's end. Of two that begin there the longer one counts.
  std::size_t next_special(const Special*& found) const {
    for (std::size_t at = text_.find('<'); at != std::string_view::npos; at = text_.find('<', at + 1)) {
      for (const Special& special : specials_) {
        const bool longer = found == nullptr || special.name.size() > found->name.size();
        if (longer && text_.substr(at).starts_with(special.name)) found = &special;
      }
      if (found != nullptr) return at;
    }
    return text_.size();
  }

  void add_plain(std::string_view text) {
    while (!text.empty()) {
      std::size_t n = std::min(text.size(), marked_piece_bytes);
      const std::size_t line_end = n < text.size() ? text.rfind('\n', n - 1) : std::string_view::npos;
      if (line_end != std::string_view::npos) n = line_end + 1;
      const std::vector<std::int32_t> tokens = tokens_of(codec_, text.substr(0, n), place_);
      tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
      text.remove_prefix(n);
      place_ = TextPlace::middle;
    }
  }

  void add_special(const Special& special) {
    const bool ends_document = special.name == document_end;
    const bool spelled = codec_.kind == PspmTokenizerKind::byte_level && special.token != no_token;
    if (spelled) tokens_.push_back(special.token);
    if (!ends_document) return;
    place_ = TextPlace::beginning;
    while (text_.starts_with('\n')) text_.remove_prefix(1);
  }

  const TextCodec& codec_;
  std::vector<Special> specials_;
  std::string_view text_;
  TextPlace place_ = TextPlace::beginning;
  std::vector<std::int32_t> tokens_;
};

}  // namespace

std::vector<std::int32_t> tokens_of(const TextCodec& codec, std::string_view text, TextPlace place) {
  // Bytes that are no UTF-8 may become three.
  std::vector<std::uint32_t> scratch(
      static_cast<std::size_t>(encode_scratch_bytes(3 * std::uint64_t{text.size()}) / sizeof(std::uint32_t)) +
      1);
  const auto tokens = encode(codec, text, place, std::as_writable_bytes(std::span(scratch)));
  require(tokens.status());
  return {tokens.value().begin(), tokens.value().end()};
}

std::vector<std::int32_t> marked_tokens_of(const TextCodec& codec, std::string_view text) {
  return MarkedTextReader(codec, text).read();
}

}  // namespace pspllm::host
