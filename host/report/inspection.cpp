#include "host/report/inspection.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "engine/text/tokenizer.hpp"
#include "host/core/failure.hpp"
#include "host/io/interrupt.hpp"

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

std::uint64_t checksum_of(const FileSource& file) {
  return checksum_of(file, 0, file.size(), [](std::uint64_t /*done*/) {});
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

/// Reads whole rows at a time, about a chunk.
void find_range(const FileSource& file, TensorInspection& inspection) {
  const TensorEntry& tensor = inspection.tensor;
  const bool is_q80 = tensor.format == TensorFormat::q80;
  const std::size_t element_bytes = is_q80 ? sizeof(std::int8_t) : sizeof(float);
  const std::size_t row_bytes = tensor.cols * element_bytes;
  const std::size_t groups = is_q80 ? tensor.cols / tensor.group_size : 0;
  const auto rows_at_once = static_cast<std::uint32_t>(std::max<std::size_t>(1, chunk_bytes / row_bytes));
  std::vector<std::int8_t> values;
  std::vector<float> floats;
  RangeFinder range(inspection);
  for (std::uint32_t row = 0; row < tensor.rows; row += rows_at_once) {
    throw_if_interrupted();
    const std::size_t rows = std::min(rows_at_once, tensor.rows - row);
    const std::uint64_t value_offset = tensor.file_offset + std::uint64_t{row} * row_bytes;
    if (is_q80) {
      values.resize(rows * tensor.cols);
      floats.resize(rows * groups);
      read_from(file, value_offset, std::as_writable_bytes(std::span(values)));
      read_from(file, tensor.file_offset + tensor.value_bytes + row * groups * sizeof(float),
                std::as_writable_bytes(std::span(floats)));
      for (std::size_t i = 0; i < values.size(); ++i) {
        range.add(static_cast<float>(values[i]) * floats[i / tensor.group_size]);
      }
    } else {
      floats.resize(rows * tensor.cols);
      read_from(file, value_offset, std::as_writable_bytes(std::span(floats)));
      for (const float value : floats) range.add(value);
    }
  }
  range.finish();
}

TokenizerInspection inspect_tokenizer(const FileSource& file, std::uint32_t vocab_size) {
  TokenizerInspection inspection;
  inspection.path = file.path();
  inspection.file_bytes = file.size();
  std::vector<std::uint32_t> memory(
      static_cast<std::size_t>(tokenizer_bytes(file.size(), vocab_size) / sizeof(std::uint32_t)));
  Tokenizer tokenizer;
  require(load_tokenizer(file.source(), vocab_size, std::as_writable_bytes(std::span(memory)), tokenizer),
          file.path());
  inspection.checksum = checksum_of(file);
  inspection.pieces = vocab_size;
  std::string_view previous;
  for (const std::uint32_t id : tokenizer.sorted) {
    const std::string_view piece = piece_of(tokenizer, static_cast<std::int32_t>(id));
    inspection.longest_piece_bytes =
        std::max(inspection.longest_piece_bytes, static_cast<std::uint32_t>(piece.size()));
    if (id != tokenizer.sorted.front() && piece == previous) ++inspection.repeated_pieces;
    previous = piece;
  }
  constexpr std::uint32_t last_byte_token = first_byte_token + 255;
  inspection.has_byte_pieces = vocab_size > last_byte_token &&
                               piece_of(tokenizer, first_byte_token) == "<0x00>" &&
                               piece_of(tokenizer, last_byte_token) == "<0xFF>";
  return inspection;
}

}  // namespace

double Inspection::bits_per_weight() const {
  std::uint64_t bytes = 0;
  for (const TensorEntry& tensor : file.tensors()) bytes += tensor.file_bytes();
  constexpr double bits_per_byte = 8.0;
  return static_cast<double>(bytes) * bits_per_byte / static_cast<double>(file.config.parameter_count());
}

Inspection inspect(const OpenedModel& opened, ProgressBar& bar) {
  Inspection inspection;
  inspection.path = opened.model->path();
  inspection.file = opened.file;
  if (opened.tokenizer != nullptr) {
    inspection.tokenizer = inspect_tokenizer(*opened.tokenizer, opened.file.config.vocab_size);
  }
  const std::uint64_t total = opened.model->size() * 2;
  inspection.checksum = checksum_of(*opened.model, 0, opened.model->size(),
                                    [&](std::uint64_t done) { bar.update(done, total); });
  for (const TensorEntry& tensor : opened.file.tensors()) {
    TensorInspection& entry = inspection.tensors.emplace_back();
    entry.tensor = tensor;
    entry.checksum =
        checksum_of(*opened.model, tensor.file_offset, tensor.file_bytes(), [](std::uint64_t /*done*/) {});
    find_range(*opened.model, entry);
    bar.update(opened.model->size() + tensor.file_offset, total);
  }
  return inspection;
}

}  // namespace pspllm::host
