#include "host/formats/tokenizer_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "engine/core/limits.hpp"
#include "host/core/failure.hpp"
#include "host/formats/byte_level_payload.hpp"
#include "host/formats/limited_json.hpp"
#include "host/formats/pre_tokenizer_json.hpp"

namespace pspllm::host {
namespace {

using nlohmann::json;

class Reader {
 public:
  Reader(const json& root, const std::string& name) : root_(root), name_(name) {}

  ByteLevelVocabulary read(const TokenizerHints& hints) {
    if (!root_.is_object()) fail("is no tokenizer.json: expected an object with a model");
    const json& model = member(root_, "model");
    check_model(model);
    refuse_unless_null("normalizer", "none");
    check_decoder();
    vocabulary_.pre_tokenizer = pre_tokenizer_of(member(root_, "pre_tokenizer"), name_);
    vocabulary_.ignore_merges = flag(model, "ignore_merges");
    read_vocabulary(member(model, "vocab"));
    read_merges(member(model, "merges"));
    read_added_tokens();
    fill_gaps(hints.vocab_size);
    vocabulary_.bos = checked_hint(hints.bos, "BOS");
    vocabulary_.eos = checked_hint(hints.eos, "EOS");
    vocabulary_.pad = checked_hint(hints.pad, "padding");
    read_post_processor(optional_member(root_, "post_processor"));
    return std::move(vocabulary_);
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) const { throw Failure(name_ + ": " + sentence); }

  /// The member, or a null.
  static const json& optional_member(const json& object, const char* key) {
    static const json null;
    const auto found = object.find(key);
    return found == object.end() ? null : *found;
  }

  const json& member(const json& object, const char* key) const {
    const json& found = optional_member(object, key);
    if (found.is_null()) fail(fmt::format("has no \"{}\"; this is no tokenizer.json, or it is damaged", key));
    return found;
  }

  std::string type_of(const json& entry) const {
    const json& type = entry.is_object() ? optional_member(entry, "type") : entry;
    return type.is_string() ? type.get<std::string>() : "(without a type)";
  }

  static bool flag(const json& object, const char* key) {
    const json& value = optional_member(object, key);
    return value.is_boolean() && value.get<bool>();
  }

  static bool is_empty(const json& value) {
    return value.is_null() || (value.is_string() && value.get<std::string>().empty());
  }

  void refuse_unless_null(const char* key, const char* supported) const {
    const json& entry = optional_member(root_, key);
    if (!entry.is_null())
      fail(fmt::format("the {} {} is not supported; supported is: {}", key, type_of(entry), supported));
  }

  void check_model(const json& model) const {
    // Files of old versions leave the type out; what they hold is then told by the vocabulary.
    const std::string type = optional_member(model, "type").is_null() ? "BPE" : type_of(model);
    if (!model.is_object() || type != "BPE")
      fail(fmt::format("the model type {} is not supported; supported is: BPE", type));
    if (flag(model, "byte_fallback")) {
      fail(
          "BPE with byte_fallback (SentencePiece's way) is not supported here; give the model's GGUF or "
          "tokenizer.bin");
    }
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      if (!is_empty(optional_member(model, key))) fail(fmt::format("BPE with a {} is not supported", key));
    }
  }

  void check_decoder() const {
    const json& decoder = optional_member(root_, "decoder");
    if (decoder.is_null() || type_of(decoder) == "ByteLevel") return;
    fail(fmt::format("the decoder {} is not supported; supported is: ByteLevel", type_of(decoder)));
  }

  /// Makes room for a token; a token that has a piece already must have the same one.
  std::size_t place_of(const json& id, const std::string& piece) {
    if (!id.is_number_integer() || id.get<std::int64_t>() < 0 ||
        id.get<std::int64_t>() >= static_cast<std::int64_t>(max_vocab_size)) {
      fail(fmt::format("the token {} has id {}, expected a number below {}", json(piece).dump(-1, ' ', true),
                       id.dump(-1, ' ', true), max_vocab_size));
    }
    const auto place = id.get<std::size_t>();
    if (place >= vocabulary_.pieces.size()) {
      vocabulary_.pieces.resize(place + 1);
      vocabulary_.kinds.resize(place + 1, ByteLevelTextKind::unused);
    }
    return place;
  }

  void read_vocabulary(const json& vocab) {
    if (!vocab.is_object()) fail("\"vocab\" is no object of pieces and ids");
    for (const auto& [piece, id] : vocab.items()) {
      const std::size_t place = place_of(id, piece);
      if (vocabulary_.kinds[place] != ByteLevelTextKind::unused)
        fail(fmt::format("two pieces of \"vocab\" have id {}", place));
      vocabulary_.kinds[place] = ByteLevelTextKind::piece;
      ids_.emplace(piece, static_cast<std::int32_t>(place));
      spelled_.emplace_back(place, piece);
    }
  }

  std::optional<std::int32_t> id_of(const std::string& piece) const {
    const auto found = ids_.find(piece);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }

  std::pair<std::string, std::string> parts_of(const json& merge, std::size_t rank) const {
    if (merge.is_string()) {
      const auto text = merge.get<std::string>();
      const std::size_t space = text.find(' ');
      if (space != std::string::npos) return {text.substr(0, space), text.substr(space + 1)};
    } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      return {merge[0].get<std::string>(), merge[1].get<std::string>()};
    }
    fail(fmt::format("merge {} is no pair of pieces", rank));
  }

