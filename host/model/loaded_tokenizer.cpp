#include "host/model/loaded_tokenizer.hpp"

#include "engine/model/pspm_file.hpp"
#include "host/core/failure.hpp"

namespace pspllm::host {

LoadedCodec load_tokenizer(const OpenedModel& opened) {
  const std::string& path = opened.tokenizer_path();
  const std::uint32_t vocab_size = opened.file.config.vocab_size;
  if (opened.tokenizer != nullptr)
    return {PspmTokenizerKind::llama2c, opened.tokenizer->source(), vocab_size, path};
  const PspmSection& section = opened.file.section(PspmSectionKind::tokenizer);
  const SourceRange payload{opened.model->source(), section.offset + pspm_tokenizer_header_bytes,
                            opened.file.own_tokenizer_bytes()};
  require(check_pspm_section(opened.model->source(), section), path);
  return {opened.file.tokenizer_kind, range_source(&payload), vocab_size, path};
}

}  // namespace pspllm::host
