// An inspection as text and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/core/units.hpp"
#include "host/report/inspection.hpp"

namespace pspllm::host {
namespace {

bool belongs_to_a_layer(FileKind kind, TensorRole role) {
  switch (role) {
    case TensorRole::token_embedding:
    case TensorRole::final_norm:
    case TensorRole::classifier:
      return false;
    case TensorRole::attention_norm:
    case TensorRole::ffn_norm:
      // llama2.c keeps those of all layers in one tensor.
      return kind == FileKind::pspm;
    default:
      return true;
  }
}

/// "q80 /32": weights a scale; "codes 6": weights a byte.
std::string format_text(const TensorEntry& tensor) {
  switch (tensor.format) {
    case TensorFormat::f32:
      return name_of(tensor.format);
    case TensorFormat::q80:
      return fmt::format("{} /{}", name_of(tensor.format), tensor.group_size);
    case TensorFormat::codes:
      return fmt::format("{} {}", name_of(tensor.format), tensor.group_size);
  }
  return {};
}

std::string section_table(const Inspection& inspection) {
  std::string text = fmt::format("\n{:<26} {:>12} {:>12}  {}\n", "section", "offset", "bytes", "XXH32");
  for (const PspmSection& section : inspection.file.sections) {
    if (section.kind == 0) continue;
    const auto kind = static_cast<PspmSectionKind>(section.kind);
    text += fmt::format(
        "{:<26} {:>12} {:>12}  {}\n", name_of(kind), grouped(section.offset), grouped(section.bytes),
        kind == PspmSectionKind::weights ? "one a tensor" : fmt::format("{:08x}", section.checksum));
  }
  return text;
}

std::string tensor_name(FileKind kind, const TensorEntry& tensor) {
  return belongs_to_a_layer(kind, tensor.role)
             ? fmt::format("layer {} {}", tensor.layer, name_of(tensor.role))
             : name_of(tensor.role);
}

std::string checksum_text(std::uint64_t checksum) {
  return fmt::format("{:016x}", checksum);
}

/// Text from a file, its control characters left out: a terminal would obey them.
std::string printable(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') result += "\n            ";
    if (byte >= 0x20 && byte != 0x7f) result += c;
  }
  return result;
}

std::string summary(const Inspection& inspection) {
  const ModelFile& file = inspection.file;
  const ModelConfig& config = file.config;
  std::string text = fmt::format("file        {}, {} bytes, XXH64 {}\n", inspection.path,
                                 grouped(file.file_bytes), checksum_text(inspection.checksum));
  text += fmt::format("kind        {}{}\n", name_of(file.kind),
                      file.group_size == 0 ? "" : fmt::format(", {} weights a scale", file.group_size));
  text += fmt::format("shape       {} layers, dim {}, hidden_dim {}, {} heads of {}, {} key/value heads\n",
                      config.n_layers, config.dim, config.hidden_dim, config.n_heads, config.head_dim(),
                      config.n_kv_heads);
  text += fmt::format("vocabulary  {} pieces, classifier {}\n", config.vocab_size,
                      config.tied_classifier ? "shared with the embedding" : "of its own");
  if (!inspection.about.empty()) text += fmt::format("about       {}\n", printable(inspection.about));
  text += fmt::format("context     {} tokens, rotary base {:g}\n", config.seq_len, config.rope_base);
  text += fmt::format("parameters  {}, {:.2f} bits a weight ({:.2f} with everything in the file)\n",
                      grouped(config.parameter_count()), inspection.bits_per_weight(),
                      inspection.file_bits_per_weight());
  if (inspection.tokenizer) {
    const TokenizerInspection& tokenizer = *inspection.tokenizer;
    text += fmt::format(
        "tokenizer   {}, {}, {} bytes, XXH64 {}, {} pieces of up to {} bytes, {} spelled twice, {}\n",
        tokenizer.path, tokenizer.kind, grouped(tokenizer.file_bytes), checksum_text(tokenizer.checksum),
        tokenizer.pieces, tokenizer.longest_piece_bytes, tokenizer.repeated_pieces,
        tokenizer.has_byte_pieces ? "spells any text" : "cannot spell every byte");
  } else {
    text += "tokenizer   none lies beside the model; name one with --tokenizer\n";
  }
  return text;
}

}  // namespace

