// Text exactly as runq.c prints it: what state.txt holds with reference_output=1.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "engine/text/text_codec.hpp"

namespace pspllm::psp {

/// What runq.c prints when `token` follows `previous`: the piece, or nothing for lone bytes that it holds for
/// unprintable. `storage` backs single bytes.
[[nodiscard]] std::string_view reference_piece(const TextCodec& tokenizer, std::int32_t previous,
                                               std::int32_t token, PieceStorage& storage);

/// runq.c prints this when the story is over.
inline constexpr std::string_view reference_end = "\n";

/// How a run of runq.c's `-n steps` splits: prompt tokens that are printed, then tokens that are sampled.
struct ReferenceSteps {
  std::uint32_t prompt = 0;     ///< Prompt tokens printed behind the first (BOS).
  std::uint32_t generated = 0;  ///< At most; BOS ends earlier.
};

/// steps 0, or more than the context: the whole context. prompt_tokens >= 1 counts BOS.
[[nodiscard]] ReferenceSteps split_reference_steps(std::uint32_t steps, std::uint32_t prompt_tokens,
                                                   std::uint32_t context);

}  // namespace pspllm::psp
