// The Stick on the console's own Memory Stick.
#pragma once

#include <optional>

#include "psp/platform/exit.hpp"
#include "psp/platform/files.hpp"
#include "psp/platform/stick_store.hpp"
#include "psp/program/stick.hpp"

namespace pspllm::psp {

class PspFileReader final : public FileReader {
 public:
  Status open(const Path& path) override;
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  /// Opens the file again, once, where a sleep of the console has closed it.
  Status read_at(std::uint64_t offset, std::span<std::byte> into) override;
  void close() override;

 private:
  [[nodiscard]] Status read_once(std::uint64_t offset, std::span<std::byte> into);

  File file_;
  Path path_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

class PspFileWriter final : public FileWriter {
 public:
  Status open(const Path& path) override { return file_.open(path, OpenMode::write); }
  Status write(std::string_view text) override { return file_.write(text); }
  Status close() override { return file_.close(); }

 private:
  File file_;
};

class PspStick final : public Stick {
 public:
  Status info(const Path& path, FileInfo& info) override { return store_.info(path, info); }
  Status write(const Path& path, std::span<const std::string_view> pieces) override {
    return store_.write(path, pieces);
  }
  Status rename(const Path& from, const Path& to) override { return store_.rename(from, to); }
  Status remove(const Path& path) override { return store_.remove(path); }

  Status read_whole(const Path& path, std::span<std::byte> into, std::size_t& size) override {
    return read_whole_file(path, into, size);
  }
  Status list_folder(const Path& path, const FolderVisitor& visitor) override;
  Status make_folder(const Path& path) override { return psp::make_folder(path); }

  [[nodiscard]] FileReader& model_file() override { return model_file_; }
  [[nodiscard]] FileReader& tokenizer_file() override { return tokenizer_file_; }
  [[nodiscard]] FileReader& draft_file() override { return draft_file_; }
  [[nodiscard]] FileWriter& output_file() override { return output_file_; }

  void begin_save() override;
  void end_save() override;

 private:
  StickStore store_;
  PspFileReader model_file_;
  PspFileReader tokenizer_file_;
  PspFileReader draft_file_;
  PspFileWriter output_file_;
  std::optional<ExitGuard> guard_;
};

}  // namespace pspllm::psp
