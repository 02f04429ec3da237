#include "engine/model/draft.hpp"

#include <algorithm>
#include <cstring>

#include "engine/core/checksum.hpp"
#include "engine/text/tokenizer.hpp"

namespace pspllm {

DraftSlot draft_slot(std::span<const std::int32_t> context, std::uint32_t entry_count) noexcept {
  // FNV-1a over the tokens, then a finishing mix, since buckets use the low bits and checks the high ones.
  std::uint32_t hash = 2166136261U ^ static_cast<std::uint32_t>(context.size());
  for (const std::int32_t token : context) hash = (hash ^ static_cast<std::uint32_t>(token)) * 16777619U;
  hash = (hash ^ (hash >> 15)) * 0x85EBCA77U;
  hash ^= hash >> 13;
  return {hash & (entry_count - 1) & ~(draft_bucket - 1), static_cast<std::uint16_t>(hash >> 16)};
}

std::uint64_t draft_table_bytes(std::uint64_t file_bytes) noexcept {
  return file_bytes <= sizeof(DraftHeader) ? 0 : file_bytes - sizeof(DraftHeader);
}

namespace {

Status check_header(const DraftHeader& header, std::uint64_t file_bytes, std::uint32_t vocab_size) noexcept {
  if (header.magic != draft_magic || header.version != draft_version) {
    return bad_input("the draft table is not a version ", draft_version,
                     " draft.bin; make it again or remove it");
  }
  if (header.vocab_size != vocab_size) {
    return bad_input("the draft table is for a vocabulary of ", header.vocab_size, ", the model's is ",
                     vocab_size, "; make it again or remove it");
  }
  // A power of two has no bit in common with its predecessor; the library's test would call a helper on the
  // PSP.
  const bool right_count =
      (header.entry_count & (header.entry_count - 1)) == 0 && header.entry_count >= draft_bucket;
  const std::uint64_t expected = sizeof(DraftHeader) + std::uint64_t{header.entry_count} * sizeof(DraftEntry);
  if (!right_count || file_bytes != expected) {
    return bad_input("the draft table says ", header.entry_count, " entries in ", file_bytes,
                     " bytes; it is damaged, make it again or remove it");
  }
  return {};
}

}  // namespace

Status load_draft_table(const ByteSource& source, std::uint32_t vocab_size, std::span<std::byte> memory,
                        DraftTable& table) noexcept {
  table = {};
  if (source.size == 0) return {};
  DraftHeader header;
  if (source.size < sizeof header) {
    return bad_input("the draft table has ", source.size,
                     " bytes, less than its header; make it again or remove it");
  }
  const std::span<std::byte> header_bytes(reinterpret_cast<std::byte*>(&header), sizeof header);
  if (Status status = source.read(source.context, 0, header_bytes); !status) return status;
  if (Status status = check_header(header, source.size, vocab_size); !status) return status;
  const std::uint64_t bytes = draft_table_bytes(source.size);
  if (memory.size() < bytes) {
    return does_not_fit("the draft table of ", bytes, " bytes does not fit its ", memory.size(),
                        "-byte region");
  }
  const std::span<std::byte> entries = memory.first(static_cast<std::size_t>(bytes));
  if (Status status = source.read(source.context, sizeof header, entries); !status) return status;
  if (checksum32(entries) != header.checksum) {
    return bad_input("the draft table's checksum is wrong; it is damaged, make it again or remove it");
  }
  table.entries = {reinterpret_cast<const DraftEntry*>(entries.data()), header.entry_count};
  for (const DraftEntry& entry : table.entries) {
    if (entry.token != no_draft && entry.token >= vocab_size) {
      table = {};
      return bad_input("the draft table proposes token ", std::uint32_t{entry.token}, " of a vocabulary of ",
                       vocab_size, "; it is damaged, make it again or remove it");
    }
  }
  return {};
}

std::int32_t propose(const DraftTable& table, std::span<const std::int32_t> text) noexcept {
  const auto entry_count = static_cast<std::uint32_t>(table.entries.size());
  if (entry_count == 0) return no_token;
  const std::size_t longest = std::min<std::size_t>(text.size(), longest_draft_context);
  for (std::size_t length = longest; length >= shortest_draft_context; --length) {
    const DraftSlot slot = draft_slot(text.last(length), entry_count);
    for (const DraftEntry& entry : table.entries.subspan(slot.bucket, draft_bucket)) {
      if (entry.check == slot.check && entry.token != no_draft) return entry.token;
    }
  }
  return no_token;
}

}  // namespace pspllm
