#include "host/cli/model_options.hpp"

#include <chrono>
#include <limits>

#include "host/cli/number_option.hpp"

namespace pspllm::host {

void add_model_options(CLI::App& command, ModelOptions& options) {
  command
      .add_option("MODEL", options.model, "model file: .pspm, or a llama2.c checkpoint, version 0, 1 or 2")
      ->required()
      ->type_name("FILE");
  command.add_option("-z,--tokenizer", options.tokenizer, "vocabulary file; a .pspm file holds its own")
      ->type_name("FILE")
      ->default_str("tokenizer.bin beside MODEL");
}

void add_compute_options(CLI::App& command, ComputeOptions& options) {
  constexpr std::uint32_t most_threads = 256;
  add_number(command, "--threads", options.threads, {0, most_threads},
             "threads to compute with; 0: all cores where rows are big");
  command.add_option("--kernels", options.kernels, "set of kernels, all of the same bits: " + kernel_names())
      ->type_name("NAME")
      ->capture_default_str();
}

void add_batch_option(CLI::App& command, PlanOptions& options) {
  constexpr std::uint32_t largest_batch = 4096;
  add_number(command, "--batch", options.batch, {1, largest_batch},
             "prompt tokens that pass the model at once");
}

void add_sampler_options(CLI::App& command, SamplerOptions& options) {
  constexpr double highest_temperature = 1000.0;
  add_number(command, "-t,--temperature", options.temperature, {0.0, highest_temperature},
             "0: always the likeliest token; higher: more variety");
  add_number(command, "-p,--top-p", options.top_p, {0.0, 1.0},
             "keep the likeliest tokens that together exceed this; 0 or 1: keep all");
  options.seed = 0;
  add_number(command, "-s,--seed", options.seed, {0, std::numeric_limits<std::uint64_t>::max()},
             "seed of the random numbers; 0: from the clock");
}

void resolve_seed(SamplerOptions& options) {
  if (options.seed != 0) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  options.seed = static_cast<std::uint64_t>(seconds) | 1U;
}

}  // namespace pspllm::host
