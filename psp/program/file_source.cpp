#include "psp/program/file_source.hpp"

namespace pspllm::psp {
namespace {

pspllm::Status read_from(void* context, std::uint64_t offset, std::span<std::byte> into) noexcept {
  const Status status = static_cast<FileReader*>(context)->read_at(offset, into);
  if (!status.ok()) return read_failed(status.sentence.view());
  return {};
}

}  // namespace

ByteSource source_of(FileReader& reader) {
  return {&reader, read_from, reader.size()};
}

}  // namespace pspllm::psp
