#pragma once
// One decoded instruction.
#include "simulator/words.hpp"

namespace pspllm::simulator {

struct Core;
struct MicroOp;

// Executes the instruction and moves the clock; false after a fault.
using Handler = bool (*)(Core&, const MicroOp&);

struct MicroOp {
  Handler run = nullptr;
  Byte d = 0;      // result register
  Byte s = 0;      // first source
  Byte t = 0;      // second source
  Byte x = 0;      // shift amount, vector size, or what the handler wants
  Word value = 0;  // immediate, target address, or the instruction word
};

static_assert(sizeof(MicroOp) <= 16 || sizeof(void*) != 8);

// How an instruction ends a block.
enum class Flow : Byte {
  next,           // the next instruction follows
  branch,         // has a delay slot
  likely_branch,  // has a delay slot that is nullified when the branch falls through
  event           // the kernel takes over after it
};

struct Decoded {
  MicroOp op;
  Flow flow = Flow::next;
};

}  // namespace pspllm::simulator
