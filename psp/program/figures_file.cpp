#include "psp/program/figures_file.hpp"

#include "psp/program/speed.hpp"

namespace pspllm::psp {
namespace {

using FiguresText = TextBuffer<max_figures_bytes>;

std::string_view key_of(StopReason reason) {
  switch (reason) {
    case StopReason::none:
      return "none";
    case StopReason::ended:
      return "ended";
    case StopReason::length:
      return "length";
    case StopReason::context_full:
      return "context_full";
    case StopReason::text_full:
      return "text_full";
    case StopReason::stopped:
      return "stopped";
    case StopReason::failed:
      return "failed";
  }
  return "";
}

void put(FiguresText& text, std::string_view key, std::uint64_t value) {
  text.append(key).append('=').append_unsigned(value).append('\n');
}

void put(FiguresText& text, std::string_view key, std::string_view value) {
  text.append(key).append('=').append(value).append('\n');
}

void put_model(FiguresText& text, const LoadedModel& model) {
  put(text, "model", model.title.view());
  put(text, "kernels", model.engine.kernels->name);
  put(text, "context", model.fit.context);
  put(text, "own_context", model.engine.config.seq_len);
  put(text, "load_us", model.load_us);
  put(text, "plan_bytes", model.engine.plan.total_bytes);
  for (const Region& region : model.engine.plan.regions) {
    text.append("plan_");
    put(text, name_of(region.id), region.bytes);
  }
}

}  // namespace

FiguresText format_figures(const RunFacts& facts, const LoadedModel* model) {
  FiguresText text;
  if (!facts.error.empty()) put(text, "error", facts.error);
  if (model != nullptr) put_model(text, *model);
  put(text, "stop", key_of(facts.stop));
  put(text, "text_tokens", facts.text_tokens);
  put(text, "renewed_tokens", facts.renewed_tokens);
  put(text, "prompt_tokens", facts.figures.prompt_tokens);
  put(text, "generated_tokens", facts.figures.generated_tokens);
  put(text, "decode_tokens", facts.figures.decode_tokens);
  put(text, "drafted_tokens", facts.figures.drafted_tokens);
  put(text, "accepted_tokens", facts.figures.accepted_tokens);
  put(text, "prefill_us", facts.figures.prefill_us);
  put(text, "decode_us", facts.figures.decode_us);
  put(text, "prefill_tokens_per_second", prefill_rate(facts.figures).view());
  put(text, "decode_tokens_per_second", decode_rate(facts.figures).view());
  put(text, "drawing_us", facts.drawing_us);
  put(text, "start_us", facts.start_us);
  put(text, "cpu_mhz", static_cast<std::uint64_t>(facts.clock.cpu));
  put(text, "bus_mhz", static_cast<std::uint64_t>(facts.clock.bus));
  put(text, "program_bytes", facts.program_bytes);
  put(text, "block_bytes", facts.block_bytes);
  put(text, "free_bytes", facts.free_bytes);
  return text;
}

}  // namespace pspllm::psp