std::string inspection_text(const Inspection& inspection) {
  std::string text = summary(inspection);
  if (inspection.file.kind == FileKind::pspm) text += section_table(inspection);
  text += fmt::format("\n{:<26} {:>15}  {:<8} {:>6} {:>12} {:>12} {:>10} {:>10} {:>10}  {}\n", "tensor",
                      "shape", "format", "bits", "offset", "bytes", "smallest", "largest", "rms", "XXH64");
  for (const TensorInspection& entry : inspection.tensors) {
    const TensorEntry& tensor = entry.tensor;
    text +=
        fmt::format("{:<26} {:>15}  {:<8} {:>6.2f} {:>12} {:>12} {:>10.4g} {:>10.4g} {:>10.4g}  {}{}\n",
                    tensor_name(inspection.file.kind, tensor),
                    fmt::format("{} x {}", tensor.rows, tensor.cols), format_text(tensor),
                    bits_per_weight(tensor), grouped(tensor.file_offset), grouped(tensor.file_bytes()),
                    entry.smallest, entry.largest, entry.root_mean_square, checksum_text(entry.checksum),
                    entry.not_finite == 0 ? "" : fmt::format("  NOT FINITE: {}", grouped(entry.not_finite)));
  }
  return text;
}

nlohmann::json inspection_json(const Inspection& inspection) {
  const ModelFile& file = inspection.file;
  const ModelConfig& config = file.config;
  nlohmann::json tensors = nlohmann::json::array();
  for (const TensorInspection& entry : inspection.tensors) {
    const TensorEntry& tensor = entry.tensor;
    nlohmann::json item{{"role", name_of(tensor.role)},
                        {"rows", tensor.rows},
                        {"cols", tensor.cols},
                        {"format", name_of(tensor.format)},
                        {"group_size", tensor.group_size},
                        {"bits_per_weight", bits_per_weight(tensor)},
                        {"offset", tensor.file_offset},
                        {"bytes", tensor.file_bytes()},
                        {"smallest", entry.smallest},
                        {"largest", entry.largest},
                        {"rms", entry.root_mean_square},
                        {"not_finite", entry.not_finite},
                        {"xxh64", checksum_text(entry.checksum)}};
    if (belongs_to_a_layer(file.kind, tensor.role)) item["layer"] = tensor.layer;
    tensors.push_back(std::move(item));
  }
  nlohmann::json document{{"file", inspection.path},
                          {"kind", name_of(file.kind)},
                          {"bytes", file.file_bytes},
                          {"xxh64", checksum_text(inspection.checksum)},
                          {"group_size", file.group_size},
                          {"dim", config.dim},
                          {"hidden_dim", config.hidden_dim},
                          {"n_layers", config.n_layers},
                          {"n_heads", config.n_heads},
                          {"n_kv_heads", config.n_kv_heads},
                          {"vocab_size", config.vocab_size},
                          {"seq_len", config.seq_len},
                          {"tied_classifier", config.tied_classifier},
                          {"rope_base", config.rope_base},
                          {"norm_epsilon", config.norm_epsilon},
                          {"parameters", config.parameter_count()},
                          {"bits_per_weight", inspection.bits_per_weight()},
                          {"file_bits_per_weight", inspection.file_bits_per_weight()},
                          {"tensors", std::move(tensors)}};
  if (file.kind == FileKind::pspm) {
    document["about"] = inspection.about;
    document["sections"] = nlohmann::json::array();
    for (const PspmSection& section : file.sections) {
      if (section.kind == 0) continue;
      document["sections"].push_back({{"name", name_of(static_cast<PspmSectionKind>(section.kind))},
                                      {"offset", section.offset},
                                      {"bytes", section.bytes},
                                      {"xxh32", fmt::format("{:08x}", section.checksum)}});
    }
  }
  if (inspection.tokenizer) {
    const TokenizerInspection& tokenizer = *inspection.tokenizer;
    document["tokenizer"] = {{"file", tokenizer.path},
                             {"kind", tokenizer.kind},
                             {"bytes", tokenizer.file_bytes},
                             {"xxh64", checksum_text(tokenizer.checksum)},
                             {"pieces", tokenizer.pieces},
                             {"longest_piece_bytes", tokenizer.longest_piece_bytes},
                             {"repeated_pieces", tokenizer.repeated_pieces},
                             {"has_byte_pieces", tokenizer.has_byte_pieces}};
  }
  return document;
}

}  // namespace pspllm::host
