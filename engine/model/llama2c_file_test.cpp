// Whole kinds of bad model files: every field zero or out of range, sizes that disagree, products that
// overflow, other people's formats.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/model_file.hpp"
#include "engine/testing/test_model.hpp"

namespace pspllm {
namespace {

using testing::make_f32_model;
using testing::make_q80_model;
using testing::TestShape;

Status read(const std::string& bytes, ModelFile& file) {
  const std::span<const std::byte> view = std::as_bytes(std::span(bytes));
  return read_model_file(memory_source(&view), file);
}

/// The sentence that reading gives, "" where it works.
std::string sentence(const std::string& bytes) {
  const auto file = std::make_unique<ModelFile>();
  const Status status = read(bytes, *file);
  return status ? std::string() : std::string(status.error().message.view());
}

std::string with_field(std::string bytes, std::size_t offset, std::uint32_t value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  return bytes;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr std::size_t v1_shape_offset = 8;
constexpr const char* field_names[] = {"dim",        "hidden_dim", "n_layers", "n_heads",
                                       "n_kv_heads", "vocab_size", "seq_len"};

}  // namespace

TEST_CASE("all versions are read, with shared and own classifiers") {
  for (const bool tied : {true, false}) {
    TestShape shape;
    shape.tied_classifier = tied;
    const struct {
      std::string bytes;
      FileKind kind;
    } models[] = {{make_f32_model(shape, 0), FileKind::llama2c_v0},
                  {make_f32_model(shape, 1), FileKind::llama2c_v1},
                  {make_q80_model(shape), FileKind::llama2c_v2}};
    for (const auto& model : models) {
      CAPTURE(name_of(model.kind));
      const auto file = std::make_unique<ModelFile>();
      const Status status = read(model.bytes, *file);
      REQUIRE_MESSAGE(status.ok(), std::string(status.error().message.view()));
      CHECK(file->kind == model.kind);
      CHECK(file->config.tied_classifier == tied);
      CHECK(file->config.dim == shape.dim);
      CHECK(file->config.vocab_size == shape.vocab_size);
      CHECK(file->config.seq_len == shape.seq_len);
      CHECK(file->tensor_count == 7 * shape.n_layers + 4 + (tied ? 0 : 1));
    }
  }
}

TEST_CASE("tensors lie in the file and do not overlap") {
  TestShape shape;
  shape.tied_classifier = false;
  for (const std::string& bytes :
       {make_f32_model(shape, 0), make_f32_model(shape, 1), make_q80_model(shape)}) {
    const auto file = std::make_unique<ModelFile>();
    REQUIRE(read(bytes, *file).ok());
    std::uint64_t end = 0;
    for (const TensorEntry& tensor : file->tensors()) {
      CHECK(tensor.file_offset >= end);
      end = tensor.file_offset + tensor.file_bytes();
      CHECK(end <= bytes.size());
    }
    CHECK(end == bytes.size());
  }
}

TEST_CASE("a file of any other length is refused") {
  const TestShape shape;
  for (const std::string& bytes :
       {make_f32_model(shape, 0), make_f32_model(shape, 1), make_q80_model(shape)}) {
    CHECK(contains(sentence(bytes.substr(0, bytes.size() - 1)), "cut short"));
    CHECK(contains(sentence(bytes.substr(0, bytes.size() / 2)), "cut short"));
    CHECK(contains(sentence(bytes + '\0'), "too long"));
    for (const std::size_t length : {0U, 1U, 3U, 4U, 8U, 27U, 28U, 36U, 255U, 256U}) {
      CAPTURE(length);
      CHECK_FALSE(sentence(bytes.substr(0, length)).empty());
    }
  }
  CHECK(contains(sentence(""), "empty"));
}

TEST_CASE("every field of the shape is checked, zero, negative and huge") {
  const TestShape shape;
  const std::string v2 = make_q80_model(shape);
  const std::string v0 = make_f32_model(shape, 0);
  for (std::size_t i = 0; i < std::size(field_names); ++i) {
    for (const std::uint32_t value : {0U, 0x7fffffffU, 0x80000000U, 0xfffffffbU, 1U << 20}) {
      CAPTURE(field_names[i]);
      CAPTURE(value);
      const std::string in_v2 = sentence(with_field(v2, v1_shape_offset + 4 * i, value));
      CHECK(contains(in_v2, field_names[i]));
      const std::string in_v0 = sentence(with_field(v0, 4 * i, value));
      CHECK_FALSE(in_v0.empty());
    }
  }
}

TEST_CASE("a negative vocabulary in version 0 means a classifier of its own, and no more") {
  TestShape shape;
  const std::string tied = make_f32_model(shape, 0);
  const std::string sign_flipped = with_field(tied, 20, 0U - shape.vocab_size);
  CHECK(contains(sentence(sign_flipped), "cut short"));
}

TEST_CASE("the largest fields together do not overflow into a small size") {
  std::string bytes = make_q80_model({});
  for (const auto& [field, value] : std::vector<std::pair<std::size_t, std::uint32_t>>{
           {0, 32768}, {1, 32768}, {2, 64}, {3, 1}, {4, 1}, {5, 262144}, {6, 131072}}) {
    bytes = with_field(bytes, v1_shape_offset + 4 * field, value);
  }
  CHECK(contains(sentence(bytes), "cut short"));
}

TEST_CASE("heads must divide dim, key/value heads must divide heads") {
  const std::string v2 = make_q80_model({});
  CHECK(contains(sentence(with_field(v2, v1_shape_offset + 12, 3)), "not a multiple of n_heads"));
  CHECK(contains(sentence(with_field(v2, v1_shape_offset + 12, 16)), "odd"));
  CHECK(contains(sentence(with_field(v2, v1_shape_offset + 16, 3)), "not a multiple of n_kv_heads"));
}

TEST_CASE("the group size must divide every row") {
  constexpr std::size_t group_offset = 37;
  const std::string v2 = make_q80_model({});
  for (const std::uint32_t value : {0U, 0xffffffffU, 0x80000000U, 1U << 30}) {
    CHECK(contains(sentence(with_field(v2, group_offset, value)), "group size"));
  }
  // dim 16 has whole groups of 16, hidden_dim 24 has not: the file that llama2.c's exporter writes by
  // mistake.
  const std::string mistake = sentence(with_field(v2, group_offset, 16));
  CHECK(contains(mistake, "hidden_dim 24"));
  CHECK(contains(mistake, "16"));
}

TEST_CASE("an unknown version and a damaged flag are named") {
  const std::string v2 = make_q80_model({});
  for (const std::uint32_t version : {0U, 3U, 0xffffffffU}) {
    CHECK(contains(sentence(with_field(v2, 4, version)), "version"));
  }
  std::string flag = v2;
  flag[36] = 2;
  CHECK(contains(sentence(flag), "shared-classifier flag is 2"));
}

TEST_CASE("other people's formats are named") {
  const std::string padding(300, '\0');
  const struct {
    std::string bytes;
    const char* name;
  } files[] = {
      {std::string("GGUF\x03") + padding, "GGUF"},
      {std::string("PK\x03\x04") + padding, "zip"},
      {std::string("\x80\x02}q", 4) + padding, "pickle"},
      {std::string("\x88\x00\x00\x00\x00\x00\x00\x00{\"__metadata__\"", 23) + padding, "safetensors"},
      {"Once upon a time there was a text file that someone took for a model.", "text file"},
      {std::string("\x7f"
                   "ELF") +
           padding,
       "ELF"},
      {std::string("\0PBP", 4) + padding, "EBOOT"},
  };
  for (const auto& file : files) {
    CAPTURE(file.name);
    CHECK(contains(sentence(file.bytes), file.name));
  }
}

}  // namespace pspllm
