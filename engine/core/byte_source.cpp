#include "engine/core/byte_source.hpp"

#include <cstring>

namespace pspllm {
namespace {

Status read_memory(void* context, std::uint64_t offset, std::span<std::byte> into) noexcept {
  const auto& bytes = *static_cast<const std::span<const std::byte>*>(context);
  if (offset > bytes.size() || into.size() > bytes.size() - offset) {
    return read_failed("reading ", into.size(), " bytes at ", offset, " runs past the end at ", bytes.size());
  }
  if (!into.empty()) std::memcpy(into.data(), bytes.data() + offset, into.size());
  return {};
}

Status read_range(void* context, std::uint64_t offset, std::span<std::byte> into) noexcept {
  const auto& range = *static_cast<const SourceRange*>(context);
  if (offset > range.bytes || into.size() > range.bytes - offset) {
    return read_failed("reading ", into.size(), " bytes at ", offset, " runs past the end at ", range.bytes);
  }
  return range.whole.read(range.whole.context, range.offset + offset, into);
}

}  // namespace

ByteSource memory_source(const std::span<const std::byte>* bytes) noexcept {
  // The context is only ever read through, see read_memory.
  return {const_cast<std::span<const std::byte>*>(bytes), read_memory, bytes->size()};
}

ByteSource range_source(const SourceRange* range) noexcept {
  return {const_cast<SourceRange*>(range), read_range, range->bytes};
}

}  // namespace pspllm
