// When quantisation may multiply by the reciprocal of the scale instead of dividing, and still round every
// number as the reference does.
#pragma once

namespace pspllm {

/// Largest magnitude of a quantised value: runq.c's Q_MAX.
inline constexpr float largest_quantized = 127.0F;

/// x times the rounded reciprocal of the scale is at most 127.1 * 3 * 2^-24 < 2^-15 from the rounded quotient
/// (each of reciprocal, product and quotient is off by half a last place). So both round to the same whole
/// number unless the product is nearer than that to a half: further than this from the whole number.
inline constexpr float furthest_sure_rest = 0.5F - 0x1p-15F;

/// Scales between these have a reciprocal, and products with it, that are normal numbers or zero.
inline constexpr float smallest_reciprocal_scale = 1e-30F;
inline constexpr float largest_reciprocal_scale = 1e30F;

}  // namespace pspllm
