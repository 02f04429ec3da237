# CMake toolchain file for the PSP with Debian's g++-mipsel-linux-gnu: what psp-cmake's file is to the pspdev SDK.
# Code is compiled for the PSP kernel's own calling convention (EABI), so system calls need no thunks.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR mips)
set(PSP TRUE)

set(PSPLLM_CROSS_PREFIX mipsel-linux-gnu- CACHE STRING "Prefix of the cross compiler's commands")
set(CMAKE_C_COMPILER ${PSPLLM_CROSS_PREFIX}gcc)
set(CMAKE_CXX_COMPILER ${PSPLLM_CROSS_PREFIX}g++)
set(CMAKE_ASM_COMPILER ${PSPLLM_CROSS_PREFIX}gcc)
set(CMAKE_LINKER ${PSPLLM_CROSS_PREFIX}ld CACHE FILEPATH "")

# The Allegrex is MIPS II with a few of its own instructions: nothing of MIPS32 may be used (no three-operand mul, no
# teq: -mdivide-breaks). Single-precision unit only. No global-pointer sections.
set(PSP_ARCHITECTURE "-march=mips2 -mabi=eabi -mgp32 -mlong32 -msingle-float -mhard-float -G0 -mno-abicalls")
string(APPEND PSP_ARCHITECTURE " -fno-pic -fno-pie -mdivide-breaks")
# Nothing of an operating system or a run-time library. SYS_futex: what hosted <atomic> and <mutex> headers ask for.
set(PSP_FREESTANDING "-ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -U_FORTIFY_SOURCE -DSYS_futex=0")
# -Wa,-W: the assembler warns about single registers with odd numbers, which the PSP allows.
set(CMAKE_C_FLAGS_INIT "${PSP_ARCHITECTURE} ${PSP_FREESTANDING} -Wa,-W")
set(CMAKE_CXX_FLAGS_INIT
  "${PSP_ARCHITECTURE} ${PSP_FREESTANDING} -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-use-cxa-atexit -Wa,-W")
set(CMAKE_ASM_FLAGS_INIT "${PSP_ARCHITECTURE} -Wa,-W")

# The linker is called by itself: the compiler driver would bring in the libraries of another calling convention.
# -q keeps the relocations, of which the PRX is made.
set(PSP_LINK_FLAGS "-EL -nostdlib -static --gc-sections --no-warn-rwx-segments -z max-page-size=64")
set(CMAKE_CXX_LINK_EXECUTABLE "<CMAKE_LINKER> ${PSP_LINK_FLAGS} <LINK_FLAGS> <OBJECTS> <LINK_LIBRARIES> -o <TARGET>")

set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
