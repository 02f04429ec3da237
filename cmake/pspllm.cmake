# How every part of the project is compiled: one place for the language level, the warnings and the sanitizers.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_library(pspllm_options INTERFACE)
target_include_directories(pspllm_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(pspllm_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wdouble-promotion -Werror
  # The reference's arithmetic: no fused multiply-adds that the source does not ask for (docs/numerics.md).
  -ffp-contract=off -fno-math-errno)
if(PSPLLM_SANITIZE)
  target_compile_options(pspllm_options INTERFACE
    -fsanitize=address,undefined,alignment -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1)
  target_link_options(pspllm_options INTERFACE -fsanitize=address,undefined,alignment)
endif()

if(PSPLLM_FUZZ)
  target_compile_options(pspllm_options INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined,alignment -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(pspllm_options INTERFACE -fsanitize=address,undefined,alignment)
endif()

# pspllm_library(name SOURCES a.cpp ... [DEPENDS other ...])
function(pspllm_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC pspllm_options ${ARG_DEPENDS})
endfunction()

# pspllm_test(name SOURCES a_test.cpp ... DEPENDS lib ... [LABELS long])
# One doctest program; it runs with the project root as its working directory.
function(pspllm_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${CMAKE_SOURCE_DIR}/cmake/doctest_main.cpp)
  target_link_libraries(${name} PRIVATE pspllm_options ${ARG_DEPENDS})
  # What is tested is optimised as it ships; the tests themselves need not be, and compile a third faster.
  target_compile_options(${name} PRIVATE -O1)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  if(ARG_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
  endif()
endfunction()
