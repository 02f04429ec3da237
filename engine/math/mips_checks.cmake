# The same sources for the PSP's instruction set: what they need from outside, and what they compute under an
# emulator. Both tests print what they skip where the cross compiler or the emulator is absent.
find_program(MIPSEL_CXX mipsel-linux-gnu-g++)
find_program(MIPSEL_NM mipsel-linux-gnu-nm)
find_program(MIPSEL_LD mipsel-linux-gnu-ld)
find_program(QEMU_MIPSEL NAMES qemu-mipsel qemu-mipsel-static)

list(TRANSFORM PSPLLM_MATH_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE math_sources)

if(MIPSEL_CXX AND MIPSEL_NM AND MIPSEL_LD)
  string(JOIN "," math_source_list ${math_sources})
  add_test(NAME math_freestanding_test
    COMMAND ${CMAKE_COMMAND} -DCXX=${MIPSEL_CXX} -DNM=${MIPSEL_NM} -DLD=${MIPSEL_LD}
      -DROOT=${CMAKE_SOURCE_DIR} -DSOURCES=${math_source_list}
      -DWORK_DIR=${CMAKE_CURRENT_BINARY_DIR}/freestanding
      -P ${CMAKE_CURRENT_SOURCE_DIR}/check_freestanding.cmake)
else()
  add_test(NAME math_freestanding_test
    COMMAND ${CMAKE_COMMAND} -E echo "skipped: mipsel-linux-gnu-g++ is not installed")
endif()

if(MIPSEL_CXX AND QEMU_MIPSEL)
  set(samples_program ${CMAKE_CURRENT_BINARY_DIR}/exact_math_samples_mipsel)
  file(GLOB math_headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp)
  add_custom_command(OUTPUT ${samples_program}
    COMMAND ${MIPSEL_CXX} -std=c++20 -O2 -march=mips2 -mabi=32 -static -ffp-contract=off
      -I${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/exact_math_samples_main.cpp ${math_sources}
      -o ${samples_program}
    DEPENDS exact_math_samples_main.cpp ${math_sources} ${math_headers}
    COMMENT "Cross-compiling the exact functions for MIPS"
    VERBATIM)
  add_custom_target(exact_math_samples ALL DEPENDS ${samples_program})
  add_test(NAME exact_math_qemu_test COMMAND ${QEMU_MIPSEL} ${samples_program})
else()
  add_test(NAME exact_math_qemu_test
    COMMAND ${CMAKE_COMMAND} -E echo "skipped: mipsel-linux-gnu-g++ or qemu-mipsel is not installed")
endif()
