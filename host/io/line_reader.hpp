// Lines from standard input, whether a person or a program writes them.
#pragma once

#include <optional>
#include <string>

namespace pspllm::host {

class LineReader {
 public:
  /// The next line without its line end, or nothing at the end of the input or when a signal came while
  /// waiting for it. Throws Failure where the input cannot be read or a line is longer than max_text_bytes.
  [[nodiscard]] std::optional<std::string> next();

 private:
  std::string buffer_;
  bool at_end_ = false;
};

}  // namespace pspllm::host
