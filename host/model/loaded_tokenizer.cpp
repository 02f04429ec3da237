#include "host/model/loaded_tokenizer.hpp"

#include <fmt/format.h>

#include "engine/model/pspm_file.hpp"
#include "host/core/failure.hpp"

namespace pspllm::host {

LoadedTokenizer::LoadedTokenizer(const OpenedModel& opened) {
  const std::string& path = opened.tokenizer_path();
  const PspmSection& section = opened.file.section(PspmSectionKind::tokenizer);
  const SourceRange payload{opened.model->source(), section.offset + pspm_tokenizer_header_bytes,
                            opened.file.own_tokenizer_bytes()};
  const bool is_own = opened.tokenizer == nullptr;
  if (is_own) require(check_pspm_section(opened.model->source(), section), path);
  if (opened.file.tokenizer_kind != PspmTokenizerKind::llama2c) {
    throw Failure(
        fmt::format("{}: its tokenizer is byte-level BPE, expected llama2.c's pieces and scores", path));
  }
  const std::uint32_t vocab_size = opened.file.config.vocab_size;
  memory_.resize(static_cast<std::size_t>(tokenizer_bytes(opened.tokenizer_bytes(), vocab_size)) /
                 sizeof(std::uint32_t));
  require(load_tokenizer(is_own ? range_source(&payload) : opened.tokenizer->source(), vocab_size,
                         std::as_writable_bytes(std::span(memory_)), tokenizer_),
          path);
}

}  // namespace pspllm::host