  void read_merges(const json& merges) {
    if (!merges.is_array()) fail("\"merges\" is no list of pairs");
    for (std::size_t rank = 0; rank < merges.size(); ++rank) {
      const auto [left, right] = parts_of(merges[rank], rank);
      const auto left_id = id_of(left);
      const auto right_id = id_of(right);
      const auto result_id = id_of(left + right);
      if (left_id && right_id && result_id) vocabulary_.merges.push_back({*left_id, *right_id, *result_id});
    }
  }

  void read_added_tokens() {
    const json& added = optional_member(root_, "added_tokens");
    if (!added.is_null() && !added.is_array()) fail("\"added_tokens\" is no list");
    for (const json& token : added) {
      if (!token.is_object() || !optional_member(token, "content").is_string())
        fail("an added token has no \"content\"");
      const auto content = optional_member(token, "content").get<std::string>();
      if (!flag(token, "special")) {
        fail(
            fmt::format("the added token {} is not special: it would be cut out of texts before BPE, which "
                        "is not supported",
                        json(content).dump(-1, ' ', true)));
      }
      const std::size_t place = place_of(optional_member(token, "id"), content);
      vocabulary_.kinds[place] = ByteLevelTextKind::special;
      vocabulary_.pieces[place] = content;
      special_ids_.emplace(content, static_cast<std::int32_t>(place));
    }
    for (const auto& [place, piece] : spelled_) {
      if (vocabulary_.kinds[place] == ByteLevelTextKind::special) continue;
      if (!from_printable_alphabet(piece, vocabulary_.pieces[place])) {
        fail(fmt::format("the piece {} has a character outside the byte alphabet; this is no byte-level BPE",
                         json(piece).dump(-1, ' ', true)));
      }
    }
    const auto is_special = [&](std::int32_t token) {
      return vocabulary_.kinds[static_cast<std::size_t>(token)] == ByteLevelTextKind::special;
    };
    std::erase_if(vocabulary_.merges, [&](const MergeRule& merge) {
      return is_special(merge.left) || is_special(merge.right) || is_special(merge.result);
    });
  }

  void fill_gaps(std::uint32_t vocab_size) {
    if (vocab_size == 0) return;
    if (vocabulary_.pieces.size() > vocab_size) {
      fail(
          fmt::format("has {} tokens, the model's vocabulary is {}; give the tokenizer that belongs to the "
                      "model",
                      vocabulary_.pieces.size(), vocab_size));
    }
    vocabulary_.pieces.resize(vocab_size);
    vocabulary_.kinds.resize(vocab_size, ByteLevelTextKind::unused);
  }

  std::int32_t checked_hint(std::int32_t token, const char* what) const {
    if (token >= static_cast<std::int32_t>(vocabulary_.pieces.size())) {
      fail(fmt::format("the {} token is {}, expected one below {}", what, token, vocabulary_.pieces.size()));
    }
    return std::max(token, no_token);
  }

  void read_post_processor(const json& processor) {
    if (processor.is_null()) return;
    const std::string type = type_of(processor);
    if (type == "ByteLevel") return;
    if (type == "Sequence") {
      const json& parts = optional_member(processor, "processors");
      if (!parts.is_array()) fail("the post-processor Sequence has no \"processors\"");
      for (const json& part : parts) {
        if (type_of(part) == "Sequence") fail("the post-processor is a Sequence in a Sequence");
        read_post_processor(part);
      }
      return;
    }
    if (type != "TemplateProcessing") {
      fail(
          fmt::format("the post-processor {} is not supported; supported are ByteLevel, TemplateProcessing "
                      "that puts one token in front, and a Sequence of these",
                      type));
    }
    read_template(optional_member(processor, "single"));
  }

  /// [A], or [one special token, A].
  void read_template(const json& items) {
    const auto holds = [&items](std::size_t index, const char* key) {
      return items[index].is_object() && items[index].contains(key);
    };
    const bool is_list = items.is_array() && !items.empty() && items.size() <= 2;
    if (!is_list || !holds(items.size() - 1, "Sequence") ||
        (items.size() == 2 && !holds(0, "SpecialToken"))) {
      fail(
          fmt::format("the post-processor's template {} is not supported; supported is one token in front "
                      "of the text",
                      items.dump(-1, ' ', true)));
    }
    if (items.size() == 1) return;
    const json& special = items[0]["SpecialToken"];
    const json& id = special.is_object() ? optional_member(special, "id") : special;
    const auto found = special_ids_.find(id.is_string() ? id.get<std::string>() : std::string());
    if (found == special_ids_.end())
      fail(fmt::format("the post-processor's token {} is no special token", id.dump(-1, ' ', true)));
    vocabulary_.adds_bos = true;
    vocabulary_.bos = found->second;
  }

  const json& root_;
  const std::string& name_;
  ByteLevelVocabulary vocabulary_;
  std::unordered_map<std::string, std::int32_t> ids_;          // of "vocab", as spelled there
  std::vector<std::pair<std::size_t, std::string>> spelled_;   // the same, by id
  std::unordered_map<std::string, std::int32_t> special_ids_;  // of "added_tokens"
};

}  // namespace

TokenizerPayload read_tokenizer_json(std::string_view text, const TokenizerHints& hints,
                                     const std::string& name) {
  const json root = parse_limited_json(text, name);
  const ByteLevelVocabulary vocabulary = Reader(root, name).read(hints);
  TokenizerPayload payload;
  payload.vocab_size = static_cast<std::uint32_t>(vocabulary.pieces.size());
  try {
    payload.bytes = byte_level_payload(vocabulary);
  } catch (const Failure& failure) {
    throw Failure(name + ": " + failure.what());
  }
  return payload;
}

}  // namespace pspllm::host
