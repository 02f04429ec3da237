// Either a value or one sentence that says what was wrong.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace pspllm::package {

/// The error of a Result: one sentence for the person who runs the tool.
struct Failure {
  std::string sentence;
};

/// A value, or the sentence that says why there is none. Packaging code throws nothing.
template <typename Value>
class Result {
 public:
  Result(Value value) : value_(std::move(value)) {}                    // NOLINT(google-explicit-constructor)
  Result(Failure failure) : sentence_(std::move(failure.sentence)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return value_.has_value(); }
  /// Only when ok().
  [[nodiscard]] const Value& value() const { return *value_; }
  [[nodiscard]] Value& value() { return *value_; }
  /// Empty when ok().
  [[nodiscard]] const std::string& error() const { return sentence_; }
  [[nodiscard]] Failure failure() const { return Failure{sentence_}; }

 private:
  std::optional<Value> value_;
  std::string sentence_;
};

}  // namespace pspllm::package
