#include "engine/model/file_signature.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace pspllm {
namespace {

bool starts_with(std::span<const std::byte> bytes, std::string_view prefix, std::size_t at = 0) noexcept {
  if (bytes.size() < at + prefix.size()) return false;
  return std::equal(prefix.begin(), prefix.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char c, std::byte b) { return static_cast<std::byte>(c) == b; });
}

bool is_text_byte(std::byte byte) noexcept {
  const auto value = static_cast<std::uint8_t>(byte);
  return value >= 0x20 || value == '\n' || value == '\r' || value == '\t';
}

}  // namespace

const char* foreign_format(std::span<const std::byte> first_bytes) noexcept {
  using namespace std::string_view_literals;
  const struct {
    std::string_view prefix;
    std::size_t at;
    const char* name;
  } signatures[] = {
      {"GGUF"sv, 0, "a GGUF file (llama.cpp)"},
      {"tjgg"sv, 0, "an old GGML file (llama.cpp)"},
      {"lmgg"sv, 0, "an old GGML file (llama.cpp)"},
      {"PK\x03\x04"sv, 0, "a zip archive (PyTorch checkpoints are zips)"},
      {"\x80\x02"sv, 0, "a Python pickle (an old PyTorch checkpoint)"},
      {"\x1f\x8b"sv, 0, "a gzip archive"},
      {"\xfd"
       "7zXZ"sv,
       0, "an xz archive"},
      {"7z\xbc\xaf"sv, 0, "a 7z archive"},
      {"\x89PNG"sv, 0, "a PNG picture"},
      {"\x7f"
       "ELF"sv,
       0, "an ELF program"},
      {"\0PBP"sv, 0, "a PSP program (EBOOT.PBP)"},
      {"%PDF"sv, 0, "a PDF document"},
      {"{\""sv, 8, "a safetensors file"},
      {"{ "sv, 8, "a safetensors file"},
  };
  for (const auto& signature : signatures) {
    if (starts_with(first_bytes, signature.prefix, signature.at)) return signature.name;
  }
  constexpr std::size_t enough_text = 16;
  if (first_bytes.size() >= enough_text &&
      std::all_of(first_bytes.begin(), first_bytes.end(), is_text_byte)) {
    return "a text file";
  }
  return nullptr;
}

}  // namespace pspllm
