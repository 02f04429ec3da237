// EBOOT.PBP: the container that the console's menu starts.
#pragma once

#include <array>
#include <cstdint>

#include "psp/package/bytes.hpp"
#include "psp/package/sfo.hpp"

namespace pspllm::package {

/// The eight parts in the order of the file. Parts that are not used are empty.
enum class PbpPart : std::uint8_t {
  param_sfo,
  icon,           ///< ICON0.PNG, 144 x 80.
  animated_icon,  ///< ICON1.PMF
  foreground,     ///< PIC0.PNG
  background,     ///< PIC1.PNG, 480 x 272.
  sound,          ///< SND0.AT3
  program,        ///< DATA.PSP: the PRX.
  archive,        ///< DATA.PSAR
};
constexpr std::size_t pbp_part_count = 8;

using PbpParts = std::array<Bytes, pbp_part_count>;

/// Header of 40 bytes and the parts one after the other.
[[nodiscard]] Bytes make_pbp(const PbpParts& parts);

[[nodiscard]] Result<PbpParts> read_pbp(ByteView bytes);

/// What an EBOOT is made of. The pictures may be empty.
struct EbootContents {
  ProgramDescription description;
  Bytes prx;
  Bytes icon;        ///< A PNG of icon_size.
  Bytes background;  ///< A PNG of background_size.
};

struct PictureSize {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};
constexpr PictureSize icon_size{144, 80};
constexpr PictureSize background_size{480, 272};

/// Checks the pictures' format and sizes and puts everything together.
[[nodiscard]] Result<Bytes> make_eboot(const EbootContents& contents);

}  // namespace pspllm::package
