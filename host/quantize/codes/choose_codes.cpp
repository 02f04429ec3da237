#include "host/quantize/codes/choose_codes.hpp"

#include <algorithm>

#include "host/quantize/codes/word_tables.hpp"
#include "host/quantize/dense/multiply.hpp"

namespace pspllm::host {
namespace {

/// Groups whose errors are carried to the right one by one; to the columns behind them they are carried
/// together, as one product.
constexpr std::uint32_t groups_per_panel = 16;

/// Rows [first, first + n) on their way from left to right.
class StripeCoder {
 public:
  StripeCoder(const CodingProblem& problem, const std::vector<WordTable>& tables, CodeWeights& codes,
              std::uint32_t first, std::uint32_t n)
      : problem_(problem),
        tables_(tables),
        codes_(codes),
        first_(first),
        rows_(n),
        scaled_(scaled_rows(problem, codes, first, n)),
        carried_(n, problem.cols()),
        targets_(n, codes.code_width),
        chosen_(n) {}

  void run() {
    const std::uint32_t groups = codes_.groups();
    for (std::uint32_t group = 0; group < groups; group += groups_per_panel) {
      const std::uint32_t end = std::min(groups, group + groups_per_panel);
      const std::uint32_t end_col = std::min(codes_.cols, end * codes_.code_width);
      carry_to_panel(group * codes_.code_width, end_col);
      for (std::uint32_t g = group; g < end; ++g) code_group(g, end_col);
    }
  }

 private:
  /// What all errors to the left of the panel add up to in its columns.
  void carry_to_panel(std::uint32_t col, std::uint32_t end_col) {
    if (col == 0) return;
    multiply_add(scaled_.view().block(0, 0, rows_, col),
                 problem_.factor.view().block(0, col, col, end_col - col),
                 carried_.mutable_view().block(0, col, rows_, end_col - col));
  }

  void code_group(std::uint32_t group, std::uint32_t end_col) {
    const std::uint32_t col = group * codes_.code_width;
    const std::uint32_t width = group_cols(codes_, group);
    const float* const metric = problem_.factor.row(col) + col;
    float* target = targets_.values.data();
    for (std::uint32_t row = 0; row < rows_; ++row) {
      const float* const x = scaled_.row(row) + col;
      for (std::uint32_t j = 0; j < width; ++j) {
        float sum = carried_.row(row)[col + j];
        for (std::uint32_t i = 0; i <= j; ++i) sum += x[i] * metric[std::size_t{i} * codes_.cols + j];
        *target++ = sum;
      }
    }
    const WordTable& table = tables_[group];
    best_dense_kernels().nearest_words(table.words.data(), table.offsets.data(), width,
                                       targets_.values.data(), rows_, chosen_.data());
    for (std::uint32_t row = 0; row < rows_; ++row) take_code(row, group, end_col);
  }

  /// Notes the code and leaves its error where the scaled weights were.
  void take_code(std::uint32_t row, std::uint32_t group, std::uint32_t end_col) {
    const std::uint32_t col = group * codes_.code_width;
    const std::uint32_t width = group_cols(codes_, group);
    codes_.codes[std::size_t{first_ + row} * codes_.groups() + group] = chosen_[row];
    const std::int8_t* const word = codes_.codebook.data() + std::size_t{chosen_[row]} * codes_.code_width;
    float* const errors = scaled_.row(row) + col;
    float* const carried = carried_.row(row);
    for (std::uint32_t k = 0; k < width; ++k) {
      errors[k] -= static_cast<float>(word[k]);
      const float error = errors[k];
      const float* const factor = problem_.factor.row(col + k);
      for (std::uint32_t to = col + width; to < end_col; ++to) carried[to] += error * factor[to];
    }
  }

  const CodingProblem& problem_;
  const std::vector<WordTable>& tables_;
  CodeWeights& codes_;
  std::uint32_t first_;
  std::uint32_t rows_;
  FloatMatrix scaled_;   // [rows, cols]: scaled weights; left of the present group their errors
  FloatMatrix carried_;  // [rows, cols]: errors so far times the factor
  FloatMatrix targets_;  // [rows, width] of one group
  std::vector<std::uint8_t> chosen_;
};

}  // namespace

void choose_codes(const CodingProblem& problem, CodeWeights& codes) {
  std::vector<WordTable> tables(codes.groups());
  for_each_unit(problem.parallel, codes.groups(), [&](std::uint32_t group) {
    const std::uint32_t col = group * codes.code_width;
    tables[group] =
        make_word_table(codes, group_cols(codes, group), problem.factor.row(col) + col, codes.cols);
  });
  for_each_row_stripe(problem.parallel, codes.rows, [&](std::uint32_t first, std::uint32_t n) {
    StripeCoder(problem, tables, codes, first, n).run();
  });
}

}  // namespace pspllm::host
