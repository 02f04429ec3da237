#include "host/formats/gguf_file.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <span>
#include <string>

#include "host/core/failure.hpp"
#include "host/formats/gguf_test_file.hpp"

namespace pspllm::host {
namespace {

using testing::GgufTestFile;
using testing::put;

GgufFile read(const std::string& bytes) {
  const std::span<const std::byte> span = std::as_bytes(std::span(bytes));
  return read_gguf_file(memory_source(&span), "model.gguf");
}

GgufTestFile small_file() {
  GgufTestFile file;
  file.add("general.architecture", std::string_view("llama"));
  file.add("count", std::uint32_t{7});
  file.add("base", 1.5F);
  file.add("flag", true);
  file.add("texts", std::vector<std::string>{"a", "", "bc"});
  file.add("numbers", std::vector<float>{0.5F, -2.0F});
  file.add_tensor("first", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  file.add_tensor("second", {3}, {1, 2, 3});
  return file;
}

void check_refused(const std::string& bytes, const char* part) {
  CHECK_THROWS_WITH_AS((void)read(bytes), doctest::Contains(part), Failure);
}

}  // namespace

TEST_CASE("metadata and directory are read as they were written, versions 2 and 3") {
  for (const std::uint32_t version : {2U, 3U}) {
    GgufTestFile built = small_file();
    built.version = version;
    const GgufFile file = read(built.bytes());
    CHECK(file.version == version);
    CHECK(file.metadata.find_text("general.architecture") == "llama");
    CHECK(file.metadata.find_unsigned("count") == 7);
    CHECK(file.metadata.find_number("base") == 1.5);
    CHECK(file.metadata.find_number("count") == 7.0);
    CHECK(file.metadata.find_bool("flag") == true);
    REQUIRE(file.metadata.find_texts("texts") != nullptr);
    CHECK(*file.metadata.find_texts("texts") == std::vector<std::string>{"a", "", "bc"});
    REQUIRE(file.metadata.find_numbers("numbers") != nullptr);
    CHECK(*file.metadata.find_numbers("numbers") == std::vector<double>{0.5, -2.0});
    CHECK_FALSE(file.metadata.has("nothing"));
    CHECK_FALSE(file.metadata.find_text("nothing").has_value());
    REQUIRE(file.tensors.size() == 2);
    CHECK(file.tensors[0].rows() == 2);
    CHECK(file.tensors[0].cols() == 4);
    CHECK(file.tensors[1].rows() == 1);
    CHECK(file.tensors[1].bytes == 12);
    CHECK(file.tensors[1].offset % file.alignment == 0);
  }
}

TEST_CASE("a value of another type is refused by its name") {
  const GgufFile file = read(small_file().bytes());
  CHECK_THROWS_WITH_AS((void)file.metadata.find_unsigned("base"),
                       "model.gguf: the metadata entry base is not a whole number of 0 or more, as it has to "
                       "be in a model",
                       Failure);
  CHECK_THROWS_AS((void)file.metadata.find_text("count"), Failure);
  CHECK_THROWS_AS((void)file.metadata.find_bool("count"), Failure);
  CHECK_THROWS_AS((void)file.metadata.find_texts("numbers"), Failure);
  CHECK_THROWS_AS((void)file.metadata.find_numbers("count"), Failure);
}

TEST_CASE("a file cut at any byte is refused") {
  const std::string whole = small_file().bytes();
  const std::size_t needed = whole.size() - 20;  // the last tensor's padding may be missing
  for (std::size_t length = 0; length < needed; ++length) {
    CAPTURE(length);
    CHECK_THROWS_AS((void)read(whole.substr(0, length)), Failure);
  }
}

TEST_CASE("other kinds and versions are told apart") {
  std::string bytes = small_file().bytes();
  check_refused("GGML" + bytes.substr(4), "not a GGUF file");
  bytes[4] = 1;
  check_refused(bytes, "version 1, expected 2 or 3");
  bytes[4] = 4;
  check_refused(bytes, "version 4");
  bytes[4] = 0;
  bytes[7] = 3;
  check_refused(bytes, "big-endian");
  GgufTestFile split = small_file();
  split.add("split.count", std::uint32_t{3});
  check_refused(split.bytes(), "one of 3 parts");
}

TEST_CASE("counts and lengths that the file cannot hold are refused before memory is taken") {
  const std::string bytes = small_file().bytes();
  const std::uint64_t huge = std::uint64_t{1} << 60;
  for (const std::size_t offset : {std::size_t{8}, std::size_t{16}, std::size_t{24}}) {
    std::string damaged = bytes;
    std::memcpy(damaged.data() + offset, &huge, sizeof huge);
    CHECK_THROWS_AS((void)read(damaged), Failure);
  }
  GgufTestFile array;
  array.add_key("list", 9);
  put(array.metadata, std::uint32_t{0});
  put(array.metadata, huge);
  check_refused(array.bytes(), "the array list has 1152921504606846976 elements");
  GgufTestFile text;
  text.add_key("text", 8);
  put(text.metadata, huge);
  check_refused(text.bytes(), "has 1152921504606846976 bytes");
}

TEST_CASE("keys, types and values out of range are refused") {
  GgufTestFile empty_key;
  empty_key.add("", std::uint32_t{1});
  check_refused(empty_key.bytes(), "key has 0 bytes");
  GgufTestFile twice;
  twice.add("a", std::uint32_t{1});
  twice.add("a", std::uint32_t{2});
  check_refused(twice.bytes(), "has a twice");
  GgufTestFile type;
  type.add_key("a", 13);
  check_refused(type.bytes(), "type 13");
  GgufTestFile nested;
  nested.add_key("a", 9);
  put(nested.metadata, std::uint32_t{9});
  check_refused(nested.bytes(), "array of arrays");
  GgufTestFile flag;
  flag.add_key("a", 7);
  put(flag.metadata, std::uint8_t{2});
  check_refused(flag.bytes(), "expected 0 or 1");
  for (const std::uint32_t alignment : {0U, 24U, 1U << 21}) {
    GgufTestFile file;
    file.add("general.alignment", alignment);
    check_refused(file.bytes(), "power of two");
  }
}

TEST_CASE("tensors out of place are refused") {
  const auto with_entry = [](const std::vector<std::uint64_t>& dimensions, std::uint32_t type,
                             std::uint64_t offset, std::string_view name = "extra") {
    GgufTestFile file = small_file();
    file.add_directory_entry(name, dimensions, type, offset);
    return file.bytes();
  };
  check_refused(with_entry({4}, 0, 64, "first"), "is there twice");
  check_refused(with_entry({4}, 0, 64, ""), "name has 0 bytes");
  check_refused(with_entry({4}, 0, 64, std::string(65, 'x')), "name has 65 bytes");
  check_refused(with_entry({}, 0, 64), "0 dimensions");
  check_refused(with_entry({1, 1, 1, 1, 1}, 0, 64), "5 dimensions");
  check_refused(with_entry({4, 0}, 0, 64), "dimension of 0");
  check_refused(with_entry({4}, 99, 64), "unknown type 99");
  check_refused(with_entry({33}, 8, 64), "no multiple of Q8_0's blocks of 32");
  check_refused(with_entry({4}, 0, 33), "alignment 32");
  check_refused(with_entry({4}, 0, 64), "truncated");
  check_refused(with_entry({4}, 0, ~std::uint64_t{0} - 31), "truncated");
  check_refused(with_entry({std::uint64_t{1} << 40, std::uint64_t{1} << 40}, 0, 64), "64 bits");
  check_refused(with_entry({4}, 0, 0), "overlap");
}

}  // namespace pspllm::host
