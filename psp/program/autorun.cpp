#include "psp/program/autorun.hpp"

#include "engine/text/conversation_text.hpp"
#include "psp/program/autorun_job.hpp"
#include "psp/program/figures_file.hpp"
#include "psp/program/interaction.hpp"
#include "psp/program/markers.hpp"
#include "psp/program/reference_text.hpp"
#include "psp/program/saved_files.hpp"
#include "psp/program/state_file.hpp"
#include "psp/program/text_actions.hpp"
#include "psp/screens/benchmark_screen.hpp"
#include "psp/screens/loading_screen.hpp"
#include "psp/screens/message_screen.hpp"
#include "psp/screens/text_screen.hpp"

namespace pspllm::psp {
namespace {

/// How long a failed autorun tells why on the screen.
constexpr std::uint32_t failure_seconds = 10;
constexpr std::uint64_t microseconds_per_second = 1'000'000;

struct Outcome {
  StopReason stop = StopReason::none;
  TextBuffer<pspllm::Message::capacity> error;
};

Outcome failed(std::string_view sentence) {
  Outcome outcome;
  outcome.stop = StopReason::failed;
  outcome.error.append(sentence);
  return outcome;
}

SamplerOptions sampler_of(ProgramState& state, const AutorunJob& job) {
  SamplerOptions options = job.sampler;
  if (options.seed == 0) options.seed = state.console.now_us() | 1U;
  return options;
}

/// A story from its beginning.
Outcome tell(ProgramState& state, const AutorunJob& job) {
  if (pspllm::Status status =
          state.session.begin(job.prompt.view(), sampler_of(state, job), 0, !job.reference_output);
      !status) {
    return failed(status.error().message.view());
  }
  const auto prompt_tokens = static_cast<std::uint32_t>(state.session.prompt_tokens().size());
  const ReferenceSteps steps = split_reference_steps(job.steps, prompt_tokens, state.session.context());
  state.session.go_on(sampler_of(state, job), steps.generated);

  StateFile file(state, job);
  if (Status status = file.open(); !status.ok()) return failed(status.sentence.view());
  if (job.reference_output) {
    file.write_reference_prompt(steps.prompt);
  } else {
    file.write_text();
  }
  Outcome outcome;
  outcome.stop = StopReason::length;
  if (steps.generated != 0) outcome.stop = write_until_it_stops(state, file.listener());
  if (outcome.stop == StopReason::failed) outcome.error.append(state.session.failure().view());
  if (!job.reference_output) {
    file.write_text();
  } else if (outcome.stop != StopReason::stopped) {
    file.write(reference_end);
  }
  if (Status status = file.close(); !status.ok()) return failed(status.sentence.view());
  return outcome;
}

/// A conversation, turn by turn, until one of them is stopped.
Outcome converse(ProgramState& state, const AutorunJob& job) {
  if (!state.session.can_chat()) {
    return failed("The model has no chat template: it tells stories; write prompt= instead of turn=.");
  }
  const SamplerOptions options = sampler_of(state, job);
  const std::optional<std::string_view> system =
      job.system ? std::optional(job.system->view()) : std::nullopt;
  StateFile file(state, job);
  if (Status status = file.open(); !status.ok()) return failed(status.sentence.view());
  Outcome outcome;
  for (std::size_t i = 0; i < job.turns.size() && outcome.error.empty(); ++i) {
    const pspllm::Status said = state.session.say(job.turns.turn(i), system, options, job.turn_tokens);
    if (!said) {
      outcome = failed(said.error().message.view());
      break;
    }
    outcome.stop = write_until_it_stops(state, file.listener());
    file.write_text();
    if (outcome.stop == StopReason::failed) outcome.error.append(state.session.failure().view());
    if (outcome.stop == StopReason::stopped) break;
  }
  file.write(behind_answer);
  if (Status status = file.close(); !status.ok()) return failed(status.sentence.view());
  return outcome;
}

Outcome load_and_write(ProgramState& state, const AutorunJob& job) {
  pspllm::Message problem;
  if (!load_with_progress(state, job.model, job.context, problem)) {
    if (!problem.empty()) return failed(problem.view());
    Outcome stopped;
    stopped.stop = StopReason::stopped;
    return stopped;
  }
  state.view = {};
  mark<MarkerKind::ready>();
  return job.turns.size() != 0 ? converse(state, job) : tell(state, job);
}

Outcome benchmark(ProgramState& state) {
  if (Status status = run_benchmark_unattended(state); !status.ok()) return failed(status.sentence.view());
  return {};
}

Outcome carry_out(ProgramState& state, const AutorunJob& job) {
  return job.benchmark ? benchmark(state) : load_and_write(state, job);
}

Status write_figures(ProgramState& state, const Outcome& outcome, std::uint64_t ready_us) {
  RunFacts facts;
  facts.figures = state.session.figures();
  facts.stop = outcome.stop;
  facts.text_tokens = state.session.text_tokens();
  facts.renewed_tokens = state.session.renewed_tokens();
  facts.start_us = ready_us;
  facts.drawing_us = state.view.drawing_us;
  facts.clock = state.console.clock();
  facts.block_bytes = state.block.size();
  facts.free_bytes = state.console.free_memory();
  facts.program_bytes = state.memory.program_bytes;
  facts.error = outcome.error.view();
  const TextBuffer<max_figures_bytes> text =
      format_figures(facts, state.model.ready ? &state.model : nullptr);
  return save_beside_program(state, figures_file_name, text.view());
}

/// Keeps the finished story on the screen.
void linger(ProgramState& state, std::uint32_t seconds) {
  const std::uint64_t end_us = state.console.now_us() + seconds * microseconds_per_second;
  do {
    draw_text(state, false);
  } while (next_events(state) && state.console.now_us() < end_us);
}

}  // namespace

bool run_autorun(ProgramState& state) {
  std::string_view text;
  bool exists = false;
  Status status = read_beside_program(state, autorun_file_name, text, exists);
  if (status.ok() && !exists) return false;
  state.console.log("autorun: begins");
  AutorunJob job;
  if (status.ok()) status = parse_autorun(text, job);
  const Outcome outcome = status.ok() ? carry_out(state, job) : failed(status.sentence.view());
  if (Status saved = write_figures(state, outcome, state.model.ready_us); !saved.ok()) {
    state.console.log(saved.sentence.view());
  }
  state.console.log(outcome.error.empty() ? "autorun: done" : "autorun: failed");
  if (outcome.error.empty() && job.benchmark) return true;
  if (outcome.error.empty()) {
    linger(state, job.linger_seconds);
  } else {
    show_message(
        state,
        {"The autorun failed", outcome.error.view(),
         "autorun.txt beside the program makes it run without a person. Correct it, or remove it to use "
         "the program by hand (or hold SELECT while it starts)."},
        "leave", failure_seconds);
  }
  return true;
}

}  // namespace pspllm::psp
