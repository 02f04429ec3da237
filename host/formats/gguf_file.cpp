#include "host/formats/gguf_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "engine/core/checked.hpp"
#include "host/core/failure.hpp"
#include "host/formats/byte_cursor.hpp"
#include "host/formats/printable.hpp"

namespace pspllm::host {
namespace {

constexpr std::uint32_t magic = 0x46554747;  // "GGUF"
constexpr std::uint32_t oldest_version = 2;
constexpr std::uint32_t newest_version = 3;
constexpr std::uint32_t default_alignment = 32;
constexpr std::uint64_t largest_alignment = std::uint64_t{1} << 20;
// The specification's limits.
constexpr std::uint64_t longest_tensor_name = 64;
constexpr std::uint32_t most_dimensions = 4;
// Far above what language models have, and small enough for the memory of what a damaged file claims.
constexpr std::uint64_t most_entries = 65536;
constexpr std::uint64_t smallest_tensor_bytes = 8 + 4 + 8 + 4 + 8;  // name length, dimensions, type, offset

class Reader {
 public:
  Reader(const ByteSource& source, const std::string& name) : cursor_(source, name), size_(source.size) {
    file_.metadata.file_name = name;
  }

  GgufFile read() {
    read_header();
    for (std::uint64_t i = 0; i < n_entries_; ++i) read_gguf_entry(cursor_, file_.metadata);
    read_alignment();
    if (const auto parts = file_.metadata.find_unsigned("split.count"); parts && *parts > 1) {
      cursor_.refuse(
          fmt::format("this is one of {} parts of a model; merge them into one file first "
                      "(llama-gguf-split --merge)",
                      *parts));
    }
    for (std::uint64_t i = 0; i < n_tensors_; ++i) read_tensor();
    place_tensors();
    return std::move(file_);
  }

 private:
  void read_header() {
    if (cursor_.number<std::uint32_t>("the header") != magic) {
      cursor_.refuse("the file does not begin with \"GGUF\"; it is not a GGUF file");
    }
    file_.version = cursor_.number<std::uint32_t>("the header");
    constexpr std::uint32_t low_half = 0xffff;
    if (file_.version != 0 && (file_.version & low_half) == 0) {
      cursor_.refuse("this is a big-endian GGUF file, expected a little-endian one; convert it first");
    }
    if (file_.version < oldest_version || file_.version > newest_version) {
      cursor_.refuse(fmt::format("this is GGUF version {}, expected {} or {}; convert the model again",
                                 file_.version, oldest_version, newest_version));
    }
    n_tensors_ = count("tensors", smallest_tensor_bytes);
    n_entries_ = count("metadata entries", smallest_gguf_entry_bytes);
  }

  std::uint64_t count(const char* what, std::uint64_t smallest) {
    const auto number = cursor_.number<std::uint64_t>("the header");
    if (number > most_entries || number > cursor_.remaining() / smallest) {
      cursor_.refuse(
          fmt::format("the header says {} {}, more than {} bytes can hold (at most {} are read); "
                      "the file is damaged",
                      number, what, size_, most_entries));
    }
    return number;
  }

  void read_alignment() {
    const std::uint64_t alignment =
        file_.metadata.find_unsigned("general.alignment").value_or(default_alignment);
    if (!std::has_single_bit(alignment) || alignment > largest_alignment) {
      cursor_.refuse(fmt::format("general.alignment is {}, expected a power of two up to {}", alignment,
                                 largest_alignment));
    }
    file_.alignment = static_cast<std::uint32_t>(alignment);
  }

  void read_tensor() {
    GgufTensor tensor;
    const auto length = cursor_.number<std::uint64_t>("a tensor's name");
    if (length == 0 || length > longest_tensor_name) {
      cursor_.refuse(fmt::format("a tensor's name has {} bytes, expected 1 to {}; the file is damaged",
                                 length, longest_tensor_name));
    }
    tensor.name = cursor_.text(length, "a tensor's name");
    if (!names_.insert(tensor.name).second) {
      cursor_.refuse(
          fmt::format("the tensor {} is there twice; the file is damaged", printable(tensor.name)));
    }
    read_dimensions(tensor);
    const auto type = cursor_.number<std::uint32_t>("the tensor directory");
    tensor.format = find_gguf_format(type);
    if (tensor.format == nullptr) {
      cursor_.refuse(fmt::format("the tensor {} has the unknown type {}; what can be imported: {}",
                                 printable(tensor.name), type, importable_gguf_formats()));
    }
    tensor.offset = cursor_.number<std::uint64_t>("the tensor directory");
    file_.tensors.push_back(std::move(tensor));
  }

