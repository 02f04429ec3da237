#pragma once
// A memory stick made of a folder of this computer.
#include <filesystem>
#include <fstream>

#include "simulator/storage.hpp"

namespace pspllm::simulator {

class HostStorage : public Storage {
 public:
  // What lies in `folder` appears on the stick under `mount` ("" or "PSP/GAME/X").
  HostStorage(std::filesystem::path folder, std::string mount)
      : folder_(std::move(folder)), mount_(std::move(mount)) {}

  std::optional<FileStatus> status(const std::string& path) override;
  std::vector<std::string> list(const std::string& path) override;
  std::size_t read(const std::string& path, DoubleWord offset, std::span<Byte> to) override;
  bool write(const std::string& path, DoubleWord offset, std::span<const Byte> from) override;
  bool create(const std::string& path) override;
  bool remove(const std::string& path) override;
  bool rename(const std::string& from, const std::string& to) override;
  bool make_directory(const std::string& path) override;
  bool remove_directory(const std::string& path) override;

 private:
  // The file of this computer; nothing for a path outside the mount.
  [[nodiscard]] std::optional<std::filesystem::path> host_path(const std::string& path) const;

  std::filesystem::path folder_;
  std::string mount_;
  std::string open_path_;  // of reader_
  std::ifstream reader_;
};

}  // namespace pspllm::simulator
