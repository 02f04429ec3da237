#include "engine/text/tokenizer.hpp"

#include <algorithm>
#include <cstring>

#include "engine/core/checked.hpp"
#include "engine/core/limits.hpp"
#include "engine/core/slice.hpp"
#include "engine/model/file_signature.hpp"
#include "engine/text/compare_bytes.hpp"

namespace pspllm {
namespace {

constexpr std::size_t file_header_bytes = 4;
constexpr std::size_t piece_header_bytes = 8;

template <typename Number>
Number number_at(std::span<const std::byte> file, std::size_t offset) noexcept {
  Number value{};
  // The builtin, since a freestanding memcpy is a call: sorting asks for millions of lengths.
  __builtin_memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

bool is_finite(float value) noexcept {
  return value - value == 0.0F;
}

/// Walks all pieces of the file, recording positions of the first `vocab_size`. Gives the number of pieces.
Result<std::uint32_t> index_pieces(std::span<const std::byte> file,
                                   std::span<std::uint32_t> positions) noexcept {
  std::size_t offset = file_header_bytes;
  std::uint32_t count = 0;
  while (offset < file.size()) {
    if (file.size() - offset < piece_header_bytes) {
      return bad_input("tokenizer file ends inside piece ", count, " at byte ", file.size(),
                       "; it is cut short, copy it again");
    }
    const auto length = number_at<std::int32_t>(file, offset + sizeof(float));
    if (length < 0 || length > static_cast<std::int32_t>(max_piece_bytes)) {
      return bad_input("tokenizer file: piece ", count, " at byte ", offset, " has length ", length,
                       ", expected 0 to ", max_piece_bytes,
                       "; this is not a tokenizer.bin, or it is damaged");
    }
    if (!is_finite(number_at<float>(file, offset))) {
      return bad_input("tokenizer file: the score of piece ", count, " at byte ", offset,
                       " is not a finite number; the file is damaged");
    }
    const auto bytes = file.subspan(offset + piece_header_bytes);
    if (bytes.size() < static_cast<std::size_t>(length)) {
      return bad_input("tokenizer file ends inside piece ", count, " at byte ", file.size(),
                       "; it is cut short, copy it again");
    }
    if (std::memchr(bytes.data(), 0, static_cast<std::size_t>(length)) != nullptr) {
      return bad_input("tokenizer file: piece ", count, " at byte ", offset,
                       " holds a zero byte; this is not a tokenizer.bin, or it is damaged");
    }
    if (count < positions.size()) positions[count] = static_cast<std::uint32_t>(offset);
    ++count;
    offset += piece_header_bytes + static_cast<std::size_t>(length);
  }
  return count;
}

Status check_first_bytes(const ByteSource& source, std::span<std::byte> file) noexcept {
  if (Status status = source.read(source.context, 0, file); !status) return status;
  const char* foreign = foreign_format(file.first(std::min<std::size_t>(file.size(), 64)));
  if (foreign != nullptr)
    return bad_input("the tokenizer file is ", foreign, "; expected llama2.c's tokenizer.bin");
  return {};
}

/// Order of `first + second` against `piece`.
int compare_pair(std::string_view first, std::string_view second, std::string_view piece) noexcept {
  const std::size_t head = std::min(first.size(), piece.size());
  const int order = compare_bytes(first, slice(piece, 0, head));
  if (order != 0) return order;
  return compare_bytes(second, slice(piece, head, piece.size() - head));
}

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::uint64_t tokenizer_bytes(std::uint64_t file_bytes, std::uint32_t vocab_size) noexcept {
  return align_up(file_bytes, sizeof(std::uint32_t)) + std::uint64_t{vocab_size} * 2 * sizeof(std::uint32_t);
}

Status load_tokenizer(const ByteSource& source, std::uint32_t vocab_size, std::span<std::byte> memory,
                      Tokenizer& tokenizer) noexcept {
  if (source.size <= file_header_bytes) {
    return bad_input("the tokenizer file has ", source.size, " bytes, too few for a vocabulary of ",
                     vocab_size);
  }
  if (memory.size() < tokenizer_bytes(source.size, vocab_size)) {
    return does_not_fit("the tokenizer file of ", source.size, " bytes does not fit its ", memory.size(),
                        "-byte region");
  }
  const std::span<std::byte> file = memory.first(static_cast<std::size_t>(source.size));
  if (Status status = check_first_bytes(source, file); !status) return status;

  std::byte* const tables = memory.data() + align_up(source.size, sizeof(std::uint32_t));
  const std::span<std::uint32_t> positions(reinterpret_cast<std::uint32_t*>(tables), vocab_size);
  const std::span<std::uint32_t> sorted(positions.data() + vocab_size, vocab_size);
  const Result<std::uint32_t> count = index_pieces(file, positions);
  if (!count) return count.status();
  if (count.value() != vocab_size) {
    return bad_input("the tokenizer holds ", count.value(), " pieces, the model's vocabulary is ", vocab_size,
                     "; give the tokenizer.bin that belongs to this model");
  }
  tokenizer = {vocab_size, file, positions, sorted};
  for (std::uint32_t id = 0; id < vocab_size; ++id) sorted[id] = id;
  const auto before = [&tokenizer](std::uint32_t a, std::uint32_t b) {
    const int order = compare_bytes(piece_of(tokenizer, static_cast<std::int32_t>(a)),
                                    piece_of(tokenizer, static_cast<std::int32_t>(b)));
    return order != 0 ? order < 0 : a < b;
  };
  // A heap's sort: std::sort counts leading zeros, which the PSP's compiler does with a helper that is not
  // there.
  std::make_heap(sorted.begin(), sorted.end(), before);
  std::sort_heap(sorted.begin(), sorted.end(), before);
  return {};
}

std::string_view piece_of(const Tokenizer& tokenizer, std::int32_t token) noexcept {
  const std::size_t position = tokenizer.positions[static_cast<std::size_t>(token)];
  const auto length = number_at<std::int32_t>(tokenizer.file, position + sizeof(float));
  return {reinterpret_cast<const char*>(tokenizer.file.data() + position + piece_header_bytes),
          static_cast<std::size_t>(length)};
}

float score_of(const Tokenizer& tokenizer, std::int32_t token) noexcept {
  return number_at<float>(tokenizer.file, tokenizer.positions[static_cast<std::size_t>(token)]);
}

std::int32_t find_piece(const Tokenizer& tokenizer, std::string_view first,
                        std::string_view second) noexcept {
  // glibc's bsearch, probe by probe: which of several equal pieces is found depends on the probes.
  std::size_t low = 0;
  std::size_t high = tokenizer.sorted.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const auto id = static_cast<std::int32_t>(tokenizer.sorted[middle]);
    const int order = compare_pair(first, second, piece_of(tokenizer, id));
    if (order == 0) return id;
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return no_token;
}

std::string_view decode(const Tokenizer& tokenizer, std::int32_t previous, std::int32_t token,
                        char& storage) noexcept {
  std::string_view piece = piece_of(tokenizer, token);
  if (previous == bos_token && piece.starts_with(' ')) piece.remove_prefix(1);
  // runq.c scans "<0x%02hhX>": one or two hexadecimal digits are enough for it.
  constexpr std::string_view byte_prefix = "<0x";
  if (!piece.starts_with(byte_prefix) || piece.size() == byte_prefix.size()) return piece;
  int byte = hex_digit(piece[byte_prefix.size()]);
  if (byte < 0) return piece;
  if (piece.size() > byte_prefix.size() + 1) {
    const int low = hex_digit(piece[byte_prefix.size() + 1]);
    if (low >= 0) byte = byte * 16 + low;
  }
  storage = static_cast<char>(byte);
  return {&storage, 1};
}

bool reference_prints(std::string_view decoded) noexcept {
  if (decoded.empty()) return false;
  if (decoded.size() > 1) return true;
  const char c = decoded.front();
  return (c >= ' ' && c <= '~') || (c >= '\t' && c <= '\r');
}

}  // namespace pspllm
