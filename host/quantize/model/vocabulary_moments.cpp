#include "host/quantize/model/vocabulary_moments.hpp"

#include "host/quantize/calibration/layer_forward.hpp"
#include "host/quantize/dense/factor.hpp"

namespace pspllm::host {

DoubleMatrix identity_moments(std::size_t dim) {
  DoubleMatrix moments(dim, dim);
  for (std::size_t i = 0; i < dim; ++i) moments.at(i, i) = 1.0;
  return moments;
}

DoubleMatrix output_moments(const FloatMatrix& stream, std::span<const float> final_norm, float norm_epsilon,
                            bool as_input, const Parallel& parallel) {
  FloatMatrix hidden(stream.rows, stream.cols);
  normalise_rows(stream.view(), final_norm, norm_epsilon, hidden.mutable_view());
  MomentSum sum(stream.cols, stream.cols);
  sum.add(hidden.view(), hidden.view(), parallel);
  DoubleMatrix moments = sum.mean();
  const double mean = mean_diagonal(moments);
  for (double& value : moments.values) value = mean > 0.0 ? value / mean : 0.0;
  for (std::size_t i = 0; as_input && i < moments.rows; ++i) moments.at(i, i) += 1.0;
  return moments;
}

}  // namespace pspllm::host
