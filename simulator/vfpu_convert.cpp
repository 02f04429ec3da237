// VFPU conversions between floats, integers, halves, packed bytes and shorts, and pixel formats.
#include <cmath>

#include "simulator/vfpu_operation.hpp"

namespace pspllm::simulator {

namespace {

// Float to integer after scaling by 2^scale; saturates, NaN gives the largest (pspautotests
// convert.expected).
template <auto round>
Word to_integer(Word a, unsigned scale) {
  if (vfpu_is_nan(a)) return 0x7FFFFFFF;
  const double scaled = as_double(a) * static_cast<double>(Word{1} << scale);
  const double rounded = round(scaled);
  if (rounded >= 2147483647.0) return 0x7FFFFFFF;
  if (rounded <= -2147483648.0) return 0x80000000;
  return as_word(static_cast<SignedWord>(rounded));
}

constexpr auto to_nearest = [](double value) {
  const double up = std::floor(value + 0.5);
  return up - value == 0.5 && std::floor(up / 2.0) * 2.0 != up ? up - 1.0 : up;
};
constexpr auto toward_zero = [](double value) { return std::trunc(value); };
constexpr auto upward = [](double value) { return std::ceil(value); };
constexpr auto downward = [](double value) { return std::floor(value); };

// op.value bits 20..16: the scale.
template <unsigned n, auto round>
bool execute_to_integer(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<n>(core, op.s, prefixes::s);
  Lanes result{};
  for (unsigned i = 0; i < n; ++i) result[i] = to_integer<round>(s[i], bits(op.value, 20, 16));
  write_vector<n>(core, op.d, result, arithmetic_cost(core), prefixes::s | prefixes::d);
  return true;
}

// 2^-scale, exactly.
constexpr float power_of_half(unsigned scale) {
  return as_float((127U - scale) << 23U);
}

template <unsigned n>
bool execute_from_integer(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<n>(core, op.s, prefixes::s);
  const float factor = power_of_half(bits(op.value, 20, 16));
  Lanes result{};
  for (unsigned i = 0; i < n; ++i) result[i] = as_bits(static_cast<float>(as_signed(s[i])) * factor);
  write_vector<n>(core, op.d, result, arithmetic_cost(core), prefixes::s | prefixes::d);
  return true;
}

// From n lanes to m, bits only: d = f(s).
template <unsigned n, unsigned m, auto f>
bool execute_repack(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<n>(core, op.s, prefixes::s);
  write_vector<m>(core, op.d, f(s), move_cost(core), prefixes::s | prefixes::d);
  return true;
}

// The same at the cost of arithmetic (half precision).
template <unsigned n, unsigned m, auto f>
bool execute_half(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Lanes s = read_vector<n>(core, op.s, prefixes::s);
  write_vector<m>(core, op.d, f(s), arithmetic_cost(core), prefixes::s | prefixes::d);
  return true;
}

constexpr Word byte_of(Word word, unsigned i) {
  return (word >> (8U * i)) & 0xFFU;
}
constexpr Word half_of(Word word, unsigned i) {
  return (word >> (16U * i)) & 0xFFFFU;
}

constexpr auto bytes_to_integers = [](const Lanes& s) {
  return Lanes{byte_of(s[0], 0) << 24U, byte_of(s[0], 1) << 24U, byte_of(s[0], 2) << 24U,
               byte_of(s[0], 3) << 24U};
};
// An unsigned byte repeated over 31 bits.
constexpr Word spread(Word byte) {
  return byte << 23U | byte << 15U | byte << 7U | byte >> 1U;
}
constexpr auto unsigned_bytes_to_integers = [](const Lanes& s) {
  return Lanes{spread(byte_of(s[0], 0)), spread(byte_of(s[0], 1)), spread(byte_of(s[0], 2)),
               spread(byte_of(s[0], 3))};
};
constexpr auto shorts_to_integers = [](const Lanes& s) {
  return Lanes{half_of(s[0], 0) << 16U, half_of(s[0], 1) << 16U, half_of(s[1], 0) << 16U,
               half_of(s[1], 1) << 16U};
};
constexpr auto unsigned_shorts_to_integers = [](const Lanes& s) {
  return Lanes{half_of(s[0], 0) << 15U, half_of(s[0], 1) << 15U, half_of(s[1], 0) << 15U,
               half_of(s[1], 1) << 15U};
};
constexpr auto integers_to_bytes = [](const Lanes& s) {
  return Lanes{s[0] >> 24U | (s[1] >> 24U) << 8U | (s[2] >> 24U) << 16U | (s[3] >> 24U) << 24U};
};
constexpr Word top_unsigned(Word a, unsigned shift) {
  return (a & vfpu_sign) ? 0 : a >> shift;
}
constexpr auto integers_to_unsigned_bytes = [](const Lanes& s) {
  return Lanes{top_unsigned(s[0], 23) | top_unsigned(s[1], 23) << 8U | top_unsigned(s[2], 23) << 16U |
               top_unsigned(s[3], 23) << 24U};
};
constexpr auto integers_to_shorts = [](const Lanes& s) {
  return Lanes{s[0] >> 16U | (s[1] & 0xFFFF0000U), s[2] >> 16U | (s[3] & 0xFFFF0000U)};
};
constexpr auto integers_to_unsigned_shorts = [](const Lanes& s) {
  return Lanes{top_unsigned(s[0], 15) | top_unsigned(s[1], 15) << 16U,
               top_unsigned(s[2], 15) | top_unsigned(s[3], 15) << 16U};
};
constexpr auto from_halves = [](const Lanes& s) {
  return Lanes{vfpu_from_half(half_of(s[0], 0)), vfpu_from_half(half_of(s[0], 1)),
               vfpu_from_half(half_of(s[1], 0)), vfpu_from_half(half_of(s[1], 1))};
};
constexpr auto to_halves = [](const Lanes& s) {
  return Lanes{vfpu_to_half(s[0]) | vfpu_to_half(s[1]) << 16U, vfpu_to_half(s[2]) | vfpu_to_half(s[3])
                                                                                        << 16U};
};

// One 8888 pixel to 16 bits: `r`, `g`, `b`, `a` bits of each channel.
template <unsigned r, unsigned g, unsigned b, unsigned a>
constexpr Word pixel(Word color) {
  Word result = byte_of(color, 0) >> (8U - r);
  result |= (byte_of(color, 1) >> (8U - g)) << r;
  result |= (byte_of(color, 2) >> (8U - b)) << (r + g);
  return a == 0 ? result : result | (byte_of(color, 3) >> (8U - a)) << (r + g + b);
}
template <unsigned r, unsigned g, unsigned b, unsigned a>
constexpr auto pixels = [](const Lanes& s) {
  return Lanes{pixel<r, g, b, a>(s[0]) | pixel<r, g, b, a>(s[1]) << 16U,
               pixel<r, g, b, a>(s[2]) | pixel<r, g, b, a>(s[3]) << 16U};
};

template <auto round>
constexpr SizedHandlers to_integer_handlers{{nullptr, execute_to_integer<1, round>,
                                             execute_to_integer<2, round>, execute_to_integer<3, round>,
                                             execute_to_integer<4, round>}};

SizedHandlers scaled_of(Word word) {
  const Word kind = bits(word, 22, 21);
  if ((word >> 23U) == 0x1A5) {
    if (kind != 0) return {};
    return {{nullptr, execute_from_integer<1>, execute_from_integer<2>, execute_from_integer<3>,
             execute_from_integer<4>}};
  }
  if ((word >> 23U) != 0x1A4) return {};
  switch (kind) {
    case 0:
      return to_integer_handlers<to_nearest>;
    case 1:
      return to_integer_handlers<toward_zero>;
    case 2:
      return to_integer_handlers<upward>;
    default:
      return to_integer_handlers<downward>;
  }
}

SizedHandlers packing_of(Word word) {
  switch (bits(word, 22, 16)) {
    case 0x32:
      return {{nullptr, nullptr, execute_half<2, 1, to_halves>, nullptr, execute_half<4, 2, to_halves>}};
    case 0x33:
      return {{nullptr, execute_half<1, 2, from_halves>, execute_half<2, 4, from_halves>}};
    case 0x38:
      return {{nullptr, execute_repack<1, 4, unsigned_bytes_to_integers>}};
    case 0x39:
      return {{nullptr, execute_repack<1, 4, bytes_to_integers>}};
    case 0x3A:
      return {{nullptr, execute_repack<1, 2, unsigned_shorts_to_integers>,
               execute_repack<2, 4, unsigned_shorts_to_integers>}};
    case 0x3B:
      return {{nullptr, execute_repack<1, 2, shorts_to_integers>, execute_repack<2, 4, shorts_to_integers>}};
    case 0x3C:
      return {{nullptr, nullptr, nullptr, nullptr, execute_repack<4, 1, integers_to_unsigned_bytes>}};
    case 0x3D:
      return {{nullptr, nullptr, nullptr, nullptr, execute_repack<4, 1, integers_to_bytes>}};
    case 0x3E:
      return {{nullptr, nullptr, execute_repack<2, 1, integers_to_unsigned_shorts>, nullptr,
               execute_repack<4, 2, integers_to_unsigned_shorts>}};
    case 0x3F:
      return {{nullptr, nullptr, execute_repack<2, 1, integers_to_shorts>, nullptr,
               execute_repack<4, 2, integers_to_shorts>}};
    case 0x59:
      return {{nullptr, nullptr, nullptr, nullptr, execute_repack<4, 2, pixels<4, 4, 4, 4>>}};
    case 0x5A:
      return {{nullptr, nullptr, nullptr, nullptr, execute_repack<4, 2, pixels<5, 5, 5, 1>>}};
    case 0x5B:
      return {{nullptr, nullptr, nullptr, nullptr, execute_repack<4, 2, pixels<5, 6, 5, 0>>}};
    default:
      return {};
  }
}

}  // namespace

bool decode_vfpu_convert(Word word, Decoded& decoded) {
  const unsigned n = lanes_of(word);
  const SizedHandlers handlers = (word >> 23U) == 0x1A0 ? packing_of(word) : scaled_of(word);
  if (handlers.of[n] == nullptr) return false;
  decoded.op = {handlers.of[n], vd_of(word), vs_of(word), 0, static_cast<Byte>(n), word};
  return true;
}

}  // namespace pspllm::simulator
