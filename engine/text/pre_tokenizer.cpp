#include "engine/text/pre_tokenizer.hpp"

#include "engine/core/slice.hpp"
#include "engine/text/character_class.hpp"
#include "engine/text/utf8_character.hpp"

namespace pspllm {
namespace {

/// A character of the text with its class; at the end of the text one of no length.
struct Character {
  std::uint32_t code_point = 0;
  std::size_t end = 0;  ///< where the next one begins
  CharacterClass kind = CharacterClass::other;
  bool exists = false;

  [[nodiscard]] bool is(CharacterClass wanted) const noexcept { return exists && kind == wanted; }
  [[nodiscard]] bool is_line_end() const noexcept {
    return exists && (code_point == '\r' || code_point == '\n');
  }
};

Character character_at(std::string_view text, std::size_t position) noexcept {
  if (position >= text.size()) return {0, position, CharacterClass::other, false};
  const Utf8Character character = utf8_character_at(text, position);
  return {character.code_point, position + character.length, class_of(character.code_point), true};
}

/// End of the run of characters of `kind` from `position` on.
std::size_t run_end(std::string_view text, std::size_t position, CharacterClass kind) noexcept {
  Character next = character_at(text, position);
  while (next.is(kind)) {
    position = next.end;
    next = character_at(text, position);
  }
  return position;
}

/// Length of 's, 't, 're, 've, 'm, 'll or 'd at `position`, or 0.
std::size_t contraction_length(std::string_view text, std::size_t position) noexcept {
  constexpr std::string_view contractions[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
  for (const std::string_view contraction : contractions) {
    if (text.size() - position >= contraction.size() &&
        slice(text, position, contraction.size()) == contraction) {
      return contraction.size();
    }
  }
  return 0;
}

/// The same in any case. Folding also makes U+017F, the long s, an s.
std::size_t contraction_length_in_any_case(std::string_view text, std::size_t position) noexcept {
  constexpr std::size_t longest = 3;
  char folded[longest] = {};
  std::size_t size = 0;
  while (size < longest && position + size < text.size()) {
    const char c = text[position + size];
    folded[size] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    ++size;
  }
  if (const std::string_view view(folded, size); view == "'\xC5\xBF") return size;
  return contraction_length({folded, size}, 0);
}

/// \s+(?!\S)|\s+ at a white-space character: the run, without its last character where a word follows that
/// can take it. `ends_segment` tells whether what follows the run is out of the expression's sight.
template <typename EndsSegment>
std::size_t white_space_end(std::string_view text, std::size_t start,
                            const EndsSegment& ends_segment) noexcept {
  std::size_t last = start;
  std::size_t position = start;
  Character next = character_at(text, position);
  while (next.is(CharacterClass::white_space)) {
    last = position;
    position = next.end;
    next = character_at(text, position);
  }
  return !next.exists || ends_segment(next) || last == start ? position : last;
}

/// ` ?X+` for letters, numbers and others, or white space. `digits_apart`: SmolLM2's way.
std::size_t gpt2_word_end(std::string_view text, std::size_t start, bool digits_apart) noexcept {
  const auto is_apart = [digits_apart](const Character& character) {
    return digits_apart && character.is(CharacterClass::number);
  };
  const Character first = character_at(text, start);
  if (is_apart(first)) return first.end;
  if (const std::size_t length = contraction_length(text, start); length > 0) return start + length;
  if (first.kind != CharacterClass::white_space) return run_end(text, start, first.kind);
  if (first.code_point == ' ') {
    const Character second = character_at(text, first.end);
    if (second.exists && second.kind != CharacterClass::white_space && !is_apart(second)) {
      return run_end(text, first.end, second.kind);
    }
  }
  return white_space_end(text, start, is_apart);
}

/// \p{N}{1,3}
std::size_t up_to_three_numbers_end(std::string_view text, std::size_t start) noexcept {
  std::size_t position = start;
  for (int count = 0; count < 3; ++count) {
    const Character next = character_at(text, position);
    if (!next.is(CharacterClass::number)) break;
    position = next.end;
  }
  return position;
}

/// [^\s\p{L}\p{N}]+[\r\n]*
std::size_t others_and_line_ends_end(std::string_view text, std::size_t start) noexcept {
  std::size_t position = run_end(text, start, CharacterClass::other);
  Character next = character_at(text, position);
  while (next.is_line_end()) {
    position = next.end;
    next = character_at(text, position);
  }
  return position;
}

/// \s*[\r\n]+: behind the last line end of the run of white space; `start` where it has none.
std::size_t last_line_end(std::string_view text, std::size_t start) noexcept {
  std::size_t found = start;
  Character next = character_at(text, start);
  while (next.is(CharacterClass::white_space)) {
    if (next.is_line_end()) found = next.end;
    next = character_at(text, next.end);
  }
  return found;
}

std::size_t llama3_word_end(std::string_view text, std::size_t start) noexcept {
  if (const std::size_t length = contraction_length_in_any_case(text, start); length > 0)
    return start + length;
  const Character first = character_at(text, start);
  if (first.kind == CharacterClass::letter) return run_end(text, start, CharacterClass::letter);
  if (first.kind == CharacterClass::number) return up_to_three_numbers_end(text, start);
  const Character second = character_at(text, first.end);
  if (!first.is_line_end() && second.is(CharacterClass::letter)) {
    return run_end(text, first.end, CharacterClass::letter);
  }
  if (first.kind == CharacterClass::other) return others_and_line_ends_end(text, start);
  if (first.code_point == ' ' && second.is(CharacterClass::other)) {
    return others_and_line_ends_end(text, first.end);
  }
  if (const std::size_t end = last_line_end(text, start); end > start) return end;
  return white_space_end(text, start, [](const Character&) { return false; });
}

}  // namespace

bool is_known(PreTokenizer kind) noexcept {
  return kind == PreTokenizer::gpt2 || kind == PreTokenizer::smollm2 || kind == PreTokenizer::llama3;
}

const char* name_of(PreTokenizer kind) noexcept {
  switch (kind) {
    case PreTokenizer::gpt2:
      return "GPT-2";
    case PreTokenizer::smollm2:
      return "SmolLM2";
    case PreTokenizer::llama3:
      return "Llama 3";
  }
  return "?";
}

std::size_t word_end(PreTokenizer kind, std::string_view text, std::size_t start) noexcept {
  if (kind == PreTokenizer::llama3) return llama3_word_end(text, start);
  return gpt2_word_end(text, start, kind == PreTokenizer::smollm2);
}

}  // namespace pspllm
