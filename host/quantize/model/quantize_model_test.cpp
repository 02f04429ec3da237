#include "host/quantize/model/quantize_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "host/core/failure.hpp"
#include "host/quantize/model/tiny_checkpoint.hpp"
#include "host/threads/thread_pool.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pspllm::host {
namespace {

/// Notes what a run did; stops it when a layer is finished.
struct Watch {
  std::uint32_t stop_behind_layer = 1000;
  std::uint32_t resumed_layers = 0;
  std::uint32_t finished_layers = 0;
  bool progress_is_sane = true;
  bool stopping = false;

  QuantizeObserver observer() {
    QuantizeObserver result;
    result.progress = [this](std::uint64_t done, std::uint64_t total) {
      progress_is_sane = progress_is_sane && done <= total;
      if (stopping) throw Interrupted();
    };
    result.finished_layer = [this](std::uint32_t layer, const QuantizedLayer&) {
      ++finished_layers;
      stopping = layer == stop_behind_layer;
    };
    result.resumed = [this](std::uint32_t layers) { resumed_layers = layers; };
    return result;
  }
};

QuantizeModelOptions tiny_options(const Checkpoint& checkpoint) {
  QuantizeModelOptions options;
  options.recipe = even_recipe(checkpoint.config, 4, 2);
  return options;
}

QuantizedModel quantized(const Checkpoint& checkpoint, const QuantizeModelOptions& options,
                         const CalibrationTokens& calibration, const Parallel& parallel = {}) {
  Watch watch;
  QuantizedModel model = quantize_model(checkpoint, calibration, options, watch.observer(), parallel);
  CHECK(watch.progress_is_sane);
  return model;
}

bool same(const CodeWeights& a, const CodeWeights& b) {
  return a.codebook == b.codebook && a.row_scales == b.row_scales && a.codes == b.codes;
}

bool same(const QuantizedModel& a, const QuantizedModel& b) {
  bool result = same(a.embedding, b.embedding) && a.layers.size() == b.layers.size() &&
                a.quality.quantized_loss == b.quality.quantized_loss;
  for (std::size_t layer = 0; result && layer < a.layers.size(); ++layer) {
    for (std::size_t i = 0; i < layer_matrix_roles.size(); ++i) {
      result = result && same(a.layers[layer].matrices[i], b.layers[layer].matrices[i]);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("more bits give a better model") {
  const Checkpoint checkpoint = tiny_checkpoint();
  QuantizeModelOptions options;
  double last = 1e-3;
  for (const std::uint32_t width : {1U, 2U, 4U}) {
    options.recipe = even_recipe(checkpoint.config, width, 1);
    const QuantizedModel model = quantized(checkpoint, options, tiny_calibration());
    CAPTURE(width);
    CHECK(model.layers.back().stream_error < (width == 1 ? last : 1.0));
    CHECK(model.layers.back().stream_error > (width == 1 ? 0.0 : last));
    CHECK(model.quality.tokens == 15 * 4);
    CHECK(model.quality.divergence > 0.0);
    last = model.layers.back().stream_error;
  }
}

TEST_CASE("threads change nothing, with a classifier of its own too") {
  ThreadPool pool(3);
  for (const bool tied : {true, false}) {
    const Checkpoint checkpoint = tiny_checkpoint(tied);
    const QuantizeModelOptions options = tiny_options(checkpoint);
    const CalibrationTokens calibration = tiny_calibration();
    const QuantizedModel one = quantized(checkpoint, options, calibration);
    CHECK(same(one, quantized(checkpoint, options, calibration, pool.parallel())));
    CHECK(one.classifier.has_value() == !tied);
  }
}

TEST_CASE("an interrupted run goes on where it stopped, to the same result") {
  const testing::TemporaryFolder folder;
  const Checkpoint checkpoint = tiny_checkpoint();
  const CalibrationTokens calibration = tiny_calibration();
  QuantizeModelOptions options = tiny_options(checkpoint);
  const QuantizedModel expected = quantized(checkpoint, options, calibration);
  options.work_folder = folder.path("work");
  Watch first;
  first.stop_behind_layer = 1;
  CHECK_THROWS_AS(static_cast<void>(quantize_model(checkpoint, calibration, options, first.observer(), {})),
                  Interrupted);
  Watch second;
  CHECK(same(expected, quantize_model(checkpoint, calibration, options, second.observer(), {})));
  CHECK(second.resumed_layers == 2);
  CHECK(second.finished_layers == 1);
  CHECK(second.progress_is_sane);

  SUBCASE("other options begin anew") {
    options.seed = 9;
    Watch other;
    static_cast<void>(quantize_model(checkpoint, calibration, options, other.observer(), {}));
    CHECK(other.resumed_layers == 0);
  }
  SUBCASE("other weights of a layer begin anew") {
    const Checkpoint changed =
        tiny_checkpoint(true, [](const CheckpointTensor& tensor, std::vector<float>& values) {
          if (tensor.role == TensorRole::up && tensor.layer == 2) values[3] += 0.5F;
        });
    Watch other;
    static_cast<void>(quantize_model(changed, calibration, options, other.observer(), {}));
    CHECK(other.resumed_layers == 0);
  }
  SUBCASE("damaged files begin anew") {
    const std::string damaged = folder.path("work/layer-0");
    std::filesystem::resize_file(damaged, std::filesystem::file_size(damaged) - 1);
    Watch other;
    CHECK(same(expected, quantize_model(checkpoint, calibration, options, other.observer(), {})));
    CHECK(other.resumed_layers == 0);
  }
}

TEST_CASE("without calibration every matrix is quantised by itself") {
  const Checkpoint checkpoint = tiny_checkpoint();
  const QuantizedModel model = quantized(checkpoint, tiny_options(checkpoint), {});
  CHECK(model.layers.size() == 3);
  CHECK(model.layers[1].fits[4].error > 0.0);
  CHECK(model.layers[1].fits[4].error < 0.1);
  CHECK(model.quality.tokens == 0);
}

TEST_CASE("a weight that is no number is named") {
  for (const float value : {std::nanf(""), INFINITY}) {
    const Checkpoint checkpoint =
        tiny_checkpoint(true, [&](const CheckpointTensor& tensor, std::vector<float>& values) {
          if (tensor.role == TensorRole::down && tensor.layer == 1) values[41] = value;
        });
    try {
      static_cast<void>(quantized(checkpoint, tiny_options(checkpoint), tiny_calibration()));
      FAIL("no failure");
    } catch (const Failure& failure) {
      CHECK(std::string(failure.what()).find("down.1, row 0, column 41") != std::string::npos);
    }
  }
}

TEST_CASE("a model of zeros stays a model of zeros") {
  const Checkpoint checkpoint =
      tiny_checkpoint(true, [](const CheckpointTensor&, std::vector<float>& values) {
        std::fill(values.begin(), values.end(), 0.0F);
      });
  const QuantizedModel model = quantized(checkpoint, tiny_options(checkpoint), tiny_calibration());
  CHECK(dequantize(model.embedding).values == std::vector<float>(80 * 48, 0.0F));
  for (const QuantizedLayer& layer : model.layers) {
    for (const CodeWeights& codes : layer.matrices) {
      for (const float value : dequantize(codes).values) CHECK(value == 0.0F);
    }
    CHECK(layer.stream_error == 0.0);
  }
}

}  // namespace pspllm::host
