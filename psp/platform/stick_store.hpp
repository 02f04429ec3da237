// The FileStore of atomic_save.hpp on the real Memory Stick.
#pragma once

#include "psp/platform/atomic_save.hpp"

namespace pspllm::psp {

class StickStore final : public FileStore {
 public:
  Status info(const Path& path, FileInfo& info) override;
  Status write(const Path& path, std::span<const std::string_view> pieces) override;
  Status rename(const Path& from, const Path& to) override;
  Status remove(const Path& path) override;
};

}  // namespace pspllm::psp
