#include "psp/package/pbp.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pspllm::package {
namespace {

constexpr std::uint32_t magic = 0x50425000;  // "\0PBP"
constexpr std::uint32_t version = 0x00010000;
constexpr std::size_t header_bytes = 8 + 4 * pbp_part_count;
constexpr std::array<std::uint8_t, 8> png_signature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

std::uint32_t read_big_endian_u32(ByteView bytes, std::size_t at) {
  const std::uint32_t value = read_u32(bytes, at);
  return value >> 24U | (value >> 8U & 0xFF00U) | (value << 8U & 0xFF0000U) | value << 24U;
}

/// Empty when the picture is a PNG of the right size, or there is none.
std::string complaint_about_picture(ByteView png, std::string_view what, PictureSize expected) {
  constexpr std::size_t bytes_up_to_size = 24;  // signature, length and type of IHDR, width, height
  if (png.empty()) return {};
  if (png.size() < bytes_up_to_size || !std::equal(png_signature.begin(), png_signature.end(), png.begin())) {
    return fmt::format("The {} is not a PNG picture.", what);
  }
  const PictureSize found{read_big_endian_u32(png, 16), read_big_endian_u32(png, 20)};
  if (found.width == expected.width && found.height == expected.height) return {};
  return fmt::format("The {} must have {} x {} pixels; this one has {} x {}.", what, expected.width,
                     expected.height, found.width, found.height);
}

Bytes& part(PbpParts& parts, PbpPart which) {
  return parts[static_cast<std::size_t>(which)];
}

}  // namespace

Bytes make_pbp(const PbpParts& parts) {
  Bytes out;
  append_u32(out, magic);
  append_u32(out, version);
  std::size_t offset = header_bytes;
  for (const Bytes& bytes : parts) {
    append_u32(out, static_cast<std::uint32_t>(offset));
    offset += bytes.size();
  }
  for (const Bytes& bytes : parts) append_bytes(out, bytes);
  return out;
}

Result<PbpParts> read_pbp(ByteView bytes) {
  if (bytes.size() < header_bytes || read_u32(bytes, 0) != magic) return Failure{"This is not a PBP file."};
  PbpParts parts;
  for (std::size_t i = 0; i < pbp_part_count; ++i) {
    const std::size_t begin = read_u32(bytes, 8 + 4 * i);
    const std::size_t end = i + 1 < pbp_part_count ? read_u32(bytes, 12 + 4 * i) : bytes.size();
    if (end < begin || !contains_range(bytes, begin, end - begin)) {
      return Failure{fmt::format("This PBP file is damaged or cut short: part {} lies at {}..{} of {} bytes.",
                                 i, begin, end, bytes.size())};
    }
    const ByteView view = bytes.subspan(begin, end - begin);
    parts[i].assign(view.begin(), view.end());
  }
  return parts;
}

Result<Bytes> make_eboot(const EbootContents& contents) {
  std::string complaint = complaint_about_picture(contents.icon, "icon", icon_size);
  if (complaint.empty())
    complaint = complaint_about_picture(contents.background, "background", background_size);
  if (!complaint.empty()) return Failure{complaint};
  const auto sfo = make_param_sfo(contents.description);
  if (!sfo.ok()) return sfo.failure();
  PbpParts parts;
  part(parts, PbpPart::param_sfo) = sfo.value();
  part(parts, PbpPart::icon) = contents.icon;
  part(parts, PbpPart::background) = contents.background;
  part(parts, PbpPart::program) = contents.prx;
  return make_pbp(parts);
}

}  // namespace pspllm::package
