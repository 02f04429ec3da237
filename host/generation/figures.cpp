#include "host/generation/figures.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/core/units.hpp"

namespace pspllm::host {
namespace {

double rate_of(std::uint32_t count, Seconds time) noexcept {
  return count > 0 && time.count() > 0 ? count / time.count() : 0.0;
}

double gigabytes_per_second(const TextFigures& figures, const LoadedModel& model) {
  constexpr double giga = 1e9;
  return figures.decode_rate() * static_cast<double>(weight_bytes_per_token(model.file())) / giga;
}

}  // namespace

double TextFigures::prefill_rate() const noexcept {
  return rate_of(prompt_tokens, prefill);
}

double TextFigures::decode_rate() const noexcept {
  return rate_of(decode_passes(), decode);
}

std::string describe(const TextFigures& figures, LoadedModel& model) {
  std::string text;
  text += fmt::format("prompt     {:>6} tokens  {:>9} tokens/s\n", figures.prompt_tokens,
                      figures.prefill_rate() > 0 ? rate(figures.prefill_rate()) : "-");
  if (figures.decode_passes() > 0) {
    text += fmt::format("generated  {:>6} tokens  {:>9} tokens/s  {:.2f} GB/s of weights\n",
                        figures.generated_tokens, rate(figures.decode_rate()),
                        gigabytes_per_second(figures, model));
  } else {
    text += fmt::format("generated  {:>6} tokens\n", figures.generated_tokens);
  }
  text += fmt::format("memory     {} planned, {} at most in use; loaded in {:.0f} ms\n",
                      binary_size(model.engine().plan.total_bytes), binary_size(peak_memory_bytes()),
                      figures.load.count() * 1e3);
  text += fmt::format("computed   with {} on {} thread{}; {}\n", model.engine().kernels->name,
                      model.thread_count(), model.thread_count() == 1 ? "" : "s", name_of(figures.end));
  return text;
}

nlohmann::json to_json(const TextFigures& figures, LoadedModel& model) {
  return {{"prompt_tokens", figures.prompt_tokens},
          {"generated_tokens", figures.generated_tokens},
          {"load_seconds", figures.load.count()},
          {"prefill_seconds", figures.prefill.count()},
          {"decode_seconds", figures.decode.count()},
          {"prefill_tokens_per_second", figures.prefill_rate()},
          {"decode_tokens_per_second", figures.decode_rate()},
          {"decode_gigabytes_per_second", gigabytes_per_second(figures, model)},
          {"planned_bytes", model.engine().plan.total_bytes},
          {"peak_bytes", peak_memory_bytes()},
          {"kernels", model.engine().kernels->name},
          {"threads", model.thread_count()},
          {"end", name_of(figures.end)}};
}

}  // namespace pspllm::host
