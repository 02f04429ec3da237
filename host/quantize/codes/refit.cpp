#include "host/quantize/codes/refit.hpp"

#include <cmath>
#include <numeric>

#include "host/quantize/dense/multiply.hpp"

namespace pspllm::host {
namespace {

/// Steepest descent with a block-diagonal preconditioner needs few steps: the blocks hold most of H's energy.
constexpr std::uint32_t codebook_steps = 3;

/// Adds regularisation to words that are hardly used, as a share of the mean diagonal.
constexpr double word_ridge = 1e-4;

/// Solves A x = b in place, A symmetric positive definite [n, n].
void solve_small(std::vector<double>& a, double* b, std::uint32_t n) {
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (std::uint32_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
    }
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::uint32_t i = n; i-- > 0;) {
    for (std::uint32_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
}

class CodebookFitter {
 public:
  CodebookFitter(const CodingProblem& problem, const CodeWeights& codes)
      : problem_(problem),
        codes_(codes),
        n_stripes_((codes.rows + rows_per_unit - 1) / rows_per_unit),
        pulls_(n_stripes_),
        row_weights_(codes.rows),
        codebook_(codes.codebook.begin(), codes.codebook.end()) {
    double sum = 0.0;
    for (const float scale : codes.row_scales) sum += static_cast<double>(scale) * static_cast<double>(scale);
    const double mean = sum / codes.rows;
    for (std::uint32_t row = 0; row < codes.rows; ++row) {
      const auto scale = static_cast<double>(codes.row_scales[row]);
      row_weights_[row] = mean > 0.0 ? scale * scale / mean : 0.0;
    }
    for_each_row_stripe(problem.parallel, codes.rows, [&](std::uint32_t first, std::uint32_t n) {
      FloatMatrix errors = scaled_rows(problem, codes, first, n);
      const FloatMatrix words = codewords_of_rows(codes, first, n);
      for (std::size_t i = 0; i < errors.values.size(); ++i) errors.values[i] -= words.values[i];
      FloatMatrix& pulls = pulls_[first / rows_per_unit] = FloatMatrix(n, problem.cols());
      multiply(errors.view(), problem.moments.view(), pulls.mutable_view());
    });
    gather_curvature();
  }

  FloatCodebook run() {
    for (std::uint32_t step = 0; step < codebook_steps; ++step) descend();
    return codebook_;
  }

 private:
  [[nodiscard]] std::uint32_t word_of(std::uint32_t row, std::uint32_t group) const {
    return codes_.codes[std::size_t{row} * codes_.groups() + group];
  }

  /// curvature_: for every word the sum of its groups' moment blocks, weighted by the rows.
  void gather_curvature() {
    const std::uint32_t width = codes_.code_width;
    const std::uint32_t groups = codes_.groups();
    std::vector<double> uses(std::size_t{codebook_words} * groups);
    for (std::uint32_t row = 0; row < codes_.rows; ++row) {
      for (std::uint32_t group = 0; group < groups; ++group) {
        uses[std::size_t{word_of(row, group)} * groups + group] += row_weights_[row];
      }
    }
    curvature_.resize(std::size_t{codebook_words} * width * width);
    for_each_unit(problem_.parallel, codebook_words, [&](std::uint32_t word) {
      double* const block = curvature_.data() + std::size_t{word} * width * width;
      for (std::uint32_t group = 0; group < groups; ++group) {
        const double use = uses[std::size_t{word} * groups + group];
        const std::uint32_t col = group * width;
        for (std::uint32_t i = 0; i < group_cols(codes_, group); ++i) {
          for (std::uint32_t j = 0; j < group_cols(codes_, group); ++j) {
            block[i * width + j] += use * static_cast<double>(problem_.moments.at(col + i, col + j));
          }
        }
      }
    });
    double sum = 0.0;
    for (std::size_t word = 0; word < codebook_words; ++word) {
      for (std::size_t i = 0; i < width; ++i) sum += curvature_[(word * width + i) * width + i];
    }
    ridge_ = word_ridge * sum / (codebook_words * width) + 1e-30;
  }

  /// What the errors ask of each word, through the inverse of its curvature.
  [[nodiscard]] std::vector<float> direction() const {
    const std::uint32_t width = codes_.code_width;
    std::vector<double> change(codebook_.size());
    for (std::uint32_t row = 0; row < codes_.rows; ++row) {
      const float* const pulls = pulls_[row / rows_per_unit].row(row % rows_per_unit);
      for (std::uint32_t col = 0; col < codes_.cols; ++col) {
        change[std::size_t{word_of(row, col / width)} * width + col % width] +=
            row_weights_[row] * static_cast<double>(pulls[col]);
      }
    }
    for (std::size_t word = 0; word < codebook_words; ++word) {
      const auto begin = curvature_.begin() + static_cast<std::ptrdiff_t>(word * width * width);
      std::vector<double> block(begin, begin + width * width);
      for (std::size_t i = 0; i < width; ++i) block[i * width + i] += ridge_;
      solve_small(block, change.data() + word * width, width);
    }
    return {change.begin(), change.end()};
  }

  /// The best step along the direction, exactly: the error is quadratic in it.
  void descend() {
    const std::vector<float> change = direction();
    std::vector<FloatMatrix> pull_changes(n_stripes_);
    std::vector<double> gains(n_stripes_);
    std::vector<double> curvatures(n_stripes_);
    for_each_row_stripe(problem_.parallel, codes_.rows, [&](std::uint32_t first, std::uint32_t n) {
      const std::uint32_t stripe = first / rows_per_unit;
      FloatMatrix words(n, codes_.cols);
      for (std::uint32_t row = 0; row < n; ++row) {
        for (std::uint32_t col = 0; col < codes_.cols; ++col) {
          words.at(row, col) =
              change[std::size_t{word_of(first + row, col / codes_.code_width)} * codes_.code_width +
                     col % codes_.code_width];
        }
      }
      FloatMatrix& changes = pull_changes[stripe] = FloatMatrix(n, codes_.cols);
      multiply(words.view(), problem_.moments.view(), changes.mutable_view());
      for (std::uint32_t row = 0; row < n; ++row) {
        double gain = 0.0;
        double curvature = 0.0;
        for (std::uint32_t col = 0; col < codes_.cols; ++col) {
          const auto word = static_cast<double>(words.at(row, col));
          gain += word * static_cast<double>(pulls_[stripe].at(row, col));
          curvature += word * static_cast<double>(changes.at(row, col));
        }
        gains[stripe] += row_weights_[first + row] * gain;
        curvatures[stripe] += row_weights_[first + row] * curvature;
      }
    });
    const double curvature = std::accumulate(curvatures.begin(), curvatures.end(), 0.0);
    if (!(curvature > 0.0)) return;
    const auto step = static_cast<float>(std::accumulate(gains.begin(), gains.end(), 0.0) / curvature);
    for (std::size_t i = 0; i < codebook_.size(); ++i) codebook_[i] += step * change[i];
    for_each_unit(problem_.parallel, n_stripes_, [&](std::uint32_t stripe) {
      for (std::size_t i = 0; i < pulls_[stripe].values.size(); ++i) {
        pulls_[stripe].values[i] -= step * pull_changes[stripe].values[i];
      }
    });
  }

  const CodingProblem& problem_;
  const CodeWeights& codes_;
  std::uint32_t n_stripes_;
  std::vector<FloatMatrix> pulls_;   // a stripe of rows each: errors times moments
  std::vector<double> row_weights_;  // [rows] squared scales, mean 1
  std::vector<double> curvature_;    // [256, code_width, code_width]
  double ridge_ = 0.0;
  FloatCodebook codebook_;
};

}  // namespace

FloatCodebook refit_codebook(const CodingProblem& problem, const CodeWeights& codes) {
  return CodebookFitter(problem, codes).run();
}

void refit_row_scales(const CodingProblem& problem, CodeWeights& codes) {
  for_each_row_stripe(problem.parallel, codes.rows, [&](std::uint32_t first, std::uint32_t n) {
    const FloatMatrix words = codewords_of_rows(codes, first, n);
    FloatMatrix moved(n, codes.cols);
    multiply(words.view(), problem.moments.view(), moved.mutable_view());
    for (std::uint32_t row = 0; row < n; ++row) {
      double with_weights = 0.0;
      double with_words = 0.0;
      for (std::uint32_t col = 0; col < codes.cols; ++col) {
        const auto pull = static_cast<double>(moved.at(row, col));
        with_weights += pull * static_cast<double>(problem.weights.at(first + row, col));
        with_words += pull * static_cast<double>(words.at(row, col));
      }
      const auto scale = static_cast<float>(with_weights / with_words);
      if (with_words > 0.0 && std::isfinite(scale) && scale > 0.0F) codes.row_scales[first + row] = scale;
    }
  });
}

}  // namespace pspllm::host
