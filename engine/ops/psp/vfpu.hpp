// The VFPU for kernels: on the PSP its instructions, elsewhere a model of them in plain C++, so that the same
// kernels are tested for bits on a PC, under sanitizers too.
//
// The VFPU's 128 registers are 8 matrices of 4 x 4. Compilers never use them, so code here owns them all; a
// thread needs the VFPU attribute.
#pragma once

#if defined(__mips__)
#include "engine/ops/psp/vfpu_machine.hpp"
#else
#include "engine/ops/psp/vfpu_model.hpp"
#endif
