// Loops of a constant length, unrolled at every optimisation level, so that arrays which they index stay in
// registers.
#pragma once

#include <utility>

namespace pspllm {

template <typename Body, int... Index>
[[gnu::always_inline]] inline void unrolled_over(std::integer_sequence<int, Index...> /*indices*/,
                                                 Body body) noexcept {
  (body.template operator()<Index>(), ...);
}

/// Calls body<0>() … body<Count - 1>().
template <int Count, typename Body>
[[gnu::always_inline]] inline void unrolled(Body body) noexcept {
  unrolled_over(std::make_integer_sequence<int, Count>{}, body);
}

}  // namespace pspllm
