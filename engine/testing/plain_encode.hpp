// Tokenizing in the plainest way: llama2.c's quadratic loop, against which the engine's heap is tested.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/text/tokenizer.hpp"

namespace pspllm::testing {

/// Merges the best-scored neighbouring pair, leftmost first among equals, until none is left; looks at every
/// pair every time.
class PlainEncoder {
 public:
  explicit PlainEncoder(const Tokenizer& tokenizer);
  [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text) const;

 private:
  struct Entry {
    std::int32_t token;
    float score;
  };
  [[nodiscard]] const Entry* find(const std::string& piece) const;
  [[nodiscard]] const Entry* find_joined(std::int32_t left, std::int32_t right) const;

  std::vector<std::string> pieces_;
  std::unordered_map<std::string, Entry> ids_;
  mutable std::unordered_map<std::uint64_t, const Entry*>
      joined_;  // answers so far: a corpus asks the same again
};

}  // namespace pspllm::testing
