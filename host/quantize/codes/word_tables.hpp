// Codewords as seen through a column group's metric: the squared length of an error e there is |e M|^2.
#pragma once

#include <vector>

#include "host/quantize/codes/code_weights.hpp"

namespace pspllm::host {

struct WordTable {
  std::uint32_t width = 0;     ///< columns of the group
  std::vector<float> words;    // [width, 256]: codeword times M
  std::vector<float> offsets;  // [256]: half of its squared length
};

/// M: [width, width]; element (i, j) at metric[i * stride + j].
[[nodiscard]] WordTable make_word_table(const CodeWeights& codes, std::uint32_t width, const float* metric,
                                        std::size_t stride);

}  // namespace pspllm::host
