#include "host/formats/tensor_values.hpp"

#include <cstring>
#include <stdexcept>

#include "engine/core/limits.hpp"
#include "engine/model/pspm_directory.hpp"
#include "engine/ops/kernels.hpp"
#include "host/core/failure.hpp"
#include "host/quantize/q80.hpp"

namespace pspllm::host {

std::vector<std::byte> stored_tensor(const FileSource& file, const TensorEntry& tensor, FileKind kind) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(block_bytes(tensor)));
  const ByteSource source = file.source();
  const auto read = [&](std::uint64_t offset, std::size_t at, std::uint64_t count) {
    const std::span<std::byte> into = std::span(bytes).subspan(at, static_cast<std::size_t>(count));
    require(source.read(source.context, offset, into), file.path());
  };
  read(tensor.file_offset, 0, tensor.value_bytes);
  if (tensor.scale_bytes > 0) {
    read(tensor.file_offset + tensor.value_bytes,
         static_cast<std::size_t>(scales_offset(tensor.rows, tensor.cols)), tensor.scale_bytes);
  }
  if (kind == FileKind::pspm) require(check_pspm_tensor(tensor, bytes), file.path());
  return bytes;
}

std::vector<float> tensor_values(const TensorEntry& tensor, std::span<const std::byte> bytes) {
  // The kernels read only; a Matrix has one pointer for both uses.
  auto* const data = const_cast<std::byte*>(bytes.data());
  const Matrix matrix{tensor.format, tensor.rows, tensor.cols, tensor.group_size, data};
  std::vector<float> values(std::size_t{tensor.rows} * tensor.cols);
  for (std::uint32_t row = 0; row < tensor.rows; ++row) {
    reference_kernels().dequantize_row(matrix, row, values.data() + std::size_t{row} * tensor.cols);
  }
  return values;
}

std::vector<std::byte> encode_values(std::span<const float> values, std::uint32_t rows, std::uint32_t cols,
                                     const StoredFormat& format) {
  std::vector<std::byte> bytes(
      static_cast<std::size_t>(pspm_tensor_bytes(format.format, rows, cols, format.group_size)));
  switch (format.format) {
    case TensorFormat::f32:
      std::memcpy(bytes.data(), values.data(), values.size_bytes());
      break;
    case TensorFormat::q80: {
      auto* const quantized = reinterpret_cast<std::int8_t*>(bytes.data());
      auto* const scales = reinterpret_cast<float*>(bytes.data() + scales_offset(rows, cols));
      quantize_q80(values, format.group_size, {quantized, values.size()},
                   {scales, values.size() / format.group_size});
      break;
    }
    case TensorFormat::codes:
      throw std::logic_error("byte codes are made by host/quantize/codes");
  }
  return bytes;
}

}  // namespace pspllm::host
