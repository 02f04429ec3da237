#include "psp/benchmark/measure_stick.hpp"

#include <algorithm>

namespace pspllm::psp {
namespace {

constexpr std::size_t large_piece = 128 * 1024;
constexpr std::size_t small_piece = 8 * 1024;

/// Microseconds to read the first large_piece bytes in pieces of that size.
Status read_us(const LoopBench& bench, FileReader& file, std::size_t piece, std::uint64_t& us) {
  const std::uint64_t start = bench.console.now_us();
  for (std::size_t offset = 0; offset < large_piece; offset += piece) {
    if (Status status = file.read_at(offset, bench.block.subspan(offset, piece)); !status.ok()) return status;
  }
  us = std::max<std::uint64_t>(bench.console.now_us() - start, 1);
  return {};
}

}  // namespace

Status measure_stick(const LoopBench& bench, Stick& stick, const Path& program_file, StickSpeed& speed) {
  speed = {};
  FileReader& file = stick.model_file();
  const std::uint64_t start = bench.console.now_us();
  if (Status status = file.open(program_file); !status.ok()) return status;
  const std::uint64_t open_us = bench.console.now_us() - start;
  std::uint64_t in_one = 0;
  std::uint64_t in_many = 0;
  Status status;
  if (file.size() >= large_piece) {
    status = read_us(bench, file, large_piece, in_one);
    if (status.ok()) status = read_us(bench, file, small_piece, in_many);
  }
  file.close();
  if (!status.ok() || in_one == 0) return status;
  constexpr std::uint64_t calls = large_piece / small_piece;
  const std::uint64_t call_us = in_many > in_one ? (in_many - in_one) / (calls - 1) : 0;
  const std::uint64_t bytes_us = std::max<std::uint64_t>(in_one - std::min(in_one, call_us), 1);
  speed.kilobytes_per_second = static_cast<std::uint32_t>(large_piece * 1000 / bytes_us);
  speed.call_us = static_cast<std::uint32_t>(call_us);
  // Opening asks for the size first: two calls of the same kind.
  speed.open_us = static_cast<std::uint32_t>(open_us / 2);
  return {};
}

}  // namespace pspllm::psp
