#pragma once
// The VFPU's approximated functions. The hardware's own tables are not published under terms that would let
// them be used here, so these are the true values cut to the 22 mantissa bits that the hardware's results
// have: most agree to the bit (docs/simulator.md says how many), all are within the published accuracy (vlog2
// and vasin are more exact here than there). Computed with additions, multiplications, divisions and square
// roots only, so that every host gives the same bits.
#include "simulator/words.hpp"

namespace pspllm::simulator {

[[nodiscard]] Word vfpu_reciprocal(Word a);
[[nodiscard]] Word vfpu_reciprocal_root(Word a);
[[nodiscard]] Word vfpu_root(Word a);
[[nodiscard]] Word vfpu_exp2(Word a);
[[nodiscard]] Word vfpu_log2(Word a);
// Angles in quarter turns.
[[nodiscard]] Word vfpu_sine(Word a);
[[nodiscard]] Word vfpu_cosine(Word a);
[[nodiscard]] Word vfpu_arcsine(Word a);

}  // namespace pspllm::simulator
