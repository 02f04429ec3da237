#pragma once
// The two first-level caches and the memory behind them, as timing: 16 KB each, 2-way, 64-byte lines, least
// recently used first out, data write-back with allocation on stores. Contents live in Memory; only tags are
// kept here. Geometry: uOFW's cache walk and the sizes where mem_cycles.txt breaks (docs/simulator.md).
#include <algorithm>
#include <array>
#include <vector>

#include "simulator/device.hpp"
#include "simulator/timing_constants.hpp"
#include "simulator/words.hpp"

namespace pspllm::simulator {

constexpr Word line_bytes = 64;
constexpr unsigned line_shift = 6;
constexpr Word cache_sets = 128;
constexpr Word cache_ways = 2;
constexpr Word touched_page_bytes = 4096;

[[nodiscard]] constexpr Word line_of(Address address) {
  return (address & physical_mask) >> line_shift;
}

// The memory constants at the present clocks, in CPU cycles.
struct MemoryTiming {
  Cycles sequential = 0;
  Cycles random = 0;
  Cycles vram = 0;
  Cycles scratchpad = 0;
  Cycles eviction = 0;
  Cycles uncached_read = 0;
  Cycles uncached_write = 0;
  Word open_row_bytes = 0;
  bool prefetch_overlaps = false;
};

// The constants are for a CPU at twice the bus clock; the memory keeps its own pace at other ratios.
[[nodiscard]] constexpr MemoryTiming memory_timing(const Timing& timing, Word cpu_megahertz,
                                                   Word bus_megahertz) {
  const auto scaled = [&](Constant key) -> Cycles {
    return (Cycles{timing[key]} * cpu_megahertz + bus_megahertz) / (Cycles{bus_megahertz} * 2U);
  };
  MemoryTiming result;
  result.sequential = scaled(Constant::fill_sequential_cycles);
  result.random = scaled(Constant::fill_random_cycles);
  result.vram = scaled(Constant::fill_vram_cycles);
  result.scratchpad = scaled(Constant::fill_scratchpad_cycles);
  result.eviction = scaled(Constant::dirty_eviction_cycles);
  result.uncached_read = scaled(Constant::uncached_read_cycles);
  result.uncached_write = scaled(Constant::uncached_write_cycles);
  result.open_row_bytes = timing[Constant::open_row_bytes];
  result.prefetch_overlaps = timing[Constant::prefetch_overlaps] != 0;
  return result;
}

struct MemoryStatistics {
  DoubleWord sequential_fills = 0;
  DoubleWord random_fills = 0;
  DoubleWord other_fills = 0;  // VRAM and scratchpad
  DoubleWord instruction_fills = 0;
  DoubleWord prefetches = 0;
  DoubleWord evictions = 0;
  DoubleWord uncached_reads = 0;
  DoubleWord uncached_writes = 0;

  [[nodiscard]] DoubleWord data_fills() const { return sequential_fills + random_fills + other_fills; }
};

// What one fill costs; remembers which memory row the last one left open.
class FillClock {
 public:
  MemoryTiming timing;

  [[nodiscard]] Cycles cost(Word line, MemoryStatistics& statistics) {
    const Address address = line << line_shift;
    if (address < ram_base) {
      ++statistics.other_fills;
      return address < vram_base ? timing.scratchpad : timing.vram;
    }
    const Word row = timing.open_row_bytes;
    const bool open =
        line == last_line_ + 1U || (row != 0 && address / row == (last_line_ << line_shift) / row);
    last_line_ = line;
    ++(open ? statistics.sequential_fills : statistics.random_fills);
    return open ? timing.sequential : timing.random;
  }

 private:
  Word last_line_ = 0;
};

// The stalls that one access brings, by cause.
struct MemoryStall {
  Cycles fill = 0;
  Cycles eviction = 0;
};

class DataCache {
 public:
  FillClock fills;
  MemoryStatistics statistics;
  // Of each 4 KB page of user RAM: 1 filled for a load or fetch, 2 changed.
  std::vector<Byte> touched_pages;

  DataCache() { tags_.fill(invalid_tag); }

  // True when `line` is the most recently used of its set; then the access costs nothing more. `changed`:
  // dirty_bit for a store, else 0.
  [[nodiscard]] bool hit(Word line, Word changed) {
    Word& tag = tags_[(line % cache_sets) * cache_ways];
    if ((tag & line_mask) != line) return false;
    tag |= changed;
    return true;
  }

  // The rest of the look-up, at cycle `now`.
  [[nodiscard]] MemoryStall miss(Word line, Word changed, Cycles now) {
    Word* const set = &tags_[(line % cache_sets) * cache_ways];
    if ((set[1] & line_mask) == line) {
      const Word tag = set[1] | changed;
      set[1] = set[0];
      set[0] = tag;
      return {};
    }
    MemoryStall stall = install(line, changed);
    stall.fill = demand_fill(line, now);
    note_touched(line, 1);
    return stall;
  }

  // cache 0x1E: fill without waiting, when the timing says that it overlaps; else as a load.
  [[nodiscard]] MemoryStall prefetch(Word line, Cycles now) {
    ++statistics.prefetches;
    if (hit(line, 0)) return {};
    if (!fills.timing.prefetch_overlaps || holds(line)) return miss(line, 0, now);
    for (const Pending& one : pending_)
      if (one.line == line) return {};
    Pending& slot = *std::min_element(pending_.begin(), pending_.end(),
                                      [](const Pending& a, const Pending& b) { return a.done < b.done; });
    const Cycles wait = slot.done > now ? slot.done - now : 0;
    bus_free_ = std::max(bus_free_, now + wait) + fills.cost(line, statistics);
    slot = {line, bus_free_};
    note_touched(line, 1);
    return {wait, 0};
  }

