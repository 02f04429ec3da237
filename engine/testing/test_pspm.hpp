// .pspm files made of reproducible pseudo-random numbers, whole or in parts that a test can spoil before they
// are put together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/pspm_format.hpp"
#include "engine/model/tensor.hpp"
#include "engine/testing/test_model.hpp"

namespace pspllm::testing {

/// A format for all matrices of a model. group_size: q80 weights a scale, or code width; 0 for the value
/// matrices and the embedding: as the others.
struct TestFormat {
  TensorFormat format = TensorFormat::codes;
  std::uint32_t group_size = 6;
  std::uint32_t value_group_size = 0;
  std::uint32_t embedding_group_size = 0;
};

/// The sections' contents.
struct PspmParts {
  PspmConfig config;
  std::string about;      ///< empty: no such section
  std::string tokenizer;  ///< with its 64-byte header
  std::string chat;       ///< empty: no such section
  std::vector<float> rope;
  std::vector<PspmTensor> tensors;
  std::string weights;
};

/// A small model with a tokenizer of make_tokenizer(). shape.group_size is not used.
[[nodiscard]] PspmParts make_pspm_parts(const TestShape& shape, const TestFormat& format);

/// The file: offsets, sizes and checksums are right whatever the sections hold.
[[nodiscard]] std::string assemble(const PspmParts& parts);

[[nodiscard]] std::string make_pspm_model(const TestShape& shape, const TestFormat& format);

}  // namespace pspllm::testing
