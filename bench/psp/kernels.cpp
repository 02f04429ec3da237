// A program for the simulator: every kernel of the scalar reference, of the portable set (those of its own)
// and of the VFPU once, at the shapes of
// stories15M (q80) and of the 90M-parameter chat model (byte codes), between markers that name it. Plain
// static ELF; cycles do not depend on the numbers but for rare exponentials, so the numbers are
// pseudo-random.
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/limits.hpp"
#include "engine/math/exact_math.hpp"
#include "engine/model/code_layout.hpp"
#include "engine/ops/kernels.hpp"
#include "engine/ops/portable/portable_kernels.hpp"
#include "engine/ops/psp/vfpu_kernels.hpp"
#include "psp/program/markers.hpp"

namespace {

using namespace pspllm;

constexpr std::uint32_t dim = 288;
constexpr std::uint32_t hidden_dim = 768;
constexpr std::uint32_t n_heads = 6;
constexpr std::uint32_t head_dim = dim / n_heads;
constexpr std::uint32_t group_size = 32;
constexpr std::uint32_t vocab_size = 32000;
constexpr std::uint32_t n_positions = 64;
constexpr std::uint32_t batch = 8;
constexpr std::uint32_t chat_dim = 576;
constexpr std::uint32_t chat_hidden_dim = 1152;
constexpr std::uint32_t chat_heads = 9;
constexpr std::uint32_t chat_kv_heads = 3;
constexpr std::uint32_t chat_head_dim = chat_dim / chat_heads;
constexpr std::uint32_t chat_positions = 256;
constexpr std::uint32_t code_width = 6;

constexpr std::size_t megabyte = std::size_t{1} << 20;
/// All data in one place, so that they share the data cache in the same way whatever the program's size.
struct alignas(16384) Buffers {
  std::byte weights[megabyte];
  std::byte scratch[megabyte];
  std::byte quantized[megabyte / 4];
  float input[vocab_size];
  float output[vocab_size];
  float other[batch * chat_hidden_dim];
  float keys[n_positions * dim];
  float values[n_positions * dim];
  float scores[n_heads * n_positions];
};
Buffers buffers;
constexpr auto& weights = buffers.weights;
constexpr auto& scratch = buffers.scratch;
constexpr auto& quantized = buffers.quantized;
constexpr auto& input = buffers.input;
constexpr auto& output = buffers.output;
constexpr auto& other = buffers.other;
constexpr auto& keys = buffers.keys;
constexpr auto& values = buffers.values;
constexpr auto& scores = buffers.scores;

std::uint32_t random_state = 1;
std::uint32_t next_random() {
  random_state = random_state * 1664525U + 1013904223U;
  return random_state >> 8;
}
/// -2 … 2
float next_float() {
  return static_cast<float>(static_cast<std::int32_t>(next_random() & 0xffff) - 0x8000) * 0x1p-14F;
}
void fill(float* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) x[i] = next_float();
}

/// A set of kernels and the name that its figures bear.
struct Set {
  const char* name;
  const Kernels& kernels;
};

/// "SET/KERNEL", as the simulator reads it at a marker.
constexpr std::size_t longest_name = 64;
char marker_name[longest_name];
void compose_name(const char* set, const char* kernel) {
  char* to = marker_name;
  char* const last = marker_name + longest_name - 1;
  while (*set != 0 && to != last) *to++ = *set++;
  if (to != last) *to++ = '/';
  while (*kernel != 0 && to != last) *to++ = *kernel++;
  *to = 0;
}

/// The second call, since code and small data are in the caches then, wherever the linker has put them.
template <typename Call>
void measure(const Set& set, const char* kernel, Call call) {
  compose_name(set.name, kernel);
  call();
  psp::mark_name<psp::MarkerKind::phase_begin>(marker_name);
  call();
  psp::mark<psp::MarkerKind::phase_end>();
}

Matrix q80_matrix(const Kernels& kernels, std::uint32_t rows, std::uint32_t cols) {
  const std::size_t count = std::size_t{rows} * cols;
  for (std::size_t i = 0; i < count; ++i) weights[i] = static_cast<std::byte>(next_random());
  auto* const scales = reinterpret_cast<float*>(weights + count);
  for (std::size_t i = 0; i < count / group_size; ++i) scales[i] = next_float() * 0.01F;
  const Matrix matrix{TensorFormat::q80, rows, cols, group_size, weights};
  kernels.prepare(matrix, std::span(scratch));
  return matrix;
}

void measure_q80(const Set& set, const char* name, std::uint32_t rows, std::uint32_t cols,
                 std::uint32_t n_tokens) {
  const Matrix matrix = q80_matrix(set.kernels, rows, cols);
  const QuantizedActivations x{quantized, n_tokens, cols, group_size};
  set.kernels.quantize(input, x);
  measure(set, name, [&] { set.kernels.matmul_q80(matrix, x, output, rows, {0, rows}); });
}

