// Every kernel at the shapes of the models: the scalar reference and the fastest set that this processor can
// run, or all sets and code widths (--all). Multiply-adds and bytes of weights a second, and how many times
// as fast as the reference, which runs first. Figures go by processor time, since machines are shared.
#include <benchmark/benchmark.h>

#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/model/code_layout.hpp"
#include "engine/ops/host/host_kernels.hpp"
#include "engine/ops/host/kernel_test_data.hpp"
#include "engine/testing/random_codes.hpp"
#include "host/threads/thread_pool.hpp"

namespace pspllm::host {
namespace {

/// The shapes of stories15M (karpathy's llama2.c), its classifier being the largest matrix.
constexpr std::uint32_t dim = 288;
constexpr std::uint32_t hidden_dim = 768;
constexpr std::uint32_t n_heads = 6;
constexpr std::uint32_t head_dim = dim / n_heads;
constexpr std::uint32_t vocab_size = 32000;
constexpr std::uint32_t group_size = 32;
constexpr std::uint32_t n_positions = 256;
constexpr std::uint32_t prefill_tokens = 32;

/// What one call does, for the figures.
struct Amount {
  double multiply_adds = 0;
  double bytes = 0;
};

/// Makes the call for a set; the data live in the closure.
using MakeCall = std::function<std::function<void()>(const Kernels&)>;

using Sets = std::vector<KernelSet>;

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Runs one set. reference_seconds: a call's, of the reference set; written by its own run, 0 before that.
void run(benchmark::State& state, const Kernels& kernels, const MakeCall& make_call, const Amount& amount,
         double& reference_seconds) {
  const std::function<void()> call = make_call(kernels);
  const double start = processor_seconds();
  while (state.KeepRunning()) call();
  const double seconds = (processor_seconds() - start) / static_cast<double>(state.iterations());
  using benchmark::Counter;
  if (amount.multiply_adds > 0)
    state.counters["MAC"] = Counter(amount.multiply_adds, Counter::kIsIterationInvariantRate);
  if (amount.bytes > 0) state.counters["bytes"] = Counter(amount.bytes, Counter::kIsIterationInvariantRate);
  if (&kernels == &reference_kernels()) {
    reference_seconds = seconds;
  } else if (reference_seconds > 0) {
    state.counters["times_reference"] = reference_seconds / seconds;
  }
}

/// A benchmark with data of its own.
class KernelBenchmark final : public benchmark::internal::Benchmark {
 public:
  using Body = std::function<void(benchmark::State&)>;
  KernelBenchmark(const std::string& name, Body body) : Benchmark(name.c_str()), body_(std::move(body)) {}
  void Run(benchmark::State& state) override { body_(state); }

