// Encodings and results of the integer instructions; the values of the Allegrex's own are those that the
// vfpu-docs project checked on hardware (psp-tests/manual/mips-allegrex.c).
#include <doctest/doctest.h>

#include "simulator/test_core.hpp"

namespace pspllm::simulator {

namespace {

using namespace encode;

// The value of $v0 after `word`, with $a0 = a and $a1 = b, and $v0 = base before.
Word result_of(Word word, Word a, Word b = 0, Word base = 0) {
  TestCore machine;
  machine.core.gpr[a0] = a;
  machine.core.gpr[a1] = b;
  machine.core.gpr[v0] = base;
  REQUIRE(machine.run({word}));
  return machine.core.gpr[v0];
}

DoubleWord accumulated(Word word, DoubleWord base, Word a, Word b) {
  TestCore machine;
  machine.core.gpr[a0] = a;
  machine.core.gpr[a1] = b;
  machine.core.lo = static_cast<Word>(base);
  machine.core.hi = static_cast<Word>(base >> 32U);
  REQUIRE(machine.run({word}));
  return machine.core.lo | DoubleWord{machine.core.hi} << 32U;
}

FaultKind fault_of(const std::vector<Word>& program) {
  TestCore machine;
  machine.core.gpr[a0] = 0x7FFFFFFF;
  machine.core.gpr[a1] = 1;
  CHECK(!machine.run(program));
  return machine.core.fault.kind;
}

}  // namespace

TEST_CASE("encodings are those of the assembler") {
  // From mipsel-linux-gnu-as -march=mips32r2 and allegrex.md.
  static_assert(addu(v0, a0, a1) == 0x00851021);
  static_assert(addiu(sp, sp, -32) == 0x27BDFFE0);
  static_assert(lw(ra, 28, sp) == 0x8FBF001C);
  static_assert(seb(v0, a0) == 0x7C041420);
  static_assert(seh(v0, a0) == 0x7C041620);
  static_assert(wsbh(v0, a0) == 0x7C0410A0);
  static_assert(ext(v0, a0, 3, 9) == 0x7C8240C0);
  static_assert(ins(v0, a0, 3, 9) == 0x7C8258C4);
  static_assert(rotr(v0, a0, 4) == 0x00241102);
  static_assert(add_s(0, 1, 2) == 0x46020800);
  static_assert(lv_q(0x20, 16, a0) == 0xD8800011);
  static_assert(sv_q(3, 0, a3) == 0xF8E30000);
  static_assert(vfpu(0x64808080, 2, 0, 1) == 0x64818082);
}

TEST_CASE("bit manipulation") {
  CHECK(result_of(clo(v0, a0), 0xFFF00000) == 12);
  CHECK(result_of(clo(v0, a0), 0x7FF00000) == 0);
  CHECK(result_of(clz(v0, a0), 0) == 32);
  CHECK(result_of(clz(v0, a0), 0x08003432) == 4);
  CHECK(result_of(seb(v0, a0), 0x01230080) == 0xFFFFFF80);
  CHECK(result_of(seh(v0, a0), 0x12308000) == 0xFFFF8000);
  CHECK(result_of(wsbh(v0, a0), 0x11223344) == 0x22114433);
  CHECK(result_of(wsbw(v0, a0), 0x11223344) == 0x44332211);
  CHECK(result_of(bitrev(v0, a0), 0x12345678) == 0x1E6A2C48);
  CHECK(result_of(ext(v0, a0, 3, 9), 0x12345678) == 0x000000CF);
  CHECK(result_of(ext(v0, a0, 8, 11), 0xABCDABCD) == 0x000005AB);
  CHECK(result_of(ins(v0, a0, 3, 9), 0x87654321, 0, 0x5A5A5A5A) == 0x5A5A590A);
  CHECK(result_of(ins(v0, a0, 8, 11), 0x0ABCDEF9, 0, 0x12345678) == 0x1236F978);
  CHECK(result_of(rotr(v0, a0, 8), 0x12345678) == 0x78123456);
}

TEST_CASE("compare and move") {
  CHECK(result_of(max(v0, a0, a1), 0, 0x80000000) == 0);
  CHECK(result_of(max(v0, a0, a1), 0xFF000000, 0x80000000) == 0xFF000000);
  CHECK(result_of(min(v0, a0, a1), 0, 0xFFFFFFFF) == 0xFFFFFFFF);
  CHECK(result_of(movz(v0, a0, a1), 7, 0, 9) == 7);
  CHECK(result_of(movz(v0, a0, a1), 7, 0x80000000, 9) == 9);
  CHECK(result_of(movn(v0, a0, a1), 7, 1, 9) == 7);
}

TEST_CASE("multiply and accumulate") {
  CHECK(accumulated(madd(a0, a1), ~DoubleWord{0}, 1, 0xFFFFFFFF) == 0xFFFFFFFFFFFFFFFE);
  CHECK(accumulated(madd(a0, a1), 0xFFFFFF0000000000, 0x1234, 0x1234) == 0xFFFFFF00014B5A90);
  CHECK(accumulated(maddu(a0, a1), ~DoubleWord{0}, 0xFFFFFFFF, 0xFFFFFFFF) == 0xFFFFFFFE00000000);
  CHECK(accumulated(msub(a0, a1), ~DoubleWord{0}, 0xF, 0xFFFFFFF0) == 0xEF);
  CHECK(accumulated(msubu(a0, a1), ~DoubleWord{0}, 1, 0xFFFFFFFF) == 0xFFFFFFFF00000000);
  CHECK(accumulated(multu(a0, a1), 0, 0x5A5A5A5A, 0x87654321) == 0x2FC962FC66CD339A);
  CHECK(accumulated(divu(a0, a1), 0, 0x0DEADF00, 0x123) == 0x000000F8000C3E58);
  CHECK(accumulated(div(a0, a1), 0, 0x80000000, 0xFFFFFFFF) == 0x0000000080000000);
}

TEST_CASE("what the Allegrex refuses") {
  CHECK(fault_of({add(v0, a0, a1)}) == FaultKind::integer_overflow);
  CHECK(fault_of({0x70851002}) == FaultKind::unknown_instruction);     // mul, MIPS32
  CHECK(fault_of({0x70821020}) == FaultKind::unknown_instruction);     // clz, MIPS32
  CHECK(fault_of({0x00850034}) == FaultKind::unknown_instruction);     // teq
  CHECK(fault_of({0x46241000}) == FaultKind::unknown_instruction);     // add.d
  CHECK(fault_of({0x40026000}) == FaultKind::privileged_instruction);  // mfc0
  CHECK(fault_of({lw(v0, 0, zero)}) == FaultKind::unmapped_access);
  CHECK(fault_of({lui(t0, 0x8800), lw(v0, 0, t0)}) == FaultKind::kernel_access);
  CHECK(fault_of({lui(t0, 0x0800), lw(v0, 0, t0)}) == FaultKind::kernel_access);
  CHECK(fault_of({lui(t0, 0x0840), lw(v0, 0, t0)}) == FaultKind::volatile_access);
  CHECK(fault_of({lui(t0, 0x0890), lw(v0, 2, t0)}) == FaultKind::misaligned_access);
  CHECK(fault_of({lui(t0, 0x0890), lv_q(0, 8, t0)}) == FaultKind::misaligned_access);
  CHECK(fault_of({beq(zero, zero, 1), j(TestCore::code)}) == FaultKind::branch_in_delay_slot);
  CHECK(fault_of({jr(a1), nop}) == FaultKind::misaligned_access);
}

TEST_CASE("a fault names its instruction") {
  TestCore machine;
  CHECK(!machine.run({nop, nop, lw(v0, 3, zero)}));
  CHECK(machine.core.fault.pc == TestCore::code + 8);
  CHECK(machine.core.fault.address == 3);
}

TEST_CASE("VFPU instructions need the thread attribute") {
  TestCore machine;
  machine.core.vfpu_usable = false;
  CHECK(!machine.run({vfpu(0x60008080, 0, 1, 2)}));
  CHECK(machine.core.fault.kind == FaultKind::vfpu_unusable);
}

TEST_CASE("VFPU operations of several steps may not overwrite what they read") {
  TestCore machine;
  CHECK(!machine.run({vfpu(0xF1808080, 0, 0, 4)}));  // vtfm4.q C000, M000, C100
  CHECK(machine.core.fault.kind == FaultKind::vfpu_overlap);
}

TEST_CASE("FPU traps are on until they are turned off") {
  TestCore machine;
  machine.core.fcr31 = initial_fcr31;
  machine.core.fpr[1] = as_bits(1.0F);
  CHECK(!machine.run({div_s(0, 1, 2)}));
  CHECK(machine.core.fault.kind == FaultKind::fpu_exception);
  TestCore calm;
  calm.core.fcr31 = initial_fcr31;
  calm.core.fpr[1] = as_bits(1.0F);
  CHECK(calm.run({ctc1(zero, 31), div_s(0, 1, 2)}));
  CHECK(calm.core.fpr[0] == 0x7F800000);
}

TEST_CASE("hazards without interlock show the old condition") {
  // c.eq.s right before bc1t: the branch sees the condition from before.
  TestCore machine;
  CHECK(machine.run({c_eq_s(0, 0), bc1t(2), nop, addiu(v0, zero, 1)}));
  CHECK(machine.core.gpr[v0] == 1);
  CHECK(machine.hazards.records().size() == 1);
  TestCore spaced;
  CHECK(spaced.run({c_eq_s(0, 0), nop, bc1t(2), nop, addiu(v0, zero, 1)}));
  CHECK(spaced.core.gpr[v0] == 0);
  CHECK(spaced.hazards.records().empty());
  // vcmp, mfvc.
  TestCore vector;
  CHECK(vector.run({vfpu(0x6C008080, 4, 0), mfvc(v0, 131), mfvc(v1, 131)}));
  CHECK(vector.core.gpr[v0] == 0);
  CHECK(vector.core.gpr[v1] == 0x3F);
  CHECK(vector.hazards.records().size() == 1);
}

TEST_CASE("a likely branch that falls through skips its slot") {
  TestCore machine;
  CHECK(machine.run({beql(zero, sp, 1), addiu(v0, zero, 1), nop}));  // $sp is 0: taken, slot runs
  CHECK(machine.core.gpr[v0] == 1);
  TestCore other;
  other.core.gpr[a0] = 1;
  CHECK(other.run({beql(zero, a0, 1), addiu(v0, zero, 1), nop}));
  CHECK(other.core.gpr[v0] == 0);
}

TEST_CASE("code that changes is fetched anew once the cache lets go of it") {
  TestCore machine;
  const Address target = TestCore::code + 0x1000;
  machine.place(target, {addiu(v0, zero, 1), jr(ra), nop});
  const std::vector<Word> call{lui(t0, target >> 16U), ori(t0, t0, target & 0xFFFFU)};
  // Calls it, writes another first instruction, calls it (still the old one), drops the line, calls it again.
  const Word fresh = addiu(v0, zero, 2);
  std::vector<Word> program = call;
  for (const Word word : {jal(target), nop, addu(s0, v0, zero), lui(t1, fresh >> 16U),
                          ori(t1, t1, fresh & 0xFFFFU), sw(t1, 0, t0), cache(0x1A, 0, t0), jal(target), nop,
                          addu(s1, v0, zero), cache(0x08, 0, t0), jal(target), nop, addu(s2, v0, zero)})
    program.push_back(word);
  REQUIRE(machine.run(program));
  CHECK(machine.core.gpr[s0] == 1);
  CHECK(machine.core.gpr[s1] == 1);
  CHECK(machine.core.gpr[s2] == 2);
  CHECK(machine.hazards.records().empty());
}

TEST_CASE("uninitialised memory is reported once per instruction") {
  TestCore machine(conservative_timing(), true);
  machine.memory.track_definedness();
  machine.memory.set_defined(TestCore::code, 4096, true);
  const std::vector<Word> base{lui(t0, TestCore::data >> 16U), ori(t0, t0, TestCore::data & 0xFFFFU)};
  std::vector<Word> program = base;
  for (const Word word : {sw(zero, 0, t0), lw(v0, 0, t0), lw(v0, 4, t0), lw(v0, 4, t0)})
    program.push_back(word);
  REQUIRE(machine.run(program));
  REQUIRE(machine.hazards.records().size() == 2);
  const auto& [key, record] = *machine.hazards.records().begin();
  CHECK(key.first == HazardKind::uninitialised_read);
  CHECK(record.address == TestCore::data + 4);
}

TEST_CASE("switches change what they say") {
  // Integer work under vmmul.q: blocked in the conservative model, free in the optimistic one.
  std::vector<Word> program{vfpu(0xF0008080, 8, 0, 4)};
  for (int i = 0; i < 12; ++i) program.push_back(addiu(v0, v0, 1));
  const auto cycles = [&](const Timing& timing) {
    TestCore machine(timing);
    REQUIRE(machine.run(program));
    machine.core.pass(100);  // until the VFPU is free again
    const Cycles start = machine.core.cycle;
    machine.core.pc = TestCore::code;
    CHECK(machine.core.run(~Cycles{0}) == RunResult::fault);
    return machine.core.cycle - start;
  };
  CHECK(cycles(conservative_timing()) == 28);
  CHECK(cycles(optimistic_timing()) == 13);
}

}  // namespace pspllm::simulator
