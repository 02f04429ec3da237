#pragma once
// The memory stick as a program meets it: open files, its speed, and the faults that a test may ask for.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/clock.hpp"
#include "simulator/storage.hpp"
#include "simulator/words.hpp"

namespace pspllm::simulator {

// Faults to inject. Counts are from 1; nothing: never.
struct StickFaults {
  std::optional<DoubleWord> failing_read;  // this sceIoRead returns an error
  std::optional<DoubleWord> short_read;    // this sceIoRead returns half of what it should
  std::optional<DoubleWord> space_bytes;   // what may be written before the stick is full
  bool read_only = false;
  std::optional<Picoseconds> removed_at;  // from then on the stick is gone
};

constexpr DoubleWord default_free_bytes = DoubleWord{2} * 1024 * 1024 * 1024;

// Flags of sceIoOpen.
namespace open_flag {
constexpr Word read = 0x0001;
constexpr Word write = 0x0002;
constexpr Word append = 0x0100;
constexpr Word create = 0x0200;
constexpr Word truncate = 0x0400;
constexpr Word exclusive = 0x0800;
}  // namespace open_flag

struct OpenFile {
  std::string path;
  Word flags = 0;
  DoubleWord position = 0;
};

struct OpenDirectory {
  std::string path;
  std::vector<std::string> names;
  std::size_t next = 0;
};

struct Stick {
  StickFaults faults;
  std::map<Word, OpenFile> files;
  std::map<Word, OpenDirectory> directories;
  std::string working_directory;
  bool has_working_directory = false;
  bool removed = false;
  DoubleWord reads = 0;
  DoubleWord bytes_read = 0;
  DoubleWord bytes_written = 0;
  DoubleWord free_bytes = default_free_bytes;
};

}  // namespace pspllm::simulator
