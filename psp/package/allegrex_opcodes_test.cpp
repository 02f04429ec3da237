#include "psp/package/allegrex_opcodes.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace pspllm::package;

TEST_CASE("Instructions that the Allegrex has are named") {
  const std::pair<std::uint32_t, std::string_view> known[] = {
      {0x00000000, "sll"},    // nop
      {0x27BDFFE0, "addiu"},  // addiu $sp, $sp, -32
      {0x03E00008, "jr"},     // jr $ra
      {0x00801016, "clz"},    // clz $2, $4: the Allegrex's own encoding
      {0x0085001C, "madd"},   // madd $4, $5
      {0x0085102C, "max"},    // max $2, $4, $5
      {0x7C041420, "seb"},    // seb $2, $4
      {0x7C853900, "ext"},    // ext $5, $4, 4, 8
      {0x00242102, "rotr"},   // rotr $4, $4, 4
      {0x46020032, "c.eq.s"}, {0x45010003, "bc1t"},   {0x4600008D, "trunc.w.s"},
      {0xD8800000, "lv.q"},  // lv.q C000, 0($4)
      {0xF8E30000, "sv.q"},   {0x64818082, "vdot.q"}, {0x60018003, "vadd.t"},
      {0xD0390102, "vc2i.s"}, {0xD2988484, "vi2f.q"}, {0xF1848488, "vtfm4.q"},
      {0xFFFF0000, "vnop"},   {0xDC000000, "vpfxs"},
  };
  for (const auto& instruction : known) {
    CAPTURE(instruction.first);
    CHECK(instruction_name(instruction.first) == instruction.second);
  }
}

TEST_CASE("Instructions of other processors are refused") {
  const std::uint32_t foreign[] = {
      0x70851002,          // mul $2, $4, $5 (MIPS32)
      0x70821020,          // clz $2, $4 (MIPS32)
      0x70850000,          // madd $4, $5 (MIPS32)
      0x00800034,          // teq $4, $0
      0x46220000,          // add.d
      0x46200021,          // cvt.d.s
      0xD4800000,          // ldc1 / lvl.q
      0xF4800000,          // sdc1 / svl.q
      0x4C853070,          // madd.s (MIPS IV)
      0x46020011,          // movz.s
      0xCC800000,          // pref
      0x03E00408,          // jr.hb
      0x45050003,          // bc1t on a second condition (MIPS IV)
      0x0085001D | 0x800,  // maddu with a third register
      0x65010102,          // vscl.s does not exist
      0x42000018,          // eret
      0xFFFFFFFF,
  };
  for (const std::uint32_t word : foreign) {
    CAPTURE(word);
    CHECK(instruction_name(word) == "");
  }
}

TEST_CASE("Comparisons and the branches on them are told apart") {
  CHECK(is_fpu_compare(0x4602003C));  // c.lt.s $f0, $f2
  CHECK_FALSE(is_fpu_compare(0x46020001));
  CHECK(is_fpu_branch(0x45000005));
  CHECK(is_fpu_branch(0x45030005));
  CHECK_FALSE(is_fpu_branch(0x44000005));
}
