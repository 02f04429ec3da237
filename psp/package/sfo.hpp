// PARAM.SFO: what the console's menu reads about a program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "psp/package/bytes.hpp"

namespace pspllm::package {

/// What differs from program to program.
struct ProgramDescription {
  std::string title;                  ///< UTF-8, shown in the menu; at most max_title_bytes.
  std::string disc_id = "PSPL00001";  ///< Nine characters A-Z and 0-9: four letters, five digits.
  std::string disc_version = "1.00";
};

/// The console's limit: 128 bytes with the NUL.
constexpr std::size_t max_title_bytes = 127;

/// PARAM.SFO of a program on the Memory Stick that asks for the large memory of the 64 MB models (MEMSIZE 1;
/// harmless on the PSP-1000).
[[nodiscard]] Result<Bytes> make_param_sfo(const ProgramDescription& description);

/// One entry, read back: `text` for strings, `number` for integers.
struct SfoEntry {
  std::string key;
  bool is_text = false;
  std::string text;
  std::uint32_t number = 0;
};

[[nodiscard]] Result<std::vector<SfoEntry>> read_param_sfo(ByteView bytes);

}  // namespace pspllm::package
