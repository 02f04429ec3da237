// Random straight-line programs of MIPS II, MIPS32r2 bit instructions and FPU, run here and by qemu-mipsel:
// every register and byte of memory must agree. Skipped without qemu-mipsel.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "simulator/test_core.hpp"
#include "tests/support/read_file.hpp"

namespace pspllm::simulator {

namespace {

using namespace encode;

constexpr Word first_register = v0;  // $v0 .. $t9 take part; $s8 points to the data
constexpr Word last_register = t9;
constexpr Word base_register = s8;
constexpr std::size_t scratch_bytes = 256;
constexpr std::size_t body_instructions = 400;
constexpr Word longest_branch = 3;  // instructions after the delay slot that a branch may pass over, and one

// What both sides begin with, and what both end with.
struct State {
  std::array<Word, 32> gpr{};
  std::array<Word, 32> fpr{};
  Word hi = 0;
  Word lo = 0;
  Word fcr31 = 0;
  std::array<Byte, scratch_bytes> scratch{};
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  State initial_state() {
    State state;
    for (Word& value : state.gpr) value = interesting_word();
    for (Word& value : state.fpr) value = interesting_float();
    state.hi = interesting_word();
    state.lo = interesting_word();
    state.fcr31 = below(4);  // a rounding mode, no traps
    for (Byte& value : state.scratch) value = static_cast<Byte>(below(256));
    return state;
  }

  std::vector<Word> body() {
    std::vector<Word> words;
    while (words.size() < body_instructions) add_instruction(words);
    words.insert(words.end(), 4, nop);  // where the last branches may lead
    return words;
  }

 private:
  Word below(Word n) { return static_cast<Word>(random_() % n); }
  Word any_register() { return first_register + below(last_register - first_register + 1); }
  Word any_fpr() { return below(32); }

  Word interesting_word() {
    constexpr Word special[] = {0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFF8000, 0x00010000};
    const auto random = static_cast<Word>(random_());
    switch (below(4)) {
      case 0:
        return special[below(8)];
      case 1:
        return random & 0xFFU;
      default:
        return random;
    }
  }

  Word interesting_float() {
    constexpr Word special[] = {0x00000000, 0x80000000, 0x3F800000, 0x00000001, 0x007FFFFF, 0x00800000,
                                0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7F800001, 0x7FC00000, 0xFFBFFFFF};
    const auto random = static_cast<Word>(random_());
    switch (below(5)) {
      case 0:
        return special[below(12)];
      case 1:
        return random;
      default:
        return (random & 0x807FFFFFU) | (120U + below(16)) << 23U;  // around 1
    }
  }

  void add_instruction(std::vector<Word>& words) {
    switch (below(12)) {
      case 0:
        return words.push_back(immediate());
      case 1:
        return words.push_back(shift());
      case 2:
        return words.push_back(bit_field());
      case 3:
        return words.push_back(memory());
      case 4:
        return add_multiply(words);
      case 5:
        return add_branch(words);
      case 6:
      case 7:
        return words.push_back(float_arithmetic());
      case 8:
        return words.push_back(float_move());
      case 9:
        return add_conversion(words);
      default:
        return words.push_back(three_registers());
    }
  }

