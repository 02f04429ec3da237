// The console's loops and memories (only in the EBOOT).
#include "psp/benchmark/loops.hpp"
#include "psp/platform/psp_api.hpp"

extern "C" {
void pspllm_loop_empty(std::uint32_t iterations, void* memory);
void pspllm_loop_multiply_accumulate(std::uint32_t iterations, void* memory);
void pspllm_loop_transform(std::uint32_t iterations, void* memory);
void pspllm_loop_transform_integer(std::uint32_t iterations, void* memory);
void pspllm_loop_divide_integer(std::uint32_t iterations, void* memory);
void pspllm_loop_float_move(std::uint32_t iterations, void* memory);
void pspllm_loop_float_load(std::uint32_t iterations, void* memory);
void pspllm_loop_to_float(std::uint32_t iterations, void* memory);
void pspllm_loop_from_float(std::uint32_t iterations, void* memory);
void pspllm_loop_vector_load(std::uint32_t iterations, void* memory);
void pspllm_loop_vector_store(std::uint32_t iterations, void* memory);
void pspllm_loop_to_vector(std::uint32_t iterations, void* memory);
void pspllm_loop_from_vector(std::uint32_t iterations, void* memory);
void pspllm_loop_compare_move(std::uint32_t iterations, void* memory);
void pspllm_loop_nullified_slot(std::uint32_t iterations, void* memory);
void pspllm_loop_cache_operation(std::uint32_t iterations, void* memory);
void pspllm_loop_stream_read(std::uint32_t iterations, void* memory);
void pspllm_loop_stream_change(std::uint32_t iterations, void* memory);
void pspllm_loop_stream_work(std::uint32_t iterations, void* memory);
void pspllm_loop_stream_prefetch_work(std::uint32_t iterations, void* memory);
void pspllm_loop_near_lines(std::uint32_t iterations, void* memory);
void pspllm_loop_far_lines(std::uint32_t iterations, void* memory);
void pspllm_loop_load_loop(std::uint32_t iterations, void* memory);
void pspllm_loop_store_loop(std::uint32_t iterations, void* memory);
}

namespace pspllm::psp {
namespace {

/// allegrex.md 4: video memory at 0x04000000, 2 MB; what is displayed lies in its first half.
constexpr std::uint32_t vram_address = 0x04100000;
constexpr std::uint32_t scratchpad_address = 0x00010000;
/// Set in an address, the access goes past the data cache.
constexpr std::uint32_t uncached_bit = 0x40000000;

void* at(std::uint32_t address) {
  return reinterpret_cast<void*>(address);
}

void* uncached(void* memory, std::size_t bytes) {
  sceKernelDcacheWritebackInvalidateRange(memory, static_cast<std::uint32_t>(bytes));
  return at(reinterpret_cast<std::uint32_t>(memory) | uncached_bit);
}

}  // namespace

LoopSet console_loops() {
  return {{pspllm_loop_empty,          pspllm_loop_multiply_accumulate,
           pspllm_loop_transform,      pspllm_loop_transform_integer,
           pspllm_loop_divide_integer, pspllm_loop_float_move,
           pspllm_loop_float_load,     pspllm_loop_to_float,
           pspllm_loop_from_float,     pspllm_loop_vector_load,
           pspllm_loop_vector_store,   pspllm_loop_to_vector,
           pspllm_loop_from_vector,    pspllm_loop_compare_move,
           pspllm_loop_nullified_slot, pspllm_loop_cache_operation,
           pspllm_loop_stream_read,    pspllm_loop_stream_change,
           pspllm_loop_stream_work,    pspllm_loop_stream_prefetch_work,
           pspllm_loop_near_lines,     pspllm_loop_far_lines,
           pspllm_loop_stream_read,    pspllm_loop_stream_read,
           pspllm_loop_load_loop,      pspllm_loop_store_loop},
          at(vram_address),
          at(scratchpad_address),
          uncached};
}

}  // namespace pspllm::psp
