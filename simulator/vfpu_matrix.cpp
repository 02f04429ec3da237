// VFPU operations on matrices and the products that are made of several dot products.
#include "simulator/vfpu_operation.hpp"

namespace pspllm::simulator {

namespace {

using Matrix = std::array<Lanes, 4>;

template <unsigned n>
Matrix read_matrix(Core& core, Byte r) {
  const MatrixLanes& lanes = matrix_table[n][r];
  Matrix values{};
  for (unsigned j = 0; j < n; ++j) {
    for (unsigned i = 0; i < n; ++i) {
      wait_for(core, scoreboard::vpr + lanes[j][i]);
      values[j][i] = core.vpr[lanes[j][i]];
    }
  }
  return values;
}

template <unsigned n>
void write_matrix(Core& core, Byte r, const Matrix& values, VfpuCost cost) {
  const Cycles done = vfpu_issue(core, cost);
  const MatrixLanes& lanes = matrix_table[n][r];
  for (unsigned j = 0; j < n; ++j)
    for (unsigned i = 0; i < n; ++i) write_lane(core, lanes[j][i], values[j][i], done);
  consume_prefixes(core, prefixes::none);
}

Word dot(const Lanes& a, const Lanes& b, unsigned n) {
  return vfpu_dot({a.data(), n}, {b.data(), n});
}

VfpuCost row_cost(const Core& core, unsigned steps, Constant extra) {
  return {steps, Cycles{steps} + core.timing[extra]};
}

// vtfm (homogeneous: vhtfm, the last lane of t counts as 1): d[i] = column i of s . t
template <unsigned n, bool homogeneous>
bool execute_transform(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Matrix s = read_matrix<n>(core, op.s);
  constexpr unsigned given = homogeneous && n > 1 ? n - 1 : n;
  Lanes t = read_vector<given>(core, op.t, prefixes::none);
  if (homogeneous) t[n - 1] = vfpu_one;
  Lanes result{};
  for (unsigned i = 0; i < n; ++i) result[i] = dot(s[i], t, n);
  // Errata of all models (vfpu-docs bugs.md): rd of 64 and more writes the wrong lanes.
  if (homogeneous && n < 4 && op.d >= 64) {
    const Cycles done = vfpu_issue(core, row_cost(core, n, Constant::vfpu_transform_extra));
    const VectorLanes whole = vfpu_vector(4, op.d & 0x3FU);
    for (unsigned i = 0; i < n; ++i) write_lane(core, whole[(i + n - 1U) & 3U], result[i], done);
    consume_prefixes(core, prefixes::none);
    return true;
  }
  write_vector<n>(core, op.d, result, row_cost(core, n, Constant::vfpu_transform_extra), prefixes::none);
  return true;
}

// vmmul: element (i, j) is column i of s . column j of t.
template <unsigned n>
bool execute_matrix_multiply(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Matrix s = read_matrix<n>(core, op.s);
  const Matrix t = read_matrix<n>(core, op.t);
  Matrix result{};
  for (unsigned j = 0; j < n; ++j)
    for (unsigned i = 0; i < n; ++i) result[j][i] = dot(s[i], t[j], n);
  write_matrix<n>(core, op.d, result, row_cost(core, n * n, Constant::vfpu_transform_extra));
  return true;
}

template <unsigned n>
bool execute_matrix_scale(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  Matrix s = read_matrix<n>(core, op.s);
  const Word factor = read_vector<1>(core, op.t, prefixes::none)[0];
  for (Lanes& column : s)
    for (Word& value : column) value = vfpu_multiply(value, factor);
  write_matrix<n>(core, op.d, s, row_cost(core, n, Constant::vfpu_scale_extra));
  return true;
}

template <unsigned n>
bool execute_matrix_move(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Matrix s = read_matrix<n>(core, op.s);
  write_matrix<n>(core, op.d, s, row_cost(core, n, Constant::vfpu_matrix_move_extra));
  return true;
}

// vmidt, vmzero, vmone; like vzero they wait for the register that their source field of zero names.
template <unsigned n, Word diagonal, Word other>
bool execute_matrix_fill(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  (void)read_vector<1>(core, 0, prefixes::none);
  Matrix result{};
  for (unsigned j = 0; j < n; ++j) {
    result[j].fill(other);
    result[j][j] = diagonal;
  }
  write_matrix<n>(core, op.d, result, row_cost(core, n, Constant::vfpu_matrix_move_extra));
  return true;
}

Word negated(Word a) {
  return a ^ vfpu_sign;
}

// vcrsp.t: the full cross product.
bool execute_cross(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<3>(core, op.s, prefixes::none);
  const Lanes t = read_vector<3>(core, op.t, prefixes::none);
  const Lanes result{dot({s[1], s[2]}, {t[2], negated(t[1])}, 2), dot({s[2], s[0]}, {t[0], negated(t[2])}, 2),
                     dot({s[0], s[1]}, {t[1], negated(t[0])}, 2)};
  write_vector<3>(core, op.d, result, row_cost(core, 3, Constant::vfpu_transform_extra), prefixes::none);
  return true;
}

// vqmul.q: the product of two quaternions (x, y, z, w).
bool execute_quaternion(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<4>(core, op.s, prefixes::none);
  const Lanes t = read_vector<4>(core, op.t, prefixes::none);
  const Lanes result{dot(s, {t[3], t[2], negated(t[1]), t[0]}, 4),
                     dot(s, {negated(t[2]), t[3], t[0], t[1]}, 4),
                     dot(s, {t[1], negated(t[0]), t[3], t[2]}, 4),
                     dot(s, {negated(t[0]), negated(t[1]), negated(t[2]), t[3]}, 4)};
  write_vector<4>(core, op.d, result, row_cost(core, 4, Constant::vfpu_transform_extra), prefixes::none);
  return true;
}

bool matrix_meets_vector(unsigned n, Byte matrix, unsigned m, Byte vector) {
  for (unsigned j = 0; j < n; ++j)
    for (unsigned i = 0; i < n; ++i)
      for (unsigned k = 0; k < m; ++k)
        if (matrix_table[n][matrix][j][i] == vector_table[m][vector][k]) return true;
  return false;
}

bool matrices_meet(unsigned n, Byte a, Byte b) {
  for (unsigned j = 0; j < n; ++j)
    for (unsigned i = 0; i < n; ++i)
      for (unsigned k = 0; k < n; ++k)
        for (unsigned l = 0; l < n; ++l)
          if (matrix_table[n][a][j][i] == matrix_table[n][b][k][l]) return true;
  return false;
}

// What decoding found: the handler, and whether the operands may not overlap as they do.
struct Found {
  Handler run = nullptr;
  bool clash = false;
};

template <unsigned n>
Found transform_of(Word word, unsigned lanes) {
  const Byte d = vd_of(word);
  const Byte s = vs_of(word);
  const Byte t = vt_of(word);
  // The homogeneous form is encoded as one lane less.
  if (lanes != n && lanes + 1 != n) return {};
  const bool clash = matrix_meets_vector(n, s, n, d) || vectors_overlap(n, d, lanes, t);
  return {lanes == n ? execute_transform<n, false> : execute_transform<n, true>, clash};
}

Found square_of(Word word, unsigned n, const SizedHandlers& handlers, bool two_sources, bool may_be_same) {
  if (handlers.of[n] == nullptr) return {};
  const Byte d = vd_of(word);
  const Byte s = vs_of(word);
  bool clash = matrices_meet(n, d, s) && !(may_be_same && d == s);
  if (two_sources) clash = clash || matrices_meet(n, d, vt_of(word));
  return {handlers.of[n], clash};
}

template <Word diagonal, Word other>
constexpr SizedHandlers matrix_fill{{nullptr, nullptr, execute_matrix_fill<2, diagonal, other>,
                                     execute_matrix_fill<3, diagonal, other>,
                                     execute_matrix_fill<4, diagonal, other>}};

Found matrix_unary_of(Word word, unsigned n) {
  constexpr SizedHandlers move{
      {nullptr, nullptr, execute_matrix_move<2>, execute_matrix_move<3>, execute_matrix_move<4>}};
  switch (bits(word, 22, 16)) {
    case 0x00:
      return square_of(word, n, move, false, true);
    case 0x03:
      return {matrix_fill<vfpu_one, 0>.of[n], false};
    case 0x06:
      return {matrix_fill<0, 0>.of[n], false};
    case 0x07:
      return {matrix_fill<vfpu_one, vfpu_one>.of[n], false};
    default:
      return {};
  }
}

Found matrix_operation_of(Word word) {
  const unsigned n = lanes_of(word);
  constexpr SizedHandlers multiply{
      {nullptr, nullptr, execute_matrix_multiply<2>, execute_matrix_multiply<3>, execute_matrix_multiply<4>}};
  constexpr SizedHandlers scale{
      {nullptr, nullptr, execute_matrix_scale<2>, execute_matrix_scale<3>, execute_matrix_scale<4>}};
  switch (word >> 23U) {
    case 0x1E0:
      return square_of(word, n, multiply, true, false);
    case 0x1E1:
      return transform_of<2>(word, n);
    case 0x1E2:
      return transform_of<3>(word, n);
    case 0x1E3:
      return transform_of<4>(word, n);
    case 0x1E4:
      return square_of(word, n, scale, false, true);
    case 0x1E5: {
      if (n < 3) return {};
      const bool clash =
          vectors_overlap(n, vd_of(word), n, vs_of(word)) || vectors_overlap(n, vd_of(word), n, vt_of(word));
      return {n == 3 ? execute_cross : execute_quaternion, clash};
    }
    case 0x1E7:
      return matrix_unary_of(word, n);
    default:
      return {};
  }
}

}  // namespace

bool decode_vfpu_matrix(Word word, Decoded& decoded) {
  if (opcode_of(word) != 0x3C) return false;
  const Found found = matrix_operation_of(word);
  if (found.run == nullptr) return false;
  decoded.op = {found.clash ? execute_vfpu_overlap : found.run,
                vd_of(word),
                vs_of(word),
                vt_of(word),
                static_cast<Byte>(lanes_of(word)),
                word};
  return true;
}

}  // namespace pspllm::simulator