  void read_dimensions(GgufTensor& tensor) {
    const auto n_dimensions = cursor_.number<std::uint32_t>("the tensor directory");
    if (n_dimensions == 0 || n_dimensions > most_dimensions) {
      cursor_.refuse(fmt::format("the tensor {} has {} dimensions, expected 1 to {}; the file is damaged",
                                 printable(tensor.name), n_dimensions, most_dimensions));
    }
    for (std::uint32_t i = 0; i < n_dimensions; ++i) {
      tensor.dimensions.push_back(cursor_.number<std::uint64_t>("the tensor directory"));
      if (tensor.dimensions.back() == 0) {
        cursor_.refuse(
            fmt::format("the tensor {} has a dimension of 0; the file is damaged", printable(tensor.name)));
      }
    }
  }

  /// Sizes and places, once the whole directory has been read.
  void place_tensors() {
    const std::uint64_t data_start = align_up(cursor_.position(), file_.alignment);
    std::vector<const GgufTensor*> by_offset;
    for (GgufTensor& tensor : file_.tensors) {
      set_size(tensor);
      if (tensor.offset % file_.alignment != 0) {
        cursor_.refuse(
            fmt::format("the tensor {} lies at offset {}, which is no multiple of the file's "
                        "alignment {}; the file is damaged",
                        printable(tensor.name), tensor.offset, file_.alignment));
      }
      const CheckedSize start = CheckedSize(data_start) + tensor.offset;
      const CheckedSize end = start + tensor.bytes;
      if (end.overflowed() || end.value() > size_) {
        cursor_.refuse(
            fmt::format("the tensor {} has {} bytes at offset {} of the data, but the file has only "
                        "{}; it is truncated: copy or download it again",
                        printable(tensor.name), tensor.bytes, tensor.offset, size_));
      }
      tensor.offset = start.value();
      by_offset.push_back(&tensor);
    }
    check_overlaps(by_offset);
  }

  void set_size(GgufTensor& tensor) {
    const GgufBlockFormat& format = *tensor.format;
    if (tensor.cols() % format.block_values != 0) {
      cursor_.refuse(
          fmt::format("the tensor {} has rows of {} weights, which is no multiple of {}'s blocks of "
                      "{}; the file is damaged",
                      printable(tensor.name), tensor.cols(), format.name, format.block_values));
    }
    CheckedSize bytes(tensor.cols() / format.block_values);
    bytes = bytes * format.block_bytes;
    for (std::size_t i = 1; i < tensor.dimensions.size(); ++i) bytes = bytes * tensor.dimensions[i];
    if (bytes.overflowed()) {
      cursor_.refuse(
          fmt::format("the shape of the tensor {} has more bytes than 64 bits can count; the file is "
                      "damaged",
                      printable(tensor.name)));
    }
    tensor.bytes = bytes.value();
  }

  void check_overlaps(std::vector<const GgufTensor*>& tensors) {
    std::sort(tensors.begin(), tensors.end(),
              [](const GgufTensor* a, const GgufTensor* b) { return a->offset < b->offset; });
    for (std::size_t i = 1; i < tensors.size(); ++i) {
      if (tensors[i - 1]->offset + tensors[i - 1]->bytes <= tensors[i]->offset) continue;
      cursor_.refuse(fmt::format("the tensors {} and {} overlap; the file is damaged",
                                 printable(tensors[i - 1]->name), printable(tensors[i]->name)));
    }
  }

  ByteCursor cursor_;
  std::uint64_t size_;
  std::uint64_t n_tensors_ = 0;
  std::uint64_t n_entries_ = 0;
  std::set<std::string, std::less<>> names_;
  GgufFile file_;
};

}  // namespace

std::uint64_t GgufTensor::rows() const noexcept {
  std::uint64_t product = 1;
  for (std::size_t i = 1; i < dimensions.size(); ++i) product *= dimensions[i];
  return product;
}

GgufFile read_gguf_file(const ByteSource& source, const std::string& name) {
  return Reader(source, name).read();
}

}  // namespace pspllm::host
