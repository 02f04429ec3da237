// Byte codes times one token without tables: four rows' code words of a group are the columns of a matrix of
// the VFPU, which vtfm4 multiplies with the group's activations. Four look-ups' byte loads, insertions and
// loads, vtfm4 and an addition: 17 cycles for 4 codes of up to 4 weights (26 of up to 8), where tables need
// 13 and their building. In the data cache stay the codebook as floats (4 or 8 KB) and the rows' sums.
#include <cstddef>
#include <cstdint>

#include "engine/ops/psp/code_words_vfpu.hpp"
#include "engine/ops/psp/matmul_codes_direct_vfpu.hpp"
#include "engine/ops/psp/repeat.hpp"
#include "engine/ops/psp/scale_code_sums.hpp"
#include "engine/ops/psp/vfpu.hpp"

namespace pspllm::psp {
namespace {

using vfpu::column;
using vfpu::Quad;

constexpr std::uint32_t groups = code_block_groups;
/// Rows that one turn of the loop handles, in quads of four.
constexpr std::uint32_t quads_at_once = 4;

/// Of one code word: Tiles quads of floats.
template <std::uint32_t Tiles>
constexpr std::uint32_t word_floats = 4 * Tiles;
template <std::uint32_t Tiles>
constexpr std::uint32_t words_bytes = codebook_words* word_floats<Tiles> * sizeof(float);

/// Words of steps that take turns: matrices 0 and 1, of 8 entries also 2 and 3.
constexpr std::uint32_t word_matrix(std::uint32_t step, std::uint32_t tile) noexcept {
  return step % 2 + 2 * tile;
}
constexpr Quad x_quad(std::uint32_t group, std::uint32_t tile) noexcept {
  return column(4 + tile, group);
}
constexpr Quad product(std::uint32_t step, std::uint32_t tile) noexcept {
  return column(6, step % 2 + 2 * tile);
}
constexpr Quad sum(std::uint32_t quad) noexcept {
  return column(7, quad);
}

/// Of a block of groups: four or eight of a group, what its words do not fill 0.
template <std::uint32_t Tiles>
void load_activations(const float* x, std::uint32_t code_width) noexcept {
  alignas(16) float padded[groups * word_floats<Tiles>];
  if (code_width != word_floats<Tiles>) {
    float* to = padded;
    for (std::uint32_t group = 0; group < groups; ++group) {
      for (std::uint32_t k = 0; k < word_floats<Tiles>; ++k) *to++ = k < code_width ? x[k] : 0.0F;
      x += code_width;
    }
    x = padded;
  }
  repeat<groups * Tiles>([x]<std::uint32_t I>() __attribute__((always_inline)) {
    vfpu::load<x_quad(I / Tiles, I % Tiles), static_cast<int>(I * 16)>(x);
  });
}

/// Four rows' words of a group to a step's matrices.
template <std::uint32_t Tiles, std::uint32_t Step>
[[gnu::always_inline]] inline void load_words(const std::uint8_t* codes, const float*& place) noexcept {
  constexpr std::uint32_t word_shift = Tiles == 1 ? 4 : 5;
  constexpr auto first = static_cast<int>(Step / groups * 4 * groups + Step % groups);
  constexpr auto row_bytes = static_cast<int>(groups);
  const std::uint32_t code_0 = vfpu::load_byte<first>(codes);
  const std::uint32_t code_1 = vfpu::load_byte<first + row_bytes>(codes);
  const std::uint32_t code_2 = vfpu::load_byte<first + 2 * row_bytes>(codes);
  const std::uint32_t code_3 = vfpu::load_byte<first + 3 * row_bytes>(codes);
  const auto load = [&place]<std::uint32_t Row>(std::uint32_t code) __attribute__((always_inline)) {
    vfpu::set_index<word_shift>(place, code);
    repeat<Tiles>([&place]<std::uint32_t Tile>() __attribute__((always_inline)) {
      vfpu::load<column(word_matrix(Step, Tile), Row), static_cast<int>(Tile * 16)>(place);
    });
  };
  load.template operator()<0>(code_0);
  load.template operator()<1>(code_1);
  load.template operator()<2>(code_2);
  load.template operator()<3>(code_3);
}

template <std::uint32_t Tiles, std::uint32_t Step>
[[gnu::always_inline]] inline void multiply_words() noexcept {
  repeat<Tiles>([]<std::uint32_t Tile>() __attribute__((always_inline)) {
    vfpu::transform<product(Step, Tile), word_matrix(Step, Tile), x_quad(Step % groups, Tile)>();
  });
}

template <std::uint32_t Step, std::uint32_t Tile>
[[gnu::always_inline]] inline void add_product() noexcept {
  vfpu::add<sum(Step / groups), sum(Step / groups), product(Step, Tile)>();
}

template <std::uint32_t Quad>
[[gnu::always_inline]] inline void store_sum(float* sums) noexcept {
  vfpu::store<sum(Quad), static_cast<int>(Quad * 16)>(sums);
}

/// Quads * 4 rows times a block of groups, added to sums. Words are loaded in one step, multiplied in the
/// next and added in the one behind it, so that nothing waits for its result.
template <std::uint32_t Tiles, bool IsFirst, std::uint32_t Quads>
[[gnu::always_inline]] inline void add_rows(const std::uint8_t* codes, const float*& place,
                                            float* sums) noexcept {
  constexpr std::uint32_t steps = Quads * groups;
  repeat<Quads>([sums]<std::uint32_t Q>() __attribute__((always_inline)) {
    if constexpr (IsFirst) {
      vfpu::zero<sum(Q)>();
    } else {
      vfpu::load<sum(Q), static_cast<int>(Q * 16)>(sums);
    }
  });
  repeat<steps>([ codes, &place, sums ]<std::uint32_t Step>() __attribute__((always_inline)) {
    load_words<Tiles, Step>(codes, place);
    if constexpr (Step > 1) add_product<Step - 2, 0>();
    if constexpr (Step > 0) multiply_words<Tiles, Step - 1>();
    if constexpr (Step > 1 && Tiles > 1) add_product<Step - 2, Tiles - 1>();
    if constexpr (Step > groups && Step % groups == 2) store_sum<Step / groups - 1>(sums);
  });
  add_product<steps - 2, 0>();
  multiply_words<Tiles, steps - 1>();
  if constexpr (Tiles > 1) add_product<steps - 2, Tiles - 1>();
  repeat<Tiles>([]<std::uint32_t Tile>() __attribute__((always_inline)) { add_product<steps - 1, Tile>(); });
  store_sum<Quads - 1>(sums);
}

template <std::uint32_t Tiles, bool IsFirst>
void add_block(const std::uint8_t* codes, const float* words, std::uint32_t rows, float* sums) noexcept {
  constexpr std::uint32_t rows_at_once = 4 * quads_at_once;
  const float* place = words;
  for (; rows >= rows_at_once; rows -= rows_at_once) {
    add_rows<Tiles, IsFirst, quads_at_once>(codes, place, sums);
    codes += rows_at_once * groups;
    sums += rows_at_once;
  }
  for (; rows > 0; rows -= 4) {
    add_rows<Tiles, IsFirst, 1>(codes, place, sums);
    codes += 4 * groups;
    sums += 4;
  }
}

template <std::uint32_t Tiles>
void multiply(const DirectJob& job) noexcept {
  constexpr std::uint32_t words_floats = words_bytes<Tiles> / sizeof(float);
  // The words begin at a multiple of their size, so that a code can be inserted into an address.
  alignas(16) float storage[2 * words_floats];
  const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(storage) % words_bytes<Tiles>;
  float* const words = storage + (words_bytes<Tiles> - past) % words_bytes<Tiles> / sizeof(float);
  unpack_code_words(job.matrix, 0, codebook_words, words);
  const std::uint32_t rows = job.row_end - job.row_begin;
  const std::uint32_t code_width = job.matrix.layout.code_width;
  float* const out = job.out + job.row_begin;
  for (std::uint32_t block = 0; block < job.matrix.blocks(); ++block) {
    load_activations<Tiles>(job.x + std::size_t{block} * groups * code_width, code_width);
    const std::uint8_t* const codes = job.matrix.row_codes(block, job.row_begin);
    const auto add = block == 0 ? add_block<Tiles, true> : add_block<Tiles, false>;
    add(codes, words, rows, out);
  }
  scale_code_sums(out, job.matrix.row_scales + job.row_begin, rows, job.x_scale, out);
}

}  // namespace

void multiply_one_token_directly(const DirectJob& job) noexcept {
  if (unpacked_word_floats(job.matrix.layout.code_width) == word_floats<1>) return multiply<1>(job);
  multiply<2>(job);
}

}  // namespace pspllm::psp
