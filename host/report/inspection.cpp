#include "host/report/inspection.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "engine/model/pspm_file.hpp"
#include "engine/text/text_codec.hpp"
#include "host/core/failure.hpp"
#include "host/formats/tensor_values.hpp"
#include "host/io/interrupt.hpp"
#include "host/model/loaded_tokenizer.hpp"

namespace pspllm::host {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

void read_from(const FileSource& file, std::uint64_t offset, std::span<std::byte> into) {
  const ByteSource source = file.source();
  require(source.read(source.context, offset, into), file.path());
}

/// Checksum of `size` bytes from `offset`. after_chunk(done) is called in between.
template <typename AfterChunk>
std::uint64_t checksum_of(const FileSource& file, std::uint64_t offset, std::uint64_t size,
                          AfterChunk after_chunk) {
  const std::unique_ptr<XXH64_state_t, XXH_errorcode (*)(XXH64_state_t*)> state(XXH64_createState(),
                                                                                XXH64_freeState);
  XXH64_reset(state.get(), 0);
  std::vector<std::byte> chunk;
  for (std::uint64_t done = 0; done < size;) {
    throw_if_interrupted();
    chunk.resize(static_cast<std::size_t>(std::min<std::uint64_t>(chunk_bytes, size - done)));
    read_from(file, offset + done, chunk);
    XXH64_update(state.get(), chunk.data(), chunk.size());
    done += chunk.size();
    after_chunk(done);
  }
  return XXH64_digest(state.get());
}

std::uint64_t checksum_of(const FileSource& file, std::uint64_t offset, std::uint64_t size) {
  return checksum_of(file, offset, size, [](std::uint64_t /*done*/) {});
}

/// Gathers range and mean of a tensor's values.
class RangeFinder {
 public:
  explicit RangeFinder(TensorInspection& inspection) : inspection_(inspection) {
    inspection_.smallest = std::numeric_limits<float>::infinity();
    inspection_.largest = -std::numeric_limits<float>::infinity();
  }

  void add(float value) {
    if (!std::isfinite(value)) {
      ++inspection_.not_finite;
      return;
    }
    inspection_.smallest = std::min(inspection_.smallest, value);
    inspection_.largest = std::max(inspection_.largest, value);
    sum_of_squares_ += static_cast<double>(value) * static_cast<double>(value);
    ++count_;
  }

  void finish() {
    if (count_ == 0) {
      inspection_.smallest = 0.0F;
      inspection_.largest = 0.0F;
      return;
    }
    inspection_.root_mean_square = std::sqrt(sum_of_squares_ / static_cast<double>(count_));
  }

 private:
  TensorInspection& inspection_;
  double sum_of_squares_ = 0.0;
  std::uint64_t count_ = 0;
};

void find_range(const FileSource& file, FileKind kind, TensorInspection& inspection) {
  const std::vector<float> values =
      tensor_values(inspection.tensor, stored_tensor(file, inspection.tensor, kind));
  RangeFinder range(inspection);
  for (const float value : values) range.add(value);
  range.finish();
}

std::string kind_text(const TextCodec& codec) {
  if (codec.kind == PspmTokenizerKind::llama2c) return "llama2.c pieces and scores";
  return fmt::format("byte-level BPE, words as {}", name_of(codec.byte_level.pre_tokenizer()));
}

bool has_byte_pieces(const TextCodec& codec) {
  if (codec.kind == PspmTokenizerKind::byte_level) return codec.byte_level.byte_pieces.size() == 256;
  constexpr std::uint32_t last_byte_token = first_byte_token + 255;
  return codec.vocab_size() > last_byte_token && piece_of(codec.llama2c, first_byte_token) == "<0x00>" &&
         piece_of(codec.llama2c, last_byte_token) == "<0xFF>";
}

TokenizerInspection inspect_tokenizer(const OpenedModel& opened) {
  const std::uint32_t vocab_size = opened.file.config.vocab_size;
  const LoadedCodec loaded = load_tokenizer(opened);
  const TextCodec& codec = loaded.codec();
  TokenizerInspection inspection;
  inspection.path = opened.tokenizer_path();
  inspection.file_bytes = opened.tokenizer_bytes();
  inspection.checksum =
      opened.tokenizer == nullptr
          ? checksum_of(*opened.model,
                        opened.file.section(PspmSectionKind::tokenizer).offset + pspm_tokenizer_header_bytes,
                        opened.tokenizer_bytes())
          : checksum_of(*opened.tokenizer, 0, opened.tokenizer_bytes());
  inspection.pieces = vocab_size;
  std::set<std::string, std::less<>> seen;
  for (std::uint32_t token = 0; token < vocab_size; ++token) {
    PieceStorage storage;
    const std::string_view piece = piece_of(codec, static_cast<std::int32_t>(token), storage);
    inspection.longest_piece_bytes =
        std::max(inspection.longest_piece_bytes, static_cast<std::uint32_t>(piece.size()));
    if (!piece.empty() && !seen.emplace(piece).second) ++inspection.repeated_pieces;
  }
  inspection.kind = kind_text(codec);
  inspection.has_byte_pieces = has_byte_pieces(codec);
  return inspection;
}

void inspect_sections(const OpenedModel& opened, Inspection& inspection) {
  for (const PspmSection& section : opened.file.sections) {
    if (section.kind == 0) continue;
    const auto kind = static_cast<PspmSectionKind>(section.kind);
    // Each tensor has a checksum of its own instead.
    if (kind != PspmSectionKind::weights) {
      require(check_pspm_section(opened.model->source(), section), opened.model->path());
    }
    if (kind == PspmSectionKind::about) {
      inspection.about.resize(static_cast<std::size_t>(section.bytes));
      read_from(*opened.model, section.offset, std::as_writable_bytes(std::span(inspection.about)));
    }
  }
}

constexpr double bits_per_byte = 8.0;

}  // namespace

double bits_per_weight(const TensorEntry& tensor) {
  return static_cast<double>(tensor.file_bytes()) * bits_per_byte /
         (static_cast<double>(tensor.rows) * static_cast<double>(tensor.cols));
}

double Inspection::bits_per_weight() const {
  std::uint64_t bytes = 0;
  for (const TensorEntry& tensor : file.tensors()) bytes += tensor.file_bytes();
  return static_cast<double>(bytes) * bits_per_byte / static_cast<double>(file.config.parameter_count());
}

double Inspection::file_bits_per_weight() const {
  return static_cast<double>(file.file_bytes) * bits_per_byte /
         static_cast<double>(file.config.parameter_count());
}

Inspection inspect(const OpenedModel& opened, ProgressBar& bar) {
  Inspection inspection;
  inspection.path = opened.model->path();
  inspection.file = opened.file;
  if (opened.tokenizer_bytes() > 0) inspection.tokenizer = inspect_tokenizer(opened);
  inspect_sections(opened, inspection);
  const std::uint64_t total = opened.model->size() * 2;
  inspection.checksum = checksum_of(*opened.model, 0, opened.model->size(),
                                    [&](std::uint64_t done) { bar.update(done, total); });
  for (const TensorEntry& tensor : opened.file.tensors()) {
    TensorInspection& entry = inspection.tensors.emplace_back();
    entry.tensor = tensor;
    entry.checksum = checksum_of(*opened.model, tensor.file_offset, tensor.file_bytes());
    find_range(*opened.model, opened.file.kind, entry);
    bar.update(opened.model->size() + tensor.file_offset, total);
  }
  return inspection;
}

}  // namespace pspllm::host
