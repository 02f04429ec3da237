#include "host/formats/gguf_blocks.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "host/core/failure.hpp"
#include "host/formats/gguf_file.hpp"
#include "host/formats/little_endian.hpp"
#include "host/io/file_source.hpp"

namespace pspllm::host {
namespace {

// Made by tools/make_gguf_golden_blocks.py.
constexpr const char* golden_path = "host/formats/testdata/golden_blocks.gguf";

const GgufTensor* find(const GgufFile& file, const std::string& name) {
  for (const GgufTensor& tensor : file.tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

std::vector<float> values_of(const ByteSource& source, const GgufTensor& tensor) {
  std::vector<std::byte> blocks(tensor.bytes);
  require(source.read(source.context, tensor.offset, blocks));
  std::vector<float> values(tensor.rows() * tensor.cols());
  dequantize_gguf(*tensor.format, blocks, values);
  return values;
}

}  // namespace

TEST_CASE("every importable format gives the bits of the Python package gguf") {
  const FileSource source(golden_path, "model");
  const GgufFile file = read_gguf_file(source.source(), golden_path);
  std::size_t compared = 0;
  for (const GgufTensor& tensor : file.tensors) {
    const GgufTensor* const expected_tensor = find(file, tensor.name + ".floats");
    if (expected_tensor == nullptr) continue;
    CAPTURE(tensor.name);
    CHECK(tensor.format->name == tensor.name);
    const std::vector<float> values = values_of(source.source(), tensor);
    const std::vector<float> expected = values_of(source.source(), *expected_tensor);
    REQUIRE(values.size() == expected.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      // The package adds where a product is -0, so zeros may differ in sign.
      if (values[i] == 0.0F && expected[i] == 0.0F) continue;
      if (std::bit_cast<std::uint32_t>(values[i]) != std::bit_cast<std::uint32_t>(expected[i])) ++different;
    }
    CHECK(different == 0);
    ++compared;
  }
  CHECK(compared == 15);
}

TEST_CASE("every half becomes the single of the same value") {
  CHECK(float_from_half(0x3c00) == 1.0F);
  CHECK(float_from_half(0xc000) == -2.0F);
  CHECK(float_from_half(0x7bff) == 65504.0F);
  CHECK(float_from_half(0x0001) == 0x1p-24F);
  CHECK(float_from_half(0x0400) == 0x1p-14F);
  CHECK(std::signbit(float_from_half(0x8000)));
  CHECK(std::isinf(float_from_half(0x7c00)));
  CHECK(std::isnan(float_from_half(0x7e00)));
}

TEST_CASE("formats are found by id, and those that cannot be imported are known by name") {
  REQUIRE(find_gguf_format(16) != nullptr);
  CHECK(std::string(find_gguf_format(16)->name) == "IQ2_XXS");
  CHECK((find_gguf_format(16)->dequantize == nullptr));
  CHECK(find_gguf_format(4) == nullptr);
  CHECK(importable_gguf_formats() ==
        "F32, F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, BF16, TQ1_0, TQ2_0");
}

}  // namespace pspllm::host
