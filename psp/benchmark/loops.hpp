// What the benchmark repeats: short loops of instructions whose cost on a real console nobody has published
// (docs/simulator.md). The loops are loops.S; on a PC, tests put others in their place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pspllm::psp {

/// The order of loop_table.
enum class LoopId : std::uint8_t {
  empty,
  multiply_accumulate,
  transform,
  transform_integer,
  divide_integer,
  float_move,
  float_load,
  to_float,
  from_float,
  vector_load,
  vector_store,
  to_vector,
  from_vector,
  compare_move,
  nullified_slot,
  cache_operation,
  stream_read,
  stream_change,
  stream_work,
  stream_prefetch_work,
  near_lines,
  far_lines,
  stream_vram,
  stream_scratchpad,
  uncached_read,
  uncached_write
};
inline constexpr std::size_t loop_count = 26;

/// Runs `iterations` of a loop over `memory`.
using LoopFunction = void (*)(std::uint32_t iterations, void* memory);

/// What memory a loop works on.
enum class LoopMemory : std::uint8_t {
  word,        ///< always the same 64 bytes
  stream,      ///< the next bytes of the block an iteration
  vram,        ///< the same in video memory, behind what is displayed
  scratchpad,  ///< the 16 KB at 0x00010000, between passes over the block that empty the cache
  uncached     ///< always the same 64 bytes, past the cache
};

struct Loop {
  LoopId id = LoopId::empty;
  std::string_view name;         ///< as in bench.txt, after "loop_"
  std::uint32_t operations = 1;  ///< an iteration: what the figure is a share of
  LoopMemory memory = LoopMemory::word;
  std::uint32_t stream_bytes = 0;  ///< an iteration moves on by
  std::uint32_t stream_limit = 0;  ///< iterations before the memory ends
};

/// Bytes of memory that streams pass over: far more than the cache, and a loop takes milliseconds.
inline constexpr std::uint32_t stream_memory_bytes = 1U << 20;
/// What far_lines reaches past its pointer: 8 lines, 64 KB apart.
inline constexpr std::uint32_t far_reach_bytes = 8U << 16;
/// Memory that the benchmark needs of the program's block; 64-byte aligned.
inline constexpr std::uint32_t benchmark_memory_bytes = 2U << 20;

inline constexpr std::array<Loop, loop_count> loop_table{{
    {LoopId::empty, "empty", 1},
    {LoopId::multiply_accumulate, "multiply_accumulate", 64},
    {LoopId::transform, "transform", 32},
    {LoopId::transform_integer, "transform_integer", 32},
    {LoopId::divide_integer, "divide_integer", 8},
    {LoopId::float_move, "float_move", 64},
    {LoopId::float_load, "float_load", 32},
    {LoopId::to_float, "to_float", 32},
    {LoopId::from_float, "from_float", 32},
    {LoopId::vector_load, "vector_load", 32},
    {LoopId::vector_store, "vector_store", 64},
    {LoopId::to_vector, "to_vector", 32},
    {LoopId::from_vector, "from_vector", 32},
    {LoopId::compare_move, "compare_move", 32},
    {LoopId::nullified_slot, "nullified_slot", 64},
    {LoopId::cache_operation, "cache_operation", 64},
    {LoopId::stream_read, "stream_read", 16, LoopMemory::stream, 1024, 1024},
    {LoopId::stream_change, "stream_change", 16, LoopMemory::stream, 1024, 1024},
    {LoopId::stream_work, "stream_work", 16, LoopMemory::stream, 1024, 512},
    {LoopId::stream_prefetch_work, "stream_prefetch_work", 16, LoopMemory::stream, 1024, 512},
    {LoopId::near_lines, "near_lines", 8, LoopMemory::stream, 1024, 1024},
    {LoopId::far_lines, "far_lines", 8, LoopMemory::stream, 128, 512},
    {LoopId::stream_vram, "stream_vram", 16, LoopMemory::vram, 1024, 512},
    {LoopId::stream_scratchpad, "stream_scratchpad", 16, LoopMemory::scratchpad, 1024, 16},
    {LoopId::uncached_read, "uncached_read", 32, LoopMemory::uncached},
    {LoopId::uncached_write, "uncached_write", 32, LoopMemory::uncached},
}};

static_assert([] {
  for (std::size_t i = 0; i < loop_count; ++i)
    if (loop_table[i].id != static_cast<LoopId>(i)) return false;
  return true;
}());

/// The code of each loop and the places of the special memories.
struct LoopSet {
  std::array<LoopFunction, loop_count> run{};
  void* vram = nullptr;        ///< 512 KB that are not displayed; may be read
  void* scratchpad = nullptr;  ///< 16 KB
  /// The same memory, seen past the cache, after its lines have been written back and dropped.
  void* (*uncached)(void* memory, std::size_t bytes) = nullptr;
};

/// loops.S, on the console.
[[nodiscard]] LoopSet console_loops();

}  // namespace pspllm::psp
