#include "host/formats/safetensors_file.hpp"

#include <doctest/doctest.h>

#include <span>
#include <string>

#include "host/core/failure.hpp"
#include "host/formats/safetensors_test_file.hpp"

namespace pspllm::host {
namespace {

using testing::SafetensorsTestFile;

std::vector<SafetensorsTensor> read(const std::string& bytes) {
  const std::span<const std::byte> span = std::as_bytes(std::span(bytes));
  return read_safetensors_file(memory_source(&span), "model.safetensors");
}

void check_refused(const std::string& bytes, const char* part) {
  CHECK_THROWS_WITH_AS((void)read(bytes), doctest::Contains(part), Failure);
}

/// One tensor "a" of two floats whose directory entry is as given.
std::string with_entry(const nlohmann::json& entry) {
  SafetensorsTestFile file;
  file.data = std::string(8, '\0');
  file.directory["a"] = entry;
  return file.bytes();
}

}  // namespace

TEST_CASE("tensors of all three dtypes are read as floats") {
  SafetensorsTestFile file;
  file.add_floats("f32", {2, 2}, {1.0F, -2.5F, 0.0F, 3e-9F});
  file.add("f16", "F16", {2}, std::string("\x00\x3c\x00\xc0", 4));
  file.add("bf16", "BF16", {1, 2}, std::string("\x80\x3f\x20\xc0", 4));
  const std::string bytes = file.bytes();
  const std::span<const std::byte> span = std::as_bytes(std::span(bytes));
  const ByteSource source = memory_source(&span);
  const auto tensors = read(bytes);
  REQUIRE(tensors.size() == 3);
  CHECK(tensors[0].name == "f32");
  CHECK(tensors[0].rows() == 2);
  CHECK(tensors[0].cols() == 2);
  CHECK(read_safetensors_values(source, "", tensors[0]) == std::vector<float>{1.0F, -2.5F, 0.0F, 3e-9F});
  CHECK(tensors[1].rows() == 1);
  CHECK(read_safetensors_values(source, "", tensors[1]) == std::vector<float>{1.0F, -2.0F});
  CHECK(read_safetensors_values(source, "", tensors[2]) == std::vector<float>{1.0F, -2.5F});
}

TEST_CASE("a file cut at any byte is refused") {
  SafetensorsTestFile file;
  file.add_floats("a", {2}, {1.0F, 2.0F});
  const std::string whole = file.bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    CHECK_THROWS_AS((void)read(whole.substr(0, length)), Failure);
  }
}

TEST_CASE("damaged directories are refused with the tensor's name") {
  check_refused(SafetensorsTestFile::with_header("[1]", ""), "no JSON object");
  check_refused(SafetensorsTestFile::with_header("{\"a\":", ""), "not JSON");
  check_refused(SafetensorsTestFile::with_header("{\"a\":{},\"a\":{}}", ""), "\"a\" is there twice");
  check_refused(with_entry({{"dtype", "F32"}, {"shape", {2}}}), "a lacks its dtype, shape or data_offsets");
  check_refused(with_entry({{"dtype", "F4"}, {"shape", {2}}, {"data_offsets", {0, 8}}}), "unknown dtype F4");
  check_refused(with_entry({{"dtype", "F32"}, {"shape", {-2}}, {"data_offsets", {0, 8}}}),
                "a has a dimension");
  check_refused(with_entry({{"dtype", "F32"}, {"shape", {3}}, {"data_offsets", {0, 8}}}), "a has 8 bytes");
  check_refused(with_entry({{"dtype", "F32"}, {"shape", {2}}, {"data_offsets", {8, 0}}}), "a lies at 8 to 0");
  check_refused(with_entry({{"dtype", "F32"}, {"shape", {4}}, {"data_offsets", {0, 16}}}), "truncated");
  check_refused(with_entry({{"dtype", "F32"}, {"shape", {2}}, {"data_offsets", {0.5, 8}}}),
                "no whole numbers");
  const std::uint64_t huge = std::uint64_t{1} << 62;
  check_refused(with_entry({{"dtype", "F32"}, {"shape", {huge, huge}}, {"data_offsets", {0, 8}}}),
                "shape and dtype");
  SafetensorsTestFile overlap;
  overlap.data = std::string(12, '\0');
  overlap.directory["a"] = {{"dtype", "F32"}, {"shape", {2}}, {"data_offsets", {0, 8}}};
  overlap.directory["b"] = {{"dtype", "F32"}, {"shape", {2}}, {"data_offsets", {4, 12}}};
  check_refused(overlap.bytes(), "a overlaps b");
}

}  // namespace pspllm::host
