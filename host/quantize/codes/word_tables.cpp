#include "host/quantize/codes/word_tables.hpp"

namespace pspllm::host {

WordTable make_word_table(const CodeWeights& codes, std::uint32_t width, const float* metric,
                          std::size_t stride) {
  WordTable table;
  table.width = width;
  table.words.resize(std::size_t{width} * codebook_words);
  table.offsets.resize(codebook_words);
  for (std::uint32_t word = 0; word < codebook_words; ++word) {
    const std::int8_t* const entries = codes.codebook.data() + std::size_t{word} * codes.code_width;
    for (std::uint32_t j = 0; j < width; ++j) {
      float sum = 0.0F;
      for (std::uint32_t i = 0; i < width; ++i)
        sum += static_cast<float>(entries[i]) * metric[i * stride + j];
      table.words[std::size_t{j} * codebook_words + word] = sum;
      table.offsets[word] += 0.5F * sum * sum;
    }
  }
  return table;
}

}  // namespace pspllm::host
