// state.txt of an autorun: the text as it comes, as people read it or as runq.c prints it.
#pragma once

#include <cstdint>
#include <string_view>

#include "psp/program/autorun_job.hpp"
#include "psp/program/program_state.hpp"
#include "psp/program/text_actions.hpp"

namespace pspllm::psp {

class StateFile {
 public:
  StateFile(ProgramState& state, const AutorunJob& job) : state_(state), job_(job) {}

  [[nodiscard]] Status open();
  /// The first error of the whole file.
  [[nodiscard]] Status close();

  /// Nothing more is written after a failure.
  void write(std::string_view text);
  /// What has become readable of the session's text since the last call.
  void write_text();
  /// The first `count` tokens of the prompt behind BOS, as runq.c prints them.
  void write_reference_prompt(std::uint32_t count);

  /// Writes each token as the job wants it; stops the run where that fails, and acts as if HOME had been
  /// pressed when the job wants that.
  [[nodiscard]] TokenListener listener() { return {this, on_token}; }

 private:
  static void on_token(void* context, const TokenStep& step);
  void write_reference(std::int32_t previous, std::int32_t token);

  ProgramState& state_;
  const AutorunJob& job_;
  Status status_;
  std::size_t text_written_ = 0;  ///< Bytes of the session's text that are in the file.
  std::uint32_t tokens_ = 0;
};

}  // namespace pspllm::psp
