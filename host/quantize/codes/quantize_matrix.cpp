#include "host/quantize/codes/quantize_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "host/quantize/codes/choose_codes.hpp"
#include "host/quantize/codes/codebook.hpp"
#include "host/quantize/codes/coding_problem.hpp"
#include "host/quantize/codes/refit.hpp"
#include "host/quantize/dense/factor.hpp"
#include "host/quantize/dense/multiply.hpp"

namespace pspllm::host {
namespace {

/// Mean diagonal 1, then damped; the identity where there is no energy.
FloatMatrix damped_moments(const DoubleMatrix& moments, double damping) {
  const double mean = mean_diagonal(moments);
  FloatMatrix result(moments.rows, moments.cols);
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    result.values[i] = mean > 0.0 ? static_cast<float>(moments.values[i] / mean) : 0.0F;
  }
  for (std::size_t i = 0; i < moments.rows; ++i) {
    result.at(i, i) = mean > 0.0 ? static_cast<float>(moments.at(i, i) / mean + damping) : 1.0F;
  }
  return result;
}

DoubleMatrix to_doubles(const FloatMatrix& matrix) {
  DoubleMatrix result(matrix.rows, matrix.cols);
  std::copy(matrix.values.begin(), matrix.values.end(), result.values.begin());
  return result;
}

/// Root mean square of each row; of int8 rows the largest magnitude.
std::vector<float> first_row_scales(const FloatMatrix& weights, std::uint32_t code_width) {
  std::vector<float> scales(weights.rows);
  for (std::size_t row = 0; row < weights.rows; ++row) {
    double squares = 0.0;
    float largest = 0.0F;
    for (std::size_t col = 0; col < weights.cols; ++col) {
      const float weight = weights.at(row, col);
      squares += static_cast<double>(weight) * static_cast<double>(weight);
      largest = std::max(largest, std::fabs(weight));
    }
    const double mean = squares / static_cast<double>(weights.cols);
    scales[row] = code_width == 1 ? largest : static_cast<float>(std::sqrt(mean));
  }
  return scales;
}

/// Words of one weight are evenly spaced: -127 … 127 of the row's largest.
FloatCodebook even_codebook() {
  FloatCodebook codebook(codebook_words);
  const auto largest = static_cast<float>(max_codeword(1));
  for (std::uint32_t word = 0; word < codebook_words; ++word) {
    codebook[word] = std::min(static_cast<float>(word) / largest - 1.0F, 1.0F);
  }
  return codebook;
}

void clear_empty_rows(const FloatMatrix& weights, CodeWeights& codes) {
  for (std::size_t row = 0; row < weights.rows; ++row) {
    const float* const values = weights.row(row);
    const bool empty = std::all_of(values, values + weights.cols, [](float value) { return value == 0.0F; });
    if (empty) codes.row_scales[row] = 0.0F;
  }
}

}  // namespace

CodeWeights quantize_matrix(const FloatMatrix& weights, const DoubleMatrix& moments,
                            const MatrixOptions& options, const Parallel& parallel) {
  CodingProblem problem{weights, damped_moments(moments, options.damping), {}, parallel};
  problem.factor = upper_factor(to_doubles(problem.moments), 0.0);
  CodeWeights codes;
  codes.rows = problem.rows();
  codes.cols = problem.cols();
  codes.code_width = options.code_width;
  codes.row_scales = first_row_scales(weights, options.code_width);
  codes.codes.resize(std::size_t{codes.rows} * codes.groups());
  const bool evenly_spaced = options.code_width == 1;
  round_codebook(evenly_spaced ? even_codebook() : fit_codebook(problem, codes, options), codes);
  choose_codes(problem, codes);
  refit_row_scales(problem, codes);
  for (std::uint32_t sweep = 0; sweep < options.sweeps; ++sweep) {
    revise_codes(problem, codes);
    if (!evenly_spaced) round_codebook(refit_codebook(problem, codes), codes);
    refit_row_scales(problem, codes);
  }
  clear_empty_rows(weights, codes);
  return codes;
}

double relative_error(const FloatMatrix& weights, const FloatMatrix& quantized, const DoubleMatrix& moments,
                      const Parallel& parallel) {
  FloatMatrix floats(moments.rows, moments.cols);
  std::copy(moments.values.begin(), moments.values.end(), floats.values.begin());
  const auto n_rows = static_cast<std::uint32_t>(weights.rows);
  std::vector<double> errors(n_rows);
  std::vector<double> energies(n_rows);
  for_each_row_stripe(parallel, n_rows, [&](std::uint32_t first, std::uint32_t n) {
    FloatMatrix differences(n, weights.cols);
    for (std::size_t i = 0; i < differences.values.size(); ++i) {
      differences.values[i] = weights.row(first)[i] - quantized.row(first)[i];
    }
    const auto energy_of = [&](const MatrixView& rows, std::vector<double>& out) {
      FloatMatrix moved(n, weights.cols);
      multiply(rows, floats.view(), moved.mutable_view());
      for (std::uint32_t row = 0; row < n; ++row) {
        for (std::size_t col = 0; col < weights.cols; ++col) {
          out[first + row] += static_cast<double>(moved.at(row, col)) *
                              static_cast<double>(rows.data[row * rows.row_stride + col]);
        }
      }
    };
    energy_of(differences.view(), errors);
    energy_of(weights.view().block(first, 0, n, weights.cols), energies);
  });
  double error = 0.0;
  double energy = 0.0;
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    error += errors[row];
    energy += energies[row];
  }
  return energy > 0.0 ? error / energy : 0.0;
}

}  // namespace pspllm::host
