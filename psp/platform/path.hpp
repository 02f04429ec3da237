// Paths of the PSP's file system ("ms0:/PSP/GAME/PspLlm/model.bin") in a fixed buffer.
#pragma once

#include <string_view>

#include "psp/platform/text_buffer.hpp"

namespace pspllm::psp {

/// Longest path in bytes. The system's own limit for a name is 255 (SceIoDirent::name holds 256).
constexpr std::size_t max_path_bytes = 255;

using Path = TextBuffer<max_path_bytes>;

/// The folder of a file, without the slash at its end: "ms0:/PSP/GAME/X/EBOOT.PBP" gives "ms0:/PSP/GAME/X",
/// and "ms0:/x" gives "ms0:". Empty when there is no slash.
[[nodiscard]] std::string_view folder_of(std::string_view path);

/// The last component: "ms0:/PSP/model.bin" gives "model.bin".
[[nodiscard]] std::string_view file_name_of(std::string_view path);

/// The part after the last dot of the file name, without the dot; empty when there is none ("README",
/// ".hidden").
[[nodiscard]] std::string_view extension_of(std::string_view path);

/// `folder` + "/" + `name` (no doubled slash). When the whole does not fit, `truncated()` of the result is
/// true and every file function refuses it.
[[nodiscard]] Path join_path(std::string_view folder, std::string_view name);

/// Equality without regard to ASCII case: the stick's FAT file system keeps 8.3 names in upper case, so that
/// "autorun.txt" can come back as "AUTORUN.TXT".
[[nodiscard]] bool equal_ignoring_case(std::string_view left, std::string_view right);

}  // namespace pspllm::psp
