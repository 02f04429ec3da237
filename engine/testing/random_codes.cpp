#include "engine/testing/random_codes.hpp"

#include <cmath>
#include <cstring>
#include <random>

#include "engine/model/code_layout.hpp"

namespace pspllm::testing {

std::string make_code_matrix(std::uint32_t rows, std::uint32_t cols, std::uint32_t code_width,
                             std::uint32_t seed) {
  const CodeLayout layout{rows, cols, code_width};
  std::string bytes(static_cast<std::size_t>(layout.bytes()), '\0');
  std::minstd_rand random(seed);
  // Not std::uniform_int_distribution: its numbers differ between C++ libraries.
  const auto below = [&random](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  const std::int32_t bound = max_codeword(code_width);
  for (std::uint32_t i = 0; i < codebook_words * code_width; ++i) {
    const std::int32_t value =
        static_cast<std::int32_t>(below(2 * static_cast<std::uint32_t>(bound) + 1)) - bound;
    bytes[i] = static_cast<char>(value);
  }
  // Weights of about 1 / sqrt(cols), so that a model of such matrices keeps its activations in range.
  const float unit = 1.0F / (std::sqrt(static_cast<float>(cols)) * static_cast<float>(bound));
  for (std::uint32_t row = 0; row < rows; ++row) {
    const float sign = below(4) == 0 ? -1.0F : 1.0F;
    const float scale =
        below(32) == 0 ? 0.0F : sign * unit * (0.5F + static_cast<float>(below(1024)) / 1024.0F);
    std::memcpy(bytes.data() + layout.row_scales_offset() + row * sizeof scale, &scale, sizeof scale);
    for (std::uint32_t group = 0; group < layout.groups(); ++group) {
      bytes[static_cast<std::size_t>(layout.code_offset(row, group))] =
          static_cast<char>(below(codebook_words));
    }
  }
  return bytes;
}

}  // namespace pspllm::testing
