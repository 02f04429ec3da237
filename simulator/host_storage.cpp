#include "simulator/host_storage.hpp"

#include <algorithm>

namespace pspllm::simulator {

namespace {

namespace fs = std::filesystem;

// True when `path` is a directory on the way to the mount.
bool leads_to(const std::string& path, const std::string& mount) {
  return path.empty() || mount == path || mount.starts_with(path + "/");
}

}  // namespace

std::optional<fs::path> HostStorage::host_path(const std::string& path) const {
  if (mount_.empty()) return folder_ / path;
  if (path == mount_) return folder_;
  if (path.starts_with(mount_ + "/")) return folder_ / path.substr(mount_.size() + 1);
  return std::nullopt;
}

std::optional<FileStatus> HostStorage::status(const std::string& path) {
  const std::optional<fs::path> place = host_path(path);
  if (!place) return leads_to(path, mount_) ? std::optional(FileStatus{true, 0}) : std::nullopt;
  std::error_code error;
  const fs::file_status found = fs::status(*place, error);
  if (fs::is_directory(found)) return FileStatus{true, 0};
  if (!fs::is_regular_file(found)) return std::nullopt;
  const auto size = fs::file_size(*place, error);
  if (error) return std::nullopt;
  return FileStatus{false, size};
}

std::vector<std::string> HostStorage::list(const std::string& path) {
  std::vector<std::string> names;
  if (const std::optional<fs::path> place = host_path(path)) {
    std::error_code error;
    for (fs::directory_iterator at(*place, error), end; !error && at != end; at.increment(error))
      names.push_back(at->path().filename().string());
  } else if (leads_to(path, mount_)) {
    const std::string rest = path.empty() ? mount_ : mount_.substr(path.size() + 1);
    names.push_back(rest.substr(0, rest.find('/')));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::size_t HostStorage::read(const std::string& path, DoubleWord offset, std::span<Byte> to) {
  const std::optional<fs::path> place = host_path(path);
  if (!place) return 0;
  if (open_path_ != path || !reader_.is_open()) {
    reader_ = std::ifstream(*place, std::ios::binary);
    open_path_ = path;
  }
  reader_.clear();
  reader_.seekg(static_cast<std::streamoff>(offset));
  reader_.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
  return static_cast<std::size_t>(reader_.gcount());
}

bool HostStorage::write(const std::string& path, DoubleWord offset, std::span<const Byte> from) {
  const std::optional<fs::path> place = host_path(path);
  if (!place) return false;
  open_path_.clear();
  std::fstream file(*place, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(reinterpret_cast<const char*>(from.data()), static_cast<std::streamsize>(from.size()));
  return file.good();
}

bool HostStorage::create(const std::string& path) {
  const std::optional<fs::path> place = host_path(path);
  if (!place) return false;
  open_path_.clear();
  return std::ofstream(*place, std::ios::binary | std::ios::trunc).good();
}

bool HostStorage::remove(const std::string& path) {
  const std::optional<fs::path> place = host_path(path);
  std::error_code error;
  open_path_.clear();
  return place && fs::is_regular_file(*place, error) && fs::remove(*place, error);
}

bool HostStorage::rename(const std::string& from, const std::string& to) {
  const std::optional<fs::path> source = host_path(from);
  const std::optional<fs::path> target = host_path(to);
  if (!source || !target) return false;
  std::error_code error;
  open_path_.clear();
  fs::rename(*source, *target, error);
  return !error;
}

bool HostStorage::make_directory(const std::string& path) {
  const std::optional<fs::path> place = host_path(path);
  std::error_code error;
  return place && fs::create_directory(*place, error);
}

bool HostStorage::remove_directory(const std::string& path) {
  const std::optional<fs::path> place = host_path(path);
  std::error_code error;
  return place && fs::is_directory(*place, error) && fs::remove(*place, error);
}

}  // namespace pspllm::simulator
