// Byte codes times activations by look-up: four groups' tables are built on the VFPU (4 KB of floats), then
// every row adds its four entries, four rows in the lanes of a register. A look-up is a byte load, an
// insertion of the code into the table's address and a load into a lane; an addition serves four. Sums are
// whole numbers below 2^24: exact in any order. They wait in the cache from block to block.
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "engine/core/checked.hpp"
#include "engine/core/limits.hpp"
#include "engine/ops/psp/code_tables_vfpu.hpp"
#include "engine/ops/psp/code_words_vfpu.hpp"
#include "engine/ops/psp/matmul_codes_direct_vfpu.hpp"
#include "engine/ops/psp/packed_codes.hpp"
#include "engine/ops/psp/scale_code_sums.hpp"
#include "engine/ops/psp/vfpu.hpp"
#include "engine/ops/psp/vfpu_kernels.hpp"

namespace pspllm::psp {
namespace {

using vfpu::column;
using vfpu::lane;
using vfpu::Quad;

constexpr std::uint32_t lanes = 4;
/// So many groups of entries of at most 32767 stay below 2^24.
constexpr std::uint32_t largest_exact_groups = 512;
/// Query, key and value.
constexpr std::size_t most_shared_projections = 3;

/// One token's activations: whole numbers as floats with zeros behind them, and their scale.
struct CodeActivations {
  float* values = nullptr;
  float* scale = nullptr;
};

CodeActivations activations_of(const QuantizedActivations& x, std::uint32_t token) noexcept {
  const std::size_t bytes = code_activation_bytes_f32(x.cols);
  std::byte* const start = x.data + token * bytes;
  return {reinterpret_cast<float*>(start), reinterpret_cast<float*>(start + bytes - block_alignment)};
}

// --- look-ups ---

/// Rows that one step of the loop handles, in quads of four.
constexpr std::uint32_t quads_at_once = 8;
constexpr std::uint32_t groups = code_block_groups;

constexpr Quad sum_quad(std::uint32_t quad) noexcept {
  return column(quad / 4, quad % 4);
}
constexpr Quad entries(std::uint32_t step) noexcept {
  return column(2, step % 2);
}

/// Four rows' entries of one group; the entries of the step before have arrived and are added.
template <std::uint32_t Step>
[[gnu::always_inline]] inline void look_up(const std::uint8_t* codes, const float*& place,
                                           float* sums) noexcept {
  constexpr std::uint32_t quad = Step / groups;
  constexpr std::uint32_t group = Step % groups;
  constexpr int table = static_cast<int>(group * code_table_bytes);
  constexpr int row = static_cast<int>(quad * lanes * groups + group);
  const std::uint32_t code_0 = vfpu::load_byte<row>(codes);
  const std::uint32_t code_1 = vfpu::load_byte<row + static_cast<int>(groups)>(codes);
  const std::uint32_t code_2 = vfpu::load_byte<row + 2 * static_cast<int>(groups)>(codes);
  const std::uint32_t code_3 = vfpu::load_byte<row + 3 * static_cast<int>(groups)>(codes);
  vfpu::set_index<2>(place, code_0);
  vfpu::load<lane(entries(Step), 0), table>(place);
  vfpu::set_index<2>(place, code_1);
  vfpu::load<lane(entries(Step), 1), table>(place);
  vfpu::set_index<2>(place, code_2);
  vfpu::load<lane(entries(Step), 2), table>(place);
  vfpu::set_index<2>(place, code_3);
  vfpu::load<lane(entries(Step), 3), table>(place);
  if constexpr (Step > 0) {
    constexpr Quad sum = sum_quad((Step - 1) / groups);
    vfpu::add<sum, sum, entries(Step - 1)>();
  }
  // One step later the last addition of a quad has its result.
  if constexpr (quad > 0 && group == 1) {
    vfpu::store<sum_quad(quad - 1), static_cast<int>((quad - 1) * lanes * sizeof(float))>(sums);
  }
}

template <std::uint32_t... Step>
[[gnu::always_inline]] inline void look_up_all(std::integer_sequence<std::uint32_t, Step...> /*steps*/,
                                               const std::uint8_t* codes, const float*& place,
                                               float* sums) noexcept {
  (look_up<Step>(codes, place, sums), ...);
}

template <bool IsFirst, std::uint32_t... Quad>
[[gnu::always_inline]] inline void load_sums(std::integer_sequence<std::uint32_t, Quad...> /*quads*/,
                                             const float* sums) noexcept {
  if constexpr (IsFirst) {
    (vfpu::zero<sum_quad(Quad)>(), ...);
  } else {
    (vfpu::load<sum_quad(Quad), static_cast<int>(Quad * lanes * sizeof(float))>(sums), ...);
  }
}

/// `Quads` * 4 rows: sums += entries of a block of groups, or = in the first block.
template <bool IsFirst, std::uint32_t Quads>
[[gnu::always_inline]] inline void add_rows(const std::uint8_t* codes, const float*& place,
                                            float* sums) noexcept {
  load_sums<IsFirst>(std::make_integer_sequence<std::uint32_t, Quads>{}, sums);
  look_up_all(std::make_integer_sequence<std::uint32_t, groups * Quads>{}, codes, place, sums);
  constexpr Quad sum = sum_quad(Quads - 1);
  vfpu::add<sum, sum, entries(groups * Quads - 1)>();
  vfpu::store<sum, static_cast<int>((Quads - 1) * lanes * sizeof(float))>(sums);
}

/// rows: a multiple of 4.
template <bool IsFirst>
void add_block(const std::uint8_t* codes, const float* tables, float* sums, std::uint32_t rows) noexcept {
  const float* place = tables;
  constexpr std::uint32_t rows_at_once = quads_at_once * lanes;
  for (; rows >= rows_at_once; rows -= rows_at_once) {
    add_rows<IsFirst, quads_at_once>(codes, place, sums);
    codes += rows_at_once * groups;
    sums += rows_at_once;
  }
  for (; rows > 0; rows -= lanes) {
    add_rows<IsFirst, 1>(codes, place, sums);
    codes += lanes * groups;
    sums += lanes;
  }
}

// --- rows that do not fill a register, and what floats could not sum exactly ---

void scalar_rows(const PackedCodes& matrix, const CodeActivations& x, Range rows, float* out) noexcept {
  for (std::uint32_t row = rows.begin; row < rows.end; ++row) {
    std::int32_t sum = 0;
    const float* values = x.values;
    for (std::uint32_t group = 0; group < matrix.layout.groups(); ++group) {
      const std::uint8_t code = matrix.code(row, group);
      for (std::uint32_t k = 0; k < matrix.layout.code_width; ++k) {
        sum += static_cast<std::int32_t>(matrix.entry(code, k)) * static_cast<std::int32_t>(*values++);
      }
    }
    out[row] = (static_cast<float>(sum) * *x.scale) * matrix.row_scales[row];
  }
}

// --- sharing out ---

/// The rows of a projection that vectors handle; the others are scalar.
Range vector_rows(const ProjectedRows& projection, const float* out) noexcept {
  const Range& rows = projection.rows;
  const CodeLayout layout{projection.matrix->rows, projection.matrix->cols, projection.matrix->group_size};
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(out) % 16 == 0 && rows.begin % lanes == 0;
  if (!is_aligned || layout.stored_groups() > largest_exact_groups) return {rows.begin, rows.begin};
  return {rows.begin, rows.begin + (rows.end - rows.begin) / lanes * lanes};
}

bool same_tables(const Matrix& a, const Matrix& b) noexcept {
  return a.group_size == b.group_size && a.cols == b.cols &&
         (a.data == b.data || std::memcmp(a.data, b.data, std::size_t{codebook_words} * a.group_size) == 0);
}

/// Rows whose sums stay in the data cache beside the tables and the codes that stream through it.
constexpr std::uint32_t cached_rows = 1152;
constexpr std::uint32_t block_table_bytes = groups * code_table_bytes;
constexpr std::uint32_t most_codebook_bytes = codebook_words * max_code_width;

/// What the data cache is to keep: tables, which begin at a multiple of their size, so that a code can be
/// inserted into an address; the sums of all rows; and the codebook. Where it is more than one way of the
/// cache (8 KB), the codebook has its places where the tables have theirs: they are used all the time and
/// stay, and what the codes push out is the codebook, which need not be written back.
struct CodeWorkspace {
  float* tables = nullptr;
  float* sums = nullptr;
  std::int8_t* codebook = nullptr;
};
constexpr std::size_t code_workspace_bytes =
    code_table_bytes + block_table_bytes + cached_rows * sizeof(float) + most_codebook_bytes;

CodeWorkspace place_workspace(std::byte* storage, std::uint32_t rows) noexcept {
  const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(storage) % code_table_bytes;
  std::byte* const tables = storage + (code_table_bytes - past) % code_table_bytes;
  std::byte* const sums = tables + block_table_bytes;
  return {reinterpret_cast<float*>(tables), reinterpret_cast<float*>(sums),
          reinterpret_cast<std::int8_t*>(sums + rows * sizeof(float))};
}

/// Rows that are multiplied together: consecutive projections with one codebook, as long as their sums fit.
struct Parts {
  ProjectedRows parts[most_shared_projections];
  std::size_t count = 0;
  std::uint32_t rows = 0;

