#include "psp/program/transcript.hpp"

#include "engine/core/slice.hpp"
#include "engine/text/conversation_text.hpp"
#include "psp/program/speed.hpp"

namespace pspllm::psp {
namespace {

constexpr std::string_view person_heading = "\n\n--- you ---\n";
constexpr std::string_view model_heading = "\n\n--- model ---\n";
constexpr std::string_view system_heading = "\nSystem prompt: ";
constexpr std::uint32_t most_numbered_names = 1000;

template <std::size_t capacity>
void append_padded(TextBuffer<capacity>& text, int value) {
  if (value < 10) text.append('0');
  text.append_signed(value);
}

TextBuffer<32> date_text(const DateTime& when, char between, char in_time) {
  TextBuffer<32> text;
  text.append_signed(when.year).append('-');
  append_padded(text, when.month);
  text.append('-');
  append_padded(text, when.day);
  text.append(between);
  append_padded(text, when.hour);
  text.append(in_time);
  append_padded(text, when.minute);
  text.append(in_time);
  append_padded(text, when.second);
  return text;
}

std::string_view kind_of(const TextSession& session) {
  return session.is_chat() ? "chat" : "story";
}

TextBuffer<1024 + max_settings_bytes> head_of(const TextSession& session, const TranscriptFacts& facts) {
  const TextFigures& figures = session.figures();
  const SettingsText settings = format_settings(facts.settings);
  TextBuffer<1024 + max_settings_bytes> head("PspLlm ");
  head.append(kind_of(session));
  if (facts.when.year != 0) head.append(", ").append(date_text(facts.when, ' ', ':').view());
  head.append("\nModel: ").append(facts.model.view());
  head.append("\nSeed of this ")
      .append(kind_of(session))
      .append(": ")
      .append_unsigned(session.sampler_options().seed);
  head.append("\nPrompt: ").append_unsigned(figures.prompt_tokens).append(" tokens, ");
  head.append(prefill_rate(figures).view()).append(" tokens/s");
  head.append("\nAnswer: ").append_unsigned(figures.generated_tokens).append(" tokens, ");
  head.append(decode_rate(figures).view()).append(" tokens/s");
  head.append("\nContext: ").append_unsigned(session.context_used()).append(" of ");
  head.append_unsigned(session.context()).append(" tokens");
  head.append("\nClock: ").append_signed(facts.clock.cpu).append('/').append_signed(facts.clock.bus);
  head.append(" MHz\n\n").append(settings.view());
  return head;
}

}  // namespace

Transcript::Transcript(const TextSession& session, const TranscriptFacts& facts)
    : head_(head_of(session, facts)) {
  add(head_.view());
  if (session.is_chat()) {
    add_chat(session, facts.settings);
  } else {
    add_story(session.text());
  }
  add("\n");
}

void Transcript::add_story(const SpokenText& text) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.segment_count(); ++i) {
    const TextSegment segment = text.segment(i);
    add(segment.speaker == Speaker::person ? person_heading : model_heading);
    add(slice(text.bytes(), begin, segment.end - begin));
    begin = segment.end;
  }
}

void Transcript::add_chat(const TextSession& session, const Settings& settings) {
  add(system_heading);
  add(system_prompt(settings).value_or(session.default_system()));
  add(behind_answer);
  add(session.text().bytes());
}

Status free_transcript_name(Stick& stick, const Path& folder, std::string_view stem, const DateTime& when,
                            Path& path) {
  const TextBuffer<32> name_stem = when.year != 0 ? date_text(when, '_', '-') : TextBuffer<32>(stem);
  for (std::uint32_t number = 1; number <= most_numbered_names; ++number) {
    TextBuffer<48> name(name_stem.view());
    if (number > 1) name.append('_').append_unsigned(number);
    path = join_path(folder.view(), name.append(".txt").view());
    FileInfo info;
    if (Status status = stick.info(path, info); !status.ok()) return status;
    if (!info.exists) return {};
  }
  return failure("no free name for the text in", folder.view(), error_too_large);
}

Status save_transcript(Stick& stick, const Path& program_folder, const TextSession& session,
                       const TranscriptFacts& facts, Path& path) {
  const SaveScope scope(stick);
  const Path folder =
      join_path(program_folder.view(), session.is_chat() ? chats_folder_name : stories_folder_name);
  if (Status status = stick.make_folder(folder); !status.ok()) return status;
  if (Status status = free_transcript_name(stick, folder, kind_of(session), facts.when, path); !status.ok())
    return status;
  const Transcript transcript(session, facts);
  return save_atomically(stick, path, transcript.pieces());
}

}  // namespace pspllm::psp
