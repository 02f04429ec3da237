// Writes a .pspm file (engine/model/pspm_format.hpp) tensor by tensor: it never holds more than one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/model/pspm_format.hpp"
#include "host/formats/checkpoint.hpp"
#include "host/io/atomic_file.hpp"

namespace pspllm::host {

/// One .pspm file in the making; nothing is left behind without commit().
class PspmWriter {
 public:
  /// Everything but the weights comes from `checkpoint`, whose tensors must be in the order of use; formats:
  /// one a tensor, f32 for norms. Throws Failure: a tokenizer, chat template or text larger than a file may
  /// hold, a path that cannot be written to.
  PspmWriter(const std::string& path, const Checkpoint& checkpoint, std::span<const StoredFormat> formats);

  /// The next tensor's bytes, exactly as many as pspm_tensor_bytes() says. Throws Failure where the disk is
  /// full.
  void write_tensor(std::span<const std::byte> bytes);
  /// Makes the file appear. All tensors must have been written.
  void commit();

  [[nodiscard]] std::uint64_t file_bytes() const noexcept { return header_.file_bytes; }

 private:
  void add_section(PspmSectionKind kind, std::span<const std::byte> bytes);

  AtomicFile file_;
  PspmHeader header_;
  std::vector<PspmSection> sections_;
  std::vector<PspmTensor> directory_;
  std::size_t written_tensors_ = 0;
};

}  // namespace pspllm::host
