// A model that answers, made of random numbers: a .pspm file with a chat template of many stops, so that some
// of its answers end by themselves.
#pragma once

#include <string>

#include "engine/testing/test_pspm.hpp"
#include "host/formats/chat_payload.hpp"

namespace pspllm::psp {

inline constexpr const char* chat_model_system = "Be kind.";

inline std::string make_chat_model(std::uint32_t seq_len = 96) {
  testing::TestShape shape;
  shape.seq_len = seq_len;
  testing::PspmParts parts = testing::make_pspm_parts(shape, {});
  parts.about = "name: Tiny Talker\n";
  host::ChatDescription chat;
  chat.name = "test";
  chat.default_system = chat_model_system;
  chat.segment(ChatSegment::beginning) = {1};
  chat.segment(ChatSegment::system_suffix) = {"\n"};
  chat.segment(ChatSegment::user_prefix) = {"U "};
  chat.segment(ChatSegment::assistant_prefix) = {"\nA "};
  chat.segment(ChatSegment::assistant_suffix) = {2, "\n"};
  // The vocabulary's last words, and the token that ends a text.
  chat.stops = {2};
  for (std::int32_t token = 288; token < 300; ++token) chat.stops.push_back(token);
  const std::vector<std::byte> payload = host::write_chat_payload(chat);
  parts.chat.assign(reinterpret_cast<const char*>(payload.data()), payload.size());
  return testing::assemble(parts);
}

}  // namespace pspllm::psp
