#include "host/formats/tokenizer_json.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/core/failure.hpp"
#include "host/formats/loaded_codec.hpp"
#include "host/io/read_text.hpp"

namespace pspllm::host {
namespace {

using nlohmann::json;

const std::string folder = "tests/tokenizers/";

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

json vocabulary_of(const std::string& kind) {
  return json::parse(read_text(folder + kind + ".json"));
}

std::string failure_of(const json& tokenizer) {
  try {
    static_cast<void>(read_tokenizer_json(tokenizer.dump(), {}, "file"));
  } catch (const Failure& failure) {
    return failure.what();
  }
  return {};
}

std::vector<std::int32_t> tokens_of(LoadedCodec& loaded, const std::string& text) {
  const auto tokens = loaded.encode(text, TextPlace::beginning);
  return {tokens.begin(), tokens.end()};
}

std::string decoded(const TextCodec& codec, const std::vector<std::int32_t>& tokens) {
  std::string text;
  std::int32_t previous = no_token;
  for (const std::int32_t token : tokens) {
    PieceStorage storage;
    text += decode(codec, previous, token, storage);
    previous = token;
  }
  return text;
}

}  // namespace

TEST_CASE("hard texts give the tokens of the tokenizers library") {
  const json cases = json::parse(read_text(folder + "cases.json"));
  for (const std::string kind : {"gpt2", "smollm2", "llama3"}) {
    CAPTURE(kind);
    LoadedCodec loaded(read_tokenizer_json(read_text(folder + kind + ".json"), {}, kind));
    const json& texts = cases["texts"];
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string text = from_hex(texts[i].get<std::string>());
      CAPTURE(text);
      CHECK(tokens_of(loaded, text) == cases[kind][i].get<std::vector<std::int32_t>>());
    }
  }
}

TEST_CASE("tokens decode to the text again, special ones to nothing") {
  const json cases = json::parse(read_text(folder + "cases.json"));
  LoadedCodec loaded(read_tokenizer_json(read_text(folder + "llama3.json"), {}, "llama3"));
  for (const json& hex : cases["texts"]) {
    const std::string text = from_hex(hex.get<std::string>());
    const std::string again = decoded(loaded.codec(), tokens_of(loaded, text));
    if (again.find("\xEF\xBF\xBD") == std::string::npos) CHECK(again == text);
  }
  const std::int32_t end = find_special(loaded.codec().byte_level, "<|im_end|>");
  REQUIRE(end != no_token);
  PieceStorage storage;
  CHECK(decode(loaded.codec(), no_token, end, storage).empty());
  CHECK(piece_of(loaded.codec(), end, storage) == "<|im_end|>");
}

TEST_CASE("a text in the middle has no BOS") {
  LoadedCodec loaded(read_tokenizer_json(read_text(folder + "llama3.json"), {}, "llama3"));
  const std::int32_t bos = bos_of(loaded.codec());
  CHECK(loaded.encode("a", TextPlace::beginning)[0] == bos);
  CHECK(loaded.encode("a", TextPlace::middle)[0] != bos);
}

TEST_CASE("a cut vocabulary with new numbers encodes with the merges that are left") {
  json tokenizer = vocabulary_of("smollm2");
  json& vocab = tokenizer["model"]["vocab"];
  json cut = json::object();
  std::vector<std::pair<int, std::string>> pieces;
  for (const auto& [piece, id] : vocab.items()) pieces.emplace_back(id.get<int>(), piece);
  std::sort(pieces.begin(), pieces.end());
  constexpr int specials_and_bytes = 4 + 256;
  for (const auto& [id, piece] : pieces) {
    if (id < specials_and_bytes || id % 3 != 0) cut[piece] = cut.size();
  }
  vocab = cut;
  LoadedCodec loaded(read_tokenizer_json(tokenizer.dump(), {}, "cut"));
  CHECK(loaded.codec().vocab_size() == cut.size());
  const std::string text = "Once upon a time there was a little girl named Lily, 123.";
  const auto tokens = tokens_of(loaded, text);
  CHECK(decoded(loaded.codec(), tokens) == text);
  CHECK(tokens.size() < text.size());
}

TEST_CASE("a model's larger vocabulary gets tokens that stand for nothing, a smaller one is refused") {
  const std::string text = read_text(folder + "gpt2.json");
  const LoadedCodec loaded(read_tokenizer_json(text, {1000, 0, 3, no_token}, "gpt2"));
  CHECK(loaded.codec().vocab_size() == 1000);
  CHECK(eos_of(loaded.codec()) == 3);
  PieceStorage storage;
  CHECK(decode(loaded.codec(), no_token, 999, storage).empty());
  CHECK_THROWS_AS(static_cast<void>(read_tokenizer_json(text, {100, 0, 3, 3}, "gpt2")), Failure);
  CHECK_THROWS_AS(static_cast<void>(read_tokenizer_json(text, {1000, 0, 1000, 3}, "gpt2")), Failure);
}

