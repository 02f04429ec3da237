#include "psp/platform/path.hpp"

namespace pspllm::psp {
namespace {

char lower_case(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a') : character;
}

}  // namespace

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : std::string_view(path.data(), slash);
}

std::string_view file_name_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return path;
  return {path.data() + slash + 1, path.size() - slash - 1};
}

std::string_view extension_of(std::string_view path) {
  const std::string_view name = file_name_of(path);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {};
  return {name.data() + dot + 1, name.size() - dot - 1};
}

Path join_path(std::string_view folder, std::string_view name) {
  Path path(folder);
  if (!folder.empty() && folder.back() != '/') path.append('/');
  path.append(name);
  return path;
}

bool equal_ignoring_case(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (lower_case(left[i]) != lower_case(right[i])) return false;
  }
  return true;
}

}  // namespace pspllm::psp