Matrix codes_matrix(const Kernels& kernels, std::byte* memory, std::uint32_t rows, std::uint32_t cols) {
  const CodeLayout layout{rows, cols, code_width};
  for (std::size_t i = 0; i < layout.bytes(); ++i) memory[i] = static_cast<std::byte>(next_random());
  auto* const codebook = reinterpret_cast<std::int8_t*>(memory);
  for (std::size_t i = 0; i < std::size_t{codebook_words} * code_width; ++i)
    codebook[i] = static_cast<std::int8_t>(static_cast<std::int32_t>(next_random() % 87) - 43);
  auto* const scales = reinterpret_cast<float*>(memory + layout.row_scales_offset());
  for (std::uint32_t row = 0; row < rows; ++row) scales[row] = next_float() * 0.01F;
  const Matrix matrix{TensorFormat::codes, rows, cols, code_width, memory};
  kernels.prepare(matrix, std::span(scratch));
  return matrix;
}

void measure_codes(const Set& set, const char* name, std::uint32_t rows, std::uint32_t cols,
                   std::uint32_t n_tokens) {
  const Matrix matrix = codes_matrix(set.kernels, weights, rows, cols);
  const QuantizedActivations x{quantized, n_tokens, cols, cols};
  set.kernels.quantize_codes(input, x);
  const ProjectedRows projection{&matrix, output, {0, rows}};
  measure(set, name, [&] { set.kernels.matmul_codes(std::span(&projection, 1), x); });
}

void measure_attention(const Set& set, const char* name) {
  fill(keys, std::size_t{n_positions} * dim);
  fill(values, std::size_t{n_positions} * dim);
  AttentionJob job;
  job.query = input;
  job.cache = {keys, values, n_positions};
  job.scores = scores;
  job.out = output;
  job.n_tokens = 1;
  job.first_position = n_positions - 1;
  job.n_heads = n_heads;
  job.n_kv_heads = n_heads;
  job.head_dim = head_dim;
  measure(set, name, [&] { set.kernels.attention(job, {0, n_heads}); });
}

/// The chat model's, its context of 256 full. The cache lies in the buffer of weights; other kernels' numbers
/// stay what they were.
void measure_attention_int8(const Set& set, const char* name) {
  constexpr std::size_t rows = std::size_t{chat_kv_heads} * chat_positions;
  auto* const key_scales = reinterpret_cast<float*>(weights + 2 * rows * chat_head_dim);
  Int8AttentionJob job;
  job.query = other;
  job.cache = {weights, weights + rows * chat_head_dim, key_scales, key_scales + rows, chat_positions};
  job.scores = input;
  job.out = output;
  job.n_tokens = 1;
  job.first_slot = chat_positions - 1;
  job.largest_weight = static_cast<std::uint32_t>(largest_attention_weight(chat_positions));
  job.n_heads = chat_heads;
  job.n_kv_heads = chat_kv_heads;
  job.head_dim = chat_head_dim;
  const std::uint32_t kept_random_state = random_state;
  for (std::uint32_t slot = 0; slot < chat_positions; ++slot) {
    fill(keys, chat_dim);
    set.kernels.store_key_value_int8(job.cache, slot, keys, keys + chat_dim / 2, chat_kv_heads,
                                     chat_head_dim);
  }
  fill(keys, chat_dim);
  random_state = kept_random_state;
  measure(set, name, [&] {
    // Kernels overwrite the queries.
    __builtin_memcpy(other, keys, chat_dim * sizeof(float));
    set.kernels.attention_int8(job, {0, chat_heads});
  });
}

std::uint32_t chosen = 0;

/// What every set has kernels of its own for; then byte codes, for which the portable set takes the
/// reference's.
void measure_set(const Set& set, bool has_codes) {
  fill(input, vocab_size);
  measure_q80(set, "matmul_q80 768x288", hidden_dim, dim, 1);
  measure_q80(set, "matmul_q80 288x768", dim, hidden_dim, 1);
  measure_q80(set, "matmul_q80 768x288 8 tokens", hidden_dim, dim, batch);
  measure_q80(set, "matmul_q80 288x768 8 tokens", dim, hidden_dim, batch);
  if (has_codes) {
    measure_codes(set, "matmul_codes 576x576", chat_dim, chat_dim, 1);
    measure_codes(set, "matmul_codes 1152x576", chat_hidden_dim, chat_dim, 1);
    measure_codes(set, "matmul_codes 576x1152", chat_dim, chat_hidden_dim, 1);
    measure_codes(set, "matmul_codes 576x576 8 tokens", chat_dim, chat_dim, batch);
  }
  measure_attention(set, "attention 64 positions");
  measure(set, "quantize 768", [&] { set.kernels.quantize(input, {quantized, 1, hidden_dim, group_size}); });
  fill(other, hidden_dim);
  measure(set, "rmsnorm 288", [&] { set.kernels.rmsnorm(output, input, other, dim, 1e-5F); });
  measure(set, "swiglu 768", [&] { set.kernels.swiglu(input, other, hidden_dim); });
  measure(set, "softmax 288", [&] { set.kernels.softmax(input, dim); });
  measure(set, "argmax 32000", [&] { chosen = set.kernels.argmax(input, vocab_size); });
  if (has_codes) measure_attention_int8(set, "attention_int8 256 positions");
}

}  // namespace

extern "C" int start() {
  // No traps of the floating-point unit.
  asm volatile("ctc1 $zero, $31");
  const Set vfpu{"vfpu", psp::vfpu_kernels()};
  measure_set(vfpu, true);
  measure_set({"reference", reference_kernels()}, true);
  fill(input, dim);
  measure(vfpu, "exact_exp_many 288", [] { exact_exp_many(input, output, dim); });
  measure_set({"portable", portable_kernels()}, false);
  return static_cast<int>(chosen & 0);
}
