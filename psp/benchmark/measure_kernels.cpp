#include "psp/benchmark/measure_kernels.hpp"

#include <algorithm>

#include "engine/core/checked.hpp"
#include "engine/core/limits.hpp"

namespace pspllm::psp {
namespace {

constexpr std::uint32_t dim = 288;
constexpr std::uint32_t hidden_dim = 768;
constexpr std::uint32_t group_size = 32;
constexpr std::uint32_t classifier_rows = 2048;  ///< enough to stream: 590 KB
constexpr std::uint32_t batch = 8;
constexpr std::uint32_t positions = 256;
constexpr std::uint32_t runs = 5;

/// Where everything lies in the block.
struct Workplace {
  const Kernels& kernels;
  Matrix matrix;       // [classifier_rows, dim]
  float* x = nullptr;  // [batch, max(hidden_dim, dim)]
  float* y = nullptr;  // [batch, classifier_rows]
  std::byte* quantized = nullptr;

  [[nodiscard]] QuantizedActivations tokens(std::uint32_t count) const {
    return {quantized, count, dim, group_size};
  }
};

Workplace furnish(std::span<std::byte> block, const Kernels& kernels) {
  std::byte* next = block.data();
  const auto take = [&next](std::uint64_t bytes) {
    std::byte* const piece = next;
    next += align_up(bytes, pspllm::block_alignment);
    return piece;
  };
  Workplace place{kernels, {TensorFormat::q80, classifier_rows, dim, group_size, nullptr}};
  const std::uint64_t values = scales_offset(classifier_rows, dim);
  const std::uint64_t scale_count = std::uint64_t{classifier_rows} * dim / group_size;
  place.matrix.data = take(values + scale_count * sizeof(float));
  for (std::uint64_t i = 0; i < values; ++i)
    place.matrix.data[i] = static_cast<std::byte>(i * 37 % 255 - 127);
  auto* const scales = reinterpret_cast<float*>(place.matrix.data + values);
  for (std::uint64_t i = 0; i < scale_count; ++i) scales[i] = 0.01F;
  place.x = reinterpret_cast<float*>(take(std::uint64_t{batch} * hidden_dim * sizeof(float)));
  place.y = reinterpret_cast<float*>(take(std::uint64_t{batch} * classifier_rows * sizeof(float)));
  place.quantized = take(batch * kernels.quantized_bytes(dim, group_size));
  for (std::uint32_t i = 0; i < batch * hidden_dim; ++i)
    place.x[i] = static_cast<float>(static_cast<int>(i * 29 % 101) - 50) * 0.02F;
  kernels.prepare(place.matrix, {next, static_cast<std::size_t>(block.data() + block.size() - next)});
  kernels.quantize(place.x, place.tokens(batch));
  return place;
}

struct KernelRun {
  std::string_view name;
  std::string_view unit;
  std::uint32_t units;  ///< a run
  void (*run)(const Workplace& place);
};

constexpr std::array<KernelRun, kernel_figure_count> kernel_runs{{
    {"matmul", "weight", classifier_rows* dim,
     [](const Workplace& place) {
       place.kernels.matmul_q80(place.matrix, place.tokens(1), place.y, classifier_rows,
                                {0, classifier_rows});
     }},
    {"matmul_8_tokens", "weight and token", batch* classifier_rows* dim,
     [](const Workplace& place) {
       place.kernels.matmul_q80(place.matrix, place.tokens(batch), place.y, classifier_rows,
                                {0, classifier_rows});
     }},
    {"quantize", "number", batch* dim,
     [](const Workplace& place) { place.kernels.quantize(place.x, place.tokens(batch)); }},
    {"rmsnorm", "number", batch* dim,
     [](const Workplace& place) {
       for (std::uint32_t i = 0; i < batch; ++i)
         place.kernels.rmsnorm(place.y + i * dim, place.x + i * dim, place.x, dim, 1e-5F);
     }},
    {"swiglu", "number", hidden_dim,
     [](const Workplace& place) {
       std::copy_n(place.x, hidden_dim, place.y);
       place.kernels.swiglu(place.y, place.x, hidden_dim);
     }},
    {"softmax", "number", positions,
     [](const Workplace& place) {
       std::copy_n(place.x, positions, place.y);
       place.kernels.softmax(place.y, positions);
     }},
}};

}  // namespace

KernelFigure measure_kernel(const LoopBench& bench, const Kernels& kernels, std::size_t index) {
  const Workplace place = furnish(bench.block, kernels);
  const KernelRun& kernel = kernel_runs[index];
  std::uint64_t best = ~std::uint64_t{0};
  for (std::uint32_t run = 0; run < runs; ++run) {
    const std::uint64_t start = bench.console.now_us();
    kernel.run(place);
    best = std::min(best, bench.console.now_us() - start);
  }
  const auto megahertz = static_cast<float>(bench.console.clock().cpu);
  return {kernel.name, kernel.unit, static_cast<float>(best) * megahertz / static_cast<float>(kernel.units)};
}

}  // namespace pspllm::psp
