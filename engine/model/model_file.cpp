#include "engine/model/model_file.hpp"

#include <algorithm>

#include "engine/model/file_signature.hpp"
#include "engine/model/llama2c_file.hpp"
#include "engine/model/pspm_file.hpp"

namespace pspllm {

const char* name_of(FileKind kind) noexcept {
  switch (kind) {
    case FileKind::llama2c_v0:
      return "llama2.c version 0 (fp32)";
    case FileKind::llama2c_v1:
      return "llama2.c version 1 (fp32)";
    case FileKind::llama2c_v2:
      return "llama2.c version 2 (q80)";
    case FileKind::pspm:
      return "pspm version 1";
  }
  return "?";
}

Status read_model_file(const ByteSource& source, ModelFile& file) noexcept {
  file = {};
  file.file_bytes = source.size;
  if (source.size == 0) return bad_input("the model file is empty; copy or download it again");
  constexpr std::uint64_t enough_to_recognise = 256;
  std::array<std::byte, enough_to_recognise> buffer{};
  const std::span<std::byte> first_bytes =
      std::span(buffer).first(static_cast<std::size_t>(std::min(source.size, enough_to_recognise)));
  if (Status status = source.read(source.context, 0, first_bytes); !status) return status;
  const char* foreign = foreign_format(first_bytes);
  if (foreign != nullptr) {
    return bad_input(
        "this is ", foreign,
        ", not a model that runs here; expected a .pspm file (pspllm convert makes one) or a llama2.c "
        "checkpoint (version 0, 1 or 2)");
  }
  return is_pspm(first_bytes) ? read_pspm_file(source, file) : read_llama2c_file(source, file);
}

}  // namespace pspllm
