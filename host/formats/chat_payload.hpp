// Writes chat templates as the engine reads them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/text/chat_format.hpp"

namespace pspllm::host {

/// A special token, or text.
using ChatPiece = std::variant<std::int32_t, std::string>;

struct ChatDescription {
  std::string name;
  std::uint32_t flags = 0;  ///< ChatFlags
  std::array<std::vector<ChatPiece>, chat_segment_count> segments;
  std::vector<std::int32_t> stops;
  std::string default_system;

  [[nodiscard]] std::vector<ChatPiece>& segment(ChatSegment which) {
    return segments[static_cast<std::size_t>(which)];
  }
};

[[nodiscard]] std::vector<std::byte> write_chat_payload(const ChatDescription& description);

}  // namespace pspllm::host
