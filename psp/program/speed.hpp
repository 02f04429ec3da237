// Tokens per second in words.
#pragma once

#include <cstdint>

#include "psp/platform/text_buffer.hpp"
#include "psp/program/text_session.hpp"

namespace pspllm::psp {

using RateText = TextBuffer<16>;

/// `tokens` in `microseconds` as tokens a second: two decimals below 10, one below 100, none above; "-"
/// before there is anything to tell.
[[nodiscard]] RateText tokens_per_second(std::uint64_t tokens, std::uint64_t microseconds);

[[nodiscard]] RateText prefill_rate(const TextFigures& figures);
[[nodiscard]] RateText decode_rate(const TextFigures& figures);

/// Bytes as "512", "26.4K" or "2.61M" (K = 1024).
[[nodiscard]] TextBuffer<16> short_bytes(std::uint64_t bytes);

/// Bytes with blanks between thousands: "24 585 472".
[[nodiscard]] TextBuffer<32> grouped_digits(std::uint64_t value);

}  // namespace pspllm::psp