  // cache 0x18: take the line without reading memory.
  [[nodiscard]] MemoryStall create_dirty(Word line, Cycles now) {
    if (hit(line, dirty_bit)) return {};
    if (holds(line)) return miss(line, dirty_bit, now);
    return install(line, dirty_bit);
  }

  [[nodiscard]] bool holds(Word line) const { return way_of(line) < cache_ways; }
  [[nodiscard]] bool holds_changed(Word line) const {
    const Word way = way_of(line);
    return way < cache_ways && (tags_[(line % cache_sets) * cache_ways + way] & dirty_bit) != 0;
  }

  // Writes the line back if changed, then drops it when `invalidate`; `write` false throws changes away.
  [[nodiscard]] Cycles clean(Word line, bool write, bool invalidate) {
    const Word way = way_of(line);
    if (way >= cache_ways) return 0;
    return clean_way(&tags_[(line % cache_sets) * cache_ways], way, write, invalidate);
  }

  // Both ways of the set that `line` falls into (cache 0x14).
  [[nodiscard]] Cycles clean_set(Word line) {
    Word* const set = &tags_[(line % cache_sets) * cache_ways];
    return clean_way(set, 1, true, true) + clean_way(set, 0, true, true);
  }

  // Every line.
  [[nodiscard]] Cycles clean_all(bool write, bool invalidate) {
    Cycles cycles = 0;
    for (Word set = 0; set < cache_sets; ++set)
      for (Word way = cache_ways; way-- > 0;)
        cycles += clean_way(&tags_[set * cache_ways], way, write, invalidate);
    return cycles;
  }

  static constexpr Word dirty_bit = 0x80000000;

 private:
  struct Pending {
    Word line = 0xFFFFFFFF;
    Cycles done = 0;
  };
  static constexpr Word line_mask = 0x7FFFFFFF;
  static constexpr Word invalid_tag = 0x7FFFFFFF;

  [[nodiscard]] Word way_of(Word line) const {
    const Word* const set = &tags_[(line % cache_sets) * cache_ways];
    Word way = 0;
    while (way < cache_ways && (set[way] & line_mask) != line) ++way;
    return way;
  }

  MemoryStall install(Word line, Word changed) {
    Word* const set = &tags_[(line % cache_sets) * cache_ways];
    MemoryStall stall;
    if (set[1] & dirty_bit) {
      ++statistics.evictions;
      note_touched(set[1] & line_mask, 2);
      stall.eviction = fills.timing.eviction;
    }
    set[1] = set[0];
    set[0] = line | changed;
    return stall;
  }

  [[nodiscard]] Cycles demand_fill(Word line, Cycles now) {
    for (Pending& one : pending_) {
      if (one.line != line) continue;
      one.line = invalid_tag;
      return one.done > now ? one.done - now : 0;
    }
    const Cycles wait = bus_free_ > now ? bus_free_ - now : 0;
    return wait + fills.cost(line, statistics);
  }

  Cycles clean_way(Word* set, Word way, bool write, bool invalidate) {
    Cycles cycles = 0;
    if ((set[way] & dirty_bit) && write) {
      ++statistics.evictions;
      note_touched(set[way] & line_mask, 2);
      cycles = fills.timing.eviction;
    }
    set[way] &= line_mask;
    if (invalidate) {
      if (way == 0) set[0] = set[1];
      set[1] = invalid_tag;
    }
    return cycles;
  }

  void note_touched(Word line, Byte how) {
    const Word page = ((line << line_shift) - user_base) / touched_page_bytes;
    if (page < touched_pages.size()) touched_pages[page] = static_cast<Byte>(touched_pages[page] | how);
  }

  std::array<Word, cache_sets * cache_ways> tags_{};  // most recently used way first
  std::array<Pending, 4> pending_{};
  Cycles bus_free_ = 0;
};

class InstructionCache {
 public:
  InstructionCache() { clear(); }

  // True when the line is held; makes it the most recently used.
  [[nodiscard]] bool hit(Word line) {
    Word* const set = &tags_[(line % cache_sets) * cache_ways];
    if (set[0] == line) return true;
    if (set[1] != line) return false;
    std::swap(set[0], set[1]);
    return true;
  }
  void install(Word line) {
    Word* const set = &tags_[(line % cache_sets) * cache_ways];
    set[1] = set[0];
    set[0] = line;
  }
  void drop(Word line) {
    Word* const set = &tags_[(line % cache_sets) * cache_ways];
    if (set[1] == line) set[1] = invalid_tag;
    if (set[0] == line) {
      set[0] = set[1];
      set[1] = invalid_tag;
    }
  }
  void drop_set(Word line) {
    tags_[(line % cache_sets) * cache_ways] = invalid_tag;
    tags_[(line % cache_sets) * cache_ways + 1] = invalid_tag;
  }
  void clear() { tags_.fill(invalid_tag); }

 private:
  static constexpr Word invalid_tag = 0x7FFFFFFF;
  std::array<Word, cache_sets * cache_ways> tags_{};
};

}  // namespace pspllm::simulator
