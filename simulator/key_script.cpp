#include "simulator/key_script.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "simulator/markers.hpp"

namespace pspllm::simulator {

namespace {

constexpr Word default_hold_frames = 6;

struct Named {
  std::string_view name;
  Word value;
};

constexpr std::array<Named, 12> button_names{{{"select", button::select},
                                              {"start", button::start},
                                              {"up", button::up},
                                              {"right", button::right},
                                              {"down", button::down},
                                              {"left", button::left},
                                              {"l", button::l},
                                              {"r", button::r},
                                              {"triangle", button::triangle},
                                              {"circle", button::circle},
                                              {"cross", button::cross},
                                              {"square", button::square}}};

constexpr Word marker_number(MarkerKind kind) {
  return static_cast<Word>(kind);
}

constexpr std::array<Named, 5> marker_names{{{"ready", marker_number(MarkerKind::ready)},
                                             {"prompt_begin", marker_number(MarkerKind::prompt_begin)},
                                             {"prompt_end", marker_number(MarkerKind::prompt_end)},
                                             {"token", marker_number(MarkerKind::token)},
                                             {"answer_end", marker_number(MarkerKind::answer_end)}}};

template <std::size_t n>
std::optional<Word> value_of(const std::array<Named, n>& names, std::string_view name) {
  for (const Named& one : names)
    if (one.name == name) return one.value;
  return std::nullopt;
}

// A word, or a text in double quotes with \n, \" and \\.
struct Token {
  std::string text;
  bool quoted = false;
};

Result<std::vector<Token>> split(std::string_view line) {
  std::vector<Token> tokens;
  std::size_t at = 0;
  while (at < line.size()) {
    if (line[at] == ' ' || line[at] == '\t' || line[at] == '\r') {
      ++at;
      continue;
    }
    if (line[at] == '#') break;
    Token token;
    if (line[at] == '"') {
      token.quoted = true;
      for (++at; at < line.size() && line[at] != '"'; ++at) {
        if (line[at] == '\\' && at + 1 < line.size()) {
          ++at;
          token.text += line[at] == 'n' ? '\n' : line[at];
        } else {
          token.text += line[at];
        }
      }
      if (at == line.size()) return Error{"a text has no closing quote"};
      ++at;
    } else {
      while (at < line.size() && line[at] != ' ' && line[at] != '\t' && line[at] != '\r')
        token.text += line[at++];
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

std::optional<Word> number_of(std::string_view text) {
  Word value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "90", "90f" (frames), "1500ms", "2s" to frames.
std::optional<Word> frames_of(std::string_view text) {
  double per_unit = 1.0;
  if (text.ends_with("ms")) {
    per_unit = 60.0 / 1001.0;
    text.remove_suffix(2);
  } else if (text.ends_with("s")) {
    per_unit = 60000.0 / 1001.0;
    text.remove_suffix(1);
  } else if (text.ends_with("f")) {
    text.remove_suffix(1);
  }
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || value < 0.0 || value > 1e7)
    return std::nullopt;
  return static_cast<Word>(std::lround(value * per_unit));
}

std::optional<Word> buttons_of(std::string_view text) {
  Word buttons = 0;
  while (!text.empty()) {
    const std::size_t plus = text.find('+');
    const std::optional<Word> one = value_of(button_names, text.substr(0, plus));
    if (!one) return std::nullopt;
    buttons |= *one;
    text = plus == std::string_view::npos ? std::string_view() : text.substr(plus + 1);
  }
  return buttons;
}

Result<Step> parse_until(const std::vector<Token>& tokens) {
  const std::string what = tokens.size() < 2 ? "" : tokens[1].text;
  if (what == "keyboard") return Step{StepKind::until_keyboard, 0, 0, {}, {}};
  if (what != "output" && what != "file" && what != "marker")
    return Error{fmt::format("until {}: expected keyboard, output, file or marker", what)};
  if (tokens.size() < 3) return Error{fmt::format("until {} needs what to wait for", what)};
  if (what == "output") return Step{StepKind::until_output, 0, 0, {}, tokens[2].text};
  if (what == "file")
    return Step{StepKind::until_file, 0, 0, tokens[2].text, tokens.size() > 3 ? tokens[3].text : ""};
  const std::optional<Word> kind = value_of(marker_names, tokens[2].text);
  if (!kind) return Error{fmt::format("no marker is named {}", tokens[2].text)};
  return Step{StepKind::until_marker, *kind, 0, {}, {}};
}

Result<Step> parse_buttons(StepKind kind, const std::vector<Token>& tokens) {
  if (tokens.size() < 2) return Error{fmt::format("{} needs a button", tokens[0].text)};
  const std::optional<Word> buttons = buttons_of(tokens[1].text);
  if (!buttons) return Error{fmt::format("no button is named {}", tokens[1].text)};
  Step step{kind, default_hold_frames, *buttons, {}, {}};
  if (tokens.size() > 2) {
    const std::optional<Word> frames = frames_of(tokens[2].text);
    if (!frames) return Error{fmt::format("{} is no time (90, 90f, 1500ms, 1.5s)", tokens[2].text)};
    step.number = *frames;
  }
  return step;
}

Result<Step> parse_number(StepKind kind, const std::vector<Token>& tokens) {
  const std::optional<Word> number = tokens.size() > 1 ? number_of(tokens[1].text) : std::nullopt;
  if (!number) return Error{fmt::format("{} needs a number", tokens[0].text)};
  return Step{kind, *number, 0, {}, {}};
}

Result<Step> parse_step(const std::vector<Token>& tokens) {
  const std::string& word = tokens[0].text;
  if (word == "wait") {
    const std::optional<Word> frames = tokens.size() > 1 ? frames_of(tokens[1].text) : std::nullopt;
    if (!frames) return Error{"wait needs a time (90, 90f, 1500ms, 1.5s)"};
    return Step{StepKind::wait, *frames, 0, {}, {}};
  }
  if (word == "press") return parse_buttons(StepKind::press, tokens);
  if (word == "hold") return parse_buttons(StepKind::hold, tokens);
  if (word == "release") return parse_buttons(StepKind::release, tokens);
  if (word == "analog") {
    const std::optional<Word> x = tokens.size() > 2 ? number_of(tokens[1].text) : std::nullopt;
    const std::optional<Word> y = tokens.size() > 2 ? number_of(tokens[2].text) : std::nullopt;
    if (!x || !y || *x > 255 || *y > 255) return Error{"analog needs x and y, 0 to 255 (128 is the middle)"};
    return Step{StepKind::analog, 0, *x | *y << 8U, {}, {}};
  }
  if (word == "type") {
    if (tokens.size() < 2) return Error{"type needs a text in quotes"};
    return Step{StepKind::type, 0, 0, {}, tokens[1].text};
  }
  if (word == "until") return parse_until(tokens);
  if (word == "power") return parse_number(StepKind::power, tokens);
  if (word == "battery") return parse_number(StepKind::battery, tokens);
  if (word == "screenshot") {
    if (tokens.size() < 2) return Error{"screenshot needs a name"};
    return Step{StepKind::screenshot, 0, 0, tokens[1].text, {}};
  }
  if (word == "cancel") return Step{StepKind::cancel, 0, 0, {}, {}};
  if (word == "home") return Step{StepKind::home, 0, 0, {}, {}};
  if (word == "remove-stick") return Step{StepKind::remove_stick, 0, 0, {}, {}};
  if (word == "insert-stick") return Step{StepKind::insert_stick, 0, 0, {}, {}};
  if (word == "end") return Step{StepKind::end, 0, 0, {}, {}};
  return Error{fmt::format("unknown step {}", word)};
}

// Cuts the script at newlines and semicolons that are outside quotes.
std::vector<std::string> lines_of(std::string_view script) {
  std::vector<std::string> lines(1);
  bool quoted = false;
  for (std::size_t i = 0; i < script.size(); ++i) {
    const char c = script[i];
    if (c == '"' && (i == 0 || script[i - 1] != '\\')) quoted = !quoted;
    if (c == '\n') quoted = false;
    if (c == '\n' || (c == ';' && !quoted))
      lines.emplace_back();
    else
      lines.back() += c;
  }
  return lines;
}

}  // namespace

Result<std::vector<Step>> parse_key_script(std::string_view script) {
  std::vector<Step> steps;
  std::size_t number = 0;
  for (const std::string& line : lines_of(script)) {
    ++number;
    const Result<std::vector<Token>> tokens = split(line);
    if (!tokens) return Error{fmt::format("key script, step {}: {}", number, tokens.error().message)};
    if (tokens->empty()) continue;
    const Result<Step> step = parse_step(*tokens);
    if (!step) return Error{fmt::format("key script, step {}: {}", number, step.error().message)};
    steps.push_back(*step);
  }
  return steps;
}

}  // namespace pspllm::simulator
