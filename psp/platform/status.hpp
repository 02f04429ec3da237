// How a platform function reports failure: one sentence for the person holding the console, and the system's
// code.
#pragma once

#include <cstdint>
#include <string_view>

#include "psp/platform/text_buffer.hpp"

namespace pspllm::psp {

/// Longest error sentence in bytes: four full lines of the 60-column screen.
constexpr std::size_t max_sentence_bytes = 240;

/// Done, or one sentence that says what failed, on what, why and what to do.
struct Status {
  std::int32_t code = 0;                    ///< 0: done. Otherwise the system's error code (negative).
  TextBuffer<max_sentence_bytes> sentence;  ///< Empty when done.

  [[nodiscard]] bool ok() const { return code == 0; }
};

/// Codes of failures that the platform finds itself and for which the system has no code. The system's own
/// codes are below -2,000,000,000, but for the -1 of a write that a full stick did not take.
constexpr std::int32_t error_short_read = -101;   ///< The file ended before what was asked for.
constexpr std::int32_t error_short_write = -102;  ///< Fewer bytes were written than were given.
constexpr std::int32_t error_path_too_long = -103;
constexpr std::int32_t error_not_open = -104;
constexpr std::int32_t error_too_large = -105;  ///< A file is larger than the buffer given for it.

/// What a system error code means, as the end of a sentence, e.g. "the Memory Stick is full". A code that is
/// not known gives "the system gave no reason".
[[nodiscard]] std::string_view explain_error_code(std::int32_t code);

/// "<what> <subject>: <meaning of code> (code 8001001C)." The subject may be empty.
[[nodiscard]] Status failure(std::string_view what, std::string_view subject, std::int32_t code);

/// The given sentence with one of the platform's own codes.
[[nodiscard]] Status failure_sentence(std::int32_t code, std::string_view sentence);

}  // namespace pspllm::psp
