// Speed of a model on this machine: warm-up, repetitions, spread.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/model/loaded_model.hpp"

namespace pspllm::host {

struct BenchmarkOptions {
  std::uint32_t prompt_tokens = 128;
  std::uint32_t generated_tokens = 128;
  std::uint32_t repetitions = 5;
};

/// Rates of all repetitions, in tokens a second.
struct RateSeries {
  std::vector<double> rates;

  [[nodiscard]] double mean() const;
  /// Sample standard deviation; 0 for a single repetition.
  [[nodiscard]] double deviation() const;
  [[nodiscard]] double smallest() const;
  [[nodiscard]] double largest() const;
};

struct Benchmark {
  BenchmarkOptions options;
  RateSeries prefill;
  RateSeries decode;
  bool stopped = false;  ///< by the user; the series hold what was finished
};

/// Runs once for warmth, then `repetitions` times. The prompt is made of fixed pseudo-random tokens; tokens
/// are chosen greedily, no text is made. prompt_tokens + generated_tokens must not exceed the context.
[[nodiscard]] Benchmark run_benchmark(LoadedModel& model, const BenchmarkOptions& options);

[[nodiscard]] std::string benchmark_text(const Benchmark& benchmark, LoadedModel& model);
[[nodiscard]] nlohmann::json benchmark_json(const Benchmark& benchmark, LoadedModel& model);

}  // namespace pspllm::host
