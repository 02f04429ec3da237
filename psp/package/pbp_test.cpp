#include "psp/package/pbp.hpp"

#include <doctest/doctest.h>

using namespace pspllm::package;

namespace {

/// As much of a PNG as is looked at.
Bytes png_header(std::uint8_t width, std::uint16_t height) {
  Bytes bytes = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0,     0, 0,
                 13,   'I', 'H', 'D', 'R',  0,    0,    0,    width, 0, 0};
  append_u8(bytes, static_cast<std::uint8_t>(height >> 8));
  append_u8(bytes, static_cast<std::uint8_t>(height));
  return bytes;
}

}  // namespace

TEST_CASE("A PBP gives back its parts") {
  PbpParts parts;
  parts[0] = {1, 2, 3};
  parts[6] = {4, 5, 6, 7, 8};
  const Bytes pbp = make_pbp(parts);
  CHECK(pbp.size() == 48);
  CHECK(read_u32(pbp, 0) == 0x50425000);
  CHECK(read_u32(pbp, 8) == 40);
  CHECK(read_u32(pbp, 12) == 43);
  const auto back = read_pbp(pbp);
  REQUIRE_MESSAGE(back.ok(), back.error());
  CHECK(back.value() == parts);
  CHECK(read_pbp(ByteView(pbp).first(20)).error() == "This is not a PBP file.");
  CHECK(read_pbp(ByteView(pbp).first(41)).error() ==
        "This PBP file is damaged or cut short: part 0 lies at 40..43 of 41 bytes.");
}

TEST_CASE("An EBOOT holds the description, the pictures and the program") {
  const auto eboot = make_eboot(
      {.description = {.title = "T"}, .prx = {9, 9}, .icon = png_header(144, 80), .background = {}});
  REQUIRE_MESSAGE(eboot.ok(), eboot.error());
  const auto parts = read_pbp(eboot.value());
  REQUIRE(parts.ok());
  CHECK(read_param_sfo(parts.value()[0]).ok());
  CHECK(parts.value()[1] == png_header(144, 80));
  CHECK(parts.value()[4].empty());
  CHECK(parts.value()[6] == Bytes{9, 9});
}

TEST_CASE("Pictures of the wrong kind or size are refused") {
  CHECK(make_eboot({.description = {.title = "T"}, .prx = {}, .icon = png_header(144, 82), .background = {}})
            .error() == "The icon must have 144 x 80 pixels; this one has 144 x 82.");
  CHECK(make_eboot({.description = {.title = "T"}, .prx = {}, .icon = {}, .background = {'G', 'I', 'F'}})
            .error() == "The background is not a PNG picture.");
}
