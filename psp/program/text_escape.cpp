#include "psp/program/text_escape.hpp"

namespace pspllm::psp {
namespace {

class Output {
 public:
  explicit Output(std::span<char> into) : into_(into) {}

  void put(char character) {
    if (result_.bytes == into_.size()) {
      result_.complete = false;
      return;
    }
    into_[result_.bytes++] = character;
  }
  void mark_bad_escape() { result_.complete = false; }
  [[nodiscard]] Escaped result() const { return result_; }

 private:
  std::span<char> into_;
  Escaped result_;
};

}  // namespace

Escaped escape_text(std::string_view text, std::span<char> into) {
  Output output(into);
  for (const char character : text) {
    if (character == '\n' || character == '\\') {
      output.put('\\');
      output.put(character == '\n' ? 'n' : '\\');
    } else {
      output.put(character);
    }
  }
  return output.result();
}

Escaped unescape_text(std::string_view text, std::span<char> into) {
  Output output(into);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool has_next = i + 1 < text.size();
    if (text[i] != '\\') {
      output.put(text[i]);
    } else if (has_next && (text[i + 1] == 'n' || text[i + 1] == '\\')) {
      output.put(text[i + 1] == 'n' ? '\n' : '\\');
      ++i;
    } else {
      output.put(text[i]);
      output.mark_bad_escape();
    }
  }
  return output.result();
}

}  // namespace pspllm::psp
