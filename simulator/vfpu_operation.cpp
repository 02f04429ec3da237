#include "simulator/vfpu_operation.hpp"

namespace pspllm::simulator {

namespace {

// Chosen by three bits of a source prefix (vfpu-docs prefix-func.h).
constexpr std::array<Word, 8> prefix_constants{0x00000000, 0x3F800000, 0x40000000, 0x3F000000,
                                               0x40400000, 0x3EAAAAAB, 0x3E800000, 0x3E2AAAAB};

// The d prefix's saturation of one lane: mode 1 to [0, 1], mode 3 to [-1, 1].
Word saturate(Word value, unsigned mode) {
  if ((mode & 1U) == 0) return value;
  const float lowest = (mode & 2U) ? -1.0F : 0.0F;
  const float number = as_float(value);
  if (number > 1.0F) return vfpu_one;
  if (number <= lowest) return as_bits(lowest);
  return value;
}

}  // namespace

Lanes apply_source_prefix(const Lanes& lanes, Word prefix, unsigned n) {
  Lanes result{};
  for (unsigned i = 0; i < n; ++i) {
    const unsigned chosen = (prefix >> (i * 2U)) & 3U;
    const bool absolute = ((prefix >> (8U + i)) & 1U) != 0;
    const bool constant = ((prefix >> (12U + i)) & 1U) != 0;
    const bool negative = ((prefix >> (16U + i)) & 1U) != 0;
    Word value = 0;
    if (constant)
      value = prefix_constants[chosen | (absolute ? 4U : 0U)];
    else
      value = absolute ? lanes[chosen] & ~vfpu_sign : lanes[chosen];
    result[i] = negative ? value ^ vfpu_sign : value;
  }
  return result;
}

void consume_active_prefixes(Core& core, unsigned taken) {
  const bool ignored =
      (!(taken & prefixes::s) && core.vfpu_control[0] != vfpu_control::default_source_prefix) ||
      (!(taken & prefixes::t) && core.vfpu_control[1] != vfpu_control::default_source_prefix) ||
      (!(taken & prefixes::d) && core.vfpu_control[2] != 0);
  if (ignored) core.hazards.report(HazardKind::vfpu_prefix_ignored, core.block->pc, 0);
  reset_prefixes(core);
}

void write_prefixed(Core& core, const VectorLanes& lanes, const Lanes& values, unsigned n, Cycles done) {
  const Word prefix = core.vfpu_control[vfpu_control::prefix_d];
  for (unsigned i = 0; i < n; ++i) {
    const bool masked = ((prefix >> (8U + i)) & 1U) != 0;
    if (!masked) write_lane(core, lanes[i], saturate(values[i], (prefix >> (i * 2U)) & 3U), done);
  }
}

bool vectors_overlap(unsigned n, Byte a, unsigned m, Byte b) {
  const VectorLanes& first = vector_table[n][a];
  const VectorLanes& second = vector_table[m][b];
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < m; ++j)
      if (first[i] == second[j]) return true;
  return false;
}

bool execute_vfpu_overlap(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  return fail(core, FaultKind::vfpu_overlap, 0, op.value);
}

bool decode_vfpu(Word word, const DecodeContext& context, Decoded& decoded) {
  return decode_vfpu_memory(word, context, decoded) || decode_vfpu_arithmetic(word, decoded) ||
         decode_vfpu_convert(word, decoded) || decode_vfpu_matrix(word, decoded) ||
         decode_vfpu_compare(word, decoded) || decode_vfpu_constant(word, decoded) ||
         decode_vfpu_function(word, decoded) || decode_vfpu_control(word, decoded);
}

}  // namespace pspllm::simulator
