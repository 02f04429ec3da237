// Any bytes as a tokenizer.json: refused with a sentence, or a vocabulary that the engine reads.
#include <string>

#include "fuzz/patched_input.hpp"
#include "host/core/failure.hpp"
#include "host/formats/loaded_codec.hpp"
#include "host/formats/tokenizer_json.hpp"

namespace {

const std::string good =
    R"({"added_tokens":[{"id":0,"content":"<s>","special":true}],"normalizer":null,)"
    R"("pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Digits","individual_digits":true},)"
    R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":true}]},)"
    R"("post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>"}},)"
    R"({"Sequence":{"id":"A"}}]},"decoder":{"type":"ByteLevel"},)"
    R"("model":{"type":"BPE","byte_fallback":false,"ignore_merges":true,)"
    R"("vocab":{"a":1,"b":2,"ab":3,"Ġ":4,"Ġa":5,"abab":6,"Ċ":9},)"
    R"("merges":["a b",["Ġ","a"],"ab ab"]}})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = pspllm::fuzz::patched_input(data, size, good);
  try {
    pspllm::host::LoadedCodec loaded(pspllm::host::read_tokenizer_json(text, {}, "input"));
    (void)loaded.encode("ab abab", pspllm::TextPlace::beginning);
  } catch (const pspllm::host::Failure& failure) {
    if (std::string(failure.what()).empty()) __builtin_trap();
  }
  return 0;
}
