// .pspm files with some bytes changed and all checksums made right again: refused with a sentence, or loaded
// and run. The input's first byte chooses the model's format, the next two a length to cut the file at (0:
// none); then every three bytes are a place (16 bits) and a value to put there.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "engine/core/checksum.hpp"
#include "engine/model/pspm_format.hpp"
#include "engine/testing/test_pspm.hpp"
#include "fuzz/load_and_run.hpp"

namespace {

using pspllm::PspmHeader;
using pspllm::PspmSection;
using pspllm::PspmSectionKind;
using pspllm::PspmTensor;
using pspllm::TensorFormat;

const std::string& good_file(std::uint8_t choice) {
  static const std::vector<std::string> files = [] {
    pspllm::testing::TestShape shape;
    shape.n_layers = 1;
    std::vector<std::string> made;
    for (const pspllm::testing::TestFormat& format : {pspllm::testing::TestFormat{TensorFormat::codes, 6},
                                                      {TensorFormat::codes, 3},
                                                      {TensorFormat::q80, 8}}) {
      pspllm::testing::PspmParts parts = pspllm::testing::make_pspm_parts(shape, format);
      parts.about = "about";
      parts.chat = "chat";
      made.push_back(pspllm::testing::assemble(parts));
    }
    return made;
  }();
  return files[choice % files.size()];
}

std::uint32_t checksum_of(const std::string& bytes, std::uint64_t offset, std::uint64_t count) {
  if (offset > bytes.size() || count > bytes.size() - offset) return 0;
  return pspllm::checksum32(std::as_bytes(std::span(bytes))
                                .subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(count)));
}

template <typename Struct>
bool load(const std::string& bytes, std::uint64_t offset, Struct& value) {
  if (offset > bytes.size() || sizeof value > bytes.size() - offset) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return true;
}

void repair_tensors(std::string& bytes, const PspmSection& directory, std::uint64_t weights) {
  for (std::uint64_t at = 0; at + sizeof(PspmTensor) <= directory.bytes; at += sizeof(PspmTensor)) {
    PspmTensor tensor;
    if (!load(bytes, directory.offset + at, tensor)) return;
    tensor.checksum = checksum_of(bytes, weights + tensor.offset, tensor.bytes);
    std::memcpy(bytes.data() + directory.offset + at, &tensor, sizeof tensor);
  }
}

/// Makes every checksum that can be found right.
void repair_checksums(std::string& bytes) {
  PspmHeader header;
  if (!load(bytes, 0, header)) return;
  std::vector<PspmSection> sections(header.section_count % 16);
  std::uint64_t weights = 0;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (!load(bytes, sizeof header + i * sizeof(PspmSection), sections[i])) return;
    if (sections[i].kind == static_cast<std::uint32_t>(PspmSectionKind::weights))
      weights = sections[i].offset;
  }
  for (std::size_t i = 0; i < sections.size(); ++i) {
    PspmSection& section = sections[i];
    if (section.kind == static_cast<std::uint32_t>(PspmSectionKind::tensors))
      repair_tensors(bytes, section, weights);
    section.checksum = checksum_of(bytes, section.offset, section.bytes);
    std::memcpy(bytes.data() + sizeof header + i * sizeof section, &section, sizeof section);
  }
  header.checksum = 0;
  std::memcpy(bytes.data(), &header, sizeof header);
  header.checksum = checksum_of(bytes, 0, sizeof header + sections.size() * sizeof(PspmSection));
  std::memcpy(bytes.data(), &header, sizeof header);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t prefix_bytes = 3;
  if (size < prefix_bytes) return 0;
  std::string bytes = good_file(data[0]);
  const std::size_t cut = data[1] + std::size_t{256} * data[2];
  if (cut != 0 && cut < bytes.size()) {
    bytes.resize(cut);
    const std::uint64_t length = cut;
    if (cut >= sizeof(PspmHeader))
      std::memcpy(bytes.data() + offsetof(PspmHeader, file_bytes), &length, sizeof length);
  }
  for (std::size_t at = prefix_bytes; at + 3 <= size; at += 3) {
    const std::size_t place = data[at] + std::size_t{256} * data[at + 1];
    bytes[place % bytes.size()] = static_cast<char>(data[at + 2]);
  }
  repair_checksums(bytes);
  pspllm::fuzz::read_load_and_run(std::as_bytes(std::span(bytes)));
  return 0;
}
