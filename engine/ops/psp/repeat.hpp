// A body for every index of a constant range, unrolled, so that indices can name registers.
#pragma once

#include <cstdint>
#include <utility>

namespace pspllm::psp {

template <std::uint32_t... Index, typename Body>
[[gnu::always_inline]] inline void repeat_over(std::integer_sequence<std::uint32_t, Index...> /*indices*/,
                                               [[maybe_unused]] Body body) noexcept {
  (body.template operator()<Index>(), ...);
}

/// Calls body<0>() … body<Count - 1>().
template <std::uint32_t Count, typename Body>
[[gnu::always_inline]] inline void repeat(Body body) noexcept {
  repeat_over(std::make_integer_sequence<std::uint32_t, Count>{}, body);
}

}  // namespace pspllm::psp
