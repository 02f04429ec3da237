// Byte-pair merging with an indexed heap: what every kind of vocabulary here does to a word or a text, in
// O(n log n) instead of the textbook's O(n^2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/text/token.hpp"

namespace pspllm {

/// What two neighbouring tokens become; no_token: they do not merge.
struct Merge {
  std::int32_t token = no_token;
  std::uint32_t order = 0;  ///< lower merges first
};

/// A token in a doubly linked list, and its merge with the right neighbour, if there is one.
struct MergeSymbol {
  static constexpr std::uint32_t none = 0xffffffffU;

  std::int32_t token = no_token;  ///< no_token once it has been merged into its left neighbour
  std::uint32_t previous = none;
  std::uint32_t next = none;
  Merge merge;
  std::uint32_t heap_index = none;
};

/// Bytes of scratch that a symbol takes, its heap entry included.
inline constexpr std::size_t merge_bytes_per_symbol = sizeof(MergeSymbol) + sizeof(std::uint32_t);

/// Symbols whose merge is possible, best first: lower order, then further left. Indexed, so that a merge
/// updates its neighbours in place and the heap never holds more than one entry a symbol.
class MergeHeap {
 public:
  /// heap: [symbols.size()]
  MergeHeap(std::span<MergeSymbol> symbols, std::span<std::uint32_t> heap) noexcept
      : symbols_(symbols), heap_(heap) {}

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::uint32_t best() const noexcept { return heap_[0]; }

  /// Adds, moves or removes a symbol after its `merge` changed.
  void update(std::uint32_t symbol) noexcept {
    MergeSymbol& entry = symbols_[symbol];
    if (entry.merge.token == no_token) {
      if (entry.heap_index != MergeSymbol::none) remove(symbol);
      return;
    }
    if (entry.heap_index == MergeSymbol::none) {
      entry.heap_index = size_;
      heap_[size_++] = symbol;
    }
    sift_up(entry.heap_index);
    sift_down(symbols_[symbol].heap_index);
  }

 private:
  [[nodiscard]] bool better(std::uint32_t a, std::uint32_t b) const noexcept {
    const std::uint32_t left = symbols_[a].merge.order;
    const std::uint32_t right = symbols_[b].merge.order;
    return left != right ? left < right : a < b;
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
    symbols_[symbol].heap_index = MergeSymbol::none;
    const std::uint32_t last = heap_[--size_];
    if (last == symbol) return;
    place(index, last);
    sift_up(index);
    sift_down(symbols_[last].heap_index);
  }

  std::span<MergeSymbol> symbols_;
  std::span<std::uint32_t> heap_;
  std::uint32_t size_ = 0;
};

/// Merges neighbours, best first, until none merge. find_merge(left token, right token) gives a Merge. heap:
/// [symbols.size()]. Afterwards the symbols that have a token are the result, in order.
template <typename FindMerge>
void merge_symbols(std::span<MergeSymbol> symbols, std::span<std::uint32_t> heap_memory,
                   const FindMerge& find_merge) noexcept {
  MergeHeap heap(symbols, heap_memory);
  const auto count = static_cast<std::uint32_t>(symbols.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    symbols[i].previous = i == 0 ? MergeSymbol::none : i - 1;
    symbols[i].next = i + 1 == count ? MergeSymbol::none : i + 1;
  }
  const auto refresh = [&](std::uint32_t index) {
    MergeSymbol& symbol = symbols[index];
    symbol.merge =
        symbol.next == MergeSymbol::none ? Merge{} : find_merge(symbol.token, symbols[symbol.next].token);
    heap.update(index);
  };
  for (std::uint32_t i = 0; i < count; ++i) refresh(i);
  while (!heap.empty()) {
    const std::uint32_t left = heap.best();
    const std::uint32_t right = symbols[left].next;
    symbols[left].token = symbols[left].merge.token;
    symbols[left].next = symbols[right].next;
    if (symbols[left].next != MergeSymbol::none) symbols[symbols[left].next].previous = left;
    symbols[right].token = no_token;
    symbols[right].merge = {};
    heap.update(right);
    refresh(left);
    if (symbols[left].previous != MergeSymbol::none) refresh(symbols[left].previous);
  }
}

/// Writes the result's tokens to `tokens`, which may begin where the symbols begin: symbol by symbol the
/// tokens fall behind. Gives their number.
[[nodiscard]] inline std::size_t gather_tokens(std::span<const MergeSymbol> symbols,
                                               std::int32_t* tokens) noexcept {
  std::size_t count = 0;
  for (const MergeSymbol& symbol : symbols) {
    if (const std::int32_t token = symbol.token; token != no_token) tokens[count++] = token;
  }
  return count;
}

}  // namespace pspllm
