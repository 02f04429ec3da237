#include "psp/program/reference_text.hpp"

#include <algorithm>

namespace pspllm::psp {

std::string_view reference_piece(const TextCodec& tokenizer, std::int32_t previous, std::int32_t token,
                                 PieceStorage& storage) {
  const std::string_view piece = decode(tokenizer, previous, token, storage);
  return reference_prints(piece) ? piece : std::string_view{};
}

ReferenceSteps split_reference_steps(std::uint32_t steps, std::uint32_t prompt_tokens,
                                     std::uint32_t context) {
  const std::uint32_t total = steps == 0 || steps > context ? context : steps;
  const std::uint32_t prompt = std::min(total, prompt_tokens - 1);
  return {prompt, total - prompt};
}

}  // namespace pspllm::psp