  Word three_registers() {
    constexpr Word functs[] = {0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2A, 0x2B, 0x0A, 0x0B};
    return r_type(functs[below(10)], any_register(), any_register(), any_register());
  }
  Word immediate() {
    const Word opcode = 0x09 + below(7);  // addiu .. lui
    return i_type(opcode, any_register(), opcode == 0x0F ? 0 : any_register(), as_signed(below(0x10000)));
  }
  Word shift() {
    constexpr Word functs[] = {0x00, 0x02, 0x03, 0x04, 0x06, 0x07};
    const Word funct = functs[below(6)];
    const bool rotate = (funct & 3U) == 2U && below(2) == 1;
    if (funct < 4) return r_type(funct, any_register(), rotate ? 1 : 0, any_register(), below(32));
    return r_type(funct, any_register(), any_register(), any_register(), rotate ? 1 : 0);
  }
  Word bit_field() {
    const Word position = below(32);
    const Word size = 1 + below(32 - position);
    switch (below(5)) {
      case 0:
        return seb(any_register(), any_register());
      case 1:
        return seh(any_register(), any_register());
      case 2:
        return wsbh(any_register(), any_register());
      case 3:
        return ext(any_register(), any_register(), position, size);
      default:
        return ins(any_register(), any_register(), position, size);
    }
  }
  Word memory() {
    struct Kind {
      Word opcode;
      Word align;
      bool fpr;
    };
    constexpr Kind kinds[] = {{0x20, 1, false}, {0x21, 2, false}, {0x22, 1, false}, {0x23, 4, false},
                              {0x24, 1, false}, {0x25, 2, false}, {0x26, 1, false}, {0x28, 1, false},
                              {0x29, 2, false}, {0x2A, 1, false}, {0x2B, 4, false}, {0x2E, 1, false},
                              {0x31, 4, true},  {0x39, 4, true}};
    const Kind& kind = kinds[below(14)];
    const auto offset = as_signed(below(scratch_bytes - 4) & ~(kind.align - 1U));
    return i_type(kind.opcode, kind.fpr ? any_fpr() : any_register(), base_register, offset);
  }
  void add_multiply(std::vector<Word>& words) {
    const Word s = any_register();
    const Word t = any_register();
    switch (below(8)) {
      case 0:
        return words.push_back(mult(s, t));
      case 1:
        return words.push_back(multu(s, t));
      case 2:
        return words.push_back(mfhi(any_register()));
      case 3:
        return words.push_back(mflo(any_register()));
      case 4:
        return words.push_back(mthi(s));
      case 5:
        return words.push_back(mtlo(s));
      default:
        // A divisor that is neither 0 nor -1: those have no result that is the same everywhere.
        words.insert(words.end(), longest_branch, nop);  // no branch may lead between
        words.push_back(i_type(0x0C, t, t, 0x7FFF));
        words.push_back(ori(t, t, 1));
        return words.push_back(below(2) == 0 ? div(s, t) : divu(s, t));
    }
  }
  void add_branch(std::vector<Word>& words) {
    constexpr Word opcodes[] = {0x04, 0x05, 0x06, 0x07, 0x14, 0x15, 0x16, 0x17};
    const Word opcode = opcodes[below(8)];
    const bool one_source = (opcode & 2U) != 0;
    words.push_back(i_type(opcode, one_source ? 0 : any_register(), any_register(),
                           as_signed(1 + below(longest_branch))));
    words.push_back(three_registers());
  }
  Word float_arithmetic() {
    constexpr Word functs[] = {0x00, 0x01, 0x02, 0x03, 0x04};
    const Word funct = functs[below(5)];
    return fpu(funct, any_fpr(), any_fpr(), funct == 0x04 ? 0 : any_fpr());
  }
  Word float_move() {
    switch (below(6)) {
      case 0:
        return mtc1(any_register(), any_fpr());
      case 1:
        return mfc1(any_register(), any_fpr());
      case 2:
        return fpu(0x05 + below(3), any_fpr(), any_fpr(), 0);  // abs.s, mov.s, neg.s
      default:
        return fpu(0x30 + below(16), 0, any_fpr(), any_fpr());  // c.cond.s
    }
  }
  // An integer to float and back: both sides agree on what does not overflow.
  void add_conversion(std::vector<Word>& words) {
    constexpr Word functs[] = {0x0C, 0x0D, 0x0E, 0x0F, 0x24};
    const Word middle = any_fpr();
    words.insert(words.end(), longest_branch, nop);                  // no branch may lead between
    words.push_back(0x46800020U | any_fpr() << 11U | middle << 6U);  // cvt.s.w
    words.push_back(fpu(functs[below(5)], any_fpr(), middle, 0));
  }

