#pragma once
// An EBOOT.PBP around a program, with a PARAM.SFO that holds MEMSIZE=1.
#include <algorithm>
#include <array>
#include <vector>

#include "simulator/words.hpp"

namespace pspllm::simulator {

inline std::vector<Byte> pbp_around(const std::vector<Byte>& program) {
  constexpr Word header = 40;
  constexpr Word sfo = 20 + 16 + 8 + 4;
  std::vector<Byte> file(header + sfo + program.size());
  const auto word = [&](std::size_t offset, Word value) { store_as(file.data() + offset, value); };
  word(0, 0x50425000);
  word(4, 0x00010000);
  word(8, header);
  for (std::size_t i = 1; i < 7; ++i) word(8 + i * 4, header + sfo);
  word(36, header + sfo + static_cast<Word>(program.size()));
  const std::array<Word, 12> parameters{0x46535000, 0x101, 36, 44,         1,          0x04040000,
                                        4,          4,     0,  0x534D454D, 0x00455A49, 1};
  for (std::size_t i = 0; i < parameters.size(); ++i) word(header + i * 4, parameters[i]);
  std::copy(program.begin(), program.end(), file.begin() + header + sfo);
  return file;
}

}  // namespace pspllm::simulator
