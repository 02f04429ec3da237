#include "simulator/pbp.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/elf.hpp"

namespace pspllm::simulator {

namespace {

constexpr Word pbp_magic = 0x50425000;  // "\0PBP"
constexpr Word sfo_magic = 0x46535000;  // "\0PSF"
constexpr std::size_t pbp_header_bytes = 40;
constexpr std::size_t sfo_header_bytes = 20;
constexpr std::size_t sfo_entry_bytes = 16;
constexpr Half sfo_string = 0x0204;
constexpr Half sfo_number = 0x0404;
constexpr unsigned program_part = 6;

Word word_at(std::span<const Byte> bytes, std::size_t offset) {
  return load_as<Word>(bytes.data() + offset);
}

std::string text_in(std::span<const Byte> bytes) {
  const auto end = std::find(bytes.begin(), bytes.end(), Byte{0});
  return {bytes.begin(), end};
}

// The reason why PARAM.SFO is not accepted, or nothing.
std::string parse_sfo(std::span<const Byte> sfo, Pbp& pbp) {
  if (sfo.size() < sfo_header_bytes || word_at(sfo, 0) != sfo_magic) return "PARAM.SFO: no PSF magic";
  const Word keys = word_at(sfo, 8);
  const Word values = word_at(sfo, 12);
  const Word count = word_at(sfo, 16);
  if (slice(sfo, sfo_header_bytes, DoubleWord{count} * sfo_entry_bytes).empty() && count != 0)
    return fmt::format("PARAM.SFO: {} entries do not fit into {} bytes", count, sfo.size());
  for (Word i = 0; i < count; ++i) {
    const auto entry = sfo.subspan(sfo_header_bytes + i * sfo_entry_bytes, sfo_entry_bytes);
    const DoubleWord key_offset = DoubleWord{keys} + load_as<Half>(entry.data());
    const auto value = slice(sfo, DoubleWord{values} + word_at(entry, 12), word_at(entry, 4));
    if (key_offset >= sfo.size() || value.size() != word_at(entry, 4))
      return fmt::format("PARAM.SFO: entry {} lies outside the file", i);
    const std::string key = text_in(sfo.subspan(static_cast<std::size_t>(key_offset)));
    const Half format = load_as<Half>(entry.data() + 2);
    if (format == sfo_string) pbp.strings[key] = text_in(value);
    if (format == sfo_number && value.size() == 4) pbp.numbers[key] = word_at(value, 0);
  }
  return {};
}

}  // namespace

bool Pbp::wants_large_memory() const {
  const auto found = numbers.find("MEMSIZE");
  return found != numbers.end() && found->second == 1;
}

bool is_pbp(std::span<const Byte> file) {
  return file.size() >= 4 && word_at(file, 0) == pbp_magic;
}

Result<Pbp> parse_pbp(std::span<const Byte> file) {
  if (file.size() < pbp_header_bytes || !is_pbp(file))
    return Error{"PBP: no PBP magic or a header cut short"};
  std::array<DoubleWord, 9> offsets{};
  for (std::size_t i = 0; i < 8; ++i) offsets[i] = word_at(file, 8 + i * 4);
  offsets[8] = file.size();
  for (std::size_t i = 0; i < 8; ++i)
    if (offsets[i] > offsets[i + 1])
      return Error{fmt::format("PBP: part {} starts at {}, after {}", i, offsets[i], offsets[i + 1])};
  const auto part = [&](std::size_t i) { return slice(file, offsets[i], offsets[i + 1] - offsets[i]); };
  Pbp pbp;
  pbp.program = part(program_part);
  if (pbp.program.empty()) return Error{"PBP: DATA.PSP is empty"};
  if (const std::string reason = parse_sfo(part(0), pbp); !reason.empty()) return Error{reason};
  return pbp;
}

}  // namespace pspllm::simulator
