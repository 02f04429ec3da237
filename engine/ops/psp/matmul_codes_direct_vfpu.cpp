// Four rows' code words of a group are the columns of a matrix, which vtfm4 multiplies with each token's
// activations: 12 or 20 cycles for the words of up to four or eight entries, and 6 or 12 cycles a token. The
// codebook takes 4 KB of the data cache (as floats, longer words as half floats, which hold whole numbers up
// to 2^11 exactly), the activations of some columns 4 KB more; sums of the rows wait in the output from one
// block of columns to the next.
#include "engine/ops/psp/matmul_codes_direct_vfpu.hpp"

#include <algorithm>
#include <utility>

#include "engine/ops/psp/vfpu.hpp"

namespace pspllm::psp {
namespace {

using vfpu::column;
using vfpu::Quad;

constexpr std::uint32_t groups = code_block_groups;
constexpr std::uint32_t most_tokens = 8;
/// Floats of one token's activations of a group: four for every vtfm4.
template <std::uint32_t Vectors>
constexpr std::uint32_t record_floats = 4 * Vectors;
/// Of one code word: four floats or eight half floats.
constexpr std::uint32_t word_bytes = 16;
constexpr std::uint32_t word_shift = 4;
constexpr std::uint32_t words_bytes = codebook_words * word_bytes;
/// Activations of a block of columns.
constexpr std::uint32_t block_floats = 1024;

/// Matrices 0 and 1: the words. Results and activations take turns.
constexpr Quad result(std::uint32_t token, std::uint32_t vector) noexcept {
  return column(2 + vector, token % 4);
}
constexpr Quad x_quad(std::uint32_t token, std::uint32_t vector) noexcept {
  return column(4, token % 2 * 2 + vector);
}
constexpr Quad halves(std::uint32_t row) noexcept {
  return column(5, row);
}
constexpr Quad sum(std::uint32_t token) noexcept {
  return column(6 + token / 4, token % 4);
}

template <std::uint32_t... Index, typename Body>
[[gnu::always_inline]] inline void for_each(std::integer_sequence<std::uint32_t, Index...> /*indices*/,
                                            [[maybe_unused]] Body body) noexcept {
  (body.template operator()<Index>(), ...);
}
template <std::uint32_t Count, typename Body>
[[gnu::always_inline]] inline void repeat(Body body) noexcept {
  for_each(std::make_integer_sequence<std::uint32_t, Count>{}, body);
}

/// The words of four rows in group `Group` of a block.
template <std::uint32_t Vectors, std::uint32_t Group>
[[gnu::always_inline]] inline void load_words(const std::uint8_t* codes, const float*& place) noexcept {
  const std::uint32_t code_0 = vfpu::load_byte<Group>(codes);
  const std::uint32_t code_1 = vfpu::load_byte<Group + groups>(codes);
  const std::uint32_t code_2 = vfpu::load_byte<Group + 2 * groups>(codes);
  const std::uint32_t code_3 = vfpu::load_byte<Group + 3 * groups>(codes);
  const auto load = [&place]<std::uint32_t Row>(std::uint32_t code) __attribute__((always_inline)) {
    vfpu::set_index<word_shift>(place, code);
    vfpu::load<Vectors == 1 ? column(0, Row) : halves(Row)>(place);
  };
  load.template operator()<0>(code_0);
  load.template operator()<1>(code_1);
  load.template operator()<2>(code_2);
  load.template operator()<3>(code_3);
  if constexpr (Vectors == 2) {
    repeat<4>([]<std::uint32_t Row>() __attribute__((always_inline)) {
      vfpu::halves_to_float<column(0, Row), halves(Row), 0>();
      vfpu::halves_to_float<column(1, Row), halves(Row), 1>();
    });
  }
}

/// sum(Token) += result of the V-th vector, where there is one.
template <std::uint32_t Vectors, std::uint32_t Token, std::uint32_t V>
[[gnu::always_inline]] inline void add_result() noexcept {
  if constexpr (V < Vectors) vfpu::add<sum(Token), sum(Token), result(Token, V)>();
}

template <std::uint32_t Vectors, std::uint32_t Tokens, std::uint32_t Group, std::uint32_t Token>
[[gnu::always_inline]] inline void load_activations(const float* x) noexcept {
  constexpr std::uint32_t record = (Group * Tokens + Token) * record_floats<Vectors>;
  repeat<Vectors>([x]<std::uint32_t V>() __attribute__((always_inline)) {
    vfpu::load<x_quad(Token, V), static_cast<int>((record + V * 4) * sizeof(float))>(x);
  });
}

/// All tokens of one group. Activations are loaded one token ahead, and a token's results are added one token
/// later, those of the last one during the next group, so that nothing waits for a load, for vtfm4 or for the
/// addition before.
template <std::uint32_t Vectors, std::uint32_t Tokens, std::uint32_t Group>
[[gnu::always_inline]] inline void multiply_group(const std::uint8_t* codes, const float*& place,
                                                  const float* x) noexcept {
  if constexpr (Group > 0) add_result<Vectors, Tokens - 1, 0>();
  load_words<Vectors, Group>(codes, place);
  load_activations<Vectors, Tokens, Group, 0>(x);
  if constexpr (Group > 0) add_result<Vectors, Tokens - 1, 1>();
  repeat<Tokens>([x]<std::uint32_t Token>() __attribute__((always_inline)) {
    if constexpr (Token + 1 < Tokens) load_activations<Vectors, Tokens, Group, Token + 1>(x);
    if constexpr (Token > 0) add_result<Vectors, Token - 1, 0>();
    vfpu::transform<result(Token, 0), 0, x_quad(Token, 0)>();
    if constexpr (Token > 0) add_result<Vectors, Token - 1, 1>();
    if constexpr (Vectors == 2) vfpu::transform<result(Token, 1), 1, x_quad(Token, 1)>();
  });
}

/// Four rows times a block of columns. x: [code blocks][groups][Tokens][record].
template <std::uint32_t Vectors, std::uint32_t Tokens>
void multiply_rows(const DirectJob& job, std::uint32_t row, std::uint32_t first_block,
                   std::uint32_t end_block, const float* words, const float* x) noexcept {
  float* const out = job.sums + row;
  if (first_block == 0) {
    repeat<Tokens>([]<std::uint32_t Token>() __attribute__((always_inline)) { vfpu::zero<sum(Token)>(); });
  } else {
    repeat<Tokens>([&job, out ]<std::uint32_t Token>() __attribute__((always_inline)) {
      vfpu::load<sum(Token)>(out + Token * job.out_stride);
    });
  }
  const std::uint8_t* codes = job.matrix.row_codes(first_block, row);
  const std::size_t block_stride = std::size_t{job.matrix.layout.rows} * groups;
  const float* place = words;
  for (std::uint32_t block = first_block; block < end_block; ++block) {
    repeat<groups>([ codes, &place, x ]<std::uint32_t Group>() __attribute__((always_inline)) {
      multiply_group<Vectors, Tokens, Group>(codes, place, x);
    });
    add_result<Vectors, Tokens - 1, 0>();
    add_result<Vectors, Tokens - 1, 1>();
    codes += block_stride;
    x += groups * Tokens * record_floats<Vectors>;
  }
  repeat<Tokens>([&job, out ]<std::uint32_t Token>() __attribute__((always_inline)) {
    vfpu::store<sum(Token)>(out + Token * job.out_stride);
  });
}

/// A code word's entries, what they do not fill 0. code: of the four whose words begin at `quad`.
void unpack_word(const std::int8_t* quad, std::uint32_t code, std::uint32_t code_width,
                 float* word) noexcept {
  const std::uint32_t in_vectors = code_width / 4 * 4;
  const std::uint32_t lane_of_code = code % code_quad;
  for (std::uint32_t k = 0; k < in_vectors; k += 4) {
    const std::int8_t* const entries = quad + k * 4 + lane_of_code * 4;
    for (std::uint32_t i = 0; i < 4; ++i) word[k + i] = static_cast<float>(entries[i]);
  }
  for (std::uint32_t k = in_vectors; k < code_width; ++k) {
    word[k] = static_cast<float>(quad[k * code_quad + lane_of_code]);
  }
}

/// words: [256][word_bytes]
template <std::uint32_t Vectors>
void unpack_codebook(const PackedCodes& matrix, float* words) noexcept {
  const std::uint32_t code_width = matrix.layout.code_width;
  alignas(16) float word[record_floats<Vectors>] = {};
  for (std::uint32_t code = 0; code < codebook_words; ++code) {
    const std::int8_t* const quad = matrix.codebook + std::size_t{code} / code_quad * code_quad * code_width;
    unpack_word(quad, code, code_width, word);
    vfpu::load<column(0, 0)>(word);
    if constexpr (Vectors == 2) {
      vfpu::load<column(0, 1)>(word + 4);
      vfpu::to_halves<column(0, 2), column(0, 0), 0>();
      vfpu::to_halves<column(0, 2), column(0, 1), 1>();
    }
    vfpu::store<Vectors == 1 ? column(0, 0) : column(0, 2)>(words);
    words += word_bytes / sizeof(float);
  }
}

/// A block's activations: [groups][Tokens][record].
template <std::uint32_t Vectors, std::uint32_t Tokens>
void arrange_activations(const DirectJob& job, std::uint32_t first_group, std::uint32_t end_group,
                         float* to) noexcept {
  const std::uint32_t code_width = job.matrix.layout.code_width;
  for (std::uint32_t group = first_group; group < end_group; ++group) {
    const float* from = job.x + std::size_t{group} * code_width;
    for (std::uint32_t token = 0; token < Tokens; ++token) {
      for (std::uint32_t k = 0; k < code_width; ++k) to[k] = from[k];
      for (std::uint32_t k = code_width; k < record_floats<Vectors>; ++k) to[k] = 0.0F;
      from += job.x_stride;
      to += record_floats<Vectors>;
    }
  }
}

template <std::uint32_t Vectors, std::uint32_t Tokens>
void multiply(const DirectJob& job) noexcept {
  constexpr std::uint32_t words_floats = words_bytes / sizeof(float);
  constexpr std::uint32_t blocks_at_once = block_floats / (groups * Tokens * record_floats<Vectors>);
  // The words begin at a multiple of their size, so that a code can be inserted into an address.
  alignas(16) float storage[2 * words_floats + block_floats];
  const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(storage) % words_bytes;
  float* const words = storage + (words_bytes - past) % words_bytes / sizeof(float);
  float* const x = words + words_floats;
  unpack_codebook<Vectors>(job.matrix, words);
  const std::uint32_t blocks = job.matrix.blocks();
  for (std::uint32_t block = 0; block < blocks; block += blocks_at_once) {
    const std::uint32_t end = std::min(block + blocks_at_once, blocks);
    arrange_activations<Vectors, Tokens>(job, block * groups, end * groups, x);
    for (std::uint32_t row = job.row_begin; row < job.row_end; row += 4) {
      multiply_rows<Vectors, Tokens>(job, row, block, end, words, x);
    }
  }
}

template <std::uint32_t Vectors>
void multiply_tokens(const DirectJob& job, std::uint32_t tokens) noexcept {
  switch (tokens) {
    case 1:
      return multiply<Vectors, 1>(job);
    case 2:
      return multiply<Vectors, 2>(job);
    case 4:
      return multiply<Vectors, 4>(job);
    default:
      return multiply<Vectors, most_tokens>(job);
  }
}

}  // namespace

void multiply_codes_directly(const DirectJob& job, std::uint32_t tokens) noexcept {
  if (job.matrix.layout.code_width <= 4) return multiply_tokens<1>(job, tokens);
  multiply_tokens<2>(job, tokens);
}

}  // namespace pspllm::psp
