#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "host/quantize/codes/code_weights.hpp"
#include "host/quantize/codes/quantize_matrix.hpp"
#include "host/quantize/codes/random_numbers.hpp"
#include "host/threads/thread_pool.hpp"

namespace pspllm::host {
namespace {

FloatMatrix normal_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  RandomNumbers random(seed);
  FloatMatrix matrix(rows, cols);
  for (float& value : matrix.values) {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += random.unit();
    value = static_cast<float>(sum);
  }
  return matrix;
}

/// Moments of inputs that are strongly correlated, as a model's are.
DoubleMatrix correlated_moments(std::size_t cols) {
  const FloatMatrix mix = normal_matrix(cols / 4, cols, 11);
  DoubleMatrix moments(cols, cols);
  for (std::size_t i = 0; i < cols; ++i) {
    moments.at(i, i) = 0.3 + static_cast<double>(i % 5);
    for (std::size_t j = 0; j < cols; ++j) {
      for (std::size_t k = 0; k < mix.rows; ++k) {
        moments.at(i, j) += static_cast<double>(mix.at(k, i)) * static_cast<double>(mix.at(k, j));
      }
    }
  }
  return moments;
}

double error_with(const FloatMatrix& weights, const DoubleMatrix& moments, const MatrixOptions& options) {
  const CodeWeights codes = quantize_matrix(weights, moments, options, {});
  return relative_error(weights, dequantize(codes), moments, {});
}

}  // namespace

TEST_CASE("error falls with the rate, and inputs' moments help") {
  const FloatMatrix weights = normal_matrix(100, 78, 1);
  const DoubleMatrix moments = correlated_moments(78);
  double last = 0.0;
  for (std::uint32_t width = 1; width <= max_code_width; ++width) {
    const double error = error_with(weights, moments, {.code_width = width});
    CAPTURE(width);
    CHECK(error > last);
    CHECK(error < 0.3);
    last = error;
  }
  CHECK(error_with(weights, moments, {.code_width = 1}) < 1e-4);
  const MatrixOptions options{.code_width = 6};
  const FloatMatrix blind = dequantize(quantize_matrix(weights, DoubleMatrix(78, 78), options, {}));
  CHECK(error_with(weights, moments, options) < 0.7 * relative_error(weights, blind, moments, {}));
}

TEST_CASE("sweeps lower the error") {
  const FloatMatrix weights = normal_matrix(120, 96, 2);
  const DoubleMatrix moments = correlated_moments(96);
  for (const std::uint32_t width : {2U, 5U, 8U}) {
    CAPTURE(width);
    CHECK(error_with(weights, moments, {.code_width = width, .sweeps = 2}) <
          error_with(weights, moments, {.code_width = width, .sweeps = 0}));
  }
}

TEST_CASE("codewords keep the bound of the format") {
  const FloatMatrix weights = normal_matrix(64, 50, 3);
  for (std::uint32_t width = 1; width <= max_code_width; ++width) {
    const CodeWeights codes = quantize_matrix(weights, correlated_moments(50), {.code_width = width}, {});
    std::int32_t largest = 0;
    for (const std::int8_t entry : codes.codebook) largest = std::max(largest, std::abs(std::int32_t{entry}));
    CHECK(largest == max_codeword(width));
  }
}

TEST_CASE("the number of threads changes nothing, the seed does") {
  const FloatMatrix weights = normal_matrix(300, 70, 4);
  const DoubleMatrix moments = correlated_moments(70);
  const MatrixOptions options{.code_width = 6, .kmeans_samples = 2000};
  const CodeWeights one = quantize_matrix(weights, moments, options, {});
  ThreadPool pool(4);
  const CodeWeights four = quantize_matrix(weights, moments, options, pool.parallel());
  CHECK(one.codebook == four.codebook);
  CHECK(one.row_scales == four.row_scales);
  CHECK(one.codes == four.codes);
  MatrixOptions other = options;
  other.seed = 1;
  CHECK(quantize_matrix(weights, moments, other, {}).codes != one.codes);
}

TEST_CASE("empty rows and empty matrices give zeros") {
  FloatMatrix weights = normal_matrix(20, 24, 5);
  std::fill_n(weights.row(7), 24, 0.0F);
  const FloatMatrix back = dequantize(quantize_matrix(weights, correlated_moments(24), {}, {}));
  CHECK(std::all_of(back.row(7), back.row(8), [](float value) { return value == 0.0F; }));
  CHECK(
      std::all_of(back.values.begin(), back.values.end(), [](float value) { return std::isfinite(value); }));
  for (std::uint32_t width = 1; width <= max_code_width; ++width) {
    const CodeWeights empty =
        quantize_matrix(FloatMatrix(9, 24), correlated_moments(24), {.code_width = width}, {});
    CHECK(dequantize(empty).values == std::vector<float>(9 * 24, 0.0F));
  }
}

TEST_CASE("tiny, huge and lone values stay finite") {
  for (const float factor : {1e-30F, 1e-12F, 1e12F}) {
    FloatMatrix weights = normal_matrix(30, 24, 6);
    for (float& value : weights.values) value *= factor;
    const DoubleMatrix moments = correlated_moments(24);
    const FloatMatrix back = dequantize(quantize_matrix(weights, moments, {.code_width = 4}, {}));
    CAPTURE(factor);
    double error = 0.0;
    double energy = 0.0;
    for (std::size_t i = 0; i < back.values.size(); ++i) {
      const double weight = static_cast<double>(weights.values[i]) / static_cast<double>(factor);
      error += std::pow(weight - static_cast<double>(back.values[i]) / static_cast<double>(factor), 2);
      energy += weight * weight;
    }
    CHECK(error < 0.1 * energy);
  }
  FloatMatrix lone(1, 1);
  lone.at(0, 0) = -3.0F;
  DoubleMatrix moment(1, 1);
  moment.at(0, 0) = 2.0;
  CHECK(dequantize(quantize_matrix(lone, moment, {.code_width = 8}, {})).at(0, 0) == doctest::Approx(-3.0));
}

TEST_CASE("bytes lie where the layout says") {
  const FloatMatrix weights = normal_matrix(5, 131, 7);
  const CodeWeights codes = quantize_matrix(weights, DoubleMatrix(131, 131), {.code_width = 6}, {});
  const std::vector<std::byte> bytes = code_bytes(codes);
  const CodeLayout layout = codes.layout();
  REQUIRE(bytes.size() == layout.bytes());
  CHECK(bytes[256 * 6 - 1] == static_cast<std::byte>(codes.codebook.back()));
  for (std::uint32_t row = 0; row < 5; ++row) {
    for (std::uint32_t group = 0; group < layout.groups(); ++group) {
      CHECK(bytes[layout.code_offset(row, group)] ==
            static_cast<std::byte>(codes.codes[row * layout.groups() + group]));
    }
  }
  CHECK(bytes.back() == std::byte{0});
}

}  // namespace pspllm::host
