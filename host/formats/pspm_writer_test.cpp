// The writer's file equals, byte for byte, what the engine's tests put together by hand.
#include "host/formats/pspm_writer.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "engine/core/limits.hpp"
#include "engine/model/model_file.hpp"
#include "engine/model/tensor_order.hpp"
#include "engine/testing/test_pspm.hpp"
#include "host/core/failure.hpp"
#include "host/formats/engine_checkpoint.hpp"
#include "tests/support/read_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pspllm::host {
namespace {

using testing::make_pspm_parts;
using testing::PspmParts;
using testing::read_file;
using testing::TemporaryFolder;
using testing::TestFormat;

constexpr TestFormat formats[] = {
    {TensorFormat::f32, 0}, {TensorFormat::q80, 8}, {TensorFormat::codes, 6}, {TensorFormat::codes, 1}};

std::vector<std::byte> bytes_of(const std::string& text, std::size_t skip = 0) {
  const auto bytes = std::as_bytes(std::span(text)).subspan(skip);
  return {bytes.begin(), bytes.end()};
}

Checkpoint checkpoint_of(const PspmParts& parts) {
  Checkpoint checkpoint;
  const PspmConfig& config = parts.config;
  checkpoint.config = {config.dim,        config.hidden_dim, config.n_layers, config.n_heads,
                       config.n_kv_heads, config.vocab_size, config.seq_len,  config.tied_classifier == 1};
  checkpoint.about = parts.about;
  checkpoint.tokenizer = bytes_of(parts.tokenizer, pspm_tokenizer_header_bytes);
  checkpoint.chat = bytes_of(parts.chat);
  checkpoint.rope_frequencies = parts.rope;
  checkpoint.tensors.resize(ordered_tensor_count(checkpoint.config));
  return checkpoint;
}

void write_parts(const std::string& path, const PspmParts& parts) {
  std::vector<StoredFormat> stored;
  for (const PspmTensor& tensor : parts.tensors) {
    stored.push_back({static_cast<TensorFormat>(tensor.format), tensor.group_size});
  }
  PspmWriter writer(path, checkpoint_of(parts), stored);
  const auto weights = std::as_bytes(std::span(parts.weights));
  for (const PspmTensor& tensor : parts.tensors) {
    writer.write_tensor(
        weights.subspan(static_cast<std::size_t>(tensor.offset), static_cast<std::size_t>(tensor.bytes)));
  }
  writer.commit();
}

}  // namespace

TEST_CASE("the writer gives the specified bytes for every format, with optional sections and without") {
  const TemporaryFolder folder;
  for (const TestFormat& format : formats) {
    for (const bool complete : {true, false}) {
      testing::TestShape shape;
      shape.tied_classifier = complete;
      PspmParts parts = make_pspm_parts(shape, format);
      if (complete) {
        parts.about = "Random numbers.";
        parts.chat = std::string(100, 'c');
      }
      const std::string path = folder.path("model.pspm");
      write_parts(path, parts);
      CHECK(read_file(path) == testing::assemble(parts));
    }
  }
}

TEST_CASE("a file read as a checkpoint and written again is the same") {
  const TemporaryFolder folder;
  for (const TestFormat& format : formats) {
    PspmParts parts = make_pspm_parts({}, format);
    parts.about = "Random numbers.";
    parts.chat = "template";
    const std::string path = folder.write("in.pspm", testing::assemble(parts));
    const Checkpoint checkpoint = open_engine_checkpoint(path, "");
    std::vector<StoredFormat> stored;
    for (const CheckpointTensor& tensor : checkpoint.tensors) {
      stored.push_back(tensor.stored_format.value_or(StoredFormat{}));
    }
    const std::string copy = folder.path("out.pspm");
    PspmWriter writer(copy, checkpoint, stored);
    for (const CheckpointTensor& tensor : checkpoint.tensors)
      writer.write_tensor(checkpoint.read_stored(tensor));
    CHECK(writer.file_bytes() == read_file(path).size());
    writer.commit();
    CHECK(read_file(copy) == read_file(path));
  }
}

TEST_CASE("parts that no file holds are refused; an unfinished file leaves nothing behind") {
  const TemporaryFolder folder;
  const std::string path = folder.path("model.pspm");
  PspmParts parts = make_pspm_parts({}, {});
  parts.chat.assign(max_chat_bytes + 1, 'c');
  CHECK_THROWS_AS(write_parts(path, parts), Failure);
  parts = make_pspm_parts({}, {});
  parts.tensors.pop_back();
  CHECK_THROWS(write_parts(path, parts));
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(folder.count() == 0);
}

}  // namespace pspllm::host
