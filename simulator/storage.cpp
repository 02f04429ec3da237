#include "simulator/storage.hpp"

#include <algorithm>
#include <cctype>

namespace pspllm::simulator {

namespace {

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

std::string joined(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : directory + "/" + name;
}

// True when `path` is a direct child of `directory`.
bool is_child(const std::string& path, const std::string& directory) {
  return !path.empty() && parent_of(path) == directory;
}

std::span<const Byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

}  // namespace

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string last_name_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::optional<std::string> Storage::resolve(const std::string& path) {
  if (path.empty() || status(path)) return path;
  const std::optional<std::string> directory = resolve(parent_of(path));
  if (!directory) return std::nullopt;
  const std::string wanted = last_name_of(path);
  if (status(joined(*directory, wanted))) return joined(*directory, wanted);
  for (const std::string& name : list(*directory))
    if (same_name(name, wanted)) return joined(*directory, name);
  return std::nullopt;
}

std::optional<FileStatus> MemoryStorage::status(const std::string& path) {
  if (path.empty() || directories_.contains(path)) return FileStatus{true, 0};
  const auto found = files_.find(path);
  if (found == files_.end()) return std::nullopt;
  return FileStatus{false, found->second.size()};
}

std::vector<std::string> MemoryStorage::list(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& [file, content] : files_)
    if (is_child(file, path)) names.push_back(last_name_of(file));
  for (const std::string& directory : directories_)
    if (is_child(directory, path)) names.push_back(last_name_of(directory));
  std::sort(names.begin(), names.end());
  return names;
}

std::size_t MemoryStorage::read(const std::string& path, DoubleWord offset, std::span<Byte> to) {
  const auto found = files_.find(path);
  if (found == files_.end() || offset >= found->second.size()) return 0;
  const auto from = found->second.begin() + static_cast<std::ptrdiff_t>(offset);
  const std::size_t count =
      std::min<std::size_t>(to.size(), found->second.size() - static_cast<std::size_t>(offset));
  std::copy_n(from, count, to.begin());
  return count;
}

bool MemoryStorage::write(const std::string& path, DoubleWord offset, std::span<const Byte> from) {
  constexpr DoubleWord most = DoubleWord{1} << 32U;  // FAT32
  const auto found = files_.find(path);
  if (found == files_.end() || offset + from.size() > most) return false;
  std::vector<Byte>& content = found->second;
  if (content.size() < offset + from.size()) content.resize(static_cast<std::size_t>(offset + from.size()));
  std::copy(from.begin(), from.end(), content.begin() + static_cast<std::ptrdiff_t>(offset));
  return true;
}

bool MemoryStorage::create(const std::string& path) {
  if (path.empty() || directories_.contains(path) || !status(parent_of(path))) return false;
  files_[path].clear();
  return true;
}

bool MemoryStorage::remove(const std::string& path) {
  return files_.erase(path) != 0;
}

bool MemoryStorage::rename(const std::string& from, const std::string& to) {
  if (status(to)) return false;
  if (auto file = files_.extract(from); !file.empty()) {
    file.key() = to;
    files_.insert(std::move(file));
    return true;
  }
  if (directories_.erase(from) == 0) return false;
  directories_.insert(to);
  std::map<std::string, std::vector<Byte>> moved;
  for (auto& [path, content] : files_) {
    const bool inside = path.starts_with(from + "/");
    moved[inside ? to + path.substr(from.size()) : path] = std::move(content);
  }
  files_ = std::move(moved);
  return true;
}

bool MemoryStorage::make_directory(const std::string& path) {
  if (status(path) || !status(parent_of(path))) return false;
  directories_.insert(path);
  return true;
}

bool MemoryStorage::remove_directory(const std::string& path) {
  return list(path).empty() && directories_.erase(path) != 0;
}

void MemoryStorage::put(const std::string& path, std::span<const Byte> content) {
  for (std::string directory = parent_of(path); !directory.empty(); directory = parent_of(directory))
    directories_.insert(directory);
  files_[path].assign(content.begin(), content.end());
}

void MemoryStorage::put(const std::string& path, std::string_view content) {
  put(path, bytes_of(content));
}

std::string MemoryStorage::text(const std::string& path) const {
  const auto found = files_.find(path);
  if (found == files_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::vector<std::string> MemoryStorage::paths() const {
  std::vector<std::string> names;
  for (const auto& [path, content] : files_) names.push_back(path);
  return names;
}

std::optional<FileStatus> OverlayStorage::status(const std::string& path) {
  if (const auto changed = changes_.status(path); changed && !path.empty() && !changed->is_directory)
    return changed;
  if (!hidden(path))
    if (const auto below = base_.status(path)) return below;
  return changes_.status(path);
}

std::vector<std::string> OverlayStorage::list(const std::string& path) {
  std::set<std::string> names;
  if (!hidden(path))
    for (const std::string& name : base_.list(path))
      if (!hidden(joined(path, name))) names.insert(name);
  for (const std::string& name : changes_.list(path)) names.insert(name);
  return {names.begin(), names.end()};
}

std::size_t OverlayStorage::read(const std::string& path, DoubleWord offset, std::span<Byte> to) {
  if (const auto changed = changes_.status(path); changed && !changed->is_directory)
    return changes_.read(path, offset, to);
  return hidden(path) ? 0 : base_.read(path, offset, to);
}

bool OverlayStorage::copy_up(const std::string& path) {
  if (const auto changed = changes_.status(path); changed && !changed->is_directory) return true;
  const auto below = hidden(path) ? std::nullopt : base_.status(path);
  if (!below || below->is_directory) return false;
  std::vector<Byte> content(static_cast<std::size_t>(below->size));
  content.resize(base_.read(path, 0, content));
  changes_.put(path, content);
  return true;
}

bool OverlayStorage::write(const std::string& path, DoubleWord offset, std::span<const Byte> from) {
  return copy_up(path) && changes_.write(path, offset, from);
}

bool OverlayStorage::create(const std::string& path) {
  const auto present = status(path);
  const auto directory = status(parent_of(path));
  if (path.empty() || (present && present->is_directory) || !directory || !directory->is_directory)
    return false;
  changes_.put(path, std::span<const Byte>{});
  return true;
}

bool OverlayStorage::remove(const std::string& path) {
  const auto present = status(path);
  if (!present || present->is_directory) return false;
  (void)changes_.remove(path);
  removed_.insert(path);
  return true;
}

bool OverlayStorage::rename(const std::string& from, const std::string& to) {
  if (status(to) || !copy_up(from)) return false;
  std::vector<Byte> content(static_cast<std::size_t>(changes_.status(from)->size));
  (void)changes_.read(from, 0, content);
  changes_.put(to, content);
  return remove(from);
}

bool OverlayStorage::make_directory(const std::string& path) {
  if (status(path) || !status(parent_of(path))) return false;
  changes_.put(path + "/.", std::string_view{});
  return changes_.remove(path + "/.");
}

bool OverlayStorage::remove_directory(const std::string& path) {
  const auto present = status(path);
  if (!present || !present->is_directory || !list(path).empty()) return false;
  (void)changes_.remove_directory(path);
  removed_.insert(path);
  return true;
}

}  // namespace pspllm::simulator
