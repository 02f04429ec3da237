// How a conversation is written down for people: the same on every machine, so that texts can be compared.
//
//   > what the person says
//   the answer
//   (an empty line)
#pragma once

#include <string_view>

namespace pspllm {

inline constexpr std::string_view before_words = "> ";
inline constexpr std::string_view behind_words = "\n";
inline constexpr std::string_view behind_answer = "\n\n";

}  // namespace pspllm
