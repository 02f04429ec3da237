// Vectors of floats and integers as the compiler's own extension has them, so that one template serves every
// instruction set. Only files compiled for one instruction set include this; all templates here take that
// set's type, which is local to its file: no other file's linker can pick up their code.
#pragma once

#include <cstdint>

namespace pspllm::host {

template <typename T, std::uint32_t n>
struct VectorOf {
  typedef T Type __attribute__((vector_size(n * sizeof(T))));  // NOLINT(modernize-use-using): GCC needs it
};

/// n numbers of type T; n floats; n 32-bit integers.
template <typename T, std::uint32_t n>
using Vector = typename VectorOf<T, n>::Type;
template <std::uint32_t n>
using Floats = Vector<float, n>;
template <std::uint32_t n>
using Ints = Vector<std::int32_t, n>;

/// A set's operations on `n` lanes. Isa: the set's local type (see above). No alignment is asked for.
template <class Isa, std::uint32_t n = Isa::lanes>
struct Lanes {
  using F = Floats<n>;
  using I = Ints<n>;

  [[gnu::always_inline]] static F load(const void* from) noexcept {
    F result;
    __builtin_memcpy(&result, from, sizeof result);
    return result;
  }
  [[gnu::always_inline]] static void store(void* to, F value) noexcept {
    __builtin_memcpy(to, &value, sizeof value);
  }
  [[gnu::always_inline]] static F broadcast(float value) noexcept { return value - F{}; }
  [[gnu::always_inline]] static I broadcast(std::int32_t value) noexcept { return value - I{}; }
  [[gnu::always_inline]] static F to_float(I value) noexcept { return __builtin_convertvector(value, F); }
  [[gnu::always_inline]] static I truncate(F value) noexcept { return __builtin_convertvector(value, I); }
};

/// All lanes combined, halves with halves: combine must not care about the order.
template <typename T, std::uint32_t n, class Combine>
[[gnu::always_inline]] inline T reduce(Vector<T, n> value, Combine combine) noexcept {
  if constexpr (n == 1) {
    return value[0];
  } else {
    Vector<T, n / 2> halves[2];
    __builtin_memcpy(halves, &value, sizeof value);
    return reduce<T, n / 2>(combine(halves[0], halves[1]), combine);
  }
}

}  // namespace pspllm::host
