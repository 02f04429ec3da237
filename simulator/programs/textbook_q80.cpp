// A plain ELF for the simulator: the matrix products of one token of stories15M, as a textbook writes them
// (one multiply at a time), with -O2 by the cross compiler. Timing does not depend on the numbers, so they
// are all zero.
//
// One layer and a tenth of the classifier run between markers; textbook_kernel_test.cpp scales them up.
#include <cstdint>

#include "simulator/markers.hpp"

namespace {

using pspllm::simulator::MarkerKind;

constexpr int dim = 288;
constexpr int hidden_dim = 768;
constexpr int group_size = 32;
constexpr int classifier_rows = 3200;  // of 32000

struct Quantized {
  std::int8_t* q;
  float* s;
};

std::int8_t weights[classifier_rows * dim];
float scales[classifier_rows * dim / group_size];
std::int8_t activations[hidden_dim];
float activation_scales[hidden_dim / group_size];
float output[classifier_rows];

template <MarkerKind kind>
void mark(std::uint32_t value) {
  asm volatile("ori $zero, %0, %1" : : "r"(value), "i"(pspllm::simulator::marker_immediate(kind)) : "memory");
}

// w [rows, columns] times x [columns]
[[gnu::noinline]] void matmul(float* out, const Quantized& x, const Quantized& w, int columns, int rows) {
  for (int i = 0; i < rows; i++) {
    float sum = 0.0f;
    const int row = i * columns;
    for (int j = 0; j <= columns - group_size; j += group_size) {
      std::int32_t group_sum = 0;
      for (int k = 0; k < group_size; k++)
        group_sum += static_cast<std::int32_t>(x.q[j + k]) * static_cast<std::int32_t>(w.q[row + j + k]);
      sum += static_cast<float>(group_sum) * w.s[(row + j) / group_size] * x.s[j / group_size];
    }
    out[i] = sum;
  }
}

}  // namespace

extern "C" int start() {
  asm volatile("ctc1 $zero, $31");
  const Quantized w{weights, scales};
  const Quantized x{activations, activation_scales};
  mark<MarkerKind::prompt_begin>(1);
  for (int i = 0; i < 4; i++) matmul(output, x, w, dim, dim);  // queries, keys, values, output
  matmul(output, x, w, dim, hidden_dim);
  matmul(output, x, w, hidden_dim, dim);
  matmul(output, x, w, dim, hidden_dim);
  mark<MarkerKind::prompt_end>(0);
  matmul(output, x, w, dim, classifier_rows);
  mark<MarkerKind::token>(1);
  return 0;
}
