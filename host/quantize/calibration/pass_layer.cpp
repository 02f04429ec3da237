#include "host/quantize/calibration/pass_layer.hpp"

namespace pspllm::host {

void pass_attention(const FloatLayer& layer, const CalibrationRun& run, FloatMatrix& stream) {
  for_each_batch(run, [&](std::size_t first, std::size_t n) {
    for_each_window(run, first, n, [&](std::size_t window) {
      const MutableView rows = rows_of_window(stream, run.window, window);
      FloatMatrix normed(rows.rows, rows.cols);
      FloatMatrix mixes(rows.rows, rows.cols);
      normalise_rows(rows.view(), layer.attention_norm, run.shape.config.norm_epsilon, normed.mutable_view());
      attend(run.shape, layer, normed.view(), mixes.mutable_view());
      add_projection(mixes.view(), layer.attention_output, rows);
    });
  });
}

void pass_feed_forward(const FloatLayer& layer, const CalibrationRun& run, FloatMatrix& stream) {
  for_each_batch(run, [&](std::size_t first, std::size_t n) {
    for_each_window(run, first, n, [&](std::size_t window) {
      const MutableView rows = rows_of_window(stream, run.window, window);
      FloatMatrix normed(rows.rows, rows.cols);
      FloatMatrix active(rows.rows, layer.down.cols);
      normalise_rows(rows.view(), layer.ffn_norm, run.shape.config.norm_epsilon, normed.mutable_view());
      activate(layer, normed.view(), active.mutable_view());
      add_projection(active.view(), layer.down, rows);
    });
  });
}

void pass_layer(const FloatLayer& layer, const CalibrationRun& run, FloatMatrix& stream) {
  pass_attention(layer, run, stream);
  pass_feed_forward(layer, run, stream);
}

}  // namespace pspllm::host
