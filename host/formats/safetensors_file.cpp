#include "host/formats/safetensors_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/core/checked.hpp"
#include "host/core/failure.hpp"
#include "host/formats/byte_cursor.hpp"
#include "host/formats/limited_json.hpp"
#include "host/formats/little_endian.hpp"
#include "host/formats/printable.hpp"

namespace pspllm::host {
namespace {

using nlohmann::json;

// A directory of 100,000 tensors takes about 10 MB; the specification's limit is 100 MB.
constexpr std::uint64_t most_header_bytes = std::uint64_t{32} << 20;
constexpr std::size_t most_dimensions = 8;

struct Dtype {
  const char* name;
  std::uint32_t bytes;
};
constexpr Dtype dtypes[] = {{"F32", 4}, {"F16", 2},     {"BF16", 2},    {"F64", 8}, {"I64", 8},
                            {"I32", 4}, {"I16", 2},     {"I8", 1},      {"U64", 8}, {"U32", 4},
                            {"U16", 2}, {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"U8", 1},  {"BOOL", 1}};

class Reader {
 public:
  Reader(const ByteSource& source, const std::string& name)
      : source_(source), cursor_(source, name), name_(name) {}

  std::vector<SafetensorsTensor> read() {
    const auto length = cursor_.number<std::uint64_t>("the directory's length");
    if (length < 2 || length > most_header_bytes || length > cursor_.remaining()) {
      cursor_.refuse(
          fmt::format("the directory has {} bytes, but the file has {} (at most {} are read); the file "
                      "is damaged or no safetensors file",
                      length, source_.size, most_header_bytes));
    }
    const json directory = parse_limited_json(cursor_.text(length, "the directory"), name_);
    if (!directory.is_object()) cursor_.refuse("the directory is no JSON object; the file is damaged");
    data_start_ = cursor_.position();
    for (const auto& [key, entry] : directory.items()) {
      if (key != "__metadata__") tensors_.push_back(read_entry(key, entry));
    }
    check_overlaps();
    return std::move(tensors_);
  }

 private:
  [[noreturn]] void refuse(const std::string& tensor, const std::string& what) const {
    cursor_.refuse(fmt::format("the tensor {} {}; the file is damaged", printable(tensor), what));
  }

  static const json& member(const json& entry, const char* key) {
    static const json null;
    if (!entry.is_object()) return null;
    const auto found = entry.find(key);
    return found == entry.end() ? null : *found;
  }

  SafetensorsTensor read_entry(const std::string& key, const json& entry) const {
    SafetensorsTensor tensor;
    tensor.name = key;
    const json& dtype = member(entry, "dtype");
    const json& shape = member(entry, "shape");
    const json& offsets = member(entry, "data_offsets");
    if (!dtype.is_string() || !shape.is_array() || !offsets.is_array() || offsets.size() != 2) {
      refuse(key, "lacks its dtype, shape or data_offsets");
    }
    tensor.dtype = dtype.get<std::string>();
    if (shape.size() > most_dimensions) {
      refuse(key, fmt::format("has {} dimensions, expected at most {}", shape.size(), most_dimensions));
    }
    CheckedSize bytes(element_bytes(tensor));
    for (const json& dimension : shape) {
      if (!dimension.is_number_unsigned() || dimension.get<std::uint64_t>() == 0) {
        refuse(key, "has a dimension that is no positive whole number");
      }
      tensor.shape.push_back(dimension.get<std::uint64_t>());
      bytes = bytes * tensor.shape.back();
    }
    place(tensor, bytes, offsets);
    return tensor;
  }

  std::uint64_t element_bytes(const SafetensorsTensor& tensor) const {
    for (const Dtype& dtype : dtypes) {
      if (tensor.dtype == dtype.name) return dtype.bytes;
    }
    cursor_.refuse(fmt::format("the tensor {} has the unknown dtype {}; supported: F32, F16, BF16",
                               printable(tensor.name), printable(tensor.dtype)));
  }

  void place(SafetensorsTensor& tensor, const CheckedSize& bytes, const json& offsets) const {
    if (!offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned()) {
      refuse(tensor.name, "has data_offsets that are no whole numbers");
    }
    const auto begin = offsets[0].get<std::uint64_t>();
    const auto end = offsets[1].get<std::uint64_t>();
    if (end < begin || end > source_.size - data_start_) {
      refuse(tensor.name, fmt::format("lies at {} to {} of {} bytes of data; the file is truncated or", begin,
                                      end, source_.size - data_start_));
    }
    if (bytes.overflowed() || bytes.value() != end - begin) {
      refuse(tensor.name,
             fmt::format("has {} bytes, which is not what its shape and dtype take", end - begin));
    }
    tensor.offset = data_start_ + begin;
    tensor.bytes = end - begin;
  }

  void check_overlaps() {
    std::sort(tensors_.begin(), tensors_.end(),
              [](const SafetensorsTensor& a, const SafetensorsTensor& b) { return a.offset < b.offset; });
    for (std::size_t i = 1; i < tensors_.size(); ++i) {
      if (tensors_[i - 1].offset + tensors_[i - 1].bytes <= tensors_[i].offset) continue;
      refuse(tensors_[i - 1].name, fmt::format("overlaps {}", printable(tensors_[i].name)));
    }
  }

  ByteSource source_;
  ByteCursor cursor_;
  const std::string& name_;
  std::uint64_t data_start_ = 0;
  std::vector<SafetensorsTensor> tensors_;
};

}  // namespace

std::uint64_t SafetensorsTensor::rows() const noexcept {
  std::uint64_t product = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) product *= shape[i];
  return product;
}

std::vector<SafetensorsTensor> read_safetensors_file(const ByteSource& source, const std::string& name) {
  return Reader(source, name).read();
}

bool is_importable_dtype(const std::string& dtype) noexcept {
  return dtype == "F32" || dtype == "F16" || dtype == "BF16";
}

std::vector<float> read_safetensors_values(const ByteSource& source, const std::string& name,
                                           const SafetensorsTensor& tensor) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.bytes));
  require(source.read(source.context, tensor.offset, bytes), name);
  if (tensor.dtype == "F32") {
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  const bool is_half = tensor.dtype == "F16";
  std::vector<float> values(bytes.size() / sizeof(std::uint16_t));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = load<std::uint16_t>(bytes.data() + i * sizeof(std::uint16_t));
    values[i] = is_half ? float_from_half(bits) : float_from_bfloat16(bits);
  }
  return values;
}

}  // namespace pspllm::host
