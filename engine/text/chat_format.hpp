// How a chat template lies in a .pspm file, and in memory: the same bytes.
//
// Goals: everything that a conversation needs besides its words is data: what stands around each turn, with
// special tokens by number; what ends an answer; the system prompt where the person gives none.
// Non-goals: conditions, loops, tools: templates that need them are refused when a model is imported.
//
// Layout, little-endian:
//   ChatHeader
//   ChatPart parts[]        of all segments, in the order of ChatSegment
//   i32 stops[stop_count]   tokens that end an answer
//   text                    the default system prompt, then what parts refer to; text_bytes in all, padded
//                           with 0 to 4 bytes
#pragma once

#include <cstdint>

namespace pspllm {

inline constexpr std::uint32_t chat_layout = 1;
inline constexpr std::uint32_t chat_segment_count = 7;
inline constexpr std::uint32_t max_chat_parts = 64;
inline constexpr std::uint32_t max_chat_stops = 16;

/// What stands around the words of a conversation:
///   beginning, [system_prefix, prompt, system_suffix], then for each turn
///   user_prefix, words, user_suffix, assistant_prefix, answer, assistant_suffix.
enum class ChatSegment : std::uint32_t {
  beginning = 0,
  system_prefix = 1,
  system_suffix = 2,
  user_prefix = 3,
  user_suffix = 4,
  assistant_prefix = 5,
  assistant_suffix = 6
};

struct ChatFlags {
  static constexpr std::uint32_t system_in_first_turn = 1;  ///< system part behind the first user_prefix
  static constexpr std::uint32_t trims_words = 2;           ///< white space around words is left out
  static constexpr std::uint32_t all = system_in_first_turn | trims_words;
};

struct ChatHeader {
  std::uint32_t layout = chat_layout;
  std::uint32_t flags = 0;                             ///< ChatFlags
  std::uint32_t part_counts[chat_segment_count] = {};  ///< of each ChatSegment
  std::uint32_t stop_count = 0;
  std::uint32_t default_system_bytes = 0;  ///< 0: without a system prompt where none is given
  std::uint32_t text_bytes = 0;
  char name[16] = {};  ///< for people, ends with a zero byte
};
static_assert(sizeof(ChatHeader) == 64);

/// A special token, or text.
struct ChatPart {
  std::int32_t token = -1;   ///< -1: text
  std::uint32_t offset = 0;  ///< into the text; 0 for tokens
  std::uint32_t bytes = 0;   ///< 0 for tokens
};
static_assert(sizeof(ChatPart) == 12);

}  // namespace pspllm
