#include "engine/text/encode.hpp"

#include <bit>

#include "engine/core/slice.hpp"
#include "engine/text/merge_symbols.hpp"

namespace pspllm {
namespace {

/// Lower for higher scores: a float's bits in the order of its value, turned round.
std::uint32_t merge_order(float score) noexcept {
  constexpr std::uint32_t sign = 0x80000000U;
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);  // -0 becomes 0: the two are equal
  const std::uint32_t rising = (bits & sign) != 0 ? ~bits : bits | sign;
  return ~rising;
}

/// What two neighbouring pieces merge into: the piece that reads as both.
Merge find_merge(const Tokenizer& tokenizer, std::int32_t left, std::int32_t right) noexcept {
  // runq.c starts its search for the best merge here; pieces that score lower are never merged into.
  constexpr float lowest_score = -1e10F;
  const std::int32_t merged = find_piece(tokenizer, piece_of(tokenizer, left), piece_of(tokenizer, right));
  if (merged == no_token) return {};
  const float score = score_of(tokenizer, merged);
  if (!(score > lowest_score)) return {};
  return {merged, merge_order(score)};
}

/// Splits text into characters: vocabulary pieces where they exist, else bytes.
class SymbolList {
 public:
  SymbolList(const Tokenizer& tokenizer, std::span<MergeSymbol> symbols) noexcept
      : tokenizer_(tokenizer), symbols_(symbols) {}

  void append(std::int32_t token) noexcept {
    symbols_[size_] = {};
    symbols_[size_].token = token;
    ++size_;
  }

  Status append_text(std::string_view text) noexcept {
    constexpr std::size_t longest_character = 4;
    const auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
    std::size_t start = 0;
    while (start < text.size()) {
      // A lone continuation byte begins a character of its own, which following ones join: runq.c's rule.
      std::size_t length = 1;
      while (start + length < text.size() && length < longest_character &&
             is_continuation(text[start + length])) {
        ++length;
      }
      if (Status status = append_character(slice(text, start, length)); !status) return status;
      start += length;
    }
    return {};
  }

  [[nodiscard]] std::span<MergeSymbol> symbols() const noexcept { return symbols_.first(size_); }

 private:
  Status append_character(std::string_view character) noexcept {
    const std::int32_t id = find_piece(tokenizer_, character);
    if (id != no_token) {
      append(id);
      return {};
    }
    for (const char c : character) {
      const std::int32_t token = static_cast<std::int32_t>(static_cast<unsigned char>(c)) + first_byte_token;
      if (token >= static_cast<std::int32_t>(tokenizer_.vocab_size)) {
        return bad_input("this vocabulary of ", tokenizer_.vocab_size, " pieces cannot spell byte ",
                         token - first_byte_token, " of the text; it has no byte pieces");
      }
      append(token);
    }
    return {};
  }

  const Tokenizer& tokenizer_;
  std::span<MergeSymbol> symbols_;
  std::size_t size_ = 0;
};

/// Most symbols a text can make: BOS, the leading space, a byte each.
constexpr std::uint64_t max_symbols(std::uint64_t text_bytes) noexcept {
  return text_bytes + 2;
}

}  // namespace

std::uint64_t encode_scratch_bytes(std::uint64_t text_bytes) noexcept {
  return max_symbols(text_bytes) * merge_bytes_per_symbol;
}

Result<std::span<const std::int32_t>> encode(const Tokenizer& tokenizer, std::string_view text,
                                             std::span<std::byte> scratch) noexcept {
  if (const std::size_t end = text.find('\0'); end != std::string_view::npos) text = slice(text, 0, end);
  if (scratch.size() < encode_scratch_bytes(text.size())) {
    return does_not_fit("the prompt has ", text.size(),
                        " bytes, more than there is room to encode; shorten it");
  }
  const auto most = static_cast<std::size_t>(max_symbols(text.size()));
  const std::span<MergeSymbol> symbols(reinterpret_cast<MergeSymbol*>(scratch.data()), most);
  const std::span<std::uint32_t> heap(
      reinterpret_cast<std::uint32_t*>(scratch.data() + most * sizeof(MergeSymbol)), most);

  SymbolList list(tokenizer, symbols);
  list.append(bos_token);
  if (!text.empty()) {
    const std::int32_t space = find_piece(tokenizer, " ");
    if (space != no_token) list.append(space);
    if (Status status = list.append_text(text); !status) return status;
  }
  merge_symbols(list.symbols(), heap, [&tokenizer](std::int32_t left, std::int32_t right) {
    return find_merge(tokenizer, left, right);
  });
  auto* const tokens = reinterpret_cast<std::int32_t*>(heap.data());
  return std::span<const std::int32_t>(tokens, gather_tokens(list.symbols(), tokens));
}

}  // namespace pspllm
