#include "engine/text/chat_template.hpp"

#include <cstring>

#include "engine/core/checked.hpp"
#include "engine/core/slice.hpp"

namespace pspllm {
namespace {

template <typename... Parts>
Error damaged(const Parts&... parts) noexcept {
  return bad_input("chat template: ", parts..., "; the file is damaged");
}

Status check_header(const ChatHeader& header, std::uint32_t& part_count) noexcept {
  if (header.layout != chat_layout) {
    return bad_input("chat template: layout ", header.layout, ", expected ", chat_layout,
                     "; convert the model again with this program's version");
  }
  if ((header.flags & ~ChatFlags::all) != 0)
    return bad_input("chat template: flags ", header.flags, " hold one that is not known");
  part_count = 0;
  for (const std::uint32_t count : header.part_counts) {
    if (count > max_chat_parts)
      return damaged("a segment has ", count, " parts, expected at most ", max_chat_parts);
    part_count += count;
  }
  if (header.stop_count == 0 || header.stop_count > max_chat_stops) {
    return damaged("there are ", header.stop_count, " stop tokens, expected 1 to ", max_chat_stops);
  }
  if (header.default_system_bytes > header.text_bytes) {
    return damaged("the system prompt has ", header.default_system_bytes, " bytes of ", header.text_bytes);
  }
  if (std::memchr(header.name, 0, sizeof header.name) == nullptr) return damaged("its name does not end");
  return {};
}

Status check_part(const ChatPart& part, std::uint32_t vocab_size, std::uint32_t text_bytes) noexcept {
  if (part.token == no_token) {
    if (part.bytes > 0 && std::uint64_t{part.offset} + part.bytes <= text_bytes) return {};
    return damaged("a part has ", part.bytes, " bytes at ", part.offset, " of ", text_bytes);
  }
  if (part.token >= 0 && part.token < static_cast<std::int32_t>(vocab_size) && part.offset == 0 &&
      part.bytes == 0) {
    return {};
  }
  return damaged("a part is token ", part.token, ", expected 0 to ", vocab_size - 1, " and no text");
}

std::string_view without_white_space_around(std::string_view text) noexcept {
  const auto is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// A sink is told a turn's pieces in order: add_text(text), add_token(token), each giving a Status.

template <typename Sink>
Status add_segment(const ChatTemplate& chat_template, ChatSegment which, Sink& sink) noexcept {
  for (const ChatPart& part : chat_template.segment(which)) {
    const Status status = part.token == no_token
                              ? sink.add_text(slice(chat_template.text, part.offset, part.bytes))
                              : sink.add_token(part.token);
    if (!status) return status;
  }
  return {};
}

template <typename Sink>
Status add_words(const ChatTemplate& chat_template, std::string_view words, Sink& sink) noexcept {
  return sink.add_text(chat_template.has(ChatFlags::trims_words) ? without_white_space_around(words) : words);
}

template <typename Sink>
Status add_system(const ChatTemplate& chat_template, const ChatTurn& turn, Sink& sink) noexcept {
  const std::string_view prompt = turn.system.has_value() ? *turn.system : chat_template.default_system;
  if (!turn.is_first || prompt.empty()) return {};
  if (Status status = add_segment(chat_template, ChatSegment::system_prefix, sink); !status) return status;
  if (Status status = add_words(chat_template, prompt, sink); !status) return status;
  return add_segment(chat_template, ChatSegment::system_suffix, sink);
}

template <typename Sink>
Status add_turn(const ChatTemplate& chat_template, const ChatTurn& turn, Sink& sink) noexcept {
  const bool system_inside = chat_template.has(ChatFlags::system_in_first_turn);
  const auto segment = [&](ChatSegment which) { return add_segment(chat_template, which, sink); };
  if (Status status = segment(turn.is_first ? ChatSegment::beginning : ChatSegment::assistant_suffix);
      !status) {
    return status;
  }
  if (!system_inside) {
    if (Status status = add_system(chat_template, turn, sink); !status) return status;
  }
  if (Status status = segment(ChatSegment::user_prefix); !status) return status;
  if (system_inside) {
    if (Status status = add_system(chat_template, turn, sink); !status) return status;
  }
  if (Status status = add_words(chat_template, turn.words, sink); !status) return status;
  if (Status status = segment(ChatSegment::user_suffix); !status) return status;
  return segment(ChatSegment::assistant_prefix);
}

/// Bytes of text, and tokens that it can become at most.
class TurnCounter {
 public:
  Status add_text(std::string_view text) noexcept {
    text_bytes_ += text.size();
    return {};
  }
  Status add_token(std::int32_t) noexcept {
    ++tokens_;
    return {};
  }
  [[nodiscard]] std::uint64_t text_bytes() const noexcept { return text_bytes_; }
  /// A token for each byte, and what a vocabulary may put in front of each text.
  [[nodiscard]] std::uint64_t most_tokens() const noexcept { return text_bytes_ + 2 * (tokens_ + 1); }

 private:
  std::uint64_t text_bytes_ = 0;
  std::uint64_t tokens_ = 0;
};

/// Gathers text up to a special token and encodes it as one.
class TurnEncoder {
 public:
  TurnEncoder(const TextCodec& codec, std::span<char> text, std::span<std::int32_t> tokens,
              std::span<std::byte> scratch) noexcept
      : codec_(codec), text_(text), tokens_(tokens), scratch_(scratch) {}

  Status add_text(std::string_view text) noexcept {
    for (const char c : text) text_[text_size_++] = c;
    return {};
  }
  Status add_token(std::int32_t token) noexcept {
    if (Status status = finish_text(); !status) return status;
    return add_tokens({&token, 1});
  }
  Status finish_text() noexcept {
    if (text_size_ == 0) return {};
    const auto encoded = encode(codec_, {text_.data(), text_size_}, TextPlace::middle, scratch_);
    if (!encoded) return encoded.status();
    text_size_ = 0;
    return add_tokens(encoded.value());
  }
  [[nodiscard]] std::span<const std::int32_t> tokens() const noexcept { return tokens_.first(token_count_); }

 private:
  Status add_tokens(std::span<const std::int32_t> tokens) noexcept {
    // Bytes that are no UTF-8 become three: only then can there be more tokens than bytes.
    if (tokens.size() > tokens_.size() - token_count_)
      return does_not_fit("the words are too many; say less");
    for (const std::int32_t token : tokens) tokens_[token_count_++] = token;
    return {};
  }

  const TextCodec& codec_;
  std::span<char> text_;
  std::span<std::int32_t> tokens_;
  std::span<std::byte> scratch_;
  std::size_t text_size_ = 0;
  std::size_t token_count_ = 0;
};

}  // namespace

Status read_chat_template(std::span<const std::byte> payload, std::uint32_t vocab_size,
                          ChatTemplate& chat_template) noexcept {
  ChatHeader header;
  if (payload.size() < sizeof header)
    return damaged(payload.size(), " bytes, too few for its header of ", sizeof header);
  std::memcpy(&header, payload.data(), sizeof header);
  std::uint32_t part_count = 0;
  if (Status status = check_header(header, part_count); !status) return status;
  const std::uint64_t parts_offset = sizeof header;
  const std::uint64_t stops_offset = parts_offset + std::uint64_t{part_count} * sizeof(ChatPart);
  const std::uint64_t text_offset = stops_offset + std::uint64_t{header.stop_count} * sizeof(std::int32_t);
  const std::uint64_t size = align_up(text_offset + header.text_bytes, sizeof(std::uint32_t));
  if (size != payload.size())
    return damaged("the header's counts need ", size, " bytes, there are ", payload.size());

  chat_template = {};
  const auto* parts = reinterpret_cast<const ChatPart*>(payload.data() + parts_offset);
  for (std::size_t i = 0; i < chat_segment_count; ++i) {
    chat_template.segments[i] = {parts, header.part_counts[i]};
    parts += header.part_counts[i];
    for (const ChatPart& part : chat_template.segments[i]) {
      if (Status status = check_part(part, vocab_size, header.text_bytes); !status) return status;
    }
  }
  chat_template.stops = {reinterpret_cast<const std::int32_t*>(payload.data() + stops_offset),
                         header.stop_count};
  for (const std::int32_t stop : chat_template.stops) {
    if (stop < 0 || stop >= static_cast<std::int32_t>(vocab_size))
      return damaged("a stop token is ", stop, ", expected 0 to ", vocab_size - 1);
  }
  chat_template.flags = header.flags;
  const auto* const name = reinterpret_cast<const char*>(payload.data()) + offsetof(ChatHeader, name);
  chat_template.name = {name, static_cast<std::size_t>(
                                  static_cast<const char*>(std::memchr(name, 0, sizeof header.name)) - name)};
  chat_template.text = {reinterpret_cast<const char*>(payload.data() + text_offset), header.text_bytes};
  chat_template.default_system = slice(chat_template.text, 0, header.default_system_bytes);
  return {};
}

bool is_stop(const ChatTemplate& chat_template, std::int32_t token) noexcept {
  for (const std::int32_t stop : chat_template.stops) {
    if (stop == token) return true;
  }
  return false;
}

Result<std::span<const std::int32_t>> encode_turn(const TextCodec& codec, const ChatTemplate& chat_template,
                                                  const ChatTurn& turn,
                                                  std::span<std::byte> scratch) noexcept {
  TurnCounter counter;
  static_cast<void>(add_turn(chat_template, turn, counter));
  const std::uint64_t tokens_bytes = counter.most_tokens() * sizeof(std::int32_t);
  const std::uint64_t text_bytes = align_up(counter.text_bytes(), sizeof(std::uint32_t));
  if (tokens_bytes + text_bytes + encode_scratch_bytes(counter.text_bytes()) > scratch.size()) {
    return does_not_fit("the words and what stands around them have ", counter.text_bytes(),
                        " bytes, more than there is room to encode; say less");
  }
  const std::span<std::byte> behind_tokens = scratch.subspan(static_cast<std::size_t>(tokens_bytes));
  TurnEncoder encoder(
      codec, {reinterpret_cast<char*>(behind_tokens.data()), static_cast<std::size_t>(text_bytes)},
      {reinterpret_cast<std::int32_t*>(scratch.data()), static_cast<std::size_t>(counter.most_tokens())},
      behind_tokens.subspan(static_cast<std::size_t>(text_bytes)));
  if (Status status = add_turn(chat_template, turn, encoder); !status) return status;
  if (Status status = encoder.finish_text(); !status) return status;
  return encoder.tokens();
}

}  // namespace pspllm
