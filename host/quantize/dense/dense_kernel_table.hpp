// The inner loops for any number of lanes. Only files compiled for one instruction set include this, with a
// type of their own (see engine/ops/host/vectors.hpp).
#pragma once

#include "engine/ops/host/vectors.hpp"
#include "host/quantize/dense/dense_kernels.hpp"

namespace pspllm::host {

template <class Isa>
void multiply_tile(const float* a, const float* b, std::size_t depth, float* c,
                   std::size_t c_stride) noexcept {
  using V = Lanes<Isa>;
  Floats<Isa::lanes> sums[Isa::tile_rows][2];
  for (std::uint32_t row = 0; row < Isa::tile_rows; ++row) {
    sums[row][0] = V::load(c + row * c_stride);
    sums[row][1] = V::load(c + row * c_stride + Isa::lanes);
  }
  for (std::size_t k = 0; k < depth; ++k, a += Isa::tile_rows, b += 2 * Isa::lanes) {
    const Floats<Isa::lanes> left = V::load(b);
    const Floats<Isa::lanes> right = V::load(b + Isa::lanes);
    for (std::uint32_t row = 0; row < Isa::tile_rows; ++row) {
      const Floats<Isa::lanes> factor = V::broadcast(a[row]);
      sums[row][0] = Isa::multiply_add(factor, left, sums[row][0]);
      sums[row][1] = Isa::multiply_add(factor, right, sums[row][1]);
    }
  }
  for (std::uint32_t row = 0; row < Isa::tile_rows; ++row) {
    V::store(c + row * c_stride, sums[row][0]);
    V::store(c + row * c_stride + Isa::lanes, sums[row][1]);
  }
}

/// The first of the smallest values over all lanes.
template <class Isa>
[[gnu::always_inline]] inline std::uint8_t first_smallest(Floats<Isa::lanes> values,
                                                          Ints<Isa::lanes> words) noexcept {
  float smallest = values[0];
  std::int32_t word = words[0];
  for (std::uint32_t lane = 1; lane < Isa::lanes; ++lane) {
    const bool better = values[lane] < smallest || (values[lane] == smallest && words[lane] < word);
    smallest = better ? values[lane] : smallest;
    word = better ? words[lane] : word;
  }
  return static_cast<std::uint8_t>(word);
}

template <class Isa>
void nearest_words(const float* words, const float* offsets, std::size_t dims, const float* targets,
                   std::size_t count, std::uint8_t* out) noexcept {
  using V = Lanes<Isa>;
  Ints<Isa::lanes> first_words;
  for (std::uint32_t lane = 0; lane < Isa::lanes; ++lane) {
    first_words[lane] = static_cast<std::int32_t>(lane);
  }
  for (std::size_t i = 0; i < count; ++i, targets += dims) {
    Floats<Isa::lanes> smallest = V::broadcast(__builtin_inff());
    Ints<Isa::lanes> best = first_words;
    for (std::uint32_t word = 0; word < nearest_word_count; word += Isa::lanes) {
      Floats<Isa::lanes> value = V::load(offsets + word);
      for (std::size_t k = 0; k < dims; ++k) {
        value = Isa::multiply_add(V::broadcast(-targets[k]), V::load(words + k * nearest_word_count + word),
                                  value);
      }
      const Ints<Isa::lanes> smaller = value < smallest;
      best = smaller ? first_words + V::broadcast(static_cast<std::int32_t>(word)) : best;
      smallest = smaller ? value : smallest;
    }
    out[i] = first_smallest<Isa>(smallest, best);
  }
}

template <class Isa>
inline constexpr DenseKernels dense_kernel_table{.name = Isa::name,
                                                 .tile_rows = Isa::tile_rows,
                                                 .tile_cols = 2 * Isa::lanes,
                                                 .multiply_tile = multiply_tile<Isa>,
                                                 .nearest_words = nearest_words<Isa>};

}  // namespace pspllm::host