 private:
  Body body_;
};

benchmark::internal::Benchmark* add_benchmark(const std::string& name, KernelBenchmark::Body body) {
  // The library owns what is registered.
  auto* const benchmark = new KernelBenchmark(name, std::move(body));
  return benchmark::internal::RegisterBenchmarkInternal(benchmark);
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

/// The reference, which the others are compared with, then the fastest set or all others.
Sets chosen_sets(bool all) {
  Sets sets{{"reference", &reference_kernels()}};
  for (const KernelSet& set : available_kernels()) {
    const bool is_wanted = all || set.kernels == &best_kernels();
    if (is_wanted && set.kernels != &reference_kernels()) sets.push_back(set);
  }
  return sets;
}

void add(const Sets& sets, const std::string& name, const Amount& amount, const MakeCall& make_call) {
  const auto reference_seconds = std::make_shared<double>(0.0);
  for (const KernelSet& set : sets) {
    add_benchmark(name + "/" + std::string(set.name),
                  [kernels = set.kernels, make_call, amount, reference_seconds](benchmark::State& state) {
                    run(state, *kernels, make_call, amount, *reference_seconds);
                  });
  }
}

/// The classifier comes from the third cache or memory, as in a model; smaller matrices stay near.
void add_matmul_q80(const Sets& sets, const std::string& name, std::uint32_t rows, std::uint32_t cols,
                    std::uint32_t n_tokens) {
  const double weights = static_cast<double>(rows) * cols;
  const Amount amount{weights * n_tokens, weights * (1.0 + static_cast<double>(sizeof(float)) / group_size)};
  add(sets, name, amount, [=](const Kernels& kernels) {
    Random random(1);
    const auto matrix =
        std::make_shared<OwnedMatrix>(prepared(kernels, random_q80_matrix(rows, cols, group_size, random)));
    const std::vector<float> x = random_floats(std::size_t{n_tokens} * cols, random);
    const auto activations = std::make_shared<OwnedActivations>(kernels, x, n_tokens, cols, group_size);
    const auto out = std::make_shared<std::vector<float>>(std::size_t{n_tokens} * rows);
    return [=, &kernels] {
      kernels.matmul_q80(matrix->matrix, activations->quantized, out->data(), rows, {0, rows});
      benchmark::ClobberMemory();
    };
  });
}

void add_matmul_f32(const Sets& sets, const std::string& name, std::uint32_t rows, std::uint32_t cols,
                    std::uint32_t n_tokens) {
  const double weights = static_cast<double>(rows) * cols;
  add(sets, name, {weights * n_tokens, weights * sizeof(float)}, [=](const Kernels& kernels) {
    Random random(1);
    const auto matrix =
        std::make_shared<OwnedMatrix>(prepared(kernels, random_f32_matrix(rows, cols, random)));
    const auto x = std::make_shared<std::vector<float>>(random_floats(std::size_t{n_tokens} * cols, random));
    const auto out = std::make_shared<std::vector<float>>(std::size_t{n_tokens} * rows);
    return [=, &kernels] {
      kernels.matmul_f32(matrix->matrix, x->data(), n_tokens, out->data(), rows, {0, rows});
      benchmark::ClobberMemory();
    };
  });
}

/// Byte codes at the 90M chat model's shapes.
void add_matmul_codes(const Sets& sets, const std::string& name, std::uint32_t rows, std::uint32_t cols,
                      std::uint32_t code_width, std::uint32_t n_tokens) {
  const std::string bytes = testing::make_code_matrix(rows, cols, code_width, 1);
  const double weights = static_cast<double>(rows) * cols;
  add(sets, name, {weights * n_tokens, static_cast<double>(bytes.size())}, [=](const Kernels& kernels) {
    Random random(1);
    const auto matrix = std::make_shared<OwnedMatrix>(
        Matrix{TensorFormat::codes, rows, cols, code_width, nullptr}, bytes.size());
    std::memcpy(matrix->matrix.data, bytes.data(), bytes.size());
    const auto activations = std::make_shared<AlignedBytes>(n_tokens * kernels.code_activation_bytes(cols));
    const QuantizedActivations quantized{activations->data(), n_tokens, cols, cols};
    kernels.quantize_codes(random_floats(std::size_t{n_tokens} * cols, random).data(), quantized);
    const auto out = std::make_shared<std::vector<float>>(std::size_t{n_tokens} * rows);
    return [matrix, activations, quantized, out, rows, &kernels] {
      const ProjectedRows projection{&matrix->matrix, out->data(), {0, rows}};
      kernels.matmul_codes(std::span(&projection, 1), quantized);
      benchmark::ClobberMemory();
    };
  });
}

void add_all_matmul_codes(const Sets& sets, bool all) {
  for (std::uint32_t width = 1; width <= max_code_width; ++width) {
    // The cost of a code changes little with its width: 6 as in the chat model stands for all.
    if (!all && width != 6) continue;
    const std::string suffix = "_d" + std::to_string(width);
    add_matmul_codes(sets, "matmul_codes_1152x576_1_token" + suffix, 1152, 576, width, 1);
    add_matmul_codes(sets, "matmul_codes_1152x576_32_tokens" + suffix, 1152, 576, width, prefill_tokens);
  }
  add_matmul_codes(sets, "matmul_codes_classifier_1_token_d2", 8192, 576, 2, 1);
}

void add_prepare(const Sets& sets) {
  const double bytes = static_cast<double>(vocab_size) * dim;
  const Sets rearranging(sets.begin() + 1, sets.end());  // the reference leaves matrices as they are
  add(rearranging, "prepare_q80_classifier", {0, bytes}, [](const Kernels& kernels) {
    Random random(1);
    const auto matrix = std::make_shared<OwnedMatrix>(random_q80_matrix(vocab_size, dim, group_size, random));
    const auto scratch = std::make_shared<AlignedBytes>(kernels.prepare_scratch_bytes(matrix->matrix) + 1);
    return [=, &kernels] {
      kernels.prepare(matrix->matrix, {scratch->data(), scratch->size()});
      benchmark::ClobberMemory();
    };
  });
}

void add_quantize(const Sets& sets) {
  add(sets, "quantize_768", {}, [](const Kernels& kernels) {
    Random random(1);
    const auto x = std::make_shared<std::vector<float>>(random_floats(hidden_dim, random));
    const auto out = std::make_shared<OwnedActivations>(kernels, *x, 1, hidden_dim, group_size);
    return [=, &kernels] {
      kernels.quantize(x->data(), out->quantized);
      benchmark::ClobberMemory();
    };
  });
}

/// The last of 256 positions.
void add_attention(const Sets& sets) {
  const Amount amount{2.0 * n_positions * dim, 2.0 * n_positions * dim * sizeof(float)};
  add(sets, "attention_256_positions", amount, [](const Kernels& kernels) {
    Random random(1);
    const auto caches =
        std::make_shared<std::vector<float>>(random_floats(std::size_t{2} * n_positions * dim, random));
    const auto query = std::make_shared<std::vector<float>>(random_floats(dim, random));
    const auto scores = std::make_shared<std::vector<float>>(std::size_t{n_heads} * n_positions);
    const auto out = std::make_shared<std::vector<float>>(dim);
    return [=, &kernels] {
      const LayerCache cache{caches->data(), caches->data() + std::size_t{n_positions} * dim, n_positions};
      const AttentionJob job{query->data(),   cache,   scores->data(), out->data(), 1,
                             n_positions - 1, n_heads, n_heads,        head_dim};
      kernels.attention(job, {0, n_heads});
      benchmark::ClobberMemory();
    };
  });
}

/// The same over an int8 cache.
void add_attention_int8(const Sets& sets) {
  const Amount amount{2.0 * n_positions * dim, 2.0 * n_positions * (dim + n_heads * sizeof(float))};
  add(sets, "attention_int8_256_positions", amount, [](const Kernels& kernels) {
    Random random(1);
    constexpr std::size_t rows = std::size_t{n_heads} * n_positions;
    const auto keys = std::make_shared<AlignedBytes>(rows * int8_row_bytes(head_dim));
    const auto values = std::make_shared<AlignedBytes>(rows * int8_row_bytes(head_dim));
    const auto scales = std::make_shared<std::vector<float>>(2 * rows);
    const Int8LayerCache cache{keys->data(), values->data(), scales->data(), scales->data() + rows,
                               n_positions};
    for (std::uint32_t slot = 0; slot < n_positions; ++slot) {
      std::vector<float> key = random_floats(dim, random);
      std::vector<float> value = random_floats(dim, random);
      kernels.store_key_value_int8(cache, slot, key.data(), value.data(), n_heads, head_dim);
    }
    const auto original = std::make_shared<std::vector<float>>(random_floats(dim, random));
    const auto query = std::make_shared<std::vector<float>>(dim);
    const auto scores = std::make_shared<std::vector<float>>(rows);
    const auto out = std::make_shared<std::vector<float>>(dim);
    return [=, &kernels] {
      *query = *original;
      Int8AttentionJob job;
      job.query = query->data();
      job.cache = {keys->data(), values->data(), scales->data(), scales->data() + rows, n_positions};
      job.scores = scores->data();
      job.out = out->data();
      job.n_tokens = 1;
      job.first_slot = n_positions - 1;
      job.largest_weight = static_cast<std::uint32_t>(largest_attention_weight(n_positions));
      job.n_heads = n_heads;
      job.n_kv_heads = n_heads;
      job.head_dim = head_dim;
      kernels.attention_int8(job, {0, n_heads});
      benchmark::ClobberMemory();
    };
  });
}

/// A kernel on one vector of n floats; call(kernels, x, other) may write x, which is renewed before each
/// call.
template <typename Call>
void add_elementwise(const Sets& sets, const std::string& name, std::uint32_t n, Call call) {
  add(sets, name, {}, [=](const Kernels& kernels) {
    Random random(1);
    const auto original = std::make_shared<std::vector<float>>(random_floats(n, random));
    const auto other = std::make_shared<std::vector<float>>(random_floats(n, random));
    const auto x = std::make_shared<std::vector<float>>(n);
    return [=, &kernels] {
      *x = *original;
      call(kernels, x->data(), other->data());
      benchmark::ClobberMemory();
    };
  });
}

void add_all_elementwise(const Sets& sets) {
  add_elementwise(sets, "rmsnorm_288", dim, [](const Kernels& kernels, float* x, const float* weight) {
    kernels.rmsnorm(x, x, weight, dim, 1e-5F);
  });
  add_elementwise(sets, "swiglu_768", hidden_dim, [](const Kernels& kernels, float* x, const float* up) {
    kernels.swiglu(x, up, hidden_dim);
  });
  add_elementwise(sets, "softmax_32000", vocab_size,
                  [](const Kernels& kernels, float* x, const float*) { kernels.softmax(x, vocab_size); });
  add_elementwise(sets, "argmax_32000", vocab_size, [](const Kernels& kernels, float* x, const float*) {
    benchmark::DoNotOptimize(kernels.argmax(x, vocab_size));
  });
}

/// What ThreadPool's threshold goes by: an empty job, handed out and awaited (so by the clock on the wall).
void add_thread_pool() {
  add_benchmark("thread_pool_empty_job", [](benchmark::State& state) {
    ThreadPool pool(available_threads());
    const Parallel parallel = pool.parallel();
    while (state.KeepRunning()) {
      parallel(pool.size(), smallest_shared_work, [](std::uint32_t, std::uint32_t) {});
    }
    state.counters["threads"] = pool.size();
  })->UseRealTime();
}

}  // namespace

static void add_everything(bool all) {
  const Sets sets = chosen_sets(all);
  add_matmul_q80(sets, "matmul_q80_classifier_1_token", vocab_size, dim, 1);
  add_matmul_q80(sets, "matmul_q80_768x288_1_token", hidden_dim, dim, 1);
  add_matmul_q80(sets, "matmul_q80_768x288_32_tokens", hidden_dim, dim, prefill_tokens);
  add_matmul_f32(sets, "matmul_f32_768x288_1_token", hidden_dim, dim, 1);
  add_matmul_f32(sets, "matmul_f32_768x288_32_tokens", hidden_dim, dim, prefill_tokens);
  add_all_matmul_codes(sets, all);
  add_prepare(sets);
  add_quantize(sets);
  add_attention(sets);
  add_attention_int8(sets);
  add_all_elementwise(sets);
  add_thread_pool();
}

}  // namespace pspllm::host

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const bool all = argc == 2 && std::string_view(argv[1]) == "--all";
  if (!all && benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  pspllm::host::add_everything(all);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
