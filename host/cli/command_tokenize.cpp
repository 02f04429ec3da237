// pspllm tokenize: the tokens of a text.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>

#include "engine/text/utf8_character.hpp"
#include "host/cli/commands.hpp"
#include "host/core/failure.hpp"
#include "host/formats/checkpoint.hpp"
#include "host/formats/loaded_codec.hpp"
#include "host/formats/tokenizer_json.hpp"
#include "host/io/console.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/read_text.hpp"

namespace pspllm::host {
namespace {

struct TokenizeOptions {
  std::string tokenizer;
  std::string text;
  std::string input;
  bool whole = false;
  bool pieces = false;
  bool middle = false;
};

/// A piece that can stand on a line: control characters and bytes that are no UTF-8 escaped.
std::string shown(std::string_view piece) {
  std::string text;
  for (std::size_t position = 0; position < piece.size();) {
    const Utf8Character character = utf8_character_at(piece, position);
    const std::string_view bytes = piece.substr(position, character.length);
    constexpr std::uint32_t space = 0x20;
    constexpr std::uint32_t del = 0x7F;
    if (character.well_formed && character.code_point >= space && character.code_point != del) {
      text += bytes;
    } else {
      for (const char byte : bytes) text += fmt::format("\\x{:02X}", static_cast<unsigned char>(byte));
    }
    position += character.length;
  }
  return text;
}

/// A tokenizer.json, or the vocabulary of any model that can be converted.
LoadedCodec open_vocabulary(const std::string& path) {
  if (path.ends_with(".json")) return LoadedCodec(read_tokenizer_json(read_text(path), {}, path));
  const Checkpoint checkpoint = open_checkpoint(path);
  const std::span<const std::byte> bytes(checkpoint.tokenizer);
  return {checkpoint.tokenizer_kind, memory_source(&bytes), checkpoint.config.vocab_size, path};
}

void write_ids(std::span<const std::int32_t> tokens) {
  write_standard_output(fmt::format("{}\n", fmt::join(tokens, " ")));
}

void write_pieces(const TextCodec& codec, std::span<const std::int32_t> tokens) {
  std::string lines;
  for (const std::int32_t token : tokens) {
    PieceStorage storage;
    lines += fmt::format("{}\t{}\n", token, shown(piece_of(codec, token, storage)));
  }
  write_standard_output(lines);
}

void tokenize(const TokenizeOptions& options) {
  const InterruptScope interrupts;
  LoadedCodec loaded = open_vocabulary(options.tokenizer);
  const std::string text = options.input.empty() ? read_text(options.text) : options.input;
  const TextPlace place = options.middle ? TextPlace::middle : TextPlace::beginning;
  std::string_view rest = text;
  while (!rest.empty()) {
    if (interrupt_requested()) throw Interrupted();
    const std::size_t end = options.whole ? std::string_view::npos : rest.find('\n');
    const std::span<const std::int32_t> tokens = loaded.encode(rest.substr(0, end), place);
    if (options.pieces) {
      write_pieces(loaded.codec(), tokens);
    } else {
      write_ids(tokens);
    }
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
}

}  // namespace

void add_tokenize_command(CLI::App& app) {
  auto options = std::make_shared<TokenizeOptions>();
  CLI::App& command =
      *app.add_subcommand("tokenize", "Show the tokens of a text, a line for each of its lines");
  command
      .add_option("TOKENIZER", options->tokenizer,
                  "tokenizer.json, or a model: GGUF, .pspm, Hugging Face folder, model.bin")
      ->required()
      ->type_name("FILE");
  CLI::Option* text = command.add_option("--text", options->text, "text to tokenize; - reads standard input")
                          ->type_name("FILE")
                          ->default_str("-");
  options->text = "-";
  command.add_option("-i,--input", options->input, "the text itself")->excludes(text)->type_name("TEXT");
  command.add_flag("--whole", options->whole, "tokenize the text as one, line ends included");
  command.add_flag("--middle", options->middle, "without what the vocabulary puts in front of a text");
  command.add_flag("--pieces", options->pieces, "a line for each token: its number and its piece");
  command.callback([options] { tokenize(*options); });
}

}  // namespace pspllm::host
