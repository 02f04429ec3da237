#include "psp/screens/loading_screen.hpp"

#include "psp/program/busy.hpp"
#include "psp/program/interaction.hpp"
#include "psp/program/speed.hpp"
#include "psp/screens/frame.hpp"

namespace pspllm::psp {
namespace {

constexpr int margin = 4;
constexpr int bar_columns = text_columns - 2 * margin;
constexpr int bar_row = 16;

struct LoadingContext {
  ProgramState& state;
  std::uint64_t started_us = 0;
};

bool report(void* context, std::uint64_t done, std::uint64_t total) noexcept {
  auto& loading = *static_cast<LoadingContext*>(context);
  ProgramState& state = loading.state;
  if (state.console.can_show_now()) {
    draw_loading(state.screen,
                 {state.model.title.view(), done, total, state.console.now_us() - loading.started_us});
    state.console.show_now(state.screen);
  }
  return keep_computing(state);
}

}  // namespace

void draw_loading(CellScreen& screen, const LoadingView& view) {
  screen.clear();
  draw_title(screen, "PspLlm", "");
  TextBuffer<96> heading;
  heading.append("Loading ").append(view.name);
  screen.put_text(margin, bar_row - 2, heading.view(), InkId::text, bar_columns);
  draw_bar(screen, margin, bar_row, bar_columns, view.done, view.total);
  TextBuffer<96> amount;
  amount.append(short_bytes(view.done).view()).append("B of ").append(short_bytes(view.total).view());
  amount.append("B");
  screen.put_text(margin, bar_row + 2, amount.view(), InkId::dim);
  TextBuffer<16> percent;
  percent.append_ratio(view.done * 100, view.total, 0).append('%');
  screen.put_text_right(margin + bar_columns, bar_row + 2, percent.view(), InkId::text);
  draw_hints(screen, "CIRCLE stop   HOME leave");
}

bool load_with_progress(ProgramState& state, const ModelName& name, std::uint32_t context,
                        pspllm::Message& problem) {
  LoadingContext loading{state, state.console.now_us()};
  announce(state, "loading");
  begin_busy(state);
  LoadRequest request;
  request.program_folder = state.folder;
  request.name = name;
  request.wanted_context = context;
  request.kernels = &state.kernels;
  request.block = state.block;
  request.scratch = &state.scan_scratch;
  request.progress = {&loading, report};
  state.session.forget_engine();
  const pspllm::Status status = load_model(state.stick, request, state.model);
  drop_presses(state);
  if (!status) {
    problem = status.error().kind == ErrorKind::interrupted ? pspllm::Message() : status.error().message;
    return false;
  }
  const std::uint64_t now_us = state.console.now_us();
  state.model.load_us = now_us - loading.started_us;
  state.model.ready_us = now_us - state.started_us;
  state.session.attach(state.model.engine, state.model.chat_template, layer_hook(state), time_source(state));
  return true;
}

}  // namespace pspllm::psp
