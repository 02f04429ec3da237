// A story or a conversation saved as UTF-8 text: what was asked, how, what came, how fast.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "engine/model/sampler.hpp"
#include "psp/platform/path.hpp"
#include "psp/platform/text_buffer.hpp"
#include "psp/platform/time.hpp"
#include "psp/program/model_title.hpp"
#include "psp/program/settings.hpp"
#include "psp/program/stick.hpp"
#include "psp/program/text_session.hpp"

namespace pspllm::psp {

inline constexpr std::string_view stories_folder_name = "stories";
inline constexpr std::string_view chats_folder_name = "chats";

/// What is told of the model and the console.
struct TranscriptFacts {
  ModelTitle model;
  DateTime when;
  ClockSpeed clock;
  Settings settings;
};

/// The pieces of the file, in order: a head, then a story's words as they stand in its memory, for each
/// speaker behind a line that tells who it is; or a conversation as it is always written down
/// (engine/text/conversation_text.hpp), behind its system prompt. Valid while `session` and this object live
/// unchanged.
class Transcript {
 public:
  Transcript(const TextSession& session, const TranscriptFacts& facts);
  Transcript(const Transcript&) = delete;
  Transcript& operator=(const Transcript&) = delete;

  [[nodiscard]] std::span<const std::string_view> pieces() const { return {pieces_.data(), count_}; }

 private:
  void add(std::string_view piece) { pieces_[count_++] = piece; }
  void add_story(const SpokenText& text);
  void add_chat(const TextSession& session, const Settings& settings);

  TextBuffer<1024 + max_settings_bytes> head_;
  std::array<std::string_view, 2 * SpokenText::max_segments + 4> pieces_;  // [count_]
  std::size_t count_ = 0;
};

/// "2026-11-30_14-05-09.txt"; without a clock "STEM.txt". A name that is taken gets "_2", "_3" ... before
/// the dot, so that no older story is replaced. Errors: the stick cannot be asked.
[[nodiscard]] Status free_transcript_name(Stick& stick, const Path& folder, std::string_view stem,
                                          const DateTime& when, Path& path);

/// Saves the text under a free name in PROGRAM_FOLDER/stories or PROGRAM_FOLDER/chats; `path` is where.
[[nodiscard]] Status save_transcript(Stick& stick, const Path& program_folder, const TextSession& session,
                                     const TranscriptFacts& facts, Path& path);

}  // namespace pspllm::psp
