#include "host/formats/chat_payload.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "host/formats/payload_writer.hpp"

namespace pspllm::host {
std::vector<std::byte> write_chat_payload(const ChatDescription& description) {
  ChatHeader header;
  header.flags = description.flags;
  header.stop_count = static_cast<std::uint32_t>(description.stops.size());
  header.default_system_bytes = static_cast<std::uint32_t>(description.default_system.size());
  const std::size_t name_bytes = std::min(description.name.size(), sizeof header.name - 1);
  std::memcpy(header.name, description.name.data(), name_bytes);
  std::string text = description.default_system;
  std::vector<ChatPart> parts;
  for (std::size_t i = 0; i < chat_segment_count; ++i) {
    header.part_counts[i] = static_cast<std::uint32_t>(description.segments[i].size());
    for (const ChatPiece& piece : description.segments[i]) {
      if (const auto* token = std::get_if<std::int32_t>(&piece)) {
        parts.push_back({*token, 0, 0});
      } else {
        const auto& words = std::get<std::string>(piece);
        parts.push_back(
            {-1, static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(words.size())});
        text += words;
      }
    }
  }
  header.text_bytes = static_cast<std::uint32_t>(text.size());
  PayloadWriter writer;
  writer.add(std::span<const ChatHeader>(&header, 1));
  writer.add(std::span<const ChatPart>(parts));
  writer.add(std::span<const std::int32_t>(description.stops));
  writer.add(std::span<const char>(text));
  return writer.take();
}

}  // namespace pspllm::host
