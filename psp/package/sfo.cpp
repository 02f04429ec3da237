#include "psp/package/sfo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <variant>

namespace pspllm::package {
namespace {

constexpr std::uint32_t magic = 0x46535000;  // "\0PSF"
constexpr std::uint32_t version = 0x101;
constexpr std::uint16_t format_text = 0x0204;
constexpr std::uint16_t format_number = 0x0404;
constexpr std::size_t header_bytes = 20;
constexpr std::size_t entry_bytes = 16;

using Value = std::variant<std::string, std::uint32_t>;

/// std::map: the keys must be sorted.
Bytes encode(const std::map<std::string, Value>& entries) {
  Bytes index;
  Bytes keys;
  Bytes data;
  for (const auto& [key, value] : entries) {
    const auto* text = std::get_if<std::string>(&value);
    const std::uint32_t used = text != nullptr ? static_cast<std::uint32_t>(text->size() + 1) : 4;
    append_u16(index, static_cast<std::uint16_t>(keys.size()));
    append_u16(index, text != nullptr ? format_text : format_number);
    append_u32(index, used);
    append_u32(index, align_up(used, 4));
    append_u32(index, static_cast<std::uint32_t>(data.size()));
    append_text(keys, key);
    append_u8(keys, 0);
    if (text != nullptr) {
      append_text(data, *text);
      append_u8(data, 0);
      pad_to(data, 4);
    } else {
      append_u32(data, std::get<std::uint32_t>(value));
    }
  }
  pad_to(keys, 4);
  Bytes out;
  const std::size_t keys_offset = header_bytes + index.size();
  for (const std::size_t field :
       {std::size_t{magic}, std::size_t{version}, keys_offset, keys_offset + keys.size(), entries.size()}) {
    append_u32(out, static_cast<std::uint32_t>(field));
  }
  append_bytes(out, index);
  append_bytes(out, keys);
  append_bytes(out, data);
  return out;
}

bool is_disc_id(std::string_view id) {
  return id.size() == 9 && std::all_of(id.begin(), id.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
         });
}

std::string text_until_nul(ByteView bytes) {
  return {bytes.begin(), std::find(bytes.begin(), bytes.end(), 0)};
}

}  // namespace

Result<Bytes> make_param_sfo(const ProgramDescription& description) {
  if (description.title.empty() || description.title.size() > max_title_bytes) {
    return Failure{fmt::format("The title must have 1 to {} bytes; this one has {}.", max_title_bytes,
                               description.title.size())};
  }
  if (!is_disc_id(description.disc_id)) {
    return Failure{
        fmt::format("The disc id \"{}\" must be nine characters A-Z and 0-9.", description.disc_id)};
  }
  return encode({{"BOOTABLE", 1U},
                 {"CATEGORY", std::string("MG")},  // a program on the Memory Stick
                 {"DISC_ID", description.disc_id},
                 {"DISC_VERSION", description.disc_version},
                 {"MEMSIZE", 1U},
                 {"PARENTAL_LEVEL", 1U},
                 {"PSP_SYSTEM_VER", std::string("1.00")},
                 {"REGION", 0x8000U},
                 {"TITLE", description.title}});
}

Result<std::vector<SfoEntry>> read_param_sfo(ByteView bytes) {
  const Failure damaged{"This PARAM.SFO is damaged or cut short."};
  if (bytes.size() < header_bytes || read_u32(bytes, 0) != magic) return damaged;
  const std::uint32_t keys_offset = read_u32(bytes, 8);
  const std::uint32_t data_offset = read_u32(bytes, 12);
  const std::uint32_t count = read_u32(bytes, 16);
  if (!contains_range(bytes, header_bytes, std::uint64_t{count} * entry_bytes)) return damaged;
  std::vector<SfoEntry> entries;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = header_bytes + i * entry_bytes;
    const std::uint64_t key = std::uint64_t{keys_offset} + read_u16(bytes, at);
    const std::uint64_t data = std::uint64_t{data_offset} + read_u32(bytes, at + 12);
    const std::uint32_t used = read_u32(bytes, at + 4);
    if (!contains_range(bytes, key, 1) || !contains_range(bytes, data, std::max(used, 4U))) return damaged;
    SfoEntry entry;
    entry.key = text_until_nul(bytes.subspan(static_cast<std::size_t>(key)));
    entry.is_text = read_u16(bytes, at + 2) == format_text;
    if (entry.is_text) {
      entry.text = text_until_nul(bytes.subspan(static_cast<std::size_t>(data), used));
    } else {
      entry.number = read_u32(bytes, static_cast<std::size_t>(data));
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace pspllm::package
