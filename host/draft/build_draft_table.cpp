#include "host/draft/build_draft_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <utility>

#include "engine/core/checksum.hpp"
#include "host/core/failure.hpp"

namespace pspllm::host {
namespace {

/// The tokens of a context, the oldest first; what a shorter one does not use is 0.
using Context = std::array<std::uint16_t, longest_draft_context>;

struct Observation {
  Context context{};
  std::uint16_t follower = 0;

  auto operator<=>(const Observation&) const = default;
};

/// A context with a follower worth proposing.
struct CandidateEntry {
  std::uint32_t count = 0;  ///< times the follower was seen there
  std::uint32_t length = 0;
  Context context{};
  std::uint16_t follower = 0;
};

std::vector<Observation> observe(const std::vector<TokenText>& documents, std::uint32_t length) {
  std::vector<Observation> observations;
  for (const TokenText& tokens : documents) {
    for (std::size_t i = length; i < tokens.size(); ++i) {
      Context context{};
      for (std::size_t j = 0; j < length; ++j)
        context[j] = static_cast<std::uint16_t>(tokens[i - length + j]);
      observations.push_back({context, static_cast<std::uint16_t>(tokens[i])});
    }
  }
  std::sort(observations.begin(), observations.end());
  return observations;
}

/// The likeliest follower of each context that passes the thresholds; equal ones: the smaller token.
std::vector<CandidateEntry> likeliest_followers(const std::vector<Observation>& observations,
                                                std::uint32_t length, const DraftTableOptions& options) {
  std::vector<CandidateEntry> candidates;
  for (auto group = observations.begin(); group != observations.end();) {
    CandidateEntry best{0, length, group->context, 0};
    auto next = group;
    while (next != observations.end() && next->context == group->context) {
      const auto run_end = std::upper_bound(next, observations.end(), *next);
      const auto count = static_cast<std::uint32_t>(run_end - next);
      if (count > best.count) {
        best.count = count;
        best.follower = next->follower;
      }
      next = run_end;
    }
    const auto total = static_cast<float>(next - group);
    if (best.count >= options.least_count && static_cast<float>(best.count) >= options.least_share * total) {
      candidates.push_back(best);
    }
    group = next;
  }
  return candidates;
}

/// What a shorter context, already chosen, proposes; a longer one that says the same needs no entry.
class ShorterProposals {
 public:
  void add(const CandidateEntry& entry) {
    proposals_[entry.length].emplace_back(entry.context, entry.follower);
  }

  /// The entries come in order of their contexts, so that they can be searched.
  [[nodiscard]] bool already_say(const CandidateEntry& entry) const {
    for (std::uint32_t length = entry.length - 1; length >= shortest_draft_context; --length) {
      Context suffix{};
      std::copy_n(entry.context.begin() + (entry.length - length), length, suffix.begin());
      const auto& known = proposals_[length];
      const auto found = std::lower_bound(known.begin(), known.end(), std::pair(suffix, std::uint16_t{0}));
      if (found != known.end() && found->first == suffix) return found->second == entry.follower;
    }
    return false;
  }

 private:
  std::array<std::vector<std::pair<Context, std::uint16_t>>, longest_draft_context + 1> proposals_;
};

std::vector<CandidateEntry> choose_candidates(const std::vector<TokenText>& documents,
                                              const DraftTableOptions& options) {
  std::vector<CandidateEntry> chosen;
  ShorterProposals shorter;
  for (std::uint32_t length = shortest_draft_context; length <= longest_draft_context; ++length) {
    std::vector<CandidateEntry> fresh;
    for (const CandidateEntry& entry : likeliest_followers(observe(documents, length), length, options)) {
      if (length == shortest_draft_context || !shorter.already_say(entry)) fresh.push_back(entry);
    }
    for (const CandidateEntry& entry : fresh) shorter.add(entry);
    chosen.insert(chosen.end(), fresh.begin(), fresh.end());
  }
  std::sort(chosen.begin(), chosen.end(), [](const CandidateEntry& a, const CandidateEntry& b) {
    return std::tuple(b.count, a.length, a.context) < std::tuple(a.count, b.length, b.context);
  });
  return chosen;
}

/// Puts the most frequent candidates into their buckets while these have room.
std::vector<DraftEntry> fill_table(const std::vector<CandidateEntry>& candidates, std::uint32_t entry_count,
                                   std::uint64_t& kept) {
  std::vector<DraftEntry> entries(entry_count, DraftEntry{0, no_draft});
  for (const CandidateEntry& candidate : candidates) {
    std::int32_t context[longest_draft_context];
    std::copy_n(candidate.context.begin(), candidate.length, context);
    const DraftSlot slot = draft_slot({context, candidate.length}, entry_count);
    for (std::uint32_t i = slot.bucket; i < slot.bucket + draft_bucket; ++i) {
      // Another context with the same check would be taken for this one: the more frequent one keeps the
      // slot.
      if (entries[i].token != no_draft && entries[i].check == slot.check) break;
      if (entries[i].token == no_draft) {
        entries[i] = {slot.check, candidate.follower};
        ++kept;
        break;
      }
    }
  }
  return entries;
}

}  // namespace

std::vector<std::string_view> split_documents(std::string_view text) {
  constexpr std::string_view separator = "<|endoftext|>";
  constexpr std::string_view white_space = " \t\r\n";
  std::vector<std::string_view> documents;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    std::string_view document = text.substr(0, end);
    text.remove_prefix(std::min(end + separator.size(), text.size()));
    document.remove_prefix(std::min(document.find_first_not_of(white_space), document.size()));
    document = document.substr(0, document.find_last_not_of(white_space) + 1);
    if (!document.empty()) documents.push_back(document);
  }
  return documents;
}

std::vector<TokenText> encode_documents(const TextCodec& tokenizer, std::string_view text,
                                        const ReportProgress& report_progress) {
  std::vector<TokenText> documents;
  std::vector<std::uint32_t> scratch;
  std::uint64_t done = 0;
  for (const std::string_view document : split_documents(text)) {
    scratch.resize(static_cast<std::size_t>(encode_scratch_bytes(document.size())) / sizeof(std::uint32_t) +
                   1);
    const auto encoded =
        encode(tokenizer, document, TextPlace::beginning, std::as_writable_bytes(std::span(scratch)));
    require(encoded.status(), "the text");
    documents.emplace_back(encoded.value().begin(), encoded.value().end());
    done += document.size();
    report_progress(done, text.size());
  }
  if (documents.empty())
    throw Failure("the text is empty; give one in the style of what the model will write");
  return documents;
}

std::string build_draft_table(const std::vector<TokenText>& documents, std::uint32_t vocab_size,
                              const DraftTableOptions& options, DraftTableReport& report) {
  if (vocab_size >= no_draft) {
    throw Failure(fmt::format("the vocabulary has {} pieces, a draft table can name {}", vocab_size,
                              std::uint32_t{no_draft}));
  }
  report = {};
  for (const TokenText& tokens : documents) report.tokens += tokens.size();
  const std::vector<CandidateEntry> candidates = choose_candidates(documents, options);
  report.candidates = candidates.size();
  const std::vector<DraftEntry> entries = fill_table(candidates, options.entry_count, report.entries);

  const auto entry_bytes = std::as_bytes(std::span(entries));
  const DraftHeader header{draft_magic,         draft_version,           vocab_size,
                           options.entry_count, checksum32(entry_bytes), {}};
  std::string file(sizeof header + entry_bytes.size(), '\0');
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, entry_bytes.data(), entry_bytes.size());
  return file;
}

}  // namespace pspllm::host
