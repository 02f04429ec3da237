// Numbers of imported functions (NID).
#pragma once

#include <cstdint>
#include <string_view>

namespace pspllm::package {

/// The first four bytes, little-endian, of the SHA-1 of the function's name. Example: sceIoOpen 0x109F50BC.
[[nodiscard]] std::uint32_t function_nid(std::string_view name);

}  // namespace pspllm::package
