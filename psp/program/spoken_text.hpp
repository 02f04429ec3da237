// Everything that was said: prompts and the model's text as UTF-8, cut into screen lines as it grows, so that
// scrolling back reaches the very beginning.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pspllm::psp {

enum class Speaker : std::uint8_t { person, model };

/// Bytes [begin, end) of the text: one line of the screen, without its newline. A blank at the place where a
/// line was broken stays at its end, beyond the last column.
struct TextLine {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// A run of bytes of one speaker, up to `end`.
struct TextSegment {
  std::uint32_t end = 0;
  Speaker speaker = Speaker::model;
};

class SpokenText {
 public:
  /// Columns of a line.
  static constexpr std::uint32_t columns = 58;
  static constexpr std::size_t max_bytes = std::size_t{32} * 1024;
  static constexpr std::size_t max_lines = 4096;
  static constexpr std::size_t max_segments = 256;

  void clear();

  /// Adds whole UTF-8 characters. False, with nothing added, when there is no more room.
  [[nodiscard]] bool append(Speaker speaker, std::string_view utf8);

  /// Takes back what stands behind the first `size` bytes, which are whole characters.
  void shorten(std::size_t size);

  /// Words of both speakers, `count` bytes in all, can be added for certain.
  [[nodiscard]] bool has_room(std::size_t count) const;

  [[nodiscard]] std::string_view bytes() const { return {bytes_.data(), size_}; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  /// Lines on the screen; at least 1.
  [[nodiscard]] std::size_t line_count() const { return finished_lines_ + 1; }
  /// index < line_count().
  [[nodiscard]] TextLine line(std::size_t index) const;

  [[nodiscard]] Speaker speaker_at(std::size_t offset) const;
  [[nodiscard]] std::size_t segment_count() const { return segment_count_; }
  [[nodiscard]] TextSegment segment(std::size_t index) const { return segments_[index]; }

 private:
  void forget_lines();
  void extend_segment(Speaker speaker);
  void lay_out(std::size_t from);
  void finish_line(std::uint32_t next_begin);

  std::array<char, max_bytes> bytes_;                 // [size_]
  std::array<std::uint32_t, max_lines> line_begins_;  // [finished_lines_]; the open line lies behind the last
  std::array<TextSegment, max_segments> segments_;    // [segment_count_]
  std::size_t size_ = 0;
  std::size_t finished_lines_ = 0;
  std::size_t segment_count_ = 0;
  // The open line.
  std::uint32_t line_begin_ = 0;
  std::uint32_t column_ = 0;  ///< Cells it has so far.
  std::uint32_t break_offset_ =
      0;  ///< Behind its last blank: where a word may go to the next line; line_begin_: nowhere.
  std::uint32_t break_column_ = 0;  ///< Cells before break_offset_.
};

}  // namespace pspllm::psp
