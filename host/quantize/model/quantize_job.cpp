#include "host/quantize/model/quantize_job.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "host/core/failure.hpp"
#include "host/core/units.hpp"
#include "host/io/atomic_file.hpp"
#include "host/io/console.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/progress_bar.hpp"
#include "host/io/read_text.hpp"
#include "host/quantize/model/calibration_text.hpp"
#include "host/quantize/model/choose_rates.hpp"
#include "host/quantize/model/measure_rates.hpp"
#include "host/quantize/model/work_folder.hpp"
#include "host/quantize/model/write_codes.hpp"
#include "host/threads/thread_pool.hpp"

namespace pspllm::host {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void require_other_file(const QuantizeJob& job) {
  std::error_code error;
  if (std::filesystem::equivalent(job.in, job.out, error)) {
    throw Failure(fmt::format("{} is both input and output; give the output another name", job.out));
  }
}

/// A log has a line a layer where a terminal has the bar.
void log_layer(std::uint32_t layer, std::uint32_t n_layers, const QuantizedLayer& quantized, double seconds) {
  if (standard_error_is_terminal()) return;
  fmt::print(stderr, "layer {} of {}: error behind it {:.4f}, held out {:.4f}; {} so far\n", layer + 1,
             n_layers, quantized.stream_error, quantized.held_out_stream_error, duration(seconds));
}

Recipe search_recipe(const QuantizeJob& job, const Checkpoint& checkpoint,
                     const CalibrationTokens& calibration, const Parallel& parallel) {
  if (calibration.windows() == 0) {
    throw Failure("--target-bpw measures what each matrix matters on text; add --calibration TEXT",
                  ExitCode::wrong_use);
  }
  // A target that cannot be met is refused before the measurement.
  RateTable nothing;
  nothing.matrices.resize(checkpoint.config.n_layers);
  static_cast<void>(choose_rates(nothing, checkpoint.config, static_cast<double>(job.target_bits)));
  ProgressBar bar("measuring rates", BarUnit::time_left);
  QuantizeObserver observer;
  observer.progress = [&](std::uint64_t done, std::uint64_t total) {
    throw_if_interrupted();
    bar.update(done, total);
  };
  const RateTable table = measure_rates(checkpoint, calibration, observer, job.seed, parallel);
  const Recipe recipe = choose_rates(table, checkpoint.config, static_cast<double>(job.target_bits));
  write_file(job.out + ".recipe.json", recipe_text(recipe));
  return recipe;
}

Recipe take_recipe(const QuantizeJob& job, const Checkpoint& checkpoint, const CalibrationTokens& calibration,
                   const Parallel& parallel) {
  if (job.target_bits > 0.0F) return search_recipe(job, checkpoint, calibration, parallel);
  if (job.recipe.empty()) return default_recipe(checkpoint.config);
  return parse_recipe(read_text(job.recipe), job.recipe, checkpoint.config);
}

}  // namespace

ModelReport run_quantize_job(const QuantizeJob& job) {
  const Clock::time_point start = Clock::now();
  require_other_file(job);
  const Checkpoint checkpoint = open_checkpoint(job.in, job.tokenizer);
  QuantizeModelOptions options;
  options.seed = job.seed;
  options.work_folder = job.out + ".work";
  options.recipe = job.recipe.empty() ? default_recipe(checkpoint.config)
                                      : parse_recipe(read_text(job.recipe), job.recipe, checkpoint.config);
  CalibrationTokens calibration;
  if (!job.calibration.empty()) {
    calibration = read_calibration_text(job.calibration, checkpoint, job.calibration_tokens);
  }
  ThreadPool threads(job.threads == 0 ? available_threads() : job.threads);
  options.recipe = take_recipe(job, checkpoint, calibration, threads.parallel());
  QuantizedModel model;
  {
    ProgressBar bar("quantising", BarUnit::time_left);
    QuantizeObserver observer;
    observer.progress = [&](std::uint64_t done, std::uint64_t total) {
      throw_if_interrupted();
      bar.update(done, total);
    };
    observer.finished_layer = [&](std::uint32_t layer, const QuantizedLayer& quantized) {
      log_layer(layer, checkpoint.config.n_layers, quantized, seconds_since(start));
    };
    observer.resumed = [&](std::uint32_t layers) {
      fmt::print(stderr, "going on behind the {} layers that {} holds\n", layers, options.work_folder);
    };
    model = quantize_model(checkpoint, calibration, options, observer, threads.parallel());
  }
  ModelReport report = make_report(checkpoint, calibration, model, options.recipe);
  report.in = job.in;
  report.out = job.out;
  report.file_bytes = write_codes(checkpoint, model, job.out);
  remove_work_folder(options.work_folder);
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace pspllm::host
