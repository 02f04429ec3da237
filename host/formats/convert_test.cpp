// A converted model computes what the original computes.
#include "host/formats/convert.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>

#include "engine/model/forward.hpp"
#include "engine/testing/test_engine.hpp"
#include "engine/testing/test_pspm.hpp"
#include "host/core/failure.hpp"
#include "tests/support/read_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pspllm::host {
namespace {

using testing::make_f32_model;
using testing::make_q80_model;
using testing::read_file;
using testing::TemporaryFolder;
using testing::TestEngine;
using testing::TestShape;

std::vector<float> logits_of(const std::string& model, const std::string& tokenizer) {
  TestEngine engine(model, tokenizer, {});
  REQUIRE_MESSAGE(engine.status().ok(), std::string(engine.status().error().message.view()));
  const std::int32_t tokens[] = {1, 17, 260, 5};
  REQUIRE(forward(engine.engine(), tokens, 0, LogitsFor::last_token, {}).ok());
  const std::span<float> logits = engine.engine().logits;
  return {logits.begin(), logits.end()};
}

struct Folder {
  TemporaryFolder folder;
  std::string tokenizer = testing::make_tokenizer(300);
  std::string out = folder.path("out.pspm");

  Folder() { folder.write("tokenizer.bin", tokenizer); }

  ConvertReport convert(const std::string& model, const ConvertOptions& options) const {
    ProgressBar bar("converting");
    return convert_checkpoint(open_checkpoint(folder.write("in.bin", model)), out, options, bar);
  }
  [[nodiscard]] std::string result() const { return read_file(out); }
};

void check_failure(const std::function<void()>& action, const std::string& part) {
  try {
    action();
    FAIL("expected a failure with: " << part);
  } catch (const Failure& failure) {
    const std::string sentence = failure.what();
    CAPTURE(sentence);
    CHECK(sentence.find(part) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("llama2.c models of every version give the same logits as .pspm") {
  for (const bool tied : {true, false}) {
    TestShape shape;
    shape.tied_classifier = tied;
    for (const std::string& model : {make_f32_model(shape, 0), make_f32_model(shape, 1)}) {
      const Folder folder;
      const ConvertReport report = folder.convert(model, {TensorFormat::f32, 0});
      CHECK(report.largest_error == 0.0F);
      CHECK(report.file_bytes == folder.result().size());
      CHECK(logits_of(folder.result(), {}) == logits_of(model, folder.tokenizer));
    }
    const Folder folder;
    const std::string q80 = make_q80_model(shape);
    CHECK(folder.convert(q80, {}).largest_error == 0.0F);
    CHECK(logits_of(folder.result(), {}) == logits_of(q80, folder.tokenizer));
  }
}

TEST_CASE("q80 of an fp32 model has the error of its steps, and byte codes become either") {
  const Folder folder;
  const ConvertReport report = folder.convert(make_f32_model({}, 1), {TensorFormat::q80, 0});
  CHECK(report.largest_error > 0.0F);
  CHECK(report.largest_error < 0.02F);
  CHECK(report.root_mean_square_error < static_cast<double>(report.largest_error));
  CHECK(report.bits_per_weight > 8.0);
  CHECK(report.bits_per_weight < 16.0);
  const std::string codes = testing::make_pspm_model({}, {TensorFormat::codes, 4});
  CHECK(folder.convert(codes, {TensorFormat::f32, 0}).largest_error == 0.0F);
  CHECK_FALSE(logits_of(folder.result(), {}).empty());
  CHECK(folder.convert(codes, {TensorFormat::q80, 4}).largest_error > 0.0F);
}

TEST_CASE("what cannot be converted is said in a sentence and leaves no file") {
  const Folder folder;
  const std::string q80 = make_q80_model({});
  check_failure(
      [&] {
        folder.convert(q80, {TensorFormat::q80, 7});
      },
      "dim 16 is not a multiple of the group size 7");
  std::string broken = make_f32_model({}, 1);
  const float infinite = std::numeric_limits<float>::infinity();
  std::memcpy(broken.data() + broken.size() - sizeof infinite, &infinite, sizeof infinite);
  check_failure([&] { folder.convert(broken, {}); }, "layer 1 up, row 23, column 15 is infinite");
  check_failure([&] { folder.convert(testing::make_pspm_model({}, {}).substr(0, 5000), {}); }, "cut short");
  CHECK_FALSE(std::filesystem::exists(folder.out));
  folder.folder.write("tokenizer.bin", testing::make_tokenizer(299));
  check_failure([&] { folder.convert(q80, {}); }, "holds 299 pieces");
  CHECK_FALSE(std::filesystem::exists(folder.out));
}

}  // namespace pspllm::host
