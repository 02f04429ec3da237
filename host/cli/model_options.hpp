// Options that every command with a running model shares.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "engine/model/memory_plan.hpp"
#include "engine/model/sampler.hpp"
#include "host/model/compute.hpp"

namespace pspllm::host {

/// MODEL and --tokenizer.
struct ModelOptions {
  std::string model;
  std::string tokenizer;  ///< empty: the one beside the model
};
void add_model_options(CLI::App& command, ModelOptions& options);

/// --threads and --kernels.
void add_compute_options(CLI::App& command, ComputeOptions& options);

/// --batch: prompt tokens a pass.
void add_batch_option(CLI::App& command, PlanOptions& options);

/// --temperature, --top-p, --seed. Afterwards resolve_seed().
void add_sampler_options(CLI::App& command, SamplerOptions& options);
/// Seed 0 becomes one from the clock.
void resolve_seed(SamplerOptions& options);

}  // namespace pspllm::host
