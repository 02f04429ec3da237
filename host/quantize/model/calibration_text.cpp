#include "host/quantize/model/calibration_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "host/core/failure.hpp"
#include "host/formats/loaded_codec.hpp"
#include "host/formats/text_tokens.hpp"
#include "host/io/read_text.hpp"

namespace pspllm::host {
void require_text(const std::string& text, const std::string& path) {
  constexpr const char* advice = "take a plain text of some hundred kilobytes, like what the model will meet";
  const bool blank = std::all_of(text.begin(), text.end(),
                                 [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
  if (blank) throw Failure(fmt::format("{}: the calibration text is empty; {}", path, advice));
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f';
  };
  const auto found = std::find_if(text.begin(), text.end(), is_control);
  if (found == text.end()) return;
  throw Failure(fmt::format("{}: not a text: byte {} is 0x{:02X}, a control character; {}", path,
                            found - text.begin(), static_cast<unsigned char>(*found), advice));
}

CalibrationTokens read_calibration_text(const std::string& path, const Checkpoint& checkpoint,
                                        std::size_t wanted) {
  const std::string text = read_text(path);
  require_text(text, path);
  const LoadedCodec codec({checkpoint.tokenizer_kind, checkpoint.config.vocab_size, checkpoint.tokenizer});
  const std::vector<std::int32_t> tokens = marked_tokens_of(codec.codec(), text);
  const std::size_t window = std::min<std::size_t>(longest_calibration_window, checkpoint.config.seq_len);
  return cut_windows(tokens, window, wanted, path);
}

}  // namespace pspllm::host
