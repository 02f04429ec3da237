// A file of the stick as the engine's source of bytes.
#pragma once

#include "engine/core/byte_source.hpp"
#include "psp/program/stick.hpp"

namespace pspllm::psp {

/// The reader must be open and outlive the source.
[[nodiscard]] ByteSource source_of(FileReader& reader);

}  // namespace pspllm::psp
