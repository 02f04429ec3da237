// VFPU operations that take one step a lane: roots, reciprocals, exponentials, sines, and the random
// generator.
#include "simulator/vfpu_function.hpp"
#include "simulator/vfpu_operation.hpp"

namespace pspllm::simulator {

namespace {

VfpuCost stepwise_cost(const Core& core, unsigned n) {
  return {n, Cycles{n} + core.timing[Constant::vfpu_transform_extra]};
}

template <unsigned n, auto f>
bool execute_function(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  constexpr unsigned taken = n == 1 ? prefixes::s | prefixes::d : prefixes::none;
  const Lanes s = read_vector<n>(core, op.s, n == 1 ? prefixes::s : prefixes::none);
  Lanes result{};
  for (unsigned i = 0; i < n; ++i) result[i] = f(s[i]);
  ++core.approximate_operations;
  write_vector<n>(core, op.d, result, stepwise_cost(core, n), taken);
  return true;
}

// vrot: one lane the cosine, the others the sine or zero, by the five bits 20..16 (vfpu-docs ivrot).
template <unsigned n>
bool execute_rotate(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  const Word angle = read_vector<1>(core, op.s, prefixes::none)[0];
  const Word chosen = bits(op.value, 20, 16);
  const unsigned cosine_lane = chosen & 3U;
  const unsigned sine_lane = (chosen >> 2U) & 3U;
  const Word sine = vfpu_sine(angle) ^ ((chosen & 16U) ? vfpu_sign : 0);
  Lanes result{};
  for (unsigned i = 0; i < n; ++i) {
    if (i == cosine_lane)
      result[i] = vfpu_cosine(angle);
    else if (cosine_lane == sine_lane || i == sine_lane)
      result[i] = sine;
  }
  ++core.approximate_operations;
  const Cycles latency = core.timing[Constant::vfpu_reduction_latency] + (n == 4 ? 1U : 0U);
  write_vector<n>(core, op.d, result, {core.timing[Constant::vfpu_rotate_cycles], latency}, prefixes::none);
  return true;
}

// A sequence of our own in the generator's registers; reported, because hardware gives other numbers.
Word next_random(Core& core) {
  core.hazards.report(HazardKind::vfpu_random_sequence, core.block->pc, 0);
  Word* const state = &core.vfpu_control[vfpu_control::random0];
  Word mixed = state[0] ^ (state[0] << 11U);
  for (unsigned i = 0; i < 7; ++i) state[i] = state[i + 1];
  mixed ^= mixed >> 8U;
  state[7] = state[6] ^ (state[6] >> 19U) ^ mixed;
  return state[7];
}

template <unsigned n, auto f>
bool execute_random(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  Lanes result{};
  for (unsigned i = 0; i < n; ++i) result[i] = f(next_random(core));
  const Cycles cycles = Cycles{n} * core.timing[Constant::vfpu_random_cycles];
  write_vector<n>(core, op.d, result, {cycles, cycles + core.timing[Constant::vfpu_random_extra]},
                  n == 1 ? prefixes::d : prefixes::none);
  return true;
}

bool execute_seed(Core& core, const MicroOp& op) {
  if (!vfpu_begin(core)) return false;
  Word seed = read_vector<1>(core, op.s, prefixes::none)[0];
  for (unsigned i = 0; i < 8; ++i) {
    seed = seed * 1664525U + 1013904223U;
    core.vfpu_control[vfpu_control::random0 + i] = seed;
  }
  (void)vfpu_issue(core, {1, 1});
  consume_prefixes(core, prefixes::none);
  return true;
}

constexpr auto negative_reciprocal = [](Word a) { return vfpu_reciprocal(a) ^ vfpu_sign; };
constexpr auto negative_sine = [](Word a) { return vfpu_sine(a ^ vfpu_sign); };
constexpr auto reciprocal_exp2 = [](Word a) { return vfpu_exp2(a ^ vfpu_sign); };
constexpr auto random_integer = [](Word a) { return a; };
constexpr auto random_to_two = [](Word a) { return 0x3F800000U | a >> 9U; };
constexpr auto random_to_four = [](Word a) { return 0x40000000U | a >> 9U; };

template <auto f>
constexpr SizedHandlers function{{nullptr, execute_function<1, f>, execute_function<2, f>,
                                  execute_function<3, f>, execute_function<4, f>}};
template <auto f>
constexpr SizedHandlers random{
    {nullptr, execute_random<1, f>, execute_random<2, f>, execute_random<3, f>, execute_random<4, f>}};

SizedHandlers function_of(Word code) {
  switch (code) {
    case 0x10:
      return function<vfpu_reciprocal>;
    case 0x11:
      return function<vfpu_reciprocal_root>;
    case 0x12:
      return function<vfpu_sine>;
    case 0x13:
      return function<vfpu_cosine>;
    case 0x14:
      return function<vfpu_exp2>;
    case 0x15:
      return function<vfpu_log2>;
    case 0x16:
      return function<vfpu_root>;
    case 0x17:
      return function<vfpu_arcsine>;
    case 0x18:
      return function<negative_reciprocal>;
    case 0x1A:
      return function<negative_sine>;
    case 0x1C:
      return function<reciprocal_exp2>;
    default:
      return {};
  }
}

SizedHandlers random_of(Word code) {
  switch (code) {
    case 0x20:
      return {{nullptr, execute_seed}};
    case 0x21:
      return random<random_integer>;
    case 0x22:
      return random<random_to_two>;
    case 0x23:
      return random<random_to_four>;
    default:
      return {};
  }
}

}  // namespace

bool decode_vfpu_function(Word word, Decoded& decoded) {
  const unsigned n = lanes_of(word);
  SizedHandlers handlers;
  bool stepwise = false;
  if ((word >> 23U) == 0x1A0) {
    handlers = function_of(bits(word, 22, 16));
    stepwise = handlers.of[n] != nullptr && n > 1;
    if (handlers.of[n] == nullptr) handlers = random_of(bits(word, 22, 16));
  } else if ((word >> 23U) == 0x1E7 && bits(word, 22, 21) == 1) {
    handlers = {{nullptr, nullptr, execute_rotate<2>, execute_rotate<3>, execute_rotate<4>}};
  }
  if (handlers.of[n] == nullptr) return false;
  decoded.op = {handlers.of[n], vd_of(word), vs_of(word), 0, static_cast<Byte>(n), word};
  const bool rotates = (word >> 23U) == 0x1E7;
  if ((stepwise && vd_of(word) != vs_of(word) && vectors_overlap(n, vd_of(word), n, vs_of(word))) ||
      (rotates && vectors_overlap(n, vd_of(word), 1, vs_of(word))))
    decoded.op.run = execute_vfpu_overlap;
  return true;
}

}  // namespace pspllm::simulator
