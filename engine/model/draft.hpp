// Lossless drafting: a table of what usually follows the last few tokens proposes the next one or two, and
// one pass of the model checks them together with the token before. Weights are streamed and unpacked once
// for all, so that a right guess costs little; a wrong one changes nothing but that. The idea: speculative
// decoding (Leviathan et al. 2023) with an n-gram table as the draft model and exact acceptance, since the
// sampler sees the very logits it would have seen.
//
// File: goals are a table that a console reads in one piece and probes with one cache line; non-goals are
// updating it and vocabularies beyond 65,535 pieces. Layout, little endian: DraftHeader, then `entry_count`
// DraftEntry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/byte_source.hpp"
#include "engine/core/result.hpp"

namespace pspllm {

/// What followed a context: the context's check bits, and the token. An empty slot has token `no_draft`.
struct DraftEntry {
  std::uint16_t check = 0;
  std::uint16_t token = 0;
};
static_assert(sizeof(DraftEntry) == 4);
inline constexpr std::uint16_t no_draft = 0xffff;

struct DraftHeader {
  std::uint32_t magic = 0;        ///< "PSPD"
  std::uint32_t version = 0;      ///< 1
  std::uint32_t vocab_size = 0;   ///< of the model that the table is for
  std::uint32_t entry_count = 0;  ///< a power of two, at least draft_bucket
  std::uint32_t checksum = 0;     ///< checksum32() of the entries
  std::uint32_t reserved[3] = {};
};
static_assert(sizeof(DraftHeader) == 32);
inline constexpr std::uint32_t draft_magic = 0x44505350;
inline constexpr std::uint32_t draft_version = 1;
/// Entries that are probed together: one slot of a context may be any of them.
inline constexpr std::uint32_t draft_bucket = 8;
/// Tokens of context that are looked up: the longest first.
inline constexpr std::uint32_t longest_draft_context = 6;
inline constexpr std::uint32_t shortest_draft_context = 2;
/// Guesses that one pass checks: a third one was measured to gain nothing (docs/performance.md).
inline constexpr std::uint32_t most_drafts = 2;
/// Rows of logits that a plan with a draft table has: of the text's last token, and of each guess.
inline constexpr std::uint32_t draft_logit_rows = most_drafts + 1;

/// Where a context's entry may lie, and its check bits.
struct DraftSlot {
  std::uint32_t bucket = 0;  ///< index of the bucket's first entry
  std::uint16_t check = 0;
};

/// The slot of a context (longest_draft_context tokens or fewer) in a table of `entry_count` entries.
[[nodiscard]] DraftSlot draft_slot(std::span<const std::int32_t> context, std::uint32_t entry_count) noexcept;

/// The entries of a table in memory; empty: no drafting.
struct DraftTable {
  std::span<const DraftEntry> entries;  // [entry_count]
};

/// Bytes of memory that load_draft_table() needs for a file of `file_bytes`; 0 for 0.
[[nodiscard]] std::uint64_t draft_table_bytes(std::uint64_t file_bytes) noexcept;

/// Reads and checks a table for a model of `vocab_size` pieces. A source of size 0 gives an empty table.
/// Errors: bad_input, read_failed.
[[nodiscard]] Status load_draft_table(const ByteSource& source, std::uint32_t vocab_size,
                                      std::span<std::byte> memory, DraftTable& table) noexcept;

/// The token that usually follows the text, or no_token where the table knows none.
[[nodiscard]] std::int32_t propose(const DraftTable& table, std::span<const std::int32_t> text) noexcept;

}  // namespace pspllm
