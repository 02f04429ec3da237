// VFPU operations that make values out of nothing: vzero, vone, vidt, vcst, viim, vfim.
#include "simulator/vfpu_operation.hpp"

namespace pspllm::simulator {

namespace {

// vzero, vone and vidt have a source field of zero, and hardware waits for the register that it names.
constexpr Byte false_source = 0;

template <unsigned n, Word value>
bool execute_fill(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  (void)read_vector<1>(core, false_source, prefixes::none);
  write_vector<n>(core, op.d, {value, value, value, value}, move_cost(core), prefixes::d);
  return true;
}

// A row or column of the identity: which lane is one depends on the register's number.
template <unsigned n>
bool execute_identity(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  (void)read_vector<1>(core, false_source, prefixes::none);
  Lanes result{};
  result[op.d & (n - 1U)] = vfpu_one;
  write_vector<n>(core, op.d, result, move_cost(core), prefixes::d);
  return true;
}

// vfpu-docs const-lut: index 1 to 19.
constexpr std::array<Word, 20> constants{0x00000000, 0x7F7FFFFF, 0x3FB504F3, 0x3F3504F3, 0x3F906EBB,
                                         0x3F22F983, 0x3EA2F983, 0x3F490FDB, 0x3FC90FDB, 0x40490FDB,
                                         0x402DF854, 0x3FB8AA3B, 0x3EDE5BD9, 0x3F317218, 0x40135D8E,
                                         0x40C90FDB, 0x3F060A92, 0x3E9A209B, 0x40549A78, 0x3F5DB3D7};

template <unsigned n>
bool execute_constant(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Word index = bits(op.value, 20, 16);
  const Word value = index < constants.size() ? constants[index] : 0;
  write_vector<n>(core, op.d, {value, value, value, value}, move_cost(core), prefixes::d);
  return true;
}

// viim and vfim: op.value is the finished float.
bool execute_immediate(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  write_vector<1>(core, op.d, {op.value}, arithmetic_cost(core), prefixes::d);
  return true;
}

template <Word value>
constexpr SizedHandlers fill{{nullptr, execute_fill<1, value>, execute_fill<2, value>, execute_fill<3, value>,
                              execute_fill<4, value>}};

SizedHandlers constant_of(Word word) {
  if ((word >> 23U) != 0x1A0) return {};
  const Word code = bits(word, 22, 16);
  if (code >= 0x60 && code < 0x80)
    return {{nullptr, execute_constant<1>, execute_constant<2>, execute_constant<3>, execute_constant<4>}};
  switch (code) {
    case 0x03:
      return {{nullptr, nullptr, execute_identity<2>, nullptr, execute_identity<4>}};
    case 0x06:
      return fill<0>;
    case 0x07:
      return fill<vfpu_one>;
    default:
      return {};
  }
}

}  // namespace

bool decode_vfpu_constant(Word word, Decoded& decoded) {
  if ((word >> 24U) == 0xDF) {
    const bool is_half = bits(word, 23, 23) != 0;
    const Word immediate = word & 0xFFFFU;
    const Word value = is_half ? vfpu_from_half(immediate)
                               : as_bits(static_cast<float>(as_signed(sign_extend(immediate, 16))));
    decoded.op = {execute_immediate, vt_of(word), 0, 0, 1, value};
    return true;
  }
  const unsigned n = lanes_of(word);
  const SizedHandlers handlers = constant_of(word);
  if (handlers.of[n] == nullptr) return false;
  decoded.op = {handlers.of[n], vd_of(word), 0, 0, static_cast<Byte>(n), word};
  return true;
}

}  // namespace pspllm::simulator
