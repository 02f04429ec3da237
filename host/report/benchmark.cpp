#include "host/report/benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/model/generator.hpp"
#include "host/core/failure.hpp"
#include "host/core/units.hpp"
#include "host/io/interrupt.hpp"

namespace pspllm::host {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// BOS, then tokens that jump over the vocabulary: no two repetitions differ, no cache line is favoured.
std::vector<std::int32_t> make_prompt(std::uint32_t count, std::uint32_t vocab_size) {
  std::vector<std::int32_t> tokens(count, bos_token);
  std::uint64_t state = 1;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    tokens[i] = static_cast<std::int32_t>(random_u32(state) % vocab_size);
  }
  return tokens;
}

struct OneRun {
  double prefill = 0.0;
  double decode = 0.0;
};

/// Tokens a second of one prompt and one continuation. Gives false where the user stopped it.
bool measure(Generator& generator, std::span<const std::int32_t> prompt, std::uint32_t generated_tokens,
             OneRun& run) {
  reset(generator);
  require(append_tokens(generator, prompt));
  const auto start = Clock::now();
  if (Status status = prefill(generator); !status) {
    if (status.error().kind == ErrorKind::interrupted) return false;
    require(status);
  }
  const auto prompt_done = Clock::now();
  for (std::uint32_t i = 0; i < generated_tokens; ++i) {
    // A sampled token counts when it has passed the model, so that each costs one whole pass.
    Status status = next_token(generator).status();
    if (status) status = prefill(generator);
    if (!status && status.error().kind == ErrorKind::interrupted) return false;
    require(status);
  }
  const auto done = Clock::now();
  run.prefill = static_cast<double>(prompt.size()) / Seconds(prompt_done - start).count();
  run.decode = generated_tokens / Seconds(done - prompt_done).count();
  return true;
}

double gigabytes(double tokens_per_second, const LoadedModel& model) {
  constexpr double giga = 1e9;
  return tokens_per_second * static_cast<double>(weight_bytes_per_token(model.file())) / giga;
}

std::string series_line(const char* name, std::uint32_t tokens, const RateSeries& series) {
  return fmt::format("{:<8} {:>6} tokens  {:>9} tokens/s ± {} ({} to {})", name, tokens, rate(series.mean()),
                     rate(series.deviation()), rate(series.smallest()), rate(series.largest()));
}

nlohmann::json series_json(const RateSeries& series) {
  return {{"mean", series.mean()},
          {"deviation", series.deviation()},
          {"smallest", series.smallest()},
          {"largest", series.largest()},
          {"repetitions", series.rates}};
}

}  // namespace

double RateSeries::mean() const {
  if (rates.empty()) return 0.0;
  return std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
}

double RateSeries::deviation() const {
  if (rates.size() < 2) return 0.0;
  const double middle = mean();
  double squares = 0.0;
  for (const double value : rates) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(rates.size() - 1));
}

double RateSeries::smallest() const {
  return rates.empty() ? 0.0 : *std::min_element(rates.begin(), rates.end());
}

double RateSeries::largest() const {
  return rates.empty() ? 0.0 : *std::max_element(rates.begin(), rates.end());
}

Benchmark run_benchmark(LoadedModel& model, const BenchmarkOptions& options) {
  Benchmark benchmark;
  benchmark.options = options;
  SamplerOptions greedy;
  greedy.temperature = 0.0F;
  Generator generator = make_generator(model.engine(), greedy, interrupt_hook());
  const std::vector<std::int32_t> prompt =
      make_prompt(options.prompt_tokens, model.engine().config.vocab_size);
  for (std::uint32_t repetition = 0; repetition <= options.repetitions; ++repetition) {
    OneRun run;
    if (!measure(generator, prompt, options.generated_tokens, run)) {
      benchmark.stopped = true;
      return benchmark;
    }
    const bool is_warm_up = repetition == 0;
    if (is_warm_up) continue;
    benchmark.prefill.rates.push_back(run.prefill);
    benchmark.decode.rates.push_back(run.decode);
  }
  return benchmark;
}

std::string benchmark_text(const Benchmark& benchmark, LoadedModel& model) {
  std::string text =
      fmt::format("{}, {} on {} thread{}, {} repetitions after a warm-up{}\n", model.model_path(),
                  model.engine().kernels->name, model.thread_count(), model.thread_count() == 1 ? "" : "s",
                  benchmark.prefill.rates.size(), benchmark.stopped ? " (stopped by the user)" : "");
  text += series_line("prefill", benchmark.options.prompt_tokens, benchmark.prefill) + "\n";
  text += series_line("decode", benchmark.options.generated_tokens, benchmark.decode) +
          fmt::format(", {:.2f} GB/s of weights\n", gigabytes(benchmark.decode.mean(), model));
  text += fmt::format("memory   {} planned, {} at most in use, model file {}\n",
                      binary_size(model.engine().plan.total_bytes), binary_size(peak_memory_bytes()),
                      binary_size(model.file().file_bytes));
  return text;
}

nlohmann::json benchmark_json(const Benchmark& benchmark, LoadedModel& model) {
  return {{"model", model.model_path()},
          {"kernels", model.engine().kernels->name},
          {"threads", model.thread_count()},
          {"batch", model.engine().plan.options.batch},
          {"prompt_tokens", benchmark.options.prompt_tokens},
          {"generated_tokens", benchmark.options.generated_tokens},
          {"prefill_tokens_per_second", series_json(benchmark.prefill)},
          {"decode_tokens_per_second", series_json(benchmark.decode)},
          {"decode_gigabytes_per_second", gigabytes(benchmark.decode.mean(), model)},
          {"model_bytes", model.file().file_bytes},
          {"planned_bytes", model.engine().plan.total_bytes},
          {"peak_bytes", peak_memory_bytes()},
          {"stopped", benchmark.stopped}};
}

}  // namespace pspllm::host
