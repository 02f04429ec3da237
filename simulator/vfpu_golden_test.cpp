// The VFPU against 4,000 golden records (shared/data/vfpu): every operation whose hardware behaviour is known
// to the bit must agree to the bit; the approximated functions within the published accuracy.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "simulator/test_core.hpp"
#include "simulator/vfpu_registers.hpp"
#include "tests/support/read_file.hpp"

namespace pspllm::simulator {

namespace {

std::string shared_folder() {
  const char* const named = std::getenv("PSPLLM_SHARED");
  return named != nullptr ? named : "../shared";
}

/// Empty where there is no such file.
std::vector<Word> read_words(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  const std::string bytes = testing::read_file(path);
  std::vector<Word> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

// One line of ops.txt: the word that computes it into C700 (or M700), and the lanes that it writes.
struct GoldenOperation {
  std::string name;
  Word word = 0;
  unsigned lanes = 4;
  double tolerance = 0.0;  // relative (absolute below 1) for approximated functions
  bool half = false;       // half precision: see half_agrees
};

constexpr Word matrix0 = 0x00;   // M000
constexpr Word vector_v = 0x04;  // C100
constexpr Word vector_w = 0x05;  // C110
constexpr Word result = 0x1C;    // C700
constexpr Word matrix2 = 0x08;   // M200: [V, W, V, W]
constexpr unsigned record_inputs = 24;

std::vector<GoldenOperation> operations() {
  const auto binary = [](Word base) { return encode::vfpu(base, result, vector_v, vector_w); };
  const auto unary = [](Word base) { return encode::vfpu(base, result, vector_v); };
  const auto transform = [](Word base) { return encode::vfpu(base, result, matrix0, vector_v); };
  return {{"vadd.q", binary(0x60008080)},
          {"vsub.q", binary(0x60808080)},
          {"vmul.q", binary(0x64008080)},
          {"vdiv.q", binary(0x63808080)},
          {"vdot.p", binary(0x64800080), 1},
          {"vdot.t", binary(0x64808000), 1},
          {"vdot.q", binary(0x64808080), 1},
          {"vhdp.q", binary(0x66008080), 1},
          {"vtfm2.p", transform(0xF0800080), 2},
          {"vtfm3.t", transform(0xF1008000), 3},
          {"vtfm4.q", transform(0xF1808080)},
          {"vhtfm4.q", transform(0xF1808000)},
          {"vfad.q", unary(0xD0468080), 1},
          {"vavg.q", unary(0xD0478080), 1},
          {"vavg.t", unary(0xD0478000), 1},
          {"vscl.q", binary(0x65008080)},
          {"vsqrt.q", unary(0xD0168080), 4, 8e-7},
          {"vrcp.q", unary(0xD0108080), 4, 8e-7},
          {"vrsq.q", unary(0xD0118080), 4, 8e-7},
          {"vsin.q", unary(0xD0128080), 4, 8e-7},
          {"vcos.q", unary(0xD0138080), 4, 8e-7},
          {"vexp2.q", unary(0xD0148080), 4, 8e-7},
          {"vlog2.q", unary(0xD0158080), 4, 6e-5},
          {"vasin.q", unary(0xD0178080), 4, 4e-2},
          {"vf2in.q.0", unary(0xD2008080)},
          {"vf2iz.q.0", unary(0xD2208080)},
          {"vi2f.q.0", unary(0xD2808080)},
          {"vmin.q", binary(0x6D008080)},
          {"vmax.q", binary(0x6D808080)},
          {"vf2h.q", unary(0xD0328080), 2, 0.0, true},
          {"vh2f.p", unary(0xD0330080), 4, 0.0, true},
          {"vsat0.q", unary(0xD0048080)},
          {"vcrs.t", binary(0x66808000), 3},
          {"vcrsp.t", binary(0xF2808000), 3},
          {"vqmul.q", binary(0xF2808080)},
          {"vmmul.q.c0", encode::vfpu(0xF0008080, result, matrix0, matrix2)},
          {"vmmul.q.c1", encode::vfpu(0xF0008080, result, matrix0, matrix2)},
          {"vmmul.q.c2", encode::vfpu(0xF0008080, result, matrix0, matrix2)},
          {"vmmul.q.c3", encode::vfpu(0xF0008080, result, matrix0, matrix2)}};
}

unsigned column_of(const std::string& name) {
  return name.starts_with("vmmul") ? static_cast<unsigned>(name.back() - '0') : 0;
}

void load_record(Core& core, const Word* record) {
  for (unsigned i = 0; i < 16; ++i) core.vpr[i] = record[i];
  for (unsigned i = 0; i < 4; ++i) {
    core.vpr[vfpu_index(1, 0, i)] = record[16 + i];
    core.vpr[vfpu_index(1, 1, i)] = record[20 + i];
    for (unsigned j = 0; j < 4; ++j) core.vpr[vfpu_index(2, j, i)] = record[16 + (j % 2) * 4 + i];
  }
}

bool within(Word got, Word expected, double tolerance) {
  if (got == expected) return true;
  const double a = as_double(got);
  const double b = as_double(expected);
  if (!std::isfinite(a) || !std::isfinite(b)) return false;
  return std::fabs(a - b) <= tolerance * std::fmax(1.0, std::fabs(b)) ||
         std::fabs(a - b) <= tolerance * std::fabs(b);
}

// The records come from an emulator, which rounds to half precision and keeps subnormal halves. Hardware,
// which the vfpu-docs project tested, cuts and flushes; that is what the simulator does, so the two may
// differ by that much.
bool half_agrees(const std::string& name, Word got, Word expected) {
  if (got == expected) return true;
  if (name == "vh2f.p") return (got & 0x7FFFFFFFU) == 0 && (expected & 0x7FFFFFFFU) < as_bits(0x1p-14F);
  for (unsigned shift = 0; shift < 32; shift += 16) {
    const Word ours = (got >> shift) & 0xFFFFU;
    const Word theirs = (expected >> shift) & 0xFFFFU;
    const bool subnormal = (ours & 0x7FFFU) == 0 && (theirs & 0x7FFFU) <= 0x0400U;
    if (theirs != ours && theirs != ours + 1U && !subnormal) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("golden VFPU records") {
  const std::vector<Word> inputs = read_words(shared_folder() + "/data/vfpu/inputs.bin");
  const std::vector<Word> outputs = read_words(shared_folder() + "/data/vfpu/outputs.bin");
  if (inputs.empty() || outputs.empty()) {
    MESSAGE("skipped: no golden VFPU records in " << shared_folder() << "/data/vfpu");
    return;
  }
  const std::vector<GoldenOperation> list = operations();
  const std::size_t records = inputs.size() / record_inputs;
  REQUIRE(outputs.size() == records * list.size() * 4);
  TestCore machine;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const GoldenOperation& operation = list[k];
    CAPTURE(operation.name);
    std::size_t different = 0;
    std::size_t wrong = 0;
    std::size_t lanes = 0;
    for (std::size_t r = 0; r < records; ++r) {
      load_record(machine.core, &inputs[r * record_inputs]);
      REQUIRE(machine.run({operation.word}));
      for (unsigned i = 0; i < operation.lanes; ++i) {
        const Word got = machine.core.vpr[vfpu_index(7, column_of(operation.name), i)];
        const Word expected = outputs[(r * list.size() + k) * 4 + i];
        ++lanes;
        different += got != expected;
        const bool fine = operation.half               ? half_agrees(operation.name, got, expected)
                          : operation.tolerance == 0.0 ? got == expected
                                                       : within(got, expected, operation.tolerance);
        if (!fine && wrong++ == 0)
          MESSAGE(operation.name << " record " << r << " lane " << i << ": " << std::hex << got << " not "
                                 << expected);
      }
    }
    CHECK(wrong == 0);
    if (operation.tolerance != 0.0 || operation.half)
      MESSAGE(operation.name << ": " << lanes - different << " of " << lanes << " lanes equal to the bit");
  }
}

}  // namespace pspllm::simulator
