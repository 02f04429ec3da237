#pragma once
// Builds small PSP programs with Debian's MIPS cross compiler, for tests. Nothing is built where it is
// missing.
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "simulator/words.hpp"
#include "tests/support/read_file.hpp"

namespace pspllm::simulator {

inline bool has_cross_compiler() {
  return std::system("mipsel-linux-gnu-g++ --version > /dev/null 2>&1") == 0;
}

// A folder that goes away with this object.
class ScratchFolder {
 public:
  ScratchFolder()
      : path_(std::filesystem::temp_directory_path() /
              ("pspllm_simulator_" + std::to_string(std::random_device{}()))) {
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The flags of psp-build.md: the PSP's calling convention, MIPS II instructions only.
inline constexpr const char* cross_flags =
    "-march=mips2 -mabi=eabi -mgp32 -mlong32 -msingle-float -mhard-float -G0 -mno-abicalls -fno-pic -fno-pie "
    "-mdivide-breaks -ffreestanding -fno-exceptions -fno-rtti -fno-threadsafe-statics "
    "-fno-asynchronous-unwind-tables "
    "-fno-stack-protector -U_FORTIFY_SOURCE -DSYS_futex=0 -std=c++20 -O2 -fno-math-errno -Wa,-W -I.";

// Compiles `source` (run from the project root) and links it as a static ELF at 0x08804000 that begins at
// `start`. Empty when that fails.
inline std::vector<Byte> build_static_elf(const std::string& source, const std::filesystem::path& folder) {
  const std::string object = (folder / "program.o").string();
  const std::string elf = (folder / "program.elf").string();
  const std::string compile =
      "mipsel-linux-gnu-g++ " + std::string(cross_flags) + " -c " + source + " -o " + object;
  const std::string link =
      "mipsel-linux-gnu-ld -EL -nostdlib -static --no-warn-rwx-segments -z max-page-size=64 -T "
      "simulator/programs/static.ld " +
      object + " -o " + elf;
  if (std::system(compile.c_str()) != 0 || std::system(link.c_str()) != 0) return {};
  return testing::read_file<std::vector<Byte>>(elf);
}

}  // namespace pspllm::simulator
