#include "simulator/kernel_paths.hpp"

#include <vector>

namespace pspllm::simulator {

namespace {

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  std::string part;
  const auto finish = [&] {
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
    part.clear();
  };
  for (const char c : path) {
    if (c == '/')
      finish();
    else
      part += c;
  }
  finish();
  return parts;
}

}  // namespace

StickPath stick_path(const Stick& stick, const std::string& given) {
  std::string rest = given;
  std::string base;
  if (const std::size_t colon = given.find(':'); colon != std::string::npos) {
    const std::string device = given.substr(0, colon);
    if (device != "ms0" && device != "fatms0") return {{}, result_code::no_such_device};
    rest = given.substr(colon + 1);
  } else {
    if (!stick.has_working_directory) return {{}, result_code::no_working_directory};
    if (!given.starts_with('/')) base = stick.working_directory;
  }
  std::string path;
  for (const std::string& part : parts_of(base + "/" + rest)) {
    if (!path.empty()) path += '/';
    path += part;
  }
  return {path, result_code::ok};
}

LookedUp look_up(Kernel& kernel, unsigned i) {
  const std::optional<std::string> given = kernel.string_argument(i, 1024);
  if (!given) return {{}, result_code::illegal_pointer, false, {}};
  const StickPath path = stick_path(kernel.stick, *given);
  if (path.problem != 0) return {{}, path.problem, false, {}};
  if (kernel.stick.removed) return {path.path, result_code::no_device, false, {}};
  if (const std::optional<std::string> found = kernel.storage.resolve(path.path))
    return {*found, result_code::ok, true, kernel.storage.status(*found).value_or(FileStatus{})};
  const std::optional<std::string> parent = kernel.storage.resolve(parent_of(path.path));
  const bool parent_exists = parent && kernel.storage.status(*parent).value_or(FileStatus{}).is_directory;
  const std::string name = last_name_of(path.path);
  return {parent_exists && !parent->empty() ? *parent + "/" + name : path.path,
          result_code::no_file,
          parent_exists,
          {}};
}

Picoseconds stick_time(const Kernel& kernel, Constant fixed_microseconds, Constant rate, DoubleWord bytes) {
  const Picoseconds fixed = Picoseconds{kernel.core.timing[fixed_microseconds]} * microsecond;
  const Word kilobytes_per_second = kernel.core.timing[rate];
  // One byte at 1 kB/s takes a millisecond.
  return fixed + bytes * millisecond / (kilobytes_per_second == 0 ? 1U : kilobytes_per_second);
}

}  // namespace pspllm::simulator
