#include "host/quantize/model/work_folder.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "host/core/failure.hpp"
#include "host/io/atomic_file.hpp"
#include "host/quantize/model/packed_bytes.hpp"

namespace pspllm::host {
namespace {

constexpr const char* embedding_name = "embedding";
constexpr const char* streams_name = "streams";

std::string layer_name(std::uint32_t layer) {
  return fmt::format("layer-{}", layer);
}

/// The file's bytes, or none.
std::vector<std::byte> read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0)));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) return {};
  return bytes;
}

void put(BytePacker& packer, const CodeWeights& codes, const MatrixFit& fit) {
  packer.put(codes.rows);
  packer.put(codes.cols);
  packer.put(codes.code_width);
  packer.put_array(codes.codebook);
  packer.put_array(codes.row_scales);
  packer.put_array(codes.codes);
  packer.put(fit.error);
  packer.put(fit.held_out_error);
}

/// False where the sizes do not fit each other.
bool get(ByteUnpacker& unpacker, CodeWeights& codes, MatrixFit& fit) {
  codes.rows = unpacker.get<std::uint32_t>();
  codes.cols = unpacker.get<std::uint32_t>();
  codes.code_width = unpacker.get<std::uint32_t>();
  codes.codebook = unpacker.get_array<std::int8_t>();
  codes.row_scales = unpacker.get_array<float>();
  codes.codes = unpacker.get_array<std::uint8_t>();
  fit.error = unpacker.get<double>();
  fit.held_out_error = unpacker.get<double>();
  return unpacker.ok() && codes.code_width >= 1 && codes.code_width <= max_code_width &&
         codes.codebook.size() == std::size_t{codebook_words} * codes.code_width &&
         codes.row_scales.size() == codes.rows &&
         codes.codes.size() == std::size_t{codes.rows} * codes.groups();
}

void write_bytes(const std::string& path, std::span<const std::byte> bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace

std::uint64_t add_to_fingerprint(std::uint64_t fingerprint, std::span<const std::byte> bytes) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), fingerprint);
}

std::uint64_t fingerprint_of(const FloatLayer& layer) {
  std::uint64_t fingerprint = add_to_fingerprint(0, std::as_bytes(std::span(layer.attention_norm)));
  fingerprint = add_to_fingerprint(fingerprint, std::as_bytes(std::span(layer.ffn_norm)));
  for (const TensorRole role : layer_matrix_roles) {
    fingerprint = add_to_fingerprint(fingerprint, std::as_bytes(std::span(layer.matrix(role).values)));
  }
  return fingerprint;
}

WorkFolder::WorkFolder(std::string path, std::uint64_t fingerprint)
    : path_(std::move(path)), fingerprint_(fingerprint) {}

std::string WorkFolder::file(const std::string& name) const {
  return path_ + "/" + name;
}

std::optional<FinishedEmbedding> WorkFolder::load_embedding() const {
  if (path_.empty()) return std::nullopt;
  const std::vector<std::byte> bytes = read_bytes(file(embedding_name));
  ByteUnpacker unpacker(bytes);
  FinishedEmbedding embedding;
  const bool mine = unpacker.get<std::uint64_t>() == fingerprint_;
  if (!mine || !get(unpacker, embedding.codes, embedding.fit) || !unpacker.finished()) return std::nullopt;
  return embedding;
}

void WorkFolder::save_embedding(const FinishedEmbedding& embedding) const {
  if (path_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) throw Failure(fmt::format("{}: cannot make the folder: {}", path_, error.message()));
  BytePacker packer;
  packer.put(fingerprint_);
  put(packer, embedding.codes, embedding.fit);
  write_bytes(file(embedding_name), packer.bytes());
}

std::optional<QuantizedLayer> WorkFolder::load_layer(std::uint32_t layer, std::uint64_t weights) const {
  const std::vector<std::byte> bytes = read_bytes(file(layer_name(layer)));
  ByteUnpacker unpacker(bytes);
  const bool mine = unpacker.get<std::uint64_t>() == fingerprint_ && unpacker.get<std::uint64_t>() == weights;
  if (!mine) return std::nullopt;
  QuantizedLayer quantized;
  for (std::size_t i = 0; i < quantized.matrices.size(); ++i) {
    if (!get(unpacker, quantized.matrices[i], quantized.fits[i])) return std::nullopt;
  }
  quantized.stream_error = unpacker.get<double>();
  quantized.held_out_stream_error = unpacker.get<double>();
  if (!unpacker.finished()) return std::nullopt;
  return quantized;
}

std::uint32_t WorkFolder::finished_layers() const {
  if (path_.empty()) return 0;
  std::ifstream file_of_streams(file(streams_name), std::ios::binary);
  std::uint64_t fingerprint = 0;
  std::uint32_t layers = 0;
  file_of_streams.read(reinterpret_cast<char*>(&fingerprint), sizeof fingerprint);
  file_of_streams.read(reinterpret_cast<char*>(&layers), sizeof layers);
  return file_of_streams && fingerprint == fingerprint_ ? layers : 0;
}

bool WorkFolder::load_streams(std::uint32_t behind_layer, CalibrationRun& run) const {
  if (finished_layers() != behind_layer + 1) return false;
  const std::vector<std::byte> bytes = read_bytes(file(streams_name));
  ByteUnpacker unpacker(bytes);
  static_cast<void>(unpacker.get<std::uint64_t>());
  static_cast<void>(unpacker.get<std::uint32_t>());
  std::vector<float> reference = unpacker.get_array<float>();
  std::vector<float> quantised = unpacker.get_array<float>();
  const bool fits = reference.size() == run.reference.values.size() && quantised.size() == reference.size();
  if (!unpacker.finished() || !fits) return false;
  run.reference.values = std::move(reference);
  run.quantised.values = std::move(quantised);
  return true;
}

void WorkFolder::save_layer(std::uint32_t layer, std::uint64_t weights, const QuantizedLayer& quantized,
                            const CalibrationRun& run) const {
  if (path_.empty()) return;
  BytePacker packer;
  packer.put(fingerprint_);
  packer.put(weights);
  for (std::size_t i = 0; i < quantized.matrices.size(); ++i) {
    put(packer, quantized.matrices[i], quantized.fits[i]);
  }
  packer.put(quantized.stream_error);
  packer.put(quantized.held_out_stream_error);
  write_bytes(file(layer_name(layer)), packer.bytes());
  BytePacker streams;
  streams.put(fingerprint_);
  streams.put(layer + 1);
  streams.put_array(run.reference.values);
  streams.put_array(run.quantised.values);
  write_bytes(file(streams_name), streams.bytes());
}

void remove_work_folder(const std::string& path) noexcept {
  const std::filesystem::path folder(path);
  std::error_code ignored;
  std::filesystem::remove(folder / embedding_name, ignored);
  std::filesystem::remove(folder / streams_name, ignored);
  for (std::uint32_t layer = 0; layer < max_layers; ++layer) {
    std::filesystem::remove(folder / layer_name(layer), ignored);
  }
  std::filesystem::remove(folder, ignored);
}

}  // namespace pspllm::host
