#pragma once
// From a program's path ("ms0:/PSP/x", "x", "../y") to one on the storage.
#include <optional>
#include <string>

#include "simulator/kernel.hpp"

namespace pspllm::simulator {

// A path, or the result that the call returns instead.
struct StickPath {
  std::string path;
  Word problem = 0;
};

// Cleaned of "." and "..", relative to the working directory; not yet looked up.
[[nodiscard]] StickPath stick_path(const Stick& stick, const std::string& given);

// Looks up the string that argument i points to. What does not exist comes back as it was written, problem
// no_file; then `parent` is the resolved directory if that exists.
struct LookedUp {
  std::string path;
  Word problem = 0;
  bool parent_exists = false;
  FileStatus status;
};
[[nodiscard]] LookedUp look_up(Kernel& kernel, unsigned i);

// Time of a call that moves `bytes` at a rate in kilobytes a second.
[[nodiscard]] Picoseconds stick_time(const Kernel& kernel, Constant fixed_microseconds, Constant rate,
                                     DoubleWord bytes);

}  // namespace pspllm::simulator
