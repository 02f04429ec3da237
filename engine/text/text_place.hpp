// Where a text stands when it is encoded.
#pragma once

#include <cstdint>

namespace pspllm {

/// Whether a text begins a sequence, so that what the vocabulary puts in front of sequences stands in front
/// of it, or goes on with one.
enum class TextPlace : std::uint8_t { beginning, middle };

}  // namespace pspllm
