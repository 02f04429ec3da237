#include "host/formats/chat_presets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "host/core/failure.hpp"
#include "host/formats/chat_payload.hpp"
#include "host/formats/printable.hpp"

namespace pspllm::host {
namespace {

struct PresetName {
  ChatPreset preset;
  const char* name;
};
constexpr PresetName preset_names[] = {{ChatPreset::chatml, "chatml"},
                                       {ChatPreset::llama2, "llama2"},
                                       {ChatPreset::llama3, "llama3"},
                                       {ChatPreset::plain, "plain"}};

bool holds(const std::string& text, std::string_view mark) {
  return text.find(mark) != std::string::npos;
}

bool holds_all(const std::string& text, std::initializer_list<std::string_view> marks) {
  return std::all_of(marks.begin(), marks.end(), [&](std::string_view mark) { return holds(text, mark); });
}

/// Things that a template does and a preset does not, by the text that gives them away.
struct Beyond {
  const char* mark;
  const char* what;
};
constexpr Beyond beyond_presets[] = {{"Cutting Knowledge Date", "writes dates into the system prompt"},
                                     {"<think>", "handles thinking"},
                                     {"<|vision", "handles pictures"},
                                     {"[TOOL_CALLS]", "handles tools in its own way"}};

/// Jinja in files spells a line end as itself or as \n.
std::string with_line_ends(std::string_view text) {
  constexpr std::string_view escaped = "\\n";
  std::string plain;
  while (!text.empty()) {
    const bool is_escaped = text.starts_with(escaped);
    plain += is_escaped ? '\n' : text.front();
    text.remove_prefix(is_escaped ? escaped.size() : 1);
  }
  return plain;
}

/// The system prompt that a ChatML template writes where a conversation has none: a literal between its
/// marks.
std::string chatml_default_system(const std::string& jinja) {
  constexpr std::string_view begin_mark = "<|im_start|>system\n";
  constexpr std::string_view end_mark = "<|im_end|>";
  const std::string text = with_line_ends(jinja);
  for (std::size_t at = text.find(begin_mark); at != std::string::npos; at = text.find(begin_mark, at + 1)) {
    const std::size_t begin = at + begin_mark.size();
    const std::size_t end = text.find(end_mark, begin);
    if (end == std::string::npos) return {};
    const std::string prompt = text.substr(begin, end - begin);
    // Quotes and braces belong to an expression: the prompt is not literal there.
    if (!prompt.empty() && prompt.find_first_of("'\"{}") == std::string::npos) return prompt;
  }
  return {};
}

std::optional<ChatPreset> preset_of(const std::string& jinja) {
  if (holds_all(jinja, {"<|im_start|>", "<|im_end|>"})) return ChatPreset::chatml;
  if (holds_all(jinja, {"<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"})) return ChatPreset::llama3;
  if (holds_all(jinja, {"[INST]", "[/INST]", "<<SYS>>"})) return ChatPreset::llama2;
  return std::nullopt;
}

/// Finds the preset's tokens in a vocabulary.
class PresetTokens {
 public:
  PresetTokens(const TextCodec& codec, ChatPreset preset) : codec_(codec), preset_(preset) {}

  [[nodiscard]] std::optional<std::int32_t> find(std::string_view name) const {
    const std::int32_t token = codec_.kind == PspmTokenizerKind::byte_level
                                   ? find_special(codec_.byte_level, name)
                                   : find_piece(codec_.llama2c, name);
    return token == no_token ? std::nullopt : std::optional(token);
  }
  [[nodiscard]] std::int32_t get(std::string_view name) const {
    if (const auto token = find(name)) return *token;
    throw Failure(
        fmt::format("the chat template {} needs the special token {}, which the vocabulary lacks; "
                    "choose another one: {}",
                    name_of(preset_), name, chat_preset_names()));
  }
  [[nodiscard]] std::int32_t bos() const { return checked(bos_of(codec_), "begins"); }
  [[nodiscard]] std::int32_t eos() const { return checked(eos_of(codec_), "ends"); }
  [[nodiscard]] bool adds_bos() const {
    return codec_.kind == PspmTokenizerKind::llama2c || codec_.byte_level.has(ByteLevelFlags::adds_bos);
  }

  /// A line end's token.
  [[nodiscard]] std::int32_t line_end() const {
    if (codec_.kind == PspmTokenizerKind::llama2c) return first_byte_token + '\n';
    return checked(codec_.byte_level.byte_tokens[static_cast<std::size_t>('\n')], "ends a line of");
  }

  /// The EOS token and those of the names that are there, each once.
  [[nodiscard]] std::vector<std::int32_t> stops(std::initializer_list<std::string_view> names) const {
    std::vector<std::int32_t> tokens;
    const auto add = [&tokens](std::int32_t token) {
      if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
    };
    for (const std::string_view name : names) {
      if (const auto token = find(name)) add(*token);
    }
    if (const std::int32_t token = eos_of(codec_); token != no_token) add(token);
    return tokens;
  }

 private:
  [[nodiscard]] std::int32_t checked(std::int32_t token, const char* does) const {
    if (token != no_token) return token;
    throw Failure(
        fmt::format("the chat template {} needs the token that {} a text, which the vocabulary lacks",
                    name_of(preset_), does));
  }

