// How a command says that it cannot go on: one sentence, and the exit code that goes with it.
#pragma once

#include <stdexcept>
#include <string>

#include "engine/core/result.hpp"

namespace pspllm::host {

/// Exit codes of every command. A stop that the user asked for (Ctrl-C) is `done`: what was finished stands.
enum class ExitCode : int {
  done = 0,
  failed = 1,    ///< the work failed, or a thing does not fit
  wrong_use = 2  ///< the command line asks for something that does not exist
};

/// Thrown by host code, caught in main(), printed as "pspllm: SENTENCE".
class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& sentence, ExitCode code = ExitCode::failed)
      : std::runtime_error(sentence), code_(code) {}

  [[nodiscard]] ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// Thrown where the user stopped a command that has nothing to show for it yet.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("stopped") {}
};

/// Turns an engine error into an exception; `subject` (a path, say) goes in front of its sentence. Throws
/// Failure or Interrupted.
void require(const Status& status, const std::string& subject = {});

}  // namespace pspllm::host
