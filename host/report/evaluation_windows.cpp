#include "host/report/evaluation_windows.hpp"

#include <algorithm>

namespace pspllm::host {

std::vector<EvaluationWindow> make_windows(std::span<const std::int32_t> tokens, std::int32_t bos,
                                           const EvaluationOptions& options) {
  if (options.max_tokens > 0 && tokens.size() > options.max_tokens) {
    tokens = tokens.first(static_cast<std::size_t>(options.max_tokens));
  }
  const bool begins_with_bos = !tokens.empty() && bos != no_token && tokens.front() == bos;
  std::vector<EvaluationWindow> windows;
  while (tokens.size() >= (options.all_tokens ? 2 : options.context)) {
    const std::size_t length = std::min<std::size_t>(options.context, tokens.size());
    EvaluationWindow& window = windows.emplace_back();
    window.tokens.assign(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(length));
    // Every window begins as a text does.
    if (begins_with_bos) window.tokens.front() = bos;
    window.first_scored = options.all_tokens ? 1 : options.context / 2 + 1;
    tokens = tokens.subspan(length);
  }
  return windows;
}

std::vector<std::uint32_t> spelled_bytes(const TextCodec& codec, std::span<const std::int32_t> tokens) {
  std::vector<std::uint32_t> bytes;
  std::int32_t previous = no_token;
  PieceStorage storage;
  for (const std::int32_t token : tokens) {
    bytes.push_back(static_cast<std::uint32_t>(decode(codec, previous, token, storage).size()));
    previous = token;
  }
  return bytes;
}

}  // namespace pspllm::host
