#include <algorithm>
#include <array>
#include <cmath>

#include "host/quantize/codes/choose_codes.hpp"
#include "host/quantize/codes/word_tables.hpp"
#include "host/quantize/dense/multiply.hpp"

namespace pspllm::host {
namespace {

using SmallMatrix = std::array<float, std::size_t{max_code_width} * max_code_width>;

/// A group's block of the moments, H = L L^T, in the shape that a revision uses.
struct GroupMetric {
  SmallMatrix lower{};    // L
  SmallMatrix inverse{};  // L^-T: E H^-1 L = E L^-T
  WordTable table;
};

SmallMatrix small_cholesky(const FloatMatrix& moments, std::uint32_t col, std::uint32_t width) {
  SmallMatrix lower{};
  for (std::uint32_t i = 0; i < width; ++i) {
    for (std::uint32_t j = 0; j <= i; ++j) {
      double sum = static_cast<double>(moments.at(col + i, col + j));
      for (std::uint32_t k = 0; k < j; ++k) {
        sum -= static_cast<double>(lower[i * max_code_width + k]) *
               static_cast<double>(lower[j * max_code_width + k]);
      }
      const double entry =
          i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / static_cast<double>(lower[j * max_code_width + j]);
      lower[i * max_code_width + j] = static_cast<float>(entry);
    }
  }
  return lower;
}

/// The transpose of a lower triangle's inverse.
SmallMatrix inverse_transpose(const SmallMatrix& lower, std::uint32_t width) {
  SmallMatrix result{};
  for (std::uint32_t col = 0; col < width; ++col) {
    for (std::uint32_t row = col; row < width; ++row) {
      double sum = row == col ? 1.0 : 0.0;
      for (std::uint32_t k = col; k < row; ++k) {
        sum -= static_cast<double>(lower[row * max_code_width + k]) *
               static_cast<double>(result[col * max_code_width + k]);
      }
      result[col * max_code_width + row] =
          static_cast<float>(sum / static_cast<double>(lower[row * max_code_width + row]));
    }
  }
  return result;
}

GroupMetric make_metric(const CodingProblem& problem, const CodeWeights& codes, std::uint32_t group) {
  const std::uint32_t width = group_cols(codes, group);
  GroupMetric metric;
  metric.lower = small_cholesky(problem.moments, group * codes.code_width, width);
  metric.inverse = inverse_transpose(metric.lower, width);
  metric.table = make_word_table(codes, width, metric.lower.data(), max_code_width);
  return metric;
}

class StripeReviser {
 public:
  StripeReviser(const CodingProblem& problem, const std::vector<GroupMetric>& metrics, CodeWeights& codes,
                std::uint32_t first, std::uint32_t n)
      : problem_(problem),
        metrics_(metrics),
        codes_(codes),
        first_(first),
        rows_(n),
        words_(codewords_of_rows(codes, first, n)),
        pulls_(n, problem.cols()),
        targets_(n, codes.code_width),
        chosen_(n) {
    FloatMatrix errors = scaled_rows(problem, codes, first, n);
    for (std::size_t i = 0; i < errors.values.size(); ++i) errors.values[i] -= words_.values[i];
    multiply(errors.view(), problem.moments.view(), pulls_.mutable_view());
  }

  void run() {
    for (std::uint32_t group = 0; group < codes_.groups(); ++group) revise_group(group);
  }

 private:
  void revise_group(std::uint32_t group) {
    const GroupMetric& metric = metrics_[group];
    const std::uint32_t col = group * codes_.code_width;
    const std::uint32_t width = metric.table.width;
    float* target = targets_.values.data();
    for (std::uint32_t row = 0; row < rows_; ++row) {
      for (std::uint32_t j = 0; j < width; ++j) {
        float sum = 0.0F;
        for (std::uint32_t i = 0; i < width; ++i) {
          sum += words_.row(row)[col + i] * metric.lower[i * max_code_width + j] +
                 pulls_.row(row)[col + i] * metric.inverse[i * max_code_width + j];
        }
        *target++ = sum;
      }
    }
    best_dense_kernels().nearest_words(metric.table.words.data(), metric.table.offsets.data(), width,
                                       targets_.values.data(), rows_, chosen_.data());
    for (std::uint32_t row = 0; row < rows_; ++row) take_code(row, group, width);
  }

  void take_code(std::uint32_t row, std::uint32_t group, std::uint32_t width) {
    std::uint8_t& code = codes_.codes[std::size_t{first_ + row} * codes_.groups() + group];
    if (code == chosen_[row]) return;
    code = chosen_[row];
    const std::uint32_t col = group * codes_.code_width;
    const std::int8_t* const word = codes_.codebook.data() + std::size_t{code} * codes_.code_width;
    float* const pulls = pulls_.row(row);
    for (std::uint32_t k = 0; k < width; ++k) {
      const float change = static_cast<float>(word[k]) - words_.at(row, col + k);
      const float* const moments = problem_.moments.row(col + k);
      for (std::uint32_t to = col + width; to < codes_.cols; ++to) pulls[to] -= change * moments[to];
    }
  }

  const CodingProblem& problem_;
  const std::vector<GroupMetric>& metrics_;
  CodeWeights& codes_;
  std::uint32_t first_;
  std::uint32_t rows_;
  FloatMatrix words_;    // [rows, cols]: codewords before the sweep
  FloatMatrix pulls_;    // [rows, cols]: errors times moments; right of the present group up to date
  FloatMatrix targets_;  // [rows, width] of one group
  std::vector<std::uint8_t> chosen_;
};

}  // namespace

void revise_codes(const CodingProblem& problem, CodeWeights& codes) {
  std::vector<GroupMetric> metrics(codes.groups());
  for_each_unit(problem.parallel, codes.groups(),
                [&](std::uint32_t group) { metrics[group] = make_metric(problem, codes, group); });
  for_each_row_stripe(problem.parallel, codes.rows, [&](std::uint32_t first, std::uint32_t n) {
    StripeReviser(problem, metrics, codes, first, n).run();
  });
}

}  // namespace pspllm::host
