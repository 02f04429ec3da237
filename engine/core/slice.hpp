// Part of a text, without std::string_view::substr, whose range check needs the C++ library.
#pragma once

#include <cstddef>
#include <string_view>

namespace pspllm {

/// Characters [begin, begin + count). begin + count <= text.size().
[[nodiscard]] constexpr std::string_view slice(std::string_view text, std::size_t begin,
                                               std::size_t count) noexcept {
  return {text.data() + begin, count};
}

}  // namespace pspllm
