#include "psp/program/spoken_text.hpp"

#include <algorithm>

#include "engine/core/slice.hpp"
#include "psp/platform/unicode.hpp"

namespace pspllm::psp {

void SpokenText::clear() {
  size_ = 0;
  segment_count_ = 0;
  forget_lines();
}

void SpokenText::forget_lines() {
  finished_lines_ = 0;
  line_begin_ = 0;
  column_ = 0;
  break_offset_ = 0;
  break_column_ = 0;
}

TextLine SpokenText::line(std::size_t index) const {
  if (index == finished_lines_) return {line_begin_, static_cast<std::uint32_t>(size_)};
  const std::uint32_t next = index + 1 < finished_lines_ ? line_begins_[index + 1] : line_begin_;
  return {line_begins_[index], bytes_[next - 1] == '\n' ? next - 1 : next};
}

Speaker SpokenText::speaker_at(std::size_t offset) const {
  for (std::size_t i = 0; i < segment_count_; ++i) {
    if (offset < segments_[i].end) return segments_[i].speaker;
  }
  return Speaker::model;
}

bool SpokenText::has_room(std::size_t count) const {
  return count <= max_bytes - size_ && count <= max_lines - 1 - finished_lines_ &&
         segment_count_ + 2 <= max_segments;
}

bool SpokenText::append(Speaker speaker, std::string_view utf8) {
  if (utf8.empty()) return true;
  const bool new_segment = segment_count_ == 0 || segments_[segment_count_ - 1].speaker != speaker;
  if (utf8.size() > max_bytes - size_ || (new_segment && segment_count_ == max_segments)) return false;
  // A character ends at most one line more than there are; the line table must hold them all.
  if (utf8.size() > max_lines - 1 - finished_lines_) return false;
  const std::size_t from = size_;
  std::copy(utf8.begin(), utf8.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(size_));
  size_ += utf8.size();
  extend_segment(speaker);
  lay_out(from);
  return true;
}

void SpokenText::shorten(std::size_t size) {
  const auto end = static_cast<std::uint32_t>(size);
  const auto begin_of = [this](std::size_t index) { return index == 0 ? 0 : segments_[index - 1].end; };
  while (segment_count_ > 0 && begin_of(segment_count_ - 1) >= end) --segment_count_;
  if (segment_count_ > 0) segments_[segment_count_ - 1].end = end;
  size_ = size;
  forget_lines();
  lay_out(0);
}

void SpokenText::extend_segment(Speaker speaker) {
  if (segment_count_ == 0 || segments_[segment_count_ - 1].speaker != speaker) {
    segments_[segment_count_++].speaker = speaker;
  }
  segments_[segment_count_ - 1].end = static_cast<std::uint32_t>(size_);
}

void SpokenText::finish_line(std::uint32_t next_begin) {
  line_begins_[finished_lines_++] = line_begin_;
  line_begin_ = next_begin;
  break_offset_ = next_begin;
  break_column_ = 0;
}

void SpokenText::lay_out(std::size_t from) {
  const std::string_view text = bytes();
  std::size_t offset = from;
  while (offset < size_) {
    const DecodedCodePoint character = decode_utf8(slice(text, offset, size_ - offset));
    const auto begin = static_cast<std::uint32_t>(offset);
    const auto next = static_cast<std::uint32_t>(offset + character.bytes);
    offset = next;
    if (character.code_point == U'\n') {
      finish_line(next);
      column_ = 0;
      continue;
    }
    if (character.code_point == U' ') {
      // A blank beyond the last column hangs there unseen.
      column_ = std::min(column_ + 1, columns);
      break_offset_ = next;
      break_column_ = column_;
      continue;
    }
    if (column_ == columns) {
      const bool has_break = break_offset_ > line_begin_;
      const std::uint32_t moved_cells = has_break ? columns - break_column_ : 0;
      finish_line(has_break ? break_offset_ : begin);
      column_ = moved_cells;
    }
    ++column_;
  }
}

}  // namespace pspllm::psp
