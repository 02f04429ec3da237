// Runs the command line as a person would, and catches what it says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pspllm::testing {

struct ProgramResult {
  int exit_code = -1;  ///< 128 + signal where one ended it
  std::string out;
  std::string error;
};

struct ProgramOptions {
  std::string input{};                             ///< standard input
  std::optional<std::uint64_t> largest_file{};     ///< RLIMIT_FSIZE, bytes
  std::optional<std::uint64_t> interrupt_after{};  ///< SIGINT when so many bytes have come out
  std::optional<std::string> standard_output{};    ///< a device to write to instead
};

/// A program, found by its path, with these arguments.
[[nodiscard]] ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                                        const ProgramOptions& options = {});
/// build/pspllm with these arguments.
[[nodiscard]] ProgramResult run_pspllm(const std::vector<std::string>& arguments,
                                       const ProgramOptions& options = {});

}  // namespace pspllm::testing
