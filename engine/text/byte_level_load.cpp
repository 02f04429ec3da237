// Reading a byte-level vocabulary: nothing in it is believed before it is checked.
#include <cstring>

#include "engine/core/checked.hpp"
#include "engine/text/byte_level_tables.hpp"

namespace pspllm {
namespace {

constexpr std::uint32_t part_alignment = 4;

Error wrong(const char* field, std::uint64_t found, const char* expected) noexcept {
  return bad_input("byte-level tokenizer: ", field, " is ", found, ", expected ", expected,
                   "; the file is damaged");
}

Status check_choices(const ByteLevelHeader& header) noexcept {
  if (header.layout != byte_level_layout) {
    return bad_input("byte-level tokenizer: layout ", header.layout, ", expected ", byte_level_layout,
                     "; convert the model again with this program's version");
  }
  if (!is_known(static_cast<PreTokenizer>(header.pre_tokenizer))) {
    return bad_input("byte-level tokenizer: pre-tokenizer ", header.pre_tokenizer,
                     " is not known, expected 1 (GPT-2), 2 (SmolLM2) or 3 (Llama 3)");
  }
  if (header.normalizer != static_cast<std::uint32_t>(ByteLevelNormalizer::none)) {
    return bad_input("byte-level tokenizer: normalizer ", header.normalizer,
                     " is not known, expected 0 (none)");
  }
  if ((header.flags & ~ByteLevelFlags::all) != 0) {
    return bad_input("byte-level tokenizer: flags ", header.flags, " hold one that is not known");
  }
  return {};
}

Status check_counts(const ByteLevelHeader& header) noexcept {
  const bool is_wide = header.id_bytes == 4;
  if (header.id_bytes != 2 && !is_wide) return wrong("id_bytes", header.id_bytes, "2 or 4");
  const std::uint32_t most = is_wide ? std::uint32_t{1} << 31 : no_narrow_id;
  if (header.vocab_size > most)
    return wrong("vocab_size", header.vocab_size, "at most 65535 with 2-byte ids");
  if (header.merge_count > most) {
    return wrong("merge_count", header.merge_count, "at most 65535 with 2-byte ids, else at most 2^31");
  }
  if (header.byte_count > byte_values) return wrong("byte_count", header.byte_count, "at most 256");
  if (header.sorted_count > header.merge_count) {
    return wrong("sorted_count", header.sorted_count, "at most merge_count");
  }
  if (!are_results_listed(header) &&
      std::uint64_t{header.first_result} + header.merge_count > header.vocab_size) {
    return wrong("first_result", header.first_result, "vocab_size less merge_count, or fewer");
  }
  for (const std::int32_t id : {header.bos, header.eos, header.pad}) {
    if (id < no_token || id >= static_cast<std::int32_t>(header.vocab_size)) {
      return damaged("bos, eos and pad are ", header.bos, ", ", header.eos, ", ", header.pad,
                     ", expected -1 to ", header.vocab_size - 1);
    }
  }
  if ((header.flags & ByteLevelFlags::adds_bos) != 0 && header.bos == no_token) {
    return damaged("a text is to begin with BOS, and there is no BOS token");
  }
  return {};
}

/// Hands out the parts one behind the other; null from the first on that lies beyond the payload.
class PartCursor {
 public:
  explicit PartCursor(std::span<const std::byte> payload) noexcept : payload_(payload) {}

  const std::byte* take(CheckedSize bytes) noexcept {
    const CheckedSize begin = size_;
    size_ = size_ + bytes;
    size_ = size_ + CheckedSize((part_alignment - size_.value() % part_alignment) % part_alignment);
    return size_.overflowed() || size_.value() > payload_.size() ? nullptr : payload_.data() + begin.value();
  }
  [[nodiscard]] CheckedSize size() const noexcept { return size_; }

 private:
  std::span<const std::byte> payload_;
  CheckedSize size_ = 0;
};

template <typename Item>
std::span<const Item> span_of(const std::byte* data, std::uint32_t count) noexcept {
  if (data == nullptr) return {};
  return {reinterpret_cast<const Item*>(data), count};
}

/// Points the tables into the payload; gives the payload's size.
CheckedSize place_parts(std::span<const std::byte> payload, ByteLevelTokenizer& tokenizer) noexcept {
  const ByteLevelHeader& header = tokenizer.header;
  const bool is_wide = header.id_bytes == 4;
  const CheckedSize id_bytes = header.id_bytes;
  PartCursor cursor(payload);
  static_cast<void>(cursor.take(sizeof(ByteLevelHeader)));
  tokenizer.byte_pieces = span_of<std::uint32_t>(
      cursor.take(CheckedSize(header.byte_count) * sizeof(std::uint32_t)), header.byte_count);
  tokenizer.parts = {cursor.take(CheckedSize(header.merge_count) * 2 * id_bytes), is_wide};
  tokenizer.sorted = {cursor.take(CheckedSize(header.sorted_count) * id_bytes), is_wide};
  if (are_results_listed(header)) {
    tokenizer.results = {cursor.take(CheckedSize(header.merge_count) * id_bytes), is_wide};
    tokenizer.origins = {cursor.take(CheckedSize(header.vocab_size) * id_bytes), is_wide};
  }
  tokenizer.texts = span_of<ByteLevelText>(
      cursor.take(CheckedSize(header.text_count) * sizeof(ByteLevelText)), header.text_count);
  tokenizer.words = span_of<std::uint32_t>(
      cursor.take(CheckedSize(header.word_count) * sizeof(std::uint32_t)), header.word_count);
  const std::span<const char> text = span_of<char>(cursor.take(header.text_bytes), header.text_bytes);
  tokenizer.text = {text.data(), text.size()};
  return cursor.size();
}

}  // namespace

std::uint64_t byte_level_tokenizer_bytes(std::uint64_t payload_bytes) noexcept {
  return payload_bytes;
}

Status load_byte_level_tokenizer(const ByteSource& source, std::uint32_t vocab_size,
                                 std::span<std::byte> memory, ByteLevelTokenizer& tokenizer) noexcept {
  if (source.size < sizeof(ByteLevelHeader)) {
    return bad_input("byte-level tokenizer: ", source.size, " bytes, too few for its header of ",
                     sizeof(ByteLevelHeader), "; the file is cut short");
  }
  if (memory.size() < byte_level_tokenizer_bytes(source.size)) {
    return does_not_fit("the tokenizer of ", source.size, " bytes does not fit its ", memory.size(),
                        "-byte region");
  }
  const std::span<std::byte> payload = memory.first(static_cast<std::size_t>(source.size));
  if (Status status = source.read(source.context, 0, payload); !status) return status;
  tokenizer = {};
  std::memcpy(&tokenizer.header, payload.data(), sizeof(ByteLevelHeader));
  if (Status status = check_choices(tokenizer.header); !status) return status;
  if (tokenizer.header.vocab_size != vocab_size) {
    return bad_input("the tokenizer holds ", tokenizer.header.vocab_size,
                     " pieces, the model's vocabulary is ", vocab_size);
  }
  if (Status status = check_counts(tokenizer.header); !status) return status;
  const CheckedSize size = place_parts(payload, tokenizer);
  if (size.overflowed() || size.value() != source.size) {
    return damaged("the header's counts need ", size.value(), " bytes, there are ", source.size);
  }
  return check_byte_level_tables(tokenizer);
}

}  // namespace pspllm
