// From texts to tokens, whole files too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/text/text_codec.hpp"

namespace pspllm::host {

/// Longest piece that marked_tokens_of() encodes at a time, in bytes. Texts are parted at line ends.
inline constexpr std::size_t marked_piece_bytes = 65536;

/// The text's tokens; at the beginning of a sequence BOS first where the vocabulary wants one. Throws Failure
/// where it cannot spell the text.
[[nodiscard]] std::vector<std::int32_t> tokens_of(const TextCodec& codec, std::string_view text,
                                                  TextPlace place = TextPlace::beginning);

/// The same for a text that looks like what the model was trained on: where it spells a special token of the
/// vocabulary ("<|im_start|>"), it means that token. "<|endoftext|>" parts documents with every vocabulary;
/// line ends behind it do not count.
[[nodiscard]] std::vector<std::int32_t> marked_tokens_of(const TextCodec& codec, std::string_view text);

}  // namespace pspllm::host
