// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace pspllm::host {

/// Bytes with thousands separated: "17,101,696".
[[nodiscard]] std::string grouped(std::uint64_t number);
/// Bytes in binary units with three significant digits: "16.3 MiB", "812 bytes".
[[nodiscard]] std::string binary_size(std::uint64_t bytes);
/// A rate with a sensible number of digits: "1.53", "48.2", "3,270".
[[nodiscard]] std::string rate(double per_second);
/// A span of time with one or two units: "42 s", "7 min", "2 h 05 min".
[[nodiscard]] std::string duration(double seconds);

}  // namespace pspllm::host
