// VFPU operations that work lane by lane or reduce a vector by its dot-product unit.
#include "simulator/vfpu_operation.hpp"

namespace pspllm::simulator {

namespace {

constexpr unsigned all_prefixes = prefixes::s | prefixes::t | prefixes::d;

// d[i] = f(s[i], t[i])
template <unsigned n, auto f>
bool execute_binary(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<n>(core, op.s, prefixes::s);
  const Lanes t = read_vector<n>(core, op.t, prefixes::t);
  Lanes result{};
  for (unsigned i = 0; i < n; ++i) result[i] = f(s[i], t[i]);
  write_vector<n>(core, op.d, result, arithmetic_cost(core), all_prefixes);
  return true;
}

template <unsigned n>
bool execute_divide(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  constexpr bool one = n == 1;
  const Lanes s = read_vector<n>(core, op.s, one ? prefixes::s : prefixes::none);
  const Lanes t = read_vector<n>(core, op.t, one ? prefixes::t : prefixes::none);
  Lanes result{};
  for (unsigned i = 0; i < n; ++i) result[i] = vfpu_divide(s[i], t[i]);
  const Cycles cycles = Cycles{n} * core.timing[Constant::vfpu_divide_cycles];
  write_vector<n>(core, op.d, result, {cycles, cycles + core.timing[Constant::vfpu_divide_extra]},
                  one ? all_prefixes : prefixes::none);
  return true;
}

template <unsigned n>
bool execute_scale(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<n>(core, op.s, prefixes::s);
  const Word factor = read_vector<1>(core, op.t, prefixes::none)[0];
  Lanes result{};
  for (unsigned i = 0; i < n; ++i) result[i] = vfpu_multiply(s[i], factor);
  write_vector<n>(core, op.d, result, arithmetic_cost(core), prefixes::s | prefixes::d);
  return true;
}

Word dot(const Lanes& a, const Lanes& b, unsigned n) {
  return vfpu_dot({a.data(), n}, {b.data(), n});
}

template <unsigned n>
bool execute_dot(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<n>(core, op.s, prefixes::s);
  const Lanes t = read_vector<n>(core, op.t, prefixes::t);
  write_vector<1>(core, op.d, {dot(s, t, n)}, reduction_cost(core), all_prefixes);
  return true;
}

// The last lane of s counts as 1.
template <unsigned n>
bool execute_homogeneous_dot(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  Lanes s = read_vector<n>(core, op.s, prefixes::s);
  s[n - 1] = vfpu_one;
  const Lanes t = read_vector<n>(core, op.t, prefixes::t);
  write_vector<1>(core, op.d, {dot(s, t, n)}, reduction_cost(core), all_prefixes);
  return true;
}

bool execute_determinant(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<2>(core, op.s, prefixes::s);
  const Lanes t = read_vector<2>(core, op.t, prefixes::none);
  const Word result = dot(s, {t[1], t[0] ^ vfpu_sign}, 2);
  write_vector<1>(core, op.d, {result}, reduction_cost(core), prefixes::s | prefixes::d);
  return true;
}

// vfad and vavg: a dot product with a constant.
template <unsigned n, Word factor>
bool execute_sum(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<n>(core, op.s, prefixes::s);
  write_vector<1>(core, op.d, {dot(s, {factor, factor, factor, factor}, n)}, reduction_cost(core),
                  prefixes::s | prefixes::d);
  return true;
}

bool execute_half_cross(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<3>(core, op.s, prefixes::none);
  const Lanes t = read_vector<3>(core, op.t, prefixes::none);
  const Lanes result{vfpu_multiply(s[1], t[2]), vfpu_multiply(s[2], t[0]), vfpu_multiply(s[0], t[1])};
  write_vector<3>(core, op.d, result, arithmetic_cost(core), prefixes::d);
  return true;
}

// Operations that only move bits: d[i] = f(s[i]).
template <unsigned n, auto f>
bool execute_move(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<n>(core, op.s, prefixes::s);
  Lanes result{};
  for (unsigned i = 0; i < n; ++i) result[i] = f(s[i]);
  write_vector<n>(core, op.d, result, move_cost(core), prefixes::s | prefixes::d);
  return true;
}

template <unsigned n, auto f>
bool execute_unary(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<n>(core, op.s, prefixes::s);
  Lanes result{};
  for (unsigned i = 0; i < n; ++i) result[i] = f(s[i]);
  write_vector<n>(core, op.d, result, arithmetic_cost(core), prefixes::s | prefixes::d);
  return true;
}

// vocp also waits for the register that its t field happens to name (docs/simulator.md).
template <unsigned n>
bool execute_complement(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<n>(core, op.s, prefixes::s);
  (void)read_vector<n>(core, op.t, prefixes::none);
  Lanes result{};
  for (unsigned i = 0; i < n; ++i) result[i] = vfpu_subtract(vfpu_one, s[i]);
  write_vector<n>(core, op.d, result, arithmetic_cost(core), prefixes::s | prefixes::d);
  return true;
}

Word clamp_to_one(Word a) {
  const float number = as_float(a);
  if (number > 1.0F) return vfpu_one;
  return number <= 0.0F ? 0 : a;
}

// vsocp: pairs of (1 - s, s), both within [0, 1].
template <unsigned n>
bool execute_saturated_complement(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<n>(core, op.s, prefixes::none);
  Lanes result{};
  for (unsigned i = 0; i < n; ++i) {
    result[i * 2] = clamp_to_one(vfpu_subtract(vfpu_one, s[i]));
    result[i * 2 + 1] = clamp_to_one(vfpu_add(s[i], 0));
  }
  write_vector<n * 2>(core, op.d, result, arithmetic_cost(core), prefixes::d);
  return true;
}

// Butterflies and sorting steps: d = f(s) on whole vectors.
template <unsigned n, auto f>
bool execute_shuffle(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<n>(core, op.s, prefixes::none);
  write_vector<n>(core, op.d, f(s), arithmetic_cost(core), prefixes::d);
  return true;
}

constexpr auto identity = [](Word a) { return a; };
constexpr auto absolute = [](Word a) { return a & ~vfpu_sign; };
constexpr auto negate = [](Word a) { return a ^ vfpu_sign; };
constexpr auto saturate_unsigned = [](Word a) { return clamp_to_one(a); };
constexpr auto saturate_signed = [](Word a) {
  const float number = as_float(a);
  if (number > 1.0F) return vfpu_one;
  return number <= -1.0F ? vfpu_one | vfpu_sign : a;
};
constexpr auto sign_of = [](Word a) {
  if (vfpu_is_zero(a)) return Word{0};
  return vfpu_one | (a & vfpu_sign);
};

// vsbn: the exponent of s becomes t + 127.
constexpr auto set_exponent = [](Word s, Word t) {
  if (vfpu_is_zero(s) || vfpu_is_nan(s) || vfpu_is_infinite(s)) return s;
  return (s & 0x807FFFFFU) | ((t + 127U) & 0xFFU) << 23U;
};
// vsbz: the exponent becomes 0, the sign goes.
constexpr auto reset_exponent = [](Word s) {
  if (vfpu_is_zero(s) || vfpu_is_nan(s)) return s;
  return (s & 0x007FFFFFU) | vfpu_one;
};
// vlgb: the exponent as a float.
constexpr auto exponent = [](Word s) {
  if (vfpu_is_zero(s)) return vfpu_sign | vfpu_infinity;
  if (vfpu_is_nan(s)) return vfpu_nan;
  if (vfpu_is_infinite(s)) return vfpu_infinity;
  return as_bits(static_cast<float>(as_signed((s >> 23U) & 0xFFU) - 127));
};

constexpr auto butterfly1 = [](const Lanes& s) {
  return Lanes{vfpu_add(s[0], s[1]), vfpu_subtract(s[0], s[1]), vfpu_add(s[2], s[3]),
               vfpu_subtract(s[2], s[3])};
};
constexpr auto butterfly2 = [](const Lanes& s) {
  return Lanes{vfpu_add(s[0], s[2]), vfpu_add(s[1], s[3]), vfpu_subtract(s[0], s[2]),
               vfpu_subtract(s[1], s[3])};
};
constexpr auto sort1 = [](const Lanes& s) {
  return Lanes{vfpu_min(s[0], s[1]), vfpu_max(s[0], s[1]), vfpu_min(s[2], s[3]), vfpu_max(s[2], s[3])};
};
constexpr auto sort2 = [](const Lanes& s) {
  return Lanes{vfpu_min(s[0], s[3]), vfpu_min(s[1], s[2]), vfpu_max(s[1], s[2]), vfpu_max(s[0], s[3])};
};
constexpr auto sort3 = [](const Lanes& s) {
  return Lanes{vfpu_max(s[0], s[1]), vfpu_min(s[0], s[1]), vfpu_max(s[2], s[3]), vfpu_min(s[2], s[3])};
};
constexpr auto sort4 = [](const Lanes& s) {
  return Lanes{vfpu_max(s[0], s[3]), vfpu_max(s[1], s[2]), vfpu_min(s[1], s[2]), vfpu_min(s[0], s[3])};
};

// vwbn: rescales to exponent `value` (bits 23..16 of the word), shifting the mantissa.
bool execute_wrap(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Word s = read_vector<1>(core, op.s, prefixes::s)[0];
  const Word wanted = bits(op.value, 23, 16);
  const Word present = (s >> 23U) & 0xFFU;
  Word result = s | wanted << 23U;
  if (present != 0 && present != 0xFF) {
    Word mantissa = (s & 0x007FFFFFU) | 0x00800000U;
    if (wanted > present)
      mantissa >>= (wanted - present) & 15U;
    else
      mantissa <<= (present - wanted) & 15U;
    result = (s & vfpu_sign) | (mantissa & 0x007FFFFFU) | wanted << 23U;
  }
  write_vector<1>(core, op.d, {result}, arithmetic_cost(core), prefixes::s | prefixes::d);
  return true;
}

template <auto f>
constexpr SizedHandlers binary{
    {nullptr, execute_binary<1, f>, execute_binary<2, f>, execute_binary<3, f>, execute_binary<4, f>}};
template <auto f>
constexpr SizedHandlers move{
    {nullptr, execute_move<1, f>, execute_move<2, f>, execute_move<3, f>, execute_move<4, f>}};
template <auto f>
constexpr SizedHandlers unary{
    {nullptr, execute_unary<1, f>, execute_unary<2, f>, execute_unary<3, f>, execute_unary<4, f>}};

constexpr auto divide_handlers =
    SizedHandlers{{nullptr, execute_divide<1>, execute_divide<2>, execute_divide<3>, execute_divide<4>}};

// vadd, vsub, vsbn, vdiv, vmul, vdot, vscl, vhdp, vcrs, vdet, vmin, vmax: by bits 31..23.
SizedHandlers binary_of(Word word) {
  switch (word >> 23U) {
    case 0x0C0:
      return binary<vfpu_add>;
    case 0x0C1:
      return binary<vfpu_subtract>;
    case 0x0C2:
      return {{nullptr, execute_binary<1, set_exponent>}};
    case 0x0C7:
      return divide_handlers;
    case 0x0C8:
      return binary<vfpu_multiply>;
    case 0x0C9:
      return {{nullptr, nullptr, execute_dot<2>, execute_dot<3>, execute_dot<4>}};
    case 0x0CA:
      return {{nullptr, nullptr, execute_scale<2>, execute_scale<3>, execute_scale<4>}};
    case 0x0CC:
      return {{nullptr, nullptr, execute_homogeneous_dot<2>, execute_homogeneous_dot<3>,
               execute_homogeneous_dot<4>}};
    case 0x0CD:
      return {{nullptr, nullptr, nullptr, execute_half_cross}};
    case 0x0CE:
      return {{nullptr, nullptr, execute_determinant}};
    case 0x0DA:
      return binary<vfpu_min>;
    case 0x0DB:
      return binary<vfpu_max>;
    default:
      return {};
  }
}

// Unary operations: opcode 0xD0 with bits 22..16.
SizedHandlers unary_of(Word word) {
  constexpr Word third = 0x3EAAAAAB;
  switch (bits(word, 22, 16)) {
    case 0x00:
      return move<identity>;
    case 0x01:
      return move<absolute>;
    case 0x02:
      return move<negate>;
    case 0x04:
      return move<saturate_unsigned>;
    case 0x05:
      return move<saturate_signed>;
    case 0x36:
      return {{nullptr, execute_unary<1, reset_exponent>}};
    case 0x37:
      return {{nullptr, execute_unary<1, exponent>}};
    case 0x40:
      return {{nullptr, nullptr, nullptr, nullptr, execute_shuffle<4, sort1>}};
    case 0x41:
      return {{nullptr, nullptr, nullptr, nullptr, execute_shuffle<4, sort2>}};
    case 0x42:
      return {{nullptr, nullptr, execute_shuffle<2, butterfly1>, nullptr, execute_shuffle<4, butterfly1>}};
    case 0x43:
      return {{nullptr, nullptr, nullptr, nullptr, execute_shuffle<4, butterfly2>}};
    case 0x44:
      return {{nullptr, execute_complement<1>, execute_complement<2>, execute_complement<3>,
               execute_complement<4>}};
    case 0x45:
      return {{nullptr, execute_saturated_complement<1>, execute_saturated_complement<2>}};
    case 0x46:
      return {
          {nullptr, nullptr, execute_sum<2, vfpu_one>, execute_sum<3, vfpu_one>, execute_sum<4, vfpu_one>}};
    case 0x47:
      return {
          {nullptr, nullptr, execute_sum<2, 0x3F000000>, execute_sum<3, third>, execute_sum<4, 0x3E800000>}};
    case 0x48:
      return {{nullptr, nullptr, nullptr, nullptr, execute_shuffle<4, sort3>}};
    case 0x49:
      return {{nullptr, nullptr, nullptr, nullptr, execute_shuffle<4, sort4>}};
    case 0x4A:
      return unary<sign_of>;
    default:
      return {};
  }
}

}  // namespace

bool decode_vfpu_arithmetic(Word word, Decoded& decoded) {
  const unsigned n = lanes_of(word);
  SizedHandlers handlers;
  if (opcode_of(word) == 0x18 || opcode_of(word) == 0x19 || opcode_of(word) == 0x1B)
    handlers = binary_of(word);
  else if ((word >> 23U) == 0x1A0)
    handlers = unary_of(word);
  else if ((word >> 24U) == 0xD3)
    handlers = {{nullptr, execute_wrap}};
  const Handler run = handlers.of[n];
  if (run == nullptr) return false;
  decoded.op = {run, vd_of(word), vs_of(word), vt_of(word), static_cast<Byte>(n), word};
  // A division of several lanes is a row of single ones: its result may be a source only lane by lane.
  const bool stepwise = handlers.of[n] == divide_handlers.of[n] && n > 1;
  const bool clash = (vd_of(word) != vs_of(word) && vectors_overlap(n, vd_of(word), n, vs_of(word))) ||
                     (vd_of(word) != vt_of(word) && vectors_overlap(n, vd_of(word), n, vt_of(word)));
  if (stepwise && clash) decoded.op.run = execute_vfpu_overlap;
  return true;
}

}  // namespace pspllm::simulator
