#include "host/quantize/model/choose_rates.hpp"

#include <doctest/doctest.h>

#include "host/core/failure.hpp"
#include "host/quantize/model/measure_rates.hpp"
#include "host/quantize/model/tiny_checkpoint.hpp"

namespace pspllm::host {
namespace {

/// Large enough that codebooks are a small part.
ModelConfig larger_config() {
  ModelConfig config = tiny_checkpoint().config;
  config.dim = 512;
  config.hidden_dim = 1024;
  config.vocab_size = 4000;
  return config;
}

const ModelConfig config = larger_config();

/// All matrices matter alike, those of one role in one layer `factor` times as much.
RateTable table_with(std::uint32_t layer, std::size_t role, double factor) {
  const ByWidth plain = fill_widths({{2, 0.01}, {4, 0.1}, {6, 0.2}});
  RateTable table;
  table.embedding = plain;
  table.matrices.resize(config.n_layers);
  for (auto& matrices : table.matrices) matrices.fill(plain);
  for (double& divergence : table.matrices[layer][role]) divergence *= factor;
  return table;
}

}  // namespace

TEST_CASE("measured widths stay, others lie between and beyond") {
  const ByWidth errors = fill_widths({{2, 0.01}, {4, 0.1}, {6, 0.2}});
  CHECK(errors[2] == doctest::Approx(0.01));
  CHECK(errors[4] == doctest::Approx(0.1));
  CHECK(errors[6] == doctest::Approx(0.2));
  for (std::uint32_t width = 2; width <= max_code_width; ++width) CHECK(errors[width] > errors[width - 1]);
}

TEST_CASE("a recipe meets its size, and what matters most gets most") {
  for (const double target : {2.6, 3.0, 4.0, 6.0}) {
    const Recipe recipe = choose_rates(table_with(1, 4, 50.0), config, target);
    CAPTURE(target);
    CHECK(bits_per_weight(recipe, config) <= target);
    for (const LayerWidths& widths : recipe.layers) {
      for (std::size_t i = 0; i < widths.size(); ++i) CHECK(recipe.layers[1][4] <= widths[i]);
    }
  }
  const Recipe large = choose_rates(table_with(0, 0, 1.0), config, 20.0);
  CHECK(large.embedding == 1);
  CHECK(large.classifier == 1);
  CHECK(large.layers[2][6] == 1);
}

TEST_CASE("an impossible size is refused") {
  try {
    static_cast<void>(choose_rates(table_with(0, 0, 1.0), config, 0.9));
    FAIL("no failure");
  } catch (const Failure& failure) {
    CHECK(std::string(failure.what()).find("0.9 bits a weight are too few") == 0);
  }
}

TEST_CASE("measured rates are positive, tied or not") {
  for (const bool tied : {true, false}) {
    const Checkpoint checkpoint = tiny_checkpoint(tied);
    std::uint64_t last = 0;
    QuantizeObserver observer;
    observer.progress = [&](std::uint64_t done, std::uint64_t total) {
      CHECK(done <= total);
      last = total - done;
    };
    const RateTable table = measure_rates(checkpoint, tiny_calibration(), observer, 0, {});
    CHECK(last == 0);
    CHECK(table.embedding[2] > 0.0);
    CHECK(table.embedding[4] > table.embedding[2]);
    CHECK((table.classifier[4] > 0.0) == !tied);
    CHECK(table.matrices.size() == 3);
    for (const auto& matrices : table.matrices) {
      for (const ByWidth& divergence : matrices) {
        CHECK(divergence[2] > 0.0);
        CHECK(divergence[6] > 0.0);
      }
    }
    CHECK(bits_per_weight(choose_rates(table, checkpoint.config, 12.0), checkpoint.config) <= 12.0);
  }
}

}  // namespace pspllm::host
