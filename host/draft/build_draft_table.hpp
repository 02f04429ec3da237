// Makes the table that lossless drafting proposes from (engine/model/draft.hpp), out of a text in the model's
// style.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/draft.hpp"
#include "engine/text/text_codec.hpp"

namespace pspllm::host {

struct DraftTableOptions {
  std::uint32_t entry_count = 65536;  ///< a power of two, at least draft_bucket
  /// Least share of a context's followers that the proposed one must have. Checking a guess costs about a
  /// fifth of a pass, so guesses pay from about one in five on.
  float least_share = 0.25F;
  std::uint32_t least_count = 2;  ///< times the proposed follower was seen
};

struct DraftTableReport {
  std::uint64_t tokens = 0;      ///< in the text
  std::uint64_t candidates = 0;  ///< contexts worth an entry
  std::uint64_t entries = 0;     ///< kept
};

/// Documents of a text file, which "<|endoftext|>" separates; surrounding white space is cut.
[[nodiscard]] std::vector<std::string_view> split_documents(std::string_view text);

/// The whole file draft.bin. `report_progress(done, total)` is called after each document. Throws Failure
/// where the text is empty or the vocabulary has more pieces than an entry can name.
[[nodiscard]] std::string build_draft_table(
    const TextCodec& tokenizer, std::string_view text, const DraftTableOptions& options,
    const std::function<void(std::uint64_t, std::uint64_t)>& report_progress, DraftTableReport& report);

}  // namespace pspllm::host
