// Four code words at a time: their entries become floats once, and then meet the activations of every group.
// Four entries of a code word are one dot product (vtfm4 does it for four code words in four cycles); entries
// that are left are multiplied one by one. For six entries and four groups: 14 + 4 * 10 cycles for 16
// numbers.
#include "engine/ops/psp/code_tables_vfpu.hpp"

#include "engine/ops/psp/repeat.hpp"
#include "engine/ops/psp/vfpu.hpp"

namespace pspllm::psp {
namespace {

using vfpu::column;
using vfpu::lane;
using vfpu::Quad;

/// Groups are computed side by side, so that no operation waits for the one before it.
constexpr std::uint32_t groups = code_block_groups;
/// Code words whose bytes are loaded together: their `code_width` words fill registers of four words.
constexpr std::uint32_t loaded_quads = 4;

/// Bytes of four code words: word `index` of those that were loaded.
constexpr vfpu::Single raw_word(std::uint32_t index) noexcept {
  return lane(column(6 + index / 16, index / 4 % 4), index % 4);
}
/// Matrix 0 (and 1 for eight entries): column i = four entries of code word i. Fewer left-over entries lie in
/// matrix 1: column `index` is entry 4 * vectors + index of each of the four code words.
constexpr Quad single_entries(std::uint32_t index) noexcept {
  return column(1, index);
}
constexpr Quad product(std::uint32_t group) noexcept {
  return column(2, group);
}
constexpr Quad result(std::uint32_t group) noexcept {
  return column(3, group);
}
/// Four activations of a group: those of vector 0 or 1; or its single ones.
constexpr Quad x_vector(std::uint32_t vector, std::uint32_t group) noexcept {
  return column(4 + vector, group);
}
constexpr Quad x_singles(std::uint32_t group) noexcept {
  return x_vector(1, group);
}

template <std::uint32_t Width>
struct Parts {
  static constexpr std::uint32_t vectors = Width / 4;
  static constexpr std::uint32_t singles = Width % 4;
};

template <std::uint32_t Width>
[[gnu::always_inline]] inline void load_activations(const float* x) noexcept {
  repeat<groups>([x]<std::uint32_t Group>() __attribute__((always_inline)) {
    repeat<Width>([x]<std::uint32_t K>() __attribute__((always_inline)) {
      constexpr Quad place = K / 4 < Parts<Width>::vectors ? x_vector(K / 4, Group) : x_singles(Group);
      vfpu::load<lane(place, K % 4), static_cast<int>((Group * Width + K) * sizeof(float))>(x);
    });
  });
}

constexpr Quad unpacked(std::uint32_t vectors, std::uint32_t word) noexcept {
  return word < vectors * 4 ? column(word / 4, word % 4) : single_entries(word - vectors * 4);
}

/// Words of the Step-th four code words as integers, and then as floats.
template <std::uint32_t Width, std::uint32_t Step>
[[gnu::always_inline]] inline void unpack_words() noexcept {
  repeat<Width>([]<std::uint32_t Word>() __attribute__((always_inline)) {
    vfpu::unpack_bytes<unpacked(Parts<Width>::vectors, Word), raw_word(Step * Width + Word)>();
  });
}
template <std::uint32_t Width>
[[gnu::always_inline]] inline void words_to_float() noexcept {
  repeat<Width>([]<std::uint32_t Word>() __attribute__((always_inline)) {
    constexpr std::uint32_t byte_in_top = 24;
    constexpr Quad quad = unpacked(Parts<Width>::vectors, Word);
    vfpu::to_float<quad, quad, byte_in_top>();
  });
}

[[gnu::always_inline]] inline void add_products() noexcept {
  repeat<groups>([]<std::uint32_t G>()
                     __attribute__((always_inline)) { vfpu::add<result(G), result(G), product(G)>(); });
}

/// The part of left-over entry K, to the results or to the products.
template <std::uint32_t K, bool ToResult>
[[gnu::always_inline]] inline void multiply_single() noexcept {
  repeat<groups>([]<std::uint32_t G>() __attribute__((always_inline)) {
    vfpu::scale<ToResult ? result(G) : product(G), single_entries(K), lane(x_singles(G), K)>();
  });
}
template <std::uint32_t Vector>
[[gnu::always_inline]] inline void multiply_vector() noexcept {
  repeat<groups>([]<std::uint32_t G>() __attribute__((always_inline)) {
    vfpu::transform<Vector == 0 ? result(G) : product(G), Vector, x_vector(Vector, G)>();
  });
}

/// Four table entries of each group, but for the last addition, which is to come when nothing has to wait for
/// it: finish_entries().
template <std::uint32_t Width>
[[gnu::always_inline]] inline void make_entries() noexcept {
  constexpr std::uint32_t vectors = Parts<Width>::vectors;
  constexpr std::uint32_t singles = Parts<Width>::singles;
  if constexpr (singles > 0) multiply_single<0, vectors == 0>();
  repeat<vectors>([]<std::uint32_t V>() __attribute__((always_inline)) { multiply_vector<V>(); });
  if constexpr (singles > 1) {
    repeat<singles - 1>([]<std::uint32_t K>() __attribute__((always_inline)) {
      if constexpr (vectors > 0 || K > 0) add_products();
      multiply_single<K + 1, false>();
    });
  }
}
template <std::uint32_t Width>
[[gnu::always_inline]] inline void finish_entries() noexcept {
  if constexpr (Width != 1 && Width != 4) add_products();
}

template <std::uint32_t Step>
[[gnu::always_inline]] inline void store_entries(float* tables) noexcept {
  repeat<groups>([tables]<std::uint32_t G>() __attribute__((always_inline)) {
    constexpr auto offset = static_cast<int>(G * code_table_bytes + Step * code_quad * sizeof(float));
    vfpu::store<result(G), offset>(tables);
  });
}

template <std::uint32_t Width>
void build(const std::int8_t* codebook, const float* x, float* tables) noexcept {
  constexpr std::uint32_t codes = loaded_quads * code_quad;
  load_activations<Width>(x);
  for (const float* const end = tables + codebook_words; tables != end; tables += codes) {
    repeat<Width>([codebook]<std::uint32_t Quad>() __attribute__((always_inline)) {
      vfpu::load<column(6 + Quad / 4, Quad % 4), static_cast<int>(Quad * 16)>(codebook);
    });
    repeat<loaded_quads>([tables]<std::uint32_t Step>() __attribute__((always_inline)) {
      unpack_words<Width, Step>();
      if constexpr (Step > 0) finish_entries<Width>();
      words_to_float<Width>();
      // The last step's entries are stored while this one's words become floats.
      if constexpr (Step > 0) store_entries<Step - 1>(tables);
      make_entries<Width>();
    });
    finish_entries<Width>();
    store_entries<loaded_quads - 1>(tables);
    codebook += codes * Width;
  }
}

}  // namespace

void build_code_tables(const std::int8_t* codebook, std::uint32_t code_width, const float* x,
                       float* tables) noexcept {
  switch (code_width) {
    case 1:
      return build<1>(codebook, x, tables);
    case 2:
      return build<2>(codebook, x, tables);
    case 3:
      return build<3>(codebook, x, tables);
    case 4:
      return build<4>(codebook, x, tables);
    case 5:
      return build<5>(codebook, x, tables);
    case 6:
      return build<6>(codebook, x, tables);
    case 7:
      return build<7>(codebook, x, tables);
    default:
      return build<max_code_width>(codebook, x, tables);
  }
}

}  // namespace pspllm::psp
