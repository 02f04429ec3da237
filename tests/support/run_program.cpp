#include "tests/support/run_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

namespace pspllm::testing {
namespace {

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(std::size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

[[noreturn]] void become_program(const std::string& program, const std::vector<std::string>& arguments,
                                 const ProgramOptions& options, const Pipe& in, const Pipe& out,
                                 const Pipe& error) {
  ::dup2(in.ends[0], STDIN_FILENO);
  const int output =
      options.standard_output ? ::open(options.standard_output->c_str(), O_WRONLY) : out.ends[1];
  ::dup2(output, STDOUT_FILENO);
  ::dup2(error.ends[1], STDERR_FILENO);
  if (options.largest_file) {
    const rlimit limit{*options.largest_file, *options.largest_file};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  ::_exit(127);
}

/// Moves bytes between the program and us until it has closed both outputs.
void talk(pid_t child, const ProgramOptions& options, Pipe& in, Pipe& out, Pipe& error,
          ProgramResult& result) {
  std::size_t written = 0;
  bool interrupted = false;
  while (out.ends[0] >= 0 || error.ends[0] >= 0 || in.ends[1] >= 0) {
    if (in.ends[1] >= 0 && written == options.input.size()) in.close_end(1);
    std::array<pollfd, 3> waits{
        {{out.ends[0], POLLIN, 0}, {error.ends[0], POLLIN, 0}, {in.ends[1], POLLOUT, 0}}};
    ::poll(waits.data(), waits.size(), -1);
    std::array<char, 65536> chunk{};
    const auto receive = [&](Pipe& pipe, const pollfd& wait, std::string& text) {
      if (wait.fd < 0 || wait.revents == 0) return;
      const ssize_t count = ::read(pipe.ends[0], chunk.data(), chunk.size());
      if (count <= 0) {
        pipe.close_end(0);
      } else {
        text.append(chunk.data(), static_cast<std::size_t>(count));
      }
    };
    receive(out, waits[0], result.out);
    receive(error, waits[1], result.error);
    if (waits[2].fd >= 0 && waits[2].revents != 0) {
      const ssize_t count =
          ::write(in.ends[1], options.input.data() + written, options.input.size() - written);
      if (count < 0) {
        in.close_end(1);
      } else {
        written += static_cast<std::size_t>(count);
      }
    }
    if (options.interrupt_after && !interrupted && result.out.size() >= *options.interrupt_after) {
      ::kill(child, SIGINT);
      interrupted = true;
    }
  }
}

}  // namespace

ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const ProgramOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);
  Pipe in;
  Pipe out;
  Pipe error;
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    become_program(program, arguments, options, in, out, error);
  }
  in.close_end(0);
  out.close_end(1);
  error.close_end(1);
  ProgramResult result;
  talk(child, options, in, out, error, result);
  int status = 0;
  ::waitpid(child, &status, 0);
  constexpr int signal_base = 128;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : signal_base + WTERMSIG(status);
  return result;
}

ProgramResult run_pspllm(const std::vector<std::string>& arguments, const ProgramOptions& options) {
  return run_program(PSPLLM_PROGRAM, arguments, options);
}

}  // namespace pspllm::testing
