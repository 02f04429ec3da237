#pragma once
// EBOOT.PBP: the container that a memory stick holds, and its PARAM.SFO.
#include <map>
#include <span>
#include <string>

#include "simulator/result.hpp"
#include "simulator/words.hpp"

namespace pspllm::simulator {

struct Pbp {
  std::map<std::string, std::string> strings;  // of PARAM.SFO
  std::map<std::string, Word> numbers;         // of PARAM.SFO
  std::span<const Byte> program;               // DATA.PSP, a view of the file

  // MEMSIZE=1: 64 MB models give the program their large partition.
  [[nodiscard]] bool wants_large_memory() const;
};

[[nodiscard]] bool is_pbp(std::span<const Byte> file);
[[nodiscard]] Result<Pbp> parse_pbp(std::span<const Byte> file);

}  // namespace pspllm::simulator
