#include "host/formats/text_tokens.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "host/formats/loaded_codec.hpp"
#include "host/formats/tokenizer_json.hpp"
#include "host/io/read_text.hpp"

namespace pspllm::host {
namespace {

using Tokens = std::vector<std::int32_t>;

Tokens joined(std::initializer_list<Tokens> parts) {
  Tokens all;
  for (const Tokens& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

TEST_CASE("a marked text's special tokens are meant, a plain text's are text") {
  const LoadedCodec loaded(
      read_tokenizer_json(read_text("tests/tokenizers/smollm2.json"), {}, "smollm2.json"));
  const TextCodec& codec = loaded.codec();
  const auto middle = [&](std::string_view text) { return tokens_of(codec, text, TextPlace::middle); };
  const Tokens start{1};  // <|im_start|>
  const Tokens end{2};    // <|im_end|>
  CHECK(marked_tokens_of(codec, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>") ==
        joined({start, middle("user\nHi"), end, middle("\n"), start}));
  CHECK(tokens_of(codec, "<|im_start|>").size() > 1);
  CHECK(marked_tokens_of(codec, "a < b <|im_star") == tokens_of(codec, "a < b <|im_star"));
  const Tokens parted = marked_tokens_of(codec, "One.<|endoftext|>\n\nTwo.");
  CHECK(parted == joined({tokens_of(codec, "One."), Tokens{3}, tokens_of(codec, "Two.")}));
}

TEST_CASE("a long text is encoded in pieces that end at lines") {
  const LoadedCodec loaded(
      read_tokenizer_json(read_text("tests/tokenizers/smollm2.json"), {}, "smollm2.json"));
  const std::string line = "A line of a long text, over and over.\n";
  std::string text;
  while (text.size() <= 2 * marked_piece_bytes) text += line;
  CHECK(marked_tokens_of(loaded.codec(), text) == tokens_of(loaded.codec(), text));
}

}  // namespace pspllm::host