  [[nodiscard]] bool takes(const ProjectedRows& part) const noexcept {
    return count == 0 ||
           (count < most_shared_projections && rows + (part.rows.end - part.rows.begin) <= cached_rows &&
            same_tables(*parts[0].matrix, *part.matrix));
  }
  void add(const ProjectedRows& part) noexcept {
    parts[count++] = part;
    rows += part.rows.end - part.rows.begin;
  }
};

/// Rows of matrices with one codebook, one token: tables are built once for all of them. Rows are multiples
/// of 4 at 16-byte boundaries; out: of this token.
void multiply_sharing(const Parts& together, const CodeActivations& x, std::byte* storage) noexcept {
  const std::span<const ProjectedRows> parts{together.parts, together.count};
  const PackedCodes first = PackedCodes::of(*parts.front().matrix);
  const std::uint32_t code_width = first.layout.code_width;
  const CodeWorkspace work = place_workspace(storage, together.rows);
  std::memcpy(work.codebook, first.codebook, std::size_t{codebook_words} * code_width);
  for (std::uint32_t block = 0; block < first.blocks(); ++block) {
    const float* const values = x.values + std::size_t{block} * groups * code_width;
    build_code_tables(work.codebook, code_width, values, work.tables);
    const auto add = block == 0 ? add_block<true> : add_block<false>;
    float* sums = work.sums;
    for (const ProjectedRows& part : parts) {
      const std::uint32_t rows = part.rows.end - part.rows.begin;
      add(PackedCodes::of(*part.matrix).row_codes(block, part.rows.begin), work.tables, sums, rows);
      sums += rows;
    }
  }
  const float* sums = work.sums;
  for (const ProjectedRows& part : parts) {
    const std::uint32_t rows = part.rows.end - part.rows.begin;
    const float* const row_scales = PackedCodes::of(*part.matrix).row_scales + part.rows.begin;
    scale_code_sums(sums, row_scales, rows, x.scale, part.out + part.rows.begin);
    sums += rows;
  }
}

/// Cycles of one token, modelled: a code by look-up and its entry of a table, which all rows with one
/// codebook share; a code without tables, of up to 4 and of more weights.
constexpr std::uint32_t look_up_tenths = 37;
constexpr std::uint32_t table_tenths = 43 * codebook_words;
constexpr std::uint32_t short_word_tenths = 48;
constexpr std::uint32_t long_word_tenths = 72;

/// Which way a projection is faster: several tokens meet code words without tables, one token where there are
/// too few rows to build tables for.
bool needs_no_tables(std::span<const ProjectedRows> projections, const ProjectedRows& projection,
                     std::uint32_t n_tokens) noexcept {
  const Matrix& matrix = *projection.matrix;
  if (n_tokens > 1) return matrix.rows % lanes == 0;
  std::uint32_t rows = 0;
  for (const ProjectedRows& other : projections) {
    if (same_tables(*other.matrix, matrix)) rows += other.rows.end - other.rows.begin;
  }
  const std::uint32_t word_tenths =
      unpacked_word_floats(matrix.group_size) == 4 ? short_word_tenths : long_word_tenths;
  return rows * (word_tenths - look_up_tenths) < table_tenths;
}

/// All tokens times one projection, without tables.
void multiply_without_tables(const ProjectedRows& projection, const QuantizedActivations& x) noexcept {
  const PackedCodes matrix = PackedCodes::of(*projection.matrix);
  const Range rows = vector_rows(projection, projection.out);
  const std::size_t x_stride = code_activation_bytes_f32(x.cols) / sizeof(float);
  for (std::uint32_t token = 0; token < x.n_tokens && rows.begin < rows.end;) {
    const CodeActivations first = activations_of(x, token);
    float* const out = projection.out + std::size_t{token} * projection.matrix->rows;
    const DirectJob job{matrix,      rows.begin, rows.end, first.values,
                        first.scale, x_stride,   out,      projection.matrix->rows};
    token += multiply_codes_directly(job, x.n_tokens - token);
  }
  for (std::uint32_t token = 0; token < x.n_tokens; ++token) {
    float* const out = projection.out + std::size_t{token} * projection.matrix->rows;
    scalar_rows(matrix, activations_of(x, token), {rows.end, projection.rows.end}, out);
  }
}

/// One token times all projections that want tables.
void multiply_token(std::span<const ProjectedRows> projections, const CodeActivations& x, std::uint32_t token,
                    std::uint32_t n_tokens, std::byte* storage) noexcept {
  Parts together;
  const auto multiply = [&] {
    if (together.count > 0) multiply_sharing(together, x, storage);
    together = {};
  };
  for (const ProjectedRows& projection : projections) {
    if (needs_no_tables(projections, projection, n_tokens)) continue;
    float* const out = projection.out + std::size_t{token} * projection.matrix->rows;
    const Range rows = vector_rows(projection, out);
    for (std::uint32_t begin = rows.begin; begin < rows.end; begin += cached_rows) {
      const std::uint32_t end = rows.end - begin < cached_rows ? rows.end : begin + cached_rows;
      const ProjectedRows part{projection.matrix, out, {begin, end}};
      if (!together.takes(part)) multiply();
      together.add(part);
    }
    scalar_rows(PackedCodes::of(*projection.matrix), x, {rows.end, projection.rows.end}, out);
  }
  multiply();
}

}  // namespace

std::size_t code_activation_bytes_f32(std::uint32_t cols) noexcept {
  return static_cast<std::size_t>(
      align_up((std::uint64_t{cols} + max_code_padding) * sizeof(float), block_alignment) + block_alignment);
}

void quantize_codes_vfpu(const float* x, const QuantizedActivations& out) noexcept {
  for (std::uint32_t token = 0; token < out.n_tokens; ++token) {
    const CodeActivations activations = activations_of(out, token);
    *activations.scale = quantize_vector_vfpu(x, out.cols, activations.values);
    for (std::uint32_t i = 0; i < max_code_padding; ++i) activations.values[out.cols + i] = 0.0F;
    x += out.cols;
  }
}

void matmul_codes_vfpu(std::span<const ProjectedRows> projections, const QuantizedActivations& x) noexcept {
  for (const ProjectedRows& projection : projections) {
    if (needs_no_tables(projections, projection, x.n_tokens)) multiply_without_tables(projection, x);
  }
  alignas(16) std::byte storage[code_workspace_bytes];
  for (std::uint32_t token = 0; token < x.n_tokens; ++token) {
    multiply_token(projections, activations_of(x, token), token, x.n_tokens, storage);
  }
}

}  // namespace pspllm::psp
