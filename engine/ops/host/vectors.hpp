// Vectors of floats and integers as the compiler's own extension has them, so that one template serves every
// instruction set. Only files compiled for one instruction set include this; all templates here take that
// set's type, which is local to its file: no other file's linker can pick up their code.
#pragma once

#include <cstdint>

namespace pspllm::host {

template <std::uint32_t n>
struct VectorTypes {
  typedef float Floats __attribute__((vector_size(n * sizeof(float))));       // NOLINT(modernize-use-using)
  typedef std::int32_t Ints __attribute__((vector_size(n * sizeof(float))));  // NOLINT(modernize-use-using)
};

/// n floats, n 32-bit integers.
template <std::uint32_t n>
using Floats = typename VectorTypes<n>::Floats;
template <std::uint32_t n>
using Ints = typename VectorTypes<n>::Ints;

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

}  // namespace pspllm::host
