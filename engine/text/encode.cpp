#include "engine/text/encode.hpp"

#include "engine/core/slice.hpp"

namespace pspllm {
namespace {

constexpr std::uint32_t none = 0xffffffffU;

/// A token in a doubly linked list, and the merge with its right neighbour that is possible, if any.
struct Symbol {
  std::int32_t token = no_token;
  std::uint32_t previous = none;
  std::uint32_t next = none;
  std::int32_t merged = no_token;  ///< token of this symbol joined with the next
  float score = 0.0F;              ///< of `merged`
  std::uint32_t heap_index = none;
};

/// Symbols whose merge is possible, best first: higher score, then further left. Indexed, so that a merge
/// updates its neighbours in place and the heap never holds more than one entry a symbol.
class MergeHeap {
 public:
  MergeHeap(std::span<Symbol> symbols, std::span<std::uint32_t> heap) noexcept
      : symbols_(symbols), heap_(heap) {}

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::uint32_t best() const noexcept { return heap_[0]; }

  /// Adds, moves or removes a symbol after its `merged` and `score` changed.
  void update(std::uint32_t symbol) noexcept {
    Symbol& entry = symbols_[symbol];
    if (entry.merged == no_token) {
      if (entry.heap_index != none) remove(symbol);
      return;
    }
    if (entry.heap_index == none) {
      entry.heap_index = size_;
      heap_[size_++] = symbol;
    }
    sift_up(entry.heap_index);
    sift_down(symbols_[symbol].heap_index);
  }

 private:
  [[nodiscard]] bool better(std::uint32_t a, std::uint32_t b) const noexcept {
    const Symbol& left = symbols_[a];
    const Symbol& right = symbols_[b];
    return left.score != right.score ? left.score > right.score : a < b;
  }

  void place(std::uint32_t index, std::uint32_t symbol) noexcept {
    heap_[index] = symbol;
    symbols_[symbol].heap_index = index;
  }

  void sift_up(std::uint32_t index) noexcept {
    const std::uint32_t symbol = heap_[index];
    while (index > 0) {
      const std::uint32_t parent = (index - 1) / 2;
      if (!better(symbol, heap_[parent])) break;
      place(index, heap_[parent]);
      index = parent;
    }
    place(index, symbol);
  }

  void sift_down(std::uint32_t index) noexcept {
    const std::uint32_t symbol = heap_[index];
    while (true) {
      std::uint32_t child = 2 * index + 1;
      if (child >= size_) break;
      if (child + 1 < size_ && better(heap_[child + 1], heap_[child])) ++child;
      if (!better(heap_[child], symbol)) break;
      place(index, heap_[child]);
      index = child;
    }
    place(index, symbol);
  }

  void remove(std::uint32_t symbol) noexcept {
    const std::uint32_t index = symbols_[symbol].heap_index;
    symbols_[symbol].heap_index = none;
    const std::uint32_t last = heap_[--size_];
    if (last == symbol) return;
    place(index, last);
    sift_up(index);
    sift_down(symbols_[last].heap_index);
  }

  std::span<Symbol> symbols_;
  std::span<std::uint32_t> heap_;
  std::uint32_t size_ = 0;
};

/// Finds what a symbol and its right neighbour merge into.
void find_merge(const Tokenizer& tokenizer, std::span<Symbol> symbols, std::uint32_t index) noexcept {
  // runq.c starts its search for the best merge here; pieces that score lower are never merged into.
  constexpr float lowest_score = -1e10F;
  Symbol& symbol = symbols[index];
  symbol.merged = no_token;
  if (symbol.next == none) return;
  const std::int32_t merged = find_piece(tokenizer, piece_of(tokenizer, symbol.token),
                                         piece_of(tokenizer, symbols[symbol.next].token));
  if (merged == no_token) return;
  const float score = score_of(tokenizer, merged);
  if (!(score > lowest_score)) return;
  symbol.merged = merged;
  symbol.score = score;
}

/// Splits text into characters: vocabulary pieces where they exist, else bytes.
class SymbolList {
 public:
  SymbolList(const Tokenizer& tokenizer, std::span<Symbol> symbols) noexcept
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

  [[nodiscard]] std::span<Symbol> symbols() const noexcept { return symbols_.first(size_); }

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
  std::span<Symbol> symbols_;
  std::size_t size_ = 0;
};

void merge_all(const Tokenizer& tokenizer, std::span<Symbol> symbols,
               std::span<std::uint32_t> heap_memory) noexcept {
  MergeHeap heap(symbols, heap_memory);
  const auto count = static_cast<std::uint32_t>(symbols.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    symbols[i].previous = i == 0 ? none : i - 1;
    symbols[i].next = i + 1 == count ? none : i + 1;
  }
  const auto refresh = [&](std::uint32_t index) {
    find_merge(tokenizer, symbols, index);
    heap.update(index);
  };
  for (std::uint32_t i = 0; i < count; ++i) refresh(i);
  while (!heap.empty()) {
    const std::uint32_t left = heap.best();
    const std::uint32_t right = symbols[left].next;
    symbols[left].token = symbols[left].merged;
    symbols[left].next = symbols[right].next;
    if (symbols[left].next != none) symbols[symbols[left].next].previous = left;
    symbols[right].token = no_token;
    symbols[right].merged = no_token;
    heap.update(right);
    refresh(left);
    if (symbols[left].previous != none) refresh(symbols[left].previous);
  }
}

/// Most symbols a text can make: BOS, the leading space, a byte each.
constexpr std::uint64_t max_symbols(std::uint64_t text_bytes) noexcept {
  return text_bytes + 2;
}

}  // namespace

std::uint64_t encode_scratch_bytes(std::uint64_t text_bytes) noexcept {
  return max_symbols(text_bytes) * (sizeof(Symbol) + sizeof(std::uint32_t));
}

Result<std::span<const std::int32_t>> encode(const Tokenizer& tokenizer, std::string_view text,
                                             std::span<std::byte> scratch) noexcept {
  if (const std::size_t end = text.find('\0'); end != std::string_view::npos) text = slice(text, 0, end);
  if (scratch.size() < encode_scratch_bytes(text.size())) {
    return does_not_fit("the prompt has ", text.size(),
                        " bytes, more than there is room to encode; shorten it");
  }
  const auto most = static_cast<std::size_t>(max_symbols(text.size()));
  const std::span<Symbol> symbols(reinterpret_cast<Symbol*>(scratch.data()), most);
  const std::span<std::uint32_t> heap(
      reinterpret_cast<std::uint32_t*>(scratch.data() + most * sizeof(Symbol)), most);

  SymbolList list(tokenizer, symbols);
  list.append(bos_token);
  if (!text.empty()) {
    const std::int32_t space = find_piece(tokenizer, " ");
    if (space != no_token) list.append(space);
    if (Status status = list.append_text(text); !status) return status;
  }
  merge_all(tokenizer, list.symbols(), heap);

  // The heap's memory is free again: the tokens go there.
  std::size_t count = 0;
  for (const Symbol& symbol : list.symbols()) {
    if (symbol.token != no_token) heap[count++] = static_cast<std::uint32_t>(symbol.token);
  }
  return std::span<const std::int32_t>(reinterpret_cast<const std::int32_t*>(heap.data()), count);
}

}  // namespace pspllm