  std::mt19937 random_;
};

// --- the qemu side: a Linux program around the same words
// --------------------------------------------------------

constexpr Address image_base = 0x00400000;
constexpr std::size_t header_bytes = 84;
constexpr std::size_t data_bytes = 1024;  // gpr, fpr, hi, lo, fcr31, then the scratch bytes at 512
constexpr SignedWord fpr_offset = 128;
constexpr SignedWord hi_offset = 256;
constexpr SignedWord lo_offset = 260;
constexpr SignedWord control_offset = 264;
constexpr SignedWord scratch_offset = 512;

constexpr Word swc1(Word ft, SignedWord offset, Word base) {
  return i_type(0x39, ft, base, offset);
}
constexpr Word lwc1(Word ft, SignedWord offset, Word base) {
  return i_type(0x31, ft, base, offset);
}
constexpr Word cfc1(Word rt, Word fs) {
  return 0x44400000U | rt << 16U | fs << 11U;
}

std::vector<Word> linux_program(const std::vector<Word>& body, Address data) {
  std::vector<Word> words{lui(s8, data >> 16U), ori(s8, s8, data & 0xFFFFU)};
  for (Word r = 0; r < 32; ++r) words.push_back(lwc1(r, fpr_offset + as_signed(r) * 4, s8));
  words.insert(words.end(), {lw(v0, hi_offset, s8), mthi(v0), lw(v0, lo_offset, s8), mtlo(v0),
                             lw(v0, control_offset, s8), ctc1(v0, 31)});
  for (Word r = first_register; r <= last_register; ++r) words.push_back(lw(r, as_signed(r) * 4, s8));
  words.push_back(addiu(s8, s8, scratch_offset));
  words.insert(words.end(), body.begin(), body.end());
  words.push_back(addiu(s8, s8, -scratch_offset));
  for (Word r = first_register; r <= last_register; ++r) words.push_back(sw(r, as_signed(r) * 4, s8));
  for (Word r = 0; r < 32; ++r) words.push_back(swc1(r, fpr_offset + as_signed(r) * 4, s8));
  words.insert(words.end(), {mfhi(v0), sw(v0, hi_offset, s8), mflo(v0), sw(v0, lo_offset, s8), cfc1(v0, 31),
                             sw(v0, control_offset, s8)});
  // write(1, data, data_bytes); exit(0)
  words.insert(words.end(),
               {addiu(a0, zero, 1), addu(a1, s8, zero), addiu(a2, zero, data_bytes), addiu(v0, zero, 4004),
                syscall(0), addiu(a0, zero, 0), addiu(v0, zero, 4001), syscall(0)});
  return words;
}

void append(std::vector<Byte>& bytes, const void* from, std::size_t size) {
  const auto* const begin = static_cast<const Byte*>(from);
  bytes.insert(bytes.end(), begin, begin + size);
}

std::vector<Byte> linux_file(const std::vector<Word>& body, const State& state) {
  const auto code_bytes = static_cast<Word>(linux_program(body, 0).size() * 4);
  const Address code = image_base + header_bytes;
  const Address data = (code + code_bytes + 63U) & ~63U;
  const std::vector<Word> words = linux_program(body, data);
  const Word file_bytes = data - image_base + data_bytes;
  const std::array<Word, 21> header{0x464C457F, 0x00010101, 0,          0,          0x00080002, 1, code,
                                    52,         0,          0x70001001, 0x00200034, 0x00000001, 0, 1,
                                    0,          image_base, image_base, file_bytes, file_bytes, 7, 0x1000};
  std::vector<Byte> bytes;
  append(bytes, header.data(), header_bytes);
  append(bytes, words.data(), words.size() * 4);
  bytes.resize(data - image_base);
  append(bytes, state.gpr.data(), 128);
  append(bytes, state.fpr.data(), 128);
  const std::array<Word, 3> rest{state.hi, state.lo, state.fcr31};
  append(bytes, rest.data(), 12);
  bytes.resize(data - image_base + static_cast<std::size_t>(scratch_offset));
  append(bytes, state.scratch.data(), scratch_bytes);
  bytes.resize(file_bytes);
  return bytes;
}

bool has_qemu() {
  return std::system("qemu-mipsel --version > /dev/null 2>&1") == 0;
}

// The data block after the program has run; empty when it did not.
std::vector<Word> run_in_qemu(const std::vector<Word>& body, const State& state,
                              const std::filesystem::path& folder) {
  const std::filesystem::path program = folder / "program";
  const std::filesystem::path output = folder / "output";
  const std::vector<Byte> bytes = linux_file(body, state);
  std::ofstream(program, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string command = "qemu-mipsel " + program.string() + " > " + output.string() + " 2>/dev/null";
  if (std::system(command.c_str()) != 0) return {};
  const std::string text = testing::read_file(output);
  std::vector<Word> words(text.size() / 4);
  std::memcpy(words.data(), text.data(), words.size() * 4);
  return words;
}

// --- the simulator's side
// ----------------------------------------------------------------------------------------

bool run_here(const std::vector<Word>& body, State& state, TestCore& machine) {
  Core& core = machine.core;
  for (Word r = first_register; r <= last_register; ++r) core.gpr[r] = state.gpr[r];
  core.gpr[base_register] = TestCore::data;
  core.fpr = state.fpr;
  core.hi = state.hi;
  core.lo = state.lo;
  core.fcr31 = state.fcr31;
  std::copy(state.scratch.begin(), state.scratch.end(),
            machine.memory.range(TestCore::data, scratch_bytes).begin());
  if (!machine.run(body)) return false;
  for (Word r = first_register; r <= last_register; ++r) state.gpr[r] = core.gpr[r];
  state.fpr = core.fpr;
  state.hi = core.hi;
  state.lo = core.lo;
  state.fcr31 = core.fcr31;
  const auto scratch = machine.memory.range(TestCore::data, scratch_bytes);
  std::copy(scratch.begin(), scratch.end(), state.scratch.begin());
  return true;
}

}  // namespace

TEST_CASE("random programs agree with qemu") {
  if (!has_qemu()) {
    MESSAGE("skipped: qemu-mipsel is not installed");
    return;
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("pspllm_qemu_test_" + std::to_string(std::random_device{}()));
  std::filesystem::create_directories(folder);
  constexpr unsigned programs = 60;
  for (unsigned seed = 1; seed <= programs; ++seed) {
    CAPTURE(seed);
    Generator generator(seed);
    State state = generator.initial_state();
    const std::vector<Word> body = generator.body();
    const std::vector<Word> theirs = run_in_qemu(body, state, folder);
    TestCore machine;
    REQUIRE(run_here(body, state, machine));
    REQUIRE(theirs.size() == data_bytes / 4);
    for (Word r = first_register; r <= last_register; ++r) {
      CAPTURE(r);
      CHECK(state.gpr[r] == theirs[r]);
    }
    for (Word r = 0; r < 32; ++r) {
      CAPTURE(r);
      CHECK(state.fpr[r] == theirs[32 + r]);
    }
    CHECK(state.hi == theirs[64]);
    CHECK(state.lo == theirs[65]);
    constexpr Word condition = 1U << 23U;
    CHECK((state.fcr31 & condition) == (theirs[66] & condition));
    CHECK(std::memcmp(state.scratch.data(), &theirs[128], scratch_bytes) == 0);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace pspllm::simulator
