// Conversations as tokens, by a template that comes with the model.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/core/result.hpp"
#include "engine/text/chat_format.hpp"
#include "engine/text/text_codec.hpp"

namespace pspllm {

/// A template in memory: its payload's bytes where they lie.
struct ChatTemplate {
  std::string_view name;
  std::uint32_t flags = 0;
  std::array<std::span<const ChatPart>, chat_segment_count> segments{};
  std::span<const std::int32_t> stops;
  std::string_view default_system;
  std::string_view text;

  [[nodiscard]] std::span<const ChatPart> segment(ChatSegment which) const noexcept {
    return segments[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] bool has(std::uint32_t flag) const noexcept { return (flags & flag) != 0; }
};

/// Reads and checks the payload of a .pspm chat section (chat_format.hpp), 4-byte aligned; the template
/// points into it. Errors: bad_input, with the field, its value and what is right.
[[nodiscard]] Status read_chat_template(std::span<const std::byte> payload, std::uint32_t vocab_size,
                                        ChatTemplate& chat_template) noexcept;

/// Whether a token ends an answer.
[[nodiscard]] bool is_stop(const ChatTemplate& chat_template, std::int32_t token) noexcept;

/// What a person says.
struct ChatTurn {
  bool is_first = true;
  /// Of the first turn; nothing: the template's own; empty: a conversation without one.
  std::optional<std::string_view> system;
  std::string_view words;
};

/// The tokens of a turn, up to where the answer begins; a later turn ends the answer before it first. Texts
/// between special tokens are encoded as one, as if the conversation had been written down and tokenized,
/// but words that spell special tokens stay words. The tokens lie in the scratch, which is 4-byte aligned and
/// about 33 bytes for each byte of words and template. Errors: does_not_fit where the scratch is too small,
/// bad_input where the vocabulary cannot spell the words.
[[nodiscard]] Result<std::span<const std::int32_t>> encode_turn(const TextCodec& codec,
                                                                const ChatTemplate& chat_template,
                                                                const ChatTurn& turn,
                                                                std::span<std::byte> scratch) noexcept;

}  // namespace pspllm
