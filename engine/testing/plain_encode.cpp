#include "engine/testing/plain_encode.hpp"

namespace pspllm::testing {

PlainEncoder::PlainEncoder(const Tokenizer& tokenizer) {
  for (std::uint32_t id = 0; id < tokenizer.vocab_size; ++id) {
    const auto token = static_cast<std::int32_t>(id);
    pieces_.emplace_back(piece_of(tokenizer, token));
    // Where a piece stands twice, any look-up is right that the engine's own agrees with.
    const std::int32_t found = find_piece(tokenizer, pieces_.back());
    ids_[pieces_.back()] = {found, score_of(tokenizer, found)};
  }
}

const PlainEncoder::Entry* PlainEncoder::find(const std::string& piece) const {
  const auto entry = ids_.find(piece);
  return entry == ids_.end() ? nullptr : &entry->second;
}

const PlainEncoder::Entry* PlainEncoder::find_joined(std::int32_t left, std::int32_t right) const {
  const std::uint64_t key = static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
  const auto [entry, is_new] = joined_.try_emplace(key, nullptr);
  if (is_new) {
    entry->second = find(pieces_[static_cast<std::size_t>(left)] + pieces_[static_cast<std::size_t>(right)]);
  }
  return entry->second;
}

std::vector<std::int32_t> PlainEncoder::encode(std::string_view text) const {
  std::vector<std::int32_t> tokens{bos_token};
  if (!text.empty()) {
    if (const Entry* space = find(" ")) tokens.push_back(space->token);
  }
  for (std::size_t start = 0; start < text.size();) {
    constexpr std::size_t longest_character = 4;
    std::size_t length = 1;
    while (start + length < text.size() && length < longest_character &&
           (static_cast<unsigned char>(text[start + length]) & 0xC0U) == 0x80U) {
      ++length;
    }
    const std::string character(text.substr(start, length));
    if (const Entry* entry = find(character)) {
      tokens.push_back(entry->token);
    } else {
      for (const char byte : character) tokens.push_back(static_cast<unsigned char>(byte) + first_byte_token);
    }
    start += length;
  }
  while (true) {
    constexpr float lowest_score = -1e10F;
    float best_score = lowest_score;
    const Entry* best = nullptr;
    std::size_t best_at = 0;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const Entry* entry = find_joined(tokens[i], tokens[i + 1]);
      if (entry != nullptr && entry->score > best_score) {
        best_score = entry->score;
        best = entry;
        best_at = i;
      }
    }
    if (best == nullptr) return tokens;
    tokens[best_at] = best->token;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(best_at) + 1);
  }
}

}  // namespace pspllm::testing
