// A Memory Stick in a PC's memory, for tests: it can be full, write-protected, or pulled out after any number
// of operations.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <string>

#include "psp/program/stick.hpp"

namespace pspllm::psp {

class FakeStick;

class FakeReader final : public FileReader {
 public:
  explicit FakeReader(FakeStick& stick) : stick_(stick) {}
  Status open(const Path& path) override;
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  Status read_at(std::uint64_t offset, std::span<std::byte> into) override;
  void close() override { path_.clear(); }

 private:
  FakeStick& stick_;
  std::string path_;
  std::uint64_t size_ = 0;
};

class FakeWriter final : public FileWriter {
 public:
  explicit FakeWriter(FakeStick& stick) : stick_(stick) {}
  Status open(const Path& path) override;
  Status write(std::string_view text) override;
  Status close() override { return {}; }

 private:
  FakeStick& stick_;
  std::string path_;
};

class FakeStick final : public Stick {
 public:
  static constexpr std::int32_t injected_error = -1000;
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  std::map<std::string, std::string> files;
  bool write_protected = false;
  std::uint64_t free_bytes = never;
  /// Every operation from this one on fails: the stick is gone.
  std::uint64_t operations_left = never;
  /// Reads of model and tokenizer that reach this byte of the file come up short.
  std::uint64_t short_read_from = never;
  int open_saves = 0;

  Status info(const Path& path, FileInfo& info) override {
    if (Status status = operate("asking about", path); !status.ok()) return status;
    info = {};
    const auto file = files.find(std::string(path.view()));
    if (file != files.end()) {
      info.exists = true;
      info.size = file->second.size();
    } else if (is_folder(path.view())) {
      info.exists = true;
      info.is_directory = true;
    }
    return {};
  }

  Status write(const Path& path, std::span<const std::string_view> pieces) override {
    if (Status status = operate("writing", path); !status.ok()) return status;
    std::string text;
    for (const std::string_view piece : pieces) text += piece;
    return put(path, text);
  }

  Status rename(const Path& from, const Path& to) override {
    if (Status status = change("renaming", from); !status.ok()) return status;
    auto node = files.extract(std::string(from.view()));
    if (node.empty() || files.count(std::string(to.view())) != 0) return fail("renaming", from);
    node.key() = std::string(to.view());
    files.insert(std::move(node));
    return {};
  }

  Status remove(const Path& path) override {
    if (Status status = change("removing", path); !status.ok()) return status;
    files.erase(std::string(path.view()));
    return {};
  }

  Status read_whole(const Path& path, std::span<std::byte> into, std::size_t& size) override {
    if (Status status = operate("reading", path); !status.ok()) return status;
    const auto file = files.find(std::string(path.view()));
    if (file == files.end()) return fail("reading", path);
    size = file->second.size();
    if (size > into.size()) return failure("too large:", path.view(), error_too_large);
    std::memcpy(into.data(), file->second.data(), size);
    return {};
  }

  Status list_folder(const Path& path, const FolderVisitor& visitor) override {
    if (Status status = operate("listing", path); !status.ok()) return status;
    const std::string prefix = std::string(path.view()) + "/";
    std::string last;
    for (const auto& [name, content] : files) {
      if (name.rfind(prefix, 0) != 0) continue;
      const std::string rest = name.substr(prefix.size());
      const std::size_t slash = rest.find('/');
      const std::string first = rest.substr(0, slash);
      if (first == last) continue;
      last = first;
      DirectoryEntry entry;
      entry.name.append(first);
      entry.info.exists = true;
      entry.info.is_directory = slash != std::string::npos;
      entry.info.size = content.size();
      visitor.visit(visitor.context, entry);
    }
    return {};
  }

  Status make_folder(const Path& path) override { return change("making", path); }

  FileReader& model_file() override { return model_; }
  FileReader& tokenizer_file() override { return tokenizer_; }
  FileReader& draft_file() override { return draft_; }
  FileWriter& output_file() override { return output_; }
  void begin_save() override { ++open_saves; }
  void end_save() override { --open_saves; }

  Status operate(std::string_view what, const Path& path) {
    if (operations_left == 0) return fail(what, path);
    if (operations_left != never) --operations_left;
    return {};
  }

  Status change(std::string_view what, const Path& path) {
    if (Status status = operate(what, path); !status.ok()) return status;
    return write_protected ? fail(what, path) : Status{};
  }

  /// As a real stick does it: what fits is written, then the failure comes.
  Status put(const Path& path, const std::string& text) {
    if (write_protected) return fail("writing", path);
    const std::uint64_t fitting = std::min<std::uint64_t>(text.size(), free_bytes);
    files[std::string(path.view())] = text.substr(0, static_cast<std::size_t>(fitting));
    if (fitting < text.size()) return failure("the stick is full, writing", path.view(), injected_error);
    return {};
  }

  static Status fail(std::string_view what, const Path& path) {
    return failure(what, path.view(), injected_error);
  }

 private:
  bool is_folder(std::string_view path) const {
    const std::string prefix = std::string(path) + "/";
    const auto next = files.lower_bound(prefix);
    return next != files.end() && next->first.rfind(prefix, 0) == 0;
  }

  FakeReader model_{*this};
  FakeReader tokenizer_{*this};
  FakeReader draft_{*this};
  FakeWriter output_{*this};
};

inline Status FakeReader::open(const Path& path) {
  if (Status status = stick_.operate("opening", path); !status.ok()) return status;
  const auto file = stick_.files.find(std::string(path.view()));
  if (file == stick_.files.end()) return FakeStick::fail("opening", path);
  path_ = std::string(path.view());
  size_ = file->second.size();
  return {};
}

inline Status FakeReader::read_at(std::uint64_t offset, std::span<std::byte> into) {
  const Path path{std::string_view(path_)};
  if (Status status = stick_.operate("reading", path); !status.ok()) return status;
  const std::string& content = stick_.files.at(path_);
  if (offset + into.size() > content.size() || offset + into.size() > stick_.short_read_from) {
    return failure("the file ended early:", path_, error_short_read);
  }
  std::memcpy(into.data(), content.data() + offset, into.size());
  return {};
}

inline Status FakeWriter::open(const Path& path) {
  if (Status status = stick_.operate("opening", path); !status.ok()) return status;
  path_ = std::string(path.view());
  return stick_.put(path, "");
}

inline Status FakeWriter::write(std::string_view text) {
  const Path path{std::string_view(path_)};
  if (Status status = stick_.operate("writing", path); !status.ok()) return status;
  return stick_.put(path, stick_.files[path_] + std::string(text));
}

}  // namespace pspllm::psp