  const TextCodec& codec_;
  ChatPreset preset_;
};

void describe_chatml(const PresetTokens& tokens, ChatDescription& chat) {
  const std::int32_t start = tokens.get("<|im_start|>");
  const std::int32_t end = tokens.get("<|im_end|>");
  if (tokens.adds_bos()) chat.segment(ChatSegment::beginning) = {tokens.bos()};
  chat.segment(ChatSegment::system_prefix) = {start, "system\n"};
  chat.segment(ChatSegment::system_suffix) = {end, "\n"};
  chat.segment(ChatSegment::user_prefix) = {start, "user\n"};
  chat.segment(ChatSegment::user_suffix) = {end, "\n"};
  chat.segment(ChatSegment::assistant_prefix) = {start, "assistant\n"};
  chat.segment(ChatSegment::assistant_suffix) = {end, "\n"};
  chat.stops = tokens.stops({"<|im_end|>", "<|endoftext|>"});
}

void describe_llama2(const PresetTokens& tokens, ChatDescription& chat) {
  chat.flags |= ChatFlags::system_in_first_turn;
  chat.segment(ChatSegment::system_prefix) = {"<<SYS>>\n"};
  chat.segment(ChatSegment::system_suffix) = {"\n<</SYS>>\n\n"};
  chat.segment(ChatSegment::user_prefix) = {tokens.bos(), "[INST] "};
  chat.segment(ChatSegment::user_suffix) = {" [/INST]"};
  chat.segment(ChatSegment::assistant_suffix) = {tokens.eos()};
  chat.stops = tokens.stops({});
}

void describe_llama3(const PresetTokens& tokens, ChatDescription& chat) {
  const std::int32_t start = tokens.get("<|start_header_id|>");
  const std::int32_t header_end = tokens.get("<|end_header_id|>");
  const std::int32_t end = tokens.get("<|eot_id|>");
  chat.segment(ChatSegment::beginning) = {tokens.get("<|begin_of_text|>")};
  chat.segment(ChatSegment::system_prefix) = {start, "system", header_end, "\n\n"};
  chat.segment(ChatSegment::system_suffix) = {end};
  chat.segment(ChatSegment::user_prefix) = {start, "user", header_end, "\n\n"};
  chat.segment(ChatSegment::user_suffix) = {end};
  chat.segment(ChatSegment::assistant_prefix) = {start, "assistant", header_end, "\n\n"};
  chat.segment(ChatSegment::assistant_suffix) = {end};
  chat.stops = tokens.stops({"<|eot_id|>", "<|end_of_text|>", "<|eom_id|>"});
}

void describe_plain(const PresetTokens& tokens, ChatDescription& chat) {
  if (tokens.adds_bos()) chat.segment(ChatSegment::beginning) = {tokens.bos()};
  chat.segment(ChatSegment::system_suffix) = {"\n\n"};
  chat.segment(ChatSegment::user_prefix) = {"User: "};
  chat.segment(ChatSegment::user_suffix) = {"\n"};
  chat.segment(ChatSegment::assistant_prefix) = {"Assistant:"};
  chat.segment(ChatSegment::assistant_suffix) = {"\n"};
  chat.stops = tokens.stops({});
  chat.stops.push_back(tokens.line_end());
}

}  // namespace

const char* name_of(ChatPreset preset) {
  for (const PresetName& entry : preset_names) {
    if (entry.preset == preset) return entry.name;
  }
  return "?";
}

std::string chat_preset_names() {
  std::string names;
  for (const PresetName& entry : preset_names) {
    if (!names.empty()) names += ", ";
    names += entry.name;
  }
  return names;
}

ChatPreset require_chat_preset(std::string_view name) {
  for (const PresetName& entry : preset_names) {
    if (name == entry.name) return entry.preset;
  }
  throw Failure(
      fmt::format("--template is {}, expected one of {}, {}", name, chat_preset_names(), no_template_name),
      ExitCode::wrong_use);
}

ChatChoice recognise_chat_template(const std::string& jinja, const std::string& subject) {
  const std::optional<ChatPreset> preset = preset_of(jinja);
  if (!preset) {
    throw Failure(
        fmt::format("{}: the model's chat template is none of {}; it begins with \"{}\"; name one of "
                    "these with --template, or none",
                    subject, chat_preset_names(), printable(jinja)));
  }
  for (const Beyond& beyond : beyond_presets) {
    if (!holds(jinja, beyond.mark)) continue;
    throw Failure(
        fmt::format("{}: the model's chat template is like {}, but it {}, which is not supported; "
                    "choose --template {} to do without, or another of {}",
                    subject, name_of(*preset), beyond.what, name_of(*preset), chat_preset_names()));
  }
  ChatChoice choice;
  choice.preset = *preset;
  choice.trims_words = holds(jinja, "| trim") || holds(jinja, "|trim") || holds(jinja, ".strip()");
  if (*preset == ChatPreset::chatml) choice.default_system = chatml_default_system(jinja);
  return choice;
}

std::vector<std::byte> chat_payload(const ChatChoice& choice, const TextCodec& codec) {
  const PresetTokens tokens(codec, choice.preset);
  ChatDescription chat;
  chat.name = name_of(choice.preset);
  chat.default_system = choice.default_system;
  if (choice.trims_words) chat.flags |= ChatFlags::trims_words;
  switch (choice.preset) {
    case ChatPreset::chatml:
      describe_chatml(tokens, chat);
      break;
    case ChatPreset::llama2:
      describe_llama2(tokens, chat);
      break;
    case ChatPreset::llama3:
      describe_llama3(tokens, chat);
      break;
    case ChatPreset::plain:
      describe_plain(tokens, chat);
      break;
  }
  return write_chat_payload(chat);
}

}  // namespace pspllm::host