TEST_CASE("what is not supported is refused by name") {
  const auto refuses = [](const std::function<void(json&)>& change, const std::string& name) {
    json tokenizer = vocabulary_of("gpt2");
    change(tokenizer);
    const std::string sentence = failure_of(tokenizer);
    CAPTURE(sentence);
    CHECK(sentence.find(name) != std::string::npos);
    CHECK(sentence.find("supported") != std::string::npos);
  };
  refuses([](json& t) { t["model"]["type"] = "Unigram"; }, "Unigram");
  refuses([](json& t) { t["model"]["byte_fallback"] = true; }, "byte_fallback");
  refuses([](json& t) { t["model"]["end_of_word_suffix"] = "</w>"; }, "end_of_word_suffix");
  refuses([](json& t) { t["normalizer"] = {{"type", "NFKC"}}; }, "NFKC");
  refuses([](json& t) { t["decoder"] = {{"type", "Metaspace"}}; }, "Metaspace");
  refuses([](json& t) { t["post_processor"] = {{"type", "BertProcessing"}}; }, "BertProcessing");
  refuses([](json& t) { t["pre_tokenizer"] = {{"type", "Whitespace"}}; }, "Whitespace");
  refuses([](json& t) { t["pre_tokenizer"]["add_prefix_space"] = true; }, "add_prefix_space");
  refuses([](json& t) { t["added_tokens"][1]["special"] = false; }, "<|im_start|>");
  refuses(
      [](json& t) {
        t["pre_tokenizer"] = {{"type", "Sequence"},
                              {"pretokenizers",
                               {{{"type", "Split"},
                                 {"pattern", {{"Regex", "\\w+"}}},
                                 {"behavior", "Isolated"},
                                 {"invert", false}},
                                {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}}}};
      },
      "\\\\w+");
}

TEST_CASE("damaged files get a sentence") {
  const auto breaks = [](const std::function<void(json&)>& change) {
    json tokenizer = vocabulary_of("gpt2");
    change(tokenizer);
    CHECK(failure_of(tokenizer).starts_with("file: "));
  };
  breaks([](json& t) { t.erase("model"); });
  breaks([](json& t) { t["model"].erase("vocab"); });
  breaks([](json& t) { t["model"]["vocab"] = 5; });
  breaks([](json& t) { t["model"]["vocab"]["a"] = -1; });
  breaks([](json& t) { t["model"]["vocab"]["a"] = 4000000000U; });
  breaks([](json& t) { t["model"]["vocab"]["a"] = "b"; });
  breaks([](json& t) { t["model"]["vocab"]["a"] = t["model"]["vocab"]["b"]; });
  breaks([](json& t) { t["model"]["vocab"]["a b"] = 800; });
  breaks([](json& t) { t["model"]["vocab"][std::string(600, 'a')] = 800; });
  breaks([](json& t) { t["model"]["merges"] = {{"a", "b", "c"}}; });
  breaks([](json& t) { t["model"]["merges"] = 1; });
  breaks([](json& t) { t["added_tokens"] = {{{"id", 0}}}; });
  breaks([](json& t) { t = json::array(); });
  const std::string text = read_text(folder + "gpt2.json");
  CHECK_THROWS_AS(static_cast<void>(read_tokenizer_json(text.substr(0, text.size() / 2), {}, "cut")),
                  Failure);
  CHECK_THROWS_AS(static_cast<void>(read_tokenizer_json(std::string(100000, '['), {}, "deep")), Failure);
  CHECK_THROWS_AS(static_cast<void>(read_tokenizer_json("", {}, "empty")), Failure);
}

TEST_CASE("a byte that the vocabulary lacks is named, not dropped") {
  json tokenizer = vocabulary_of("gpt2");
  json& vocab = tokenizer["model"]["vocab"];
  vocab.erase("Q");
  LoadedCodec loaded(read_tokenizer_json(tokenizer.dump(), {}, "without Q"));
  CHECK_NOTHROW(static_cast<void>(loaded.encode("q", TextPlace::beginning)));
  try {
    static_cast<void>(loaded.encode("ab Q", TextPlace::beginning));
    FAIL("the text was encoded");
  } catch (const Failure& failure) {
    CHECK(std::string(failure.what()).find("byte 3 of the text needs the byte 81") != std::string::npos);
  }
}

}  // namespace pspllm::host
