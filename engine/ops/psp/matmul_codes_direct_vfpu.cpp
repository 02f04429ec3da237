// Byte codes times several tokens: four rows' code words of two groups are the columns of matrices of the
// VFPU, which vtfm4 multiplies with each token's activations: a load, vtfm4 and an addition, 6 cycles, for 4
// rows, 4 entries and a token. Two words of six entries fill three matrices: the second's takes the end of
// the first word and the beginning of the second. In the data cache stay the codebook (4 KB, as floats, or as
// half floats, which hold whole numbers up to 2^11 exactly), the activations of four groups, and the sums of
// some rows; the codes stream through it once for each batch of tokens.
#include "engine/ops/psp/matmul_codes_direct_vfpu.hpp"

#include <algorithm>

#include "engine/ops/psp/code_words_vfpu.hpp"
#include "engine/ops/psp/repeat.hpp"
#include "engine/ops/psp/vfpu.hpp"

namespace pspllm::psp {
namespace {

using vfpu::column;
using vfpu::lane;
using vfpu::Quad;

constexpr std::uint32_t groups = code_block_groups;
/// Of one code word: four floats or eight half floats.
constexpr std::uint32_t word_bytes = 16;
constexpr std::uint32_t word_shift = 4;
constexpr std::uint32_t words_bytes = codebook_words * word_bytes;

/// Matrices that two groups' words fill, by the width of a word.
constexpr std::uint32_t short_words = 2;  ///< up to 4 entries
constexpr std::uint32_t six_entries = 3;  ///< exactly
constexpr std::uint32_t long_words = 4;   ///< 5, 7 or 8 entries
/// Activations of one token that two groups meet.
template <std::uint32_t Tiles>
constexpr std::uint32_t record_floats = 4 * Tiles;

/// The matrix that begins with the second group's words.
template <std::uint32_t Tiles>
constexpr std::uint32_t second_word = Tiles == short_words ? 1 : 2;
/// Tokens that the registers hold sums of, beside the words of any width.
constexpr std::uint32_t most_tokens = 12;
constexpr std::uint32_t most_block_floats = groups / 2 * most_tokens * record_floats<long_words>;
/// Sums that stay in the cache.
constexpr std::uint32_t cached_sums = 1152;

/// Matrices 0 … Tiles - 1 take the words. Results and activations take turns in the next one; sums come
/// behind.
constexpr Quad word_quad(std::uint32_t tile, std::uint32_t row) noexcept {
  return column(tile, row);
}
template <std::uint32_t Tiles>
constexpr Quad x_quad(std::uint32_t step) noexcept {
  return column(Tiles, step % 2);
}
template <std::uint32_t Tiles>
constexpr Quad result(std::uint32_t step) noexcept {
  return column(Tiles, 2 + step % 2);
}
template <std::uint32_t Tiles>
constexpr Quad sum(std::uint32_t token) noexcept {
  return column(Tiles + 1 + token / 4, token % 4);
}

// --- words ---

/// Points `place` to the words of four rows in group `Group` of a block, one after the other: then(row).
template <std::uint32_t Group, typename Then>
[[gnu::always_inline]] inline void for_words(const std::uint8_t* codes, const float*& place,
                                             Then then) noexcept {
  const std::uint32_t code_0 = vfpu::load_byte<Group>(codes);
  const std::uint32_t code_1 = vfpu::load_byte<Group + groups>(codes);
  const std::uint32_t code_2 = vfpu::load_byte<Group + 2 * groups>(codes);
  const std::uint32_t code_3 = vfpu::load_byte<Group + 3 * groups>(codes);
  vfpu::set_index<word_shift>(place, code_0);
  then.template operator()<0>();
  vfpu::set_index<word_shift>(place, code_1);
  then.template operator()<1>();
  vfpu::set_index<word_shift>(place, code_2);
  then.template operator()<2>();
  vfpu::set_index<word_shift>(place, code_3);
  then.template operator()<3>();
}

/// The words of a pair of groups, the first being `Group`, to the matrices. between(): something else to do
/// while loads are under way.
template <std::uint32_t Tiles, std::uint32_t Group, typename Between>
[[gnu::always_inline]] inline void load_words(const std::uint8_t* codes, const float*& place,
                                              Between between) noexcept {
  // Where of a word of six, in bytes: the last two entries; the first two are in front.
  constexpr int last_entries = 12;
  for_words<Group>(
      codes, place, [&place]<std::uint32_t Row>() __attribute__((always_inline)) {
        vfpu::load<word_quad(0, Row)>(place);
        if constexpr (Tiles == six_entries) vfpu::load<lane(word_quad(1, Row), 0), last_entries>(place);
      });
  between();
  for_words<Group + 1>(
      codes, place, [&place]<std::uint32_t Row>() __attribute__((always_inline)) {
        vfpu::load<word_quad(second_word<Tiles>, Row)>(place);
        if constexpr (Tiles == six_entries) vfpu::load<lane(word_quad(1, Row), 1)>(place);
      });
  if constexpr (Tiles == short_words) return;
  repeat<4>([]<std::uint32_t Row>() __attribute__((always_inline)) {
    if constexpr (Tiles == six_entries) {
      vfpu::halves_to_float<word_quad(0, Row), word_quad(0, Row), 0>();
      vfpu::halves_to_float<word_quad(1, Row), word_quad(1, Row), 0>();
      vfpu::halves_to_float<word_quad(2, Row), word_quad(2, Row), 1>();
    } else {
      vfpu::halves_to_float<word_quad(1, Row), word_quad(0, Row), 1>();
      vfpu::halves_to_float<word_quad(0, Row), word_quad(0, Row), 0>();
      vfpu::halves_to_float<word_quad(3, Row), word_quad(2, Row), 1>();
      vfpu::halves_to_float<word_quad(2, Row), word_quad(2, Row), 0>();
    }
  });
}

/// words: [256][word_bytes]. Of more than four entries the first four as half floats, then the others; of six
/// the first four, then the last four.
template <std::uint32_t Tiles>
void unpack_codebook(const PackedCodes& matrix, float* words) noexcept {
  if constexpr (Tiles == short_words) {
    unpack_code_words(matrix, 0, codebook_words, words);
  } else {
    constexpr std::uint32_t at_once = 16;
    constexpr std::uint32_t last_entries = Tiles == six_entries ? 2 : 4;
    alignas(16) float floats[at_once * max_code_width];
    for (std::uint32_t code = 0; code < codebook_words; code += at_once) {
      unpack_code_words(matrix, code, at_once, floats);
      for (const float* word = floats; word != floats + at_once * max_code_width; word += max_code_width) {
        vfpu::load<column(0, 0)>(word);
        repeat<4>([word]<std::uint32_t I>() __attribute__((always_inline)) {
          vfpu::load<lane(column(0, 1), I), static_cast<int>((last_entries + I) * sizeof(float))>(word);
        });
        vfpu::to_halves<column(0, 2), column(0, 0), 0>();
        vfpu::to_halves<column(0, 2), column(0, 1), 1>();
        vfpu::store<column(0, 2)>(words);
        words += word_bytes / sizeof(float);
      }
    }
  }
}

// --- activations ---

/// A block's activations: [pairs of groups][Tokens][record], words that fill no matrix followed by zeros.
template <std::uint32_t Tiles, std::uint32_t Tokens>
void arrange_activations(const DirectJob& job, std::uint32_t block, float* to) noexcept {
  const std::uint32_t code_width = job.matrix.layout.code_width;
  constexpr std::uint32_t group_floats = record_floats<Tiles> / 2;
  const float* const first = job.x + std::size_t{block} * groups * code_width;
  for (std::uint32_t pair = 0; pair < groups / 2; ++pair) {
    const float* from = first + std::size_t{2} * pair * code_width;
    for (std::uint32_t token = 0; token < Tokens; ++token, from += job.x_stride) {
      if (code_width == group_floats) {
        repeat<Tiles>([from]<std::uint32_t Tile>() __attribute__((always_inline)) {
          vfpu::load<column(Tile, 0), static_cast<int>(Tile * 4 * sizeof(float))>(from);
        });
        repeat<Tiles>([to]<std::uint32_t Tile>() __attribute__((always_inline)) {
          vfpu::store<column(Tile, 0), static_cast<int>(Tile * 4 * sizeof(float))>(to);
        });
      } else {
        for (std::uint32_t group = 0; group < 2; ++group) {
          float* const group_to = to + std::size_t{group} * group_floats;
          const float* const group_from = from + std::size_t{group} * code_width;
          for (std::uint32_t k = 0; k < code_width; ++k) group_to[k] = group_from[k];
          for (std::uint32_t k = code_width; k < group_floats; ++k) group_to[k] = 0.0F;
        }
      }
      to += record_floats<Tiles>;
    }
  }
}

// --- rows ---

/// All tokens of a pair of groups. A step is a matrix and a token; activations are loaded one step ahead, and
/// a result is added one step later, the last one's among the next pair's loads, so that nothing waits for a
/// load, for vtfm4 or for the addition before.
template <std::uint32_t Tiles, std::uint32_t Tokens, std::uint32_t Pair>
[[gnu::always_inline]] inline void multiply_pair(const std::uint8_t* codes, const float*& place,
                                                 const float* x) noexcept {
  constexpr std::uint32_t steps = Tiles * Tokens;
  constexpr auto record = static_cast<int>(Pair * steps * 4 * sizeof(float));
  load_words<Tiles, 2 * Pair>(
      codes, place, [x]() __attribute__((always_inline)) {
        if constexpr (Pair > 0) {
          vfpu::add<sum<Tiles>(Tokens - 1), sum<Tiles>(Tokens - 1), result<Tiles>(steps - 1)>();
        }
        vfpu::load<x_quad<Tiles>(0), record>(x);
      });
  repeat<steps>([x]<std::uint32_t Step>() __attribute__((always_inline)) {
    if constexpr (Step + 1 < steps) {
      vfpu::load<x_quad<Tiles>(Step + 1), record + static_cast<int>((Step + 1) * 4 * sizeof(float))>(x);
    }
    vfpu::transform<result<Tiles>(Step), Step % Tiles, x_quad<Tiles>(Step)>();
    if constexpr (Step > 0) {
      constexpr Quad total = sum<Tiles>((Step - 1) / Tiles);
      vfpu::add<total, total, result<Tiles>(Step - 1)>();
    }
  });
}

/// Rows times a block of groups, added to sums, or in the first block to 0: [rows / 4][Tokens][4].
template <std::uint32_t Tiles, std::uint32_t Tokens>
void multiply_rows(const std::uint8_t* codes, std::uint32_t rows, const float* words, const float* x,
                   bool is_first, float* sums) noexcept {
  const float* place = words;
  for (; rows > 0; rows -= 4) {
    if (is_first) {
      repeat<Tokens>([]<std::uint32_t Token>()
                         __attribute__((always_inline)) { vfpu::zero<sum<Tiles>(Token)>(); });
    } else {
      repeat<Tokens>([sums]<std::uint32_t Token>() __attribute__((always_inline)) {
        vfpu::load<sum<Tiles>(Token), static_cast<int>(Token * 4 * sizeof(float))>(sums);
      });
    }
    repeat<groups / 2>([ codes, &place, x ]<std::uint32_t Pair>() __attribute__((always_inline)) {
      multiply_pair<Tiles, Tokens, Pair>(codes, place, x);
    });
    constexpr Quad last = sum<Tiles>(Tokens - 1);
    repeat<Tokens - 1>([sums]<std::uint32_t Token>() __attribute__((always_inline)) {
      vfpu::store<sum<Tiles>(Token), static_cast<int>(Token * 4 * sizeof(float))>(sums);
    });
    vfpu::add<last, last, result<Tiles>(Tiles * Tokens - 1)>();
    vfpu::store<last, static_cast<int>((Tokens - 1) * 4 * sizeof(float))>(sums);
    codes += 4 * groups;
    sums += 4 * Tokens;
  }
}

constexpr Quad x_scales_quad = column(1, 0);
constexpr Quad row_scales_quad = column(1, 1);

/// out[token, row] = (sum * x_scale) * row_scale, up to four tokens side by side, so that nothing waits for
/// its result.
template <std::uint32_t Tokens>
void scale_sums(const DirectJob& job, std::uint32_t first_row, std::uint32_t rows,
                const float* sums) noexcept {
  constexpr std::uint32_t at_once = Tokens % 4 == 0 ? 4 : Tokens % 3 == 0 ? 3 : Tokens % 2 == 0 ? 2 : 1;
  for (std::uint32_t token = 0; token < Tokens; token += at_once) {
    float* out[at_once];
    repeat<at_once>([&]<std::uint32_t I>() __attribute__((always_inline)) {
      vfpu::load<lane(x_scales_quad, I)>(job.x_scale + (token + I) * job.x_stride);
      out[I] = job.out + (token + I) * job.out_stride + first_row;
    });
    const float* from = sums + std::size_t{4} * token;
    const float* scales = job.matrix.row_scales + first_row;
    for (std::uint32_t left = rows; left > 0; left -= 4) {
      vfpu::load<row_scales_quad>(scales);
      repeat<at_once>([from]<std::uint32_t I>() __attribute__((always_inline)) {
        vfpu::load<column(0, I), static_cast<int>(I * 4 * sizeof(float))>(from);
      });
      repeat<at_once>([]<std::uint32_t I>() __attribute__((always_inline)) {
        vfpu::scale<column(0, I), column(0, I), lane(x_scales_quad, I)>();
      });
      repeat<at_once>([]<std::uint32_t I>() __attribute__((always_inline)) {
        vfpu::multiply<column(0, I), column(0, I), row_scales_quad>();
      });
      repeat<at_once>([&out]<std::uint32_t I>() __attribute__((always_inline)) {
        vfpu::store<column(0, I)>(out[I]);
        out[I] += 4;
      });
      from += std::size_t{4} * Tokens;
      scales += 4;
    }
  }
}

template <std::uint32_t Tiles, std::uint32_t Tokens>
void multiply(const DirectJob& job) noexcept {
  constexpr std::uint32_t words_floats = words_bytes / sizeof(float);
  constexpr std::uint32_t rows_at_once = cached_sums / Tokens / 4 * 4;
  // The words begin at a multiple of their size, so that a code can be inserted into an address.
  alignas(16) float storage[2 * words_floats + most_block_floats + cached_sums];
  const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(storage) % words_bytes;
  float* const words = storage + (words_bytes - past) % words_bytes / sizeof(float);
  float* const x = words + words_floats;
  float* const sums = x + most_block_floats;
  unpack_codebook<Tiles>(job.matrix, words);
  for (std::uint32_t row = job.row_begin; row < job.row_end; row += rows_at_once) {
    const std::uint32_t rows = std::min(rows_at_once, job.row_end - row);
    for (std::uint32_t block = 0; block < job.matrix.blocks(); ++block) {
      arrange_activations<Tiles, Tokens>(job, block, x);
      multiply_rows<Tiles, Tokens>(job.matrix.row_codes(block, row), rows, words, x, block == 0, sums);
    }
    scale_sums<Tokens>(job, row, rows, sums);
  }
}

/// Gives how many tokens it has multiplied.
template <std::uint32_t Tiles, std::uint32_t Tokens = most_tokens>
std::uint32_t multiply_tokens(const DirectJob& job, std::uint32_t tokens) noexcept {
  if constexpr (Tokens > 2) {
    if (tokens < Tokens) return multiply_tokens<Tiles, Tokens - 1>(job, tokens);
  }
  multiply<Tiles, Tokens>(job);
  return Tokens;
}

}  // namespace

std::uint32_t multiply_codes_directly(const DirectJob& job, std::uint32_t tokens) noexcept {
  if (tokens == 1) {
    multiply_one_token_directly(job);
    return 1;
  }
  if (job.matrix.layout.code_width <= 4) return multiply_tokens<short_words>(job, tokens);
  if (job.matrix.layout.code_width == 6) return multiply_tokens<six_entries>(job, tokens);
  return multiply_tokens<long_words>(job, tokens);
}

}  // namespace pspllm::psp
