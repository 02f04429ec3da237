#include "engine/ops/psp/code_words_vfpu.hpp"

#include "engine/ops/psp/repeat.hpp"
#include "engine/ops/psp/vfpu.hpp"

namespace pspllm::psp {
namespace {

using vfpu::column;
using vfpu::lane;

/// Where the bytes of four code words wait: word `index` of PackedCodes::codebook.
constexpr vfpu::Single raw_word(std::uint32_t index) noexcept {
  return lane(column(7, index / 4), index % 4);
}

/// Matrices 0 and 1: four entries of a code word a column, and then what is left, an entry a column, so that
/// row i belongs to code word i.
template <std::uint32_t Width>
void unpack(const std::int8_t* codebook, std::uint32_t count, float* words) noexcept {
  constexpr std::uint32_t vectors = Width / 4;
  constexpr std::uint32_t singles = Width % 4;
  constexpr std::uint32_t word_floats = unpacked_word_floats(Width);
  constexpr auto word_bytes = static_cast<int>(word_floats * sizeof(float));
  if constexpr (singles > 0) {
    repeat<4 - singles>([]<std::uint32_t I>()
                            __attribute__((always_inline)) { vfpu::zero<column(vectors, singles + I)>(); });
  }
  for (; count > 0; count -= code_quad) {
    repeat<Width>([codebook]<std::uint32_t I>() __attribute__((always_inline)) {
      vfpu::load<raw_word(I), static_cast<int>(I * 4)>(reinterpret_cast<const float*>(codebook));
    });
    repeat<Width>([]<std::uint32_t I>() __attribute__((always_inline)) {
      vfpu::unpack_bytes<column(I / 4, I % 4), raw_word(I)>();
    });
    repeat<Width>([]<std::uint32_t I>() __attribute__((always_inline)) {
      constexpr std::uint32_t byte_in_top = 24;
      vfpu::to_float<column(I / 4, I % 4), column(I / 4, I % 4), byte_in_top>();
    });
    repeat<code_quad>([words]<std::uint32_t I>() __attribute__((always_inline)) {
      constexpr int word = static_cast<int>(I) * word_bytes;
      repeat<vectors>([words]<std::uint32_t Vector>() __attribute__((always_inline)) {
        vfpu::store<column(Vector, I), word + static_cast<int>(Vector * 16)>(words);
      });
      if constexpr (singles > 0) {
        vfpu::store<vfpu::row(vectors, I), word + static_cast<int>(vectors * 16)>(words);
      }
    });
    codebook += code_quad * Width;
    words += code_quad * word_floats;
  }
}

}  // namespace

void unpack_code_words(const PackedCodes& matrix, std::uint32_t first, std::uint32_t count,
                       float* words) noexcept {
  const std::int8_t* const codebook = matrix.codebook + std::size_t{first} * matrix.layout.code_width;
  switch (matrix.layout.code_width) {
    case 1:
      return unpack<1>(codebook, count, words);
    case 2:
      return unpack<2>(codebook, count, words);
    case 3:
      return unpack<3>(codebook, count, words);
    case 4:
      return unpack<4>(codebook, count, words);
    case 5:
      return unpack<5>(codebook, count, words);
    case 6:
      return unpack<6>(codebook, count, words);
    case 7:
      return unpack<7>(codebook, count, words);
    default:
      return unpack<max_code_width>(codebook, count, words);
  }
}

}  // namespace pspllm::psp
