#include "engine/model/draft.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "engine/core/checksum.hpp"
#include "engine/text/tokenizer.hpp"

namespace pspllm {
namespace {

constexpr std::uint32_t vocab_size = 100;

/// A file of 64 entries that proposes 42 after (7, 8), and 43 after (6, 7, 8).
std::vector<std::byte> small_table() {
  std::vector<DraftEntry> entries(64, DraftEntry{0, no_draft});
  const std::int32_t text[] = {6, 7, 8};
  const DraftSlot two = draft_slot(std::span(text).last(2), 64);
  const DraftSlot three = draft_slot(text, 64);
  entries[two.bucket + 1] = {two.check, 42};
  entries[three.bucket + 2] = {three.check, 43};
  const auto bytes = std::as_bytes(std::span(entries));
  const DraftHeader header{draft_magic, draft_version, vocab_size, 64, checksum32(bytes), {}};
  std::vector<std::byte> file(sizeof header + bytes.size());
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, bytes.data(), bytes.size());
  return file;
}

Status load(std::vector<std::byte>& file, std::vector<std::uint32_t>& memory, DraftTable& table) {
  const std::span<const std::byte> bytes(file);
  memory.assign(file.size() / 4 + 1, 0);
  return load_draft_table(memory_source(&bytes), vocab_size, std::as_writable_bytes(std::span(memory)),
                          table);
}

TEST_CASE("the longest known context decides what is proposed") {
  std::vector<std::byte> file = small_table();
  std::vector<std::uint32_t> memory;
  DraftTable table;
  REQUIRE(load(file, memory, table).ok());
  const std::int32_t text[] = {5, 6, 7, 8};
  CHECK(propose(table, text) == 43);
  CHECK(propose(table, std::span(text).last(2)) == 42);
  CHECK(propose(table, std::span(text).first(3)) == no_token);
  CHECK(propose(table, std::span(text).first(1)) == no_token);
  CHECK(propose(DraftTable{}, text) == no_token);
}

TEST_CASE("every damaged table is refused with a sentence") {
  std::vector<std::uint32_t> memory;
  DraftTable table;
  for (std::size_t byte = 0; byte < small_table().size(); ++byte) {
    if (byte >= 20 && byte < sizeof(DraftHeader)) continue;  // reserved
    std::vector<std::byte> file = small_table();
    file[byte] ^= std::byte{0x40};
    CAPTURE(byte);
    const Status status = load(file, memory, table);
    CHECK(!status.ok());
    CHECK(!status.error().message.empty());
    CHECK(table.entries.empty());
  }
  for (std::size_t size = 1; size < small_table().size(); size += 7) {
    std::vector<std::byte> file = small_table();
    file.resize(size);
    CHECK(!load(file, memory, table).ok());
  }
}

}  // namespace
}  // namespace pspllm
