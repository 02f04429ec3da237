// What a function that can fail gives back: a value, or one sentence that says what is wrong.
#pragma once

#include <utility>

#include "engine/core/message.hpp"

namespace pspllm {

/// Why something failed; a command line maps it to an exit code, the console to an error screen.
enum class ErrorKind : unsigned char {
  bad_input,     ///< a file or a text is not what it should be
  does_not_fit,  ///< the thing is right but too big for the memory or the context
  read_failed,   ///< the storage did not deliver
  interrupted    ///< the caller asked to stop
};

/// One sentence: what, where, expected, found, what to do.
struct Error {
  ErrorKind kind = ErrorKind::bad_input;
  Message message;
};

template <typename... Parts>
[[nodiscard]] Error bad_input(const Parts&... parts) noexcept {
  return {ErrorKind::bad_input, message(parts...)};
}
template <typename... Parts>
[[nodiscard]] Error does_not_fit(const Parts&... parts) noexcept {
  return {ErrorKind::does_not_fit, message(parts...)};
}
template <typename... Parts>
[[nodiscard]] Error read_failed(const Parts&... parts) noexcept {
  return {ErrorKind::read_failed, message(parts...)};
}
[[nodiscard]] inline Error interrupted() noexcept {
  return {ErrorKind::interrupted, message("stopped")};
}

/// Success, or an Error. Implicitly made from an Error so that `return bad_input(...)` reads as it should.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) noexcept : error_(error), ok_(false) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const noexcept { return ok_; }
  explicit operator bool() const noexcept { return ok_; }
  /// Only meaningful where !ok().
  [[nodiscard]] const Error& error() const noexcept { return error_; }

 private:
  Error error_;
  bool ok_ = true;
};

/// A Value (default-constructible), or an Error. Read `value()` only where ok().
template <typename Value>
class [[nodiscard]] Result {
 public:
  Result(Value value) noexcept : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error) noexcept : status_(error) {}            // NOLINT(google-explicit-constructor)
  Result(const Status& status) noexcept : status_(status) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const noexcept { return status_.ok(); }
  explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] const Error& error() const noexcept { return status_.error(); }
  [[nodiscard]] const Status& status() const noexcept { return status_; }
  [[nodiscard]] const Value& value() const noexcept { return value_; }
  [[nodiscard]] Value& value() noexcept { return value_; }

 private:
  Value value_{};
  Status status_;
};

}  // namespace pspllm
