// The names under which the compiler and the standard headers call what integer_helpers.hpp and the processor
// offer.
#include <cstddef>
#include <cstdint>

#include "psp/platform/exit.hpp"
#include "psp/platform/integer_helpers.hpp"
#include "psp/platform/log.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier): the names are the compiler's.

namespace helpers = pspllm::psp::helpers;

// clz has the Allegrex's own encoding (SPECIAL, function 0x16), which the assembler does not know: clz $v0,
// $a0.
asm(".pushsection .text.__clzsi2,\"ax\",@progbits\n"
    ".globl __clzsi2\n"
    ".type __clzsi2, @function\n"
    ".set push\n"
    ".set noreorder\n"
    "__clzsi2:\n"
    "  jr $ra\n"
    "  .word 0x00801016\n"
    ".set pop\n"
    ".size __clzsi2, 8\n"
    ".popsection\n");

extern "C" {

std::int32_t __clzsi2(std::uint32_t value);

std::int32_t __clzdi2(std::uint64_t value) {
  return static_cast<std::int32_t>(helpers::leading_zeros(value));
}

std::int32_t __ctzsi2(std::uint32_t value) {
  return 31 - __clzsi2(value & (0U - value));
}

std::int32_t __ctzdi2(std::uint64_t value) {
  const helpers::Halves half = helpers::split(value);
  return half.low != 0 ? __ctzsi2(half.low) : 32 + __ctzsi2(half.high);
}

std::int32_t __popcountsi2(std::uint32_t value) {
  std::int32_t count = 0;
  for (; value != 0; value &= value - 1) ++count;
  return count;
}

std::int32_t __popcountdi2(std::uint64_t value) {
  const helpers::Halves half = helpers::split(value);
  return __popcountsi2(half.low) + __popcountsi2(half.high);
}

std::uint64_t __ashldi3(std::uint64_t value, std::int32_t count) {
  return helpers::shift_left(value, static_cast<unsigned>(count));
}

std::uint64_t __lshrdi3(std::uint64_t value, std::int32_t count) {
  return helpers::shift_right(value, static_cast<unsigned>(count));
}

std::int64_t __ashrdi3(std::int64_t value, std::int32_t count) {
  return helpers::shift_right_signed(value, static_cast<unsigned>(count));
}

std::uint64_t __udivdi3(std::uint64_t dividend, std::uint64_t divisor) {
  return helpers::divide(dividend, divisor).quotient;
}

std::uint64_t __umoddi3(std::uint64_t dividend, std::uint64_t divisor) {
  return helpers::divide(dividend, divisor).remainder;
}

std::int64_t __divdi3(std::int64_t dividend, std::int64_t divisor) {
  const helpers::Quotient size = helpers::divide(helpers::magnitude(dividend), helpers::magnitude(divisor));
  return helpers::with_sign(size.quotient, (dividend < 0) != (divisor < 0));
}

std::int64_t __moddi3(std::int64_t dividend, std::int64_t divisor) {
  const helpers::Quotient size = helpers::divide(helpers::magnitude(dividend), helpers::magnitude(divisor));
  return helpers::with_sign(size.remainder, dividend < 0);
}

float __floatundisf(std::uint64_t value) {
  return helpers::to_float(value);
}

float __floatdisf(std::int64_t value) {
  const float size = helpers::to_float(helpers::magnitude(value));
  return value < 0 ? -size : size;
}

float __floatunsisf(std::uint32_t value) {
  return helpers::to_float(value);
}

std::uint64_t __fixunssfdi(float value) {
  return helpers::to_unsigned(value);
}

std::int64_t __fixsfdi(float value) {
  return helpers::to_signed(value);
}

/// A pure virtual function was called: a fault of the program. Leaves with a word in the log rather than
/// hang.
void __cxa_pure_virtual() {
  pspllm::psp::log_line("PspLlm: a pure virtual function was called");
  pspllm::psp::leave_program();
}

}  // extern "C"

namespace std {

// What checked members of the standard headers call instead of throwing.

void __throw_out_of_range_fmt(const char* text, ...) {  // NOLINT
  pspllm::psp::log_line(text);
  pspllm::psp::leave_program();
}

void __throw_length_error(const char* text) {
  pspllm::psp::log_line(text);
  pspllm::psp::leave_program();
}

[[noreturn]] void __throw_bad_optional_access() {
  pspllm::psp::log_line("PspLlm: an empty optional was read");
  pspllm::psp::leave_program();
}

}  // namespace std

// NOLINTEND(bugprone-reserved-identifier)
