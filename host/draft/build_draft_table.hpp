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
  std::uint32_t entry_count = 131072;  ///< a power of two, at least draft_bucket
  /// Least share of a context's followers that the proposed one must have. On the console a guess costs a
  /// third of a pass, and the share of right ones is less than the table's (docs/performance.md).
  float least_share = 0.6F;
  std::uint32_t least_count = 2;  ///< times the proposed follower was seen
};

struct DraftTableReport {
  std::uint64_t tokens = 0;      ///< in the text
  std::uint64_t candidates = 0;  ///< contexts worth an entry
  std::uint64_t entries = 0;     ///< kept
};

/// Documents of a text file, which "<|endoftext|>" separates; surrounding white space is cut.
[[nodiscard]] std::vector<std::string_view> split_documents(std::string_view text);

using TokenText = std::vector<std::int32_t>;
/// Told how much is done of what is to do; may throw to stop it.
using ReportProgress = std::function<void(std::uint64_t, std::uint64_t)>;

/// The documents of a text as tokens, each with what the vocabulary puts in front of a text.
/// `report_progress` is called after each document. Throws Failure where the text is empty.
[[nodiscard]] std::vector<TokenText> encode_documents(const TextCodec& tokenizer, std::string_view text,
                                                      const ReportProgress& report_progress);

/// The whole file draft.bin. Throws Failure where the vocabulary has more pieces than an entry can name.
[[nodiscard]] std::string build_draft_table(const std::vector<TokenText>& documents, std::uint32_t vocab_size,
                                            const DraftTableOptions& options, DraftTableReport& report);

}  // namespace pspllm::host
