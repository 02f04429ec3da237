#include "engine/model/memory_plan.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "engine/core/limits.hpp"
#include "engine/testing/test_model.hpp"

namespace pspllm {
namespace {

std::unique_ptr<ModelFile> small_model() {
  const std::string bytes = testing::make_q80_model({});
  const std::span<const std::byte> view = std::as_bytes(std::span(bytes));
  auto file = std::make_unique<ModelFile>();
  REQUIRE(read_model_file(memory_source(&view), *file).ok());
  return file;
}

Status plan_with(const PlanOptions& options, MemoryPlan& plan) {
  const auto file = small_model();
  return plan_memory(*file, options, reference_kernels(), plan);
}

}  // namespace

TEST_CASE("regions follow each other on aligned boundaries and fill the block") {
  const auto file = small_model();
  MemoryPlan plan;
  PlanOptions options;
  options.tokenizer_file_bytes = 5000;
  REQUIRE(plan_memory(*file, options, reference_kernels(), plan).ok());
  std::uint64_t end = 0;
  for (const Region& region : plan.regions) {
    CAPTURE(name_of(region.id));
    CHECK(region.offset == end);
    CHECK(region.offset % block_alignment == 0);
    CHECK((region.bytes > 0 || std::string_view(name_of(region.id)) == "draft_table"));
    end += region.bytes;
  }
  CHECK(plan.total_bytes == end);
}

TEST_CASE("tensors lie in the weights' region, each on a boundary of its own") {
  const auto file = small_model();
  MemoryPlan plan;
  REQUIRE(plan_memory(*file, {}, reference_kernels(), plan).ok());
  std::uint64_t end = 0;
  for (const TensorEntry& tensor : file->tensors()) {
    CHECK(tensor.block_offset % block_alignment == 0);
    CHECK(tensor.block_offset >= end);
    end = tensor.block_offset + block_bytes(tensor);
  }
  CHECK(end <= plan.region(RegionId::weights).bytes);
}

TEST_CASE("a shorter context saves exactly its share of the cache") {
  MemoryPlan whole;
  MemoryPlan half;
  PlanOptions options;
  REQUIRE(plan_with(options, whole).ok());
  CHECK(whole.options.context == 32);
  options.context = 16;
  REQUIRE(plan_with(options, half).ok());
  CHECK(half.region(RegionId::key_cache).bytes * 2 == whole.region(RegionId::key_cache).bytes);
  CHECK(half.region(RegionId::weights).bytes == whole.region(RegionId::weights).bytes);
}

TEST_CASE("an int8 cache takes a byte a number and a scale a head and position, to the byte") {
  MemoryPlan floats;
  MemoryPlan bytes;
  PlanOptions options;
  REQUIRE(plan_with(options, floats).ok());
  CHECK_FALSE(floats.int8_cache);
  options.int8_cache = Choice::yes;
  REQUIRE(plan_with(options, bytes).ok());
  CHECK(bytes.int8_cache);
  const testing::TestShape shape;
  const std::uint64_t rows = std::uint64_t{shape.n_kv_heads} * shape.seq_len;
  const std::uint64_t numbers = rows * (shape.dim / shape.n_heads);
  CHECK(bytes.region(RegionId::key_cache).bytes == shape.n_layers * (numbers + rows * sizeof(float)));
  CHECK(bytes.region(RegionId::value_cache).bytes == bytes.region(RegionId::key_cache).bytes);
  CHECK(floats.region(RegionId::key_cache).bytes == shape.n_layers * numbers * sizeof(float));
}

TEST_CASE("options out of range are refused with the range") {
  MemoryPlan plan;
  PlanOptions options;
  options.context = 33;
  const Status too_long = plan_with(options, plan);
  REQUIRE_FALSE(too_long.ok());
  CHECK(too_long.error().message.view().find("context is 33, expected 1 to 32") != std::string_view::npos);
  options = {};
  options.batch = 0;
  CHECK_FALSE(plan_with(options, plan).ok());
  options = {};
  options.logit_rows = options.batch + 1;
  CHECK_FALSE(plan_with(options, plan).ok());
  options = {};
  options.max_prompt_bytes = 0;
  CHECK_FALSE(plan_with(options, plan).ok());
}

}  // namespace pspllm
