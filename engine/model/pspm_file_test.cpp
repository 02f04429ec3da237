// Good .pspm files are read and run; every field, offset, size and checksum that is wrong gets its sentence.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/checksum.hpp"
#include "engine/model/code_layout.hpp"
#include "engine/model/forward.hpp"
#include "engine/model/pspm_directory.hpp"
#include "engine/model/tensor_order.hpp"
#include "engine/testing/test_engine.hpp"
#include "engine/testing/test_pspm.hpp"

namespace pspllm {
namespace {

using testing::assemble;
using testing::make_pspm_model;
using testing::make_pspm_parts;
using testing::PspmParts;
using testing::TestEngine;
using testing::TestFormat;
using testing::TestShape;

constexpr TestFormat formats[] = {{TensorFormat::f32, 0},   {TensorFormat::q80, 8},
                                  {TensorFormat::codes, 1}, {TensorFormat::codes, 4},
                                  {TensorFormat::codes, 6}, {TensorFormat::codes, 8}};

/// The sentence that reading the header gives, "" where it works.
std::string sentence(const std::string& bytes) {
  const auto file = std::make_unique<ModelFile>();
  const std::span<const std::byte> view = std::as_bytes(std::span(bytes));
  const Status status = read_model_file(memory_source(&view), *file);
  return status ? std::string() : std::string(status.error().message.view());
}

/// The sentence that loading gives.
std::string loading_sentence(const PspmParts& parts) {
  const TestEngine engine(assemble(parts), {}, {});
  return engine.status() ? std::string() : std::string(engine.status().error().message.view());
}

void check_contains(const std::string& text, const std::string& part) {
  CAPTURE(text);
  CHECK(text.find(part) != std::string::npos);
}

/// What reading says after a change of a good file's parts.
std::string spoiled(const std::function<void(PspmParts&)>& change, const TestFormat& format = {}) {
  PspmParts parts = make_pspm_parts({}, format);
  parts.about = "A model of random numbers.";
  parts.chat = "a template";
  change(parts);
  return sentence(assemble(parts));
}

/// A good file with other bytes in header or section table, the header's checksum made right again.
std::string with_table_field(std::size_t offset, std::uint32_t value) {
  std::string bytes = make_pspm_model({}, {});
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  PspmHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.checksum = 0;
  std::memcpy(bytes.data(), &header, sizeof header);
  const std::size_t table = sizeof header + header.section_count * sizeof(PspmSection);
  if (table <= bytes.size()) header.checksum = checksum32(std::as_bytes(std::span(bytes).first(table)));
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

/// Offset of a field of section `index`'s table entry.
constexpr std::size_t in_section(std::size_t index, std::size_t field) {
  return sizeof(PspmHeader) + index * sizeof(PspmSection) + field;
}

}  // namespace

TEST_CASE("models of every format are read, loaded and give finite logits") {
  for (const TestFormat& format : formats) {
    for (const bool tied : {true, false}) {
      TestShape shape;
      shape.tied_classifier = tied;
      CAPTURE(name_of(format.format));
      CAPTURE(format.group_size);
      TestEngine model(make_pspm_model(shape, format), {}, {});
      REQUIRE_MESSAGE(model.status().ok(), std::string(model.status().error().message.view()));
      CHECK(model.file().kind == FileKind::pspm);
      CHECK(model.file().config.tied_classifier == tied);
      CHECK(model.file().tensor_count == 9 * shape.n_layers + (tied ? 2 : 3));
      const std::int32_t tokens[] = {1, 5, 290};
      REQUIRE(forward(model.engine(), tokens, 0, LogitsFor::last_token, {}).ok());
      bool differ = false;
      for (const float logit : model.engine().logits.first(shape.vocab_size)) {
        CHECK(std::isfinite(logit));
        differ = differ || logit != model.engine().logits[0];
      }
      CHECK(differ);
    }
  }
}

TEST_CASE("tensors lie one behind the other in the order of use, in the file as in memory") {
  for (const TestFormat& format : formats) {
    const std::string bytes = make_pspm_model({}, format);
    const std::span<const std::byte> view = std::as_bytes(std::span(bytes));
    const auto file = std::make_unique<ModelFile>();
    REQUIRE(read_model_file(memory_source(&view), *file).ok());
    MemoryPlan plan;
    REQUIRE(plan_memory(*file, {}, reference_kernels(), plan).ok());
    std::uint64_t end = file->section(PspmSectionKind::weights).offset;
    const std::uint64_t start = end;
    for (std::uint32_t i = 0; i < file->tensor_count; ++i) {
      const TensorEntry& tensor = file->entries[i];
      CHECK(tensor.role == ordered_tensor(file->config, i).role);
      CHECK(tensor.file_offset == end);
      CHECK(tensor.block_offset == end - start);
      CHECK(tensor.file_bytes() == block_bytes(tensor));
      end += tensor.file_bytes();
    }
    CHECK(end == bytes.size());
  }
}

TEST_CASE("the engine gets tokenizer, chat template and frequencies from the file") {
  PspmParts parts = make_pspm_parts({}, {});
  parts.chat = "anything at all";
  parts.rope = {0.5F, 0.125F};
  TestEngine model(assemble(parts), {}, {});
  REQUIRE_MESSAGE(model.status().ok(), std::string(model.status().error().message.view()));
  CHECK(piece_of(model.engine().tokenizer.llama2c, 259) == " ");
  CHECK(std::string(reinterpret_cast<const char*>(model.engine().chat.data()), model.engine().chat.size()) ==
        parts.chat);
  CHECK(model.engine().rope_frequencies[1] == 0.125F);
  // Position 3, pair 1: cosine and sine of 0.375.
  CHECK(model.engine().rope_table[3 * 4 + 2] == doctest::Approx(std::cos(0.375)));
  CHECK(model.engine().rope_table[3 * 4 + 3] == doctest::Approx(std::sin(0.375)));
  const TestEngine without(make_pspm_model({}, {}), {}, {});
  CHECK(const_cast<TestEngine&>(without).engine().chat.empty());
}

TEST_CASE("a file of any other length is refused") {
  const std::string bytes = make_pspm_model({}, {});
  check_contains(sentence(bytes.substr(0, bytes.size() - 1)), "cut short");
  check_contains(sentence(bytes.substr(0, 64)), "cut short");
  check_contains(sentence(bytes + '\0'), "too long");
  for (const std::size_t length : {4U, 5U, 63U})
    check_contains(sentence(bytes.substr(0, length)), "64-byte header");
}

TEST_CASE("header and section table are checked") {
  const std::string good = make_pspm_model({}, {});
  check_contains(sentence(with_table_field(4, 2)), "version is 2");
  check_contains(sentence(with_table_field(8, 1)), "its header says 1 bytes");
  check_contains(sentence(with_table_field(16, 0)), "number of sections is 0, expected 1 to 7");
  check_contains(sentence(with_table_field(16, 8)), "number of sections is 8, expected 1 to 7");
  check_contains(sentence(with_table_field(24, 1)), "reserved");
  check_contains(sentence(with_table_field(in_section(0, 0), 0)), "kind is 0, expected 1 to 7");
  check_contains(sentence(with_table_field(in_section(1, 0), 1)), "kind is 1, expected 2 to 7");
  check_contains(sentence(with_table_field(in_section(4, 0), 8)), "kind is 8");
  check_contains(sentence(with_table_field(in_section(1, 8), 64)), "offset is 64, expected");
  check_contains(sentence(with_table_field(in_section(1, 12), 1)), "offset is");
  check_contains(sentence(with_table_field(in_section(0, 16), 128)), "size is 128, expected 64 to 64");
  check_contains(sentence(with_table_field(in_section(4, 16), 0)), "weights: size is 0");
  check_contains(sentence(with_table_field(in_section(4, 20), 1)), "run past the file's end");
  check_contains(sentence(with_table_field(in_section(4, 16), 64)), "weights ends at");
  check_contains(sentence(with_table_field(in_section(2, 24), 1)), "reserved");
  std::string flipped = good;
  flipped[20] = static_cast<char>(flipped[20] ^ 1);
  check_contains(sentence(flipped), "checksum does not match header and section table");
}

TEST_CASE("every byte in front of the payloads is covered by a check") {
  PspmParts parts = make_pspm_parts({}, {});
  parts.about = "about";
  const std::string good = assemble(parts);
  REQUIRE(sentence(good).empty());
  const std::span<const std::byte> view = std::as_bytes(std::span(good));
  const auto file = std::make_unique<ModelFile>();
  REQUIRE(read_model_file(memory_source(&view), *file).ok());
  const auto check_range = [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t at = begin; at < end; ++at) {
      std::string bytes = good;
      bytes[static_cast<std::size_t>(at)] = static_cast<char>(bytes[static_cast<std::size_t>(at)] ^ 0x10);
      CAPTURE(at);
      CHECK_FALSE(sentence(bytes).empty());
    }
  };
  check_range(0, sizeof(PspmHeader) + 6 * sizeof(PspmSection));
  for (const PspmSectionKind kind :
       {PspmSectionKind::config, PspmSectionKind::about, PspmSectionKind::rope, PspmSectionKind::tensors}) {
    const PspmSection& section = file->section(kind);
    check_range(section.offset, section.offset + section.bytes);
  }
}

TEST_CASE("every field of the config is checked") {
  check_contains(spoiled([](PspmParts& p) { p.config.architecture = 2; }), "architecture is 2, expected 1");
  check_contains(spoiled([](PspmParts& p) { p.config.tied_classifier = 2; }), "tied_classifier is 2");
  check_contains(spoiled([](PspmParts& p) { p.config.reserved[4] = 1; }), "reserved");
  const float not_positive[] = {0.0F, -1.0F, std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN()};
  for (const float value : not_positive) {
    check_contains(spoiled([value](PspmParts& p) { p.config.rope_base = value; }), "rope_base");
    check_contains(spoiled([value](PspmParts& p) { p.config.norm_epsilon = value; }), "norm_epsilon");
  }
  for (const std::uint32_t value : {0U, 0xffffffffU, 1U << 20}) {
    check_contains(spoiled([value](PspmParts& p) { p.config.dim = value; }), "dim is");
    check_contains(spoiled([value](PspmParts& p) { p.config.hidden_dim = value; }), "hidden_dim is");
    check_contains(spoiled([value](PspmParts& p) { p.config.n_layers = value; }), "n_layers is");
    check_contains(spoiled([value](PspmParts& p) { p.config.n_heads = value; }), "n_heads is");
    check_contains(spoiled([value](PspmParts& p) { p.config.n_kv_heads = value; }), "n_kv_heads is");
    check_contains(spoiled([value](PspmParts& p) { p.config.vocab_size = value; }), "vocab_size is");
    check_contains(spoiled([value](PspmParts& p) { p.config.seq_len = value; }), "seq_len is");
  }
  check_contains(spoiled([](PspmParts& p) { p.config.n_layers = 3; }), "section tensors: size is");
  check_contains(spoiled([](PspmParts& p) { p.config.vocab_size = 301; }),
                 "tensor 0: rows is 300, expected 301");
}

TEST_CASE("tokenizer and RoPE sections are checked") {
  check_contains(spoiled([](PspmParts& p) { p.tokenizer[0] = 0; }), "tokenizer: kind is 0");
  check_contains(spoiled([](PspmParts& p) { p.tokenizer[0] = 3; }), "tokenizer: kind is 3");
  check_contains(spoiled([](PspmParts& p) { p.tokenizer[63] = 1; }), "tokenizer: a reserved field");
  check_contains(spoiled([](PspmParts& p) { p.tokenizer.resize(64); }), "tokenizer: size is 64");
  check_contains(spoiled([](PspmParts& p) { p.tokenizer.clear(); }), "tokenizer is missing");
  check_contains(spoiled([](PspmParts& p) { p.rope.push_back(1.0F); }), "rope: size is 12, expected 8");
  for (const float value : {-1.0F, std::numeric_limits<float>::infinity()}) {
    check_contains(spoiled([value](PspmParts& p) { p.rope[1] = value; }), "frequency");
  }
  check_contains(spoiled([](PspmParts& p) { p.chat.assign(max_chat_bytes + 1, 'x'); }), "chat: size is");
  check_contains(spoiled([](PspmParts& p) { p.about.assign(max_about_bytes + 1, 'x'); }), "about: size is");
}

TEST_CASE("every field of a tensor's entry is checked") {
  check_contains(spoiled([](PspmParts& p) { p.tensors[2].role = 3; }), "tensor 2: role is 3, expected 2");
  check_contains(spoiled([](PspmParts& p) { p.tensors[12].layer = 0; }), "tensor 12: layer is 0, expected 1");
  check_contains(spoiled([](PspmParts& p) { p.tensors[3].rows = 16; }), "tensor 3: rows is 16, expected 8");
  check_contains(spoiled([](PspmParts& p) { p.tensors[3].cols = 8; }), "tensor 3: columns is 8, expected 16");
  check_contains(spoiled([](PspmParts& p) { p.tensors[3].format = 3; }), "tensor 3: format is 3");
  check_contains(spoiled([](PspmParts& p) { p.tensors[1].format = 2; }),
                 "tensor 1: format of a norm is codes");
  check_contains(spoiled([](PspmParts& p) { p.tensors[3].group_size = 9; }),
                 "code width is 9, expected 1 to 8");
  check_contains(spoiled([](PspmParts& p) { p.tensors[3].group_size = 0; }), "code width is 0");
  check_contains(spoiled([](PspmParts& p) { p.tensors[1].group_size = 1; }), "group size is 1, expected 0");
  check_contains(spoiled([](PspmParts& p) { p.tensors[2].group_size = 3; }, {TensorFormat::q80, 8}),
                 "group size is 3, expected 1 to 32768 and a divisor of its 16 columns");
  check_contains(spoiled([](PspmParts& p) { p.tensors[2].group_size = 0; }, {TensorFormat::q80, 8}),
                 "group size is 0");
  check_contains(spoiled([](PspmParts& p) { p.tensors[2].offset += 64; }), "tensor 2: offset is");
  check_contains(spoiled([](PspmParts& p) { p.tensors[2].offset = 0; }), "tensor 2: offset is 0");
  check_contains(spoiled([](PspmParts& p) { p.tensors[2].bytes += 64; }), "tensor 2: size is");
  check_contains(spoiled([](PspmParts& p) { p.tensors[2].bytes |= std::uint64_t{1} << 40; }),
                 "tensor 2: size is");
  check_contains(spoiled([](PspmParts& p) { p.tensors[2].reserved[4] = 1; }), "reserved");
  check_contains(spoiled([](PspmParts& p) { p.weights.resize(p.weights.size() + 64); }), "its tensors take");
  check_contains(spoiled([](PspmParts& p) { p.tensors.pop_back(); }), "section tensors: size is");
}

TEST_CASE("matrices with one input need one format") {
  const auto with_other_key = [](const TestFormat& all, const TestFormat& key) {
    PspmParts parts = make_pspm_parts({}, all);
    const PspmParts other = make_pspm_parts({}, key);
    PspmParts mixed = parts;
    mixed.weights.clear();
    mixed.tensors.clear();
    for (std::size_t i = 0; i < parts.tensors.size(); ++i) {
      const PspmParts& from = i == 3 ? other : parts;
      PspmTensor tensor = from.tensors[i];
      mixed.weights += from.weights.substr(static_cast<std::size_t>(tensor.offset),
                                           static_cast<std::size_t>(tensor.bytes));
      tensor.offset = mixed.weights.size() - tensor.bytes;
      mixed.tensors.push_back(tensor);
    }
    return mixed;
  };
  check_contains(sentence(assemble(with_other_key({TensorFormat::codes, 6}, {TensorFormat::q80, 8}))),
                 "key is q80 with group size 8, query is codes");
  check_contains(sentence(assemble(with_other_key({TensorFormat::q80, 8}, {TensorFormat::q80, 16}))),
                 "key is q80 with group size 16");
  CHECK(loading_sentence(with_other_key({TensorFormat::codes, 6}, {TensorFormat::codes, 4})).empty());
}

TEST_CASE("damage in tokenizer, chat and weights is found while loading") {
  PspmParts parts = make_pspm_parts({}, {});
  parts.chat = "a template";
  const std::string good = assemble(parts);
  const std::span<const std::byte> view = std::as_bytes(std::span(good));
  const auto file = std::make_unique<ModelFile>();
  REQUIRE(read_model_file(memory_source(&view), *file).ok());
  const auto loaded_with_flip = [&](std::uint64_t at) {
    std::string bytes = good;
    bytes[static_cast<std::size_t>(at)] = static_cast<char>(bytes[static_cast<std::size_t>(at)] ^ 0x10);
    CHECK(sentence(bytes).empty());
    const TestEngine engine(bytes, {}, {});
    return std::string(engine.status().error().message.view());
  };
  check_contains(loaded_with_flip(file->section(PspmSectionKind::tokenizer).offset + 100),
                 "section tokenizer: its checksum");
  check_contains(loaded_with_flip(file->section(PspmSectionKind::chat).offset + 3),
                 "section chat: its checksum");
  for (const TensorEntry& tensor : file->tensors()) {
    check_contains(
        loaded_with_flip(tensor.file_offset + tensor.file_bytes() / 2),
        std::string(name_of(tensor.role)) + " of layer " + std::to_string(tensor.layer) + ": its checksum");
  }
}

TEST_CASE("numbers that are not finite and code words out of range are refused") {
  const auto with_bytes = [](const TestFormat& format, std::size_t tensor_index, std::size_t at,
                             std::string value) {
    PspmParts parts = make_pspm_parts({}, format);
    PspmTensor& tensor = parts.tensors[tensor_index];
    const auto offset = static_cast<std::size_t>(tensor.offset);
    parts.weights.replace(offset + at, value.size(), value);
    const std::string bytes = parts.weights.substr(offset, static_cast<std::size_t>(tensor.bytes));
    tensor.checksum = checksum32(std::as_bytes(std::span(bytes)));
    return loading_sentence(parts);
  };
  const std::string infinite("\0\0\x80\x7f", 4);
  const std::string not_a_number("\x01\0\x80\xff", 4);
  // Tensor 1 is a norm, tensor 2 the first query of 16 x 16.
  check_contains(with_bytes({}, 1, 8, infinite), "attention_norm of layer 0: number 2 is not finite");
  check_contains(with_bytes({TensorFormat::f32, 0}, 2, 4, not_a_number),
                 "query of layer 0: number 1 is not finite");
  check_contains(with_bytes({TensorFormat::q80, 8}, 2, 256 + 12, infinite),
                 "number 3 of its scales is not finite");
  const CodeLayout layout{16, 16, 6};
  check_contains(with_bytes({}, 2, static_cast<std::size_t>(layout.row_scales_offset()) + 4, not_a_number),
                 "number 1 of its scales is not finite");
  check_contains(with_bytes({}, 2, 7, "\x2c"), "codebook entry 7 is 44, expected -43 to 43 for code width 6");
  check_contains(with_bytes({}, 2, 7, "\x80"), "codebook entry 7 is -128");
  CHECK(with_bytes({}, 2, 7, "\x2b").empty());
}

TEST_CASE("a vocabulary of another size is refused while loading") {
  PspmParts parts = make_pspm_parts({}, {});
  parts.tokenizer = parts.tokenizer.substr(0, 64) + testing::make_tokenizer(299);
  check_contains(loading_sentence(parts), "the tokenizer holds 299 pieces, the model's vocabulary is 300");
}

}  // namespace pspllm
