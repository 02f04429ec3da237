# How an EBOOT.PBP is made of sources.

# Runs `pspllm-package COMMAND INPUT OUTPUT` when the input or the tool has changed.
function(psp_generate command input output)
  add_custom_command(OUTPUT ${output}
    COMMAND ${PSPLLM_PACKAGE} ${command} ${input} ${output}
    DEPENDS ${input} ${PSPLLM_PACKAGE}
    COMMENT "pspllm-package ${command}" VERBATIM)
endfunction()

# Addresses at which the PRX is compared with a static link: those where programs are loaded, and some at which a carry
# from the low half of an address into the high half appears or disappears.
set(PSP_RELOCATION_BASES 0x08804000 0x08800000 0x08807f00 0x08808000 0x0880bd40 0x0880fe80 0x0891ffc0 0x09123440)

# psp_link(TARGET base folder object...): an ELF of these objects, in this order, that begins at `base`.
function(psp_link target base folder)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/prx.ld)
  add_executable(${target} EXCLUDE_FROM_ALL ${ARGN})
  set_target_properties(${target} PROPERTIES
    SUFFIX "" RUNTIME_OUTPUT_DIRECTORY ${folder} LINKER_LANGUAGE CXX
    LINK_FLAGS "-q --defsym PSP_BASE=${base} -T ${script}" LINK_DEPENDS ${script})
endfunction()

# psp_package(NAME folder "title"): folder/EBOOT.PBP, and NAME.prx in the build folder, of the target NAME.elf.
function(psp_package name folder title)
  set(prx ${CMAKE_CURRENT_BINARY_DIR}/${name}.prx)
  set(assets ${PSPLLM_ROOT}/psp/assets)
  add_custom_command(OUTPUT ${folder}/EBOOT.PBP ${prx}
    COMMAND ${PSPLLM_PACKAGE} eboot $<TARGET_FILE:${name}.elf> ${folder}/EBOOT.PBP --prx ${prx} --title ${title}
            --icon ${assets}/icon.png --background ${assets}/background.png
    DEPENDS ${name}.elf ${PSPLLM_PACKAGE} ${assets}/icon.png ${assets}/background.png
    COMMENT "EBOOT.PBP of ${name}" VERBATIM)
endfunction()

# psp_eboot(NAME TITLE "title" SOURCES a.cpp ... OBJECTS object_library ... OUT folder)
# The linked program goes to OUT/NAME.elf with its symbols, the rest to OUT/EBOOT.PBP. Targets: NAME.elf, NAME, and
# NAME_relocation, which proves the PRX.
function(psp_eboot name)
  cmake_parse_arguments(ARG "" "TITLE;OUT" "SOURCES;OBJECTS" ${ARGN})
  add_library(${name}_objects OBJECT ${ARG_SOURCES})
  set(objects)
  foreach(library ${name}_objects ${ARG_OBJECTS})
    list(APPEND objects $<TARGET_OBJECTS:${library}>)
  endforeach()
  psp_link(${name}.elf 0 ${ARG_OUT} ${objects})

  psp_package(${name} ${ARG_OUT} "${ARG_TITLE}")
  add_custom_target(${name} ALL DEPENDS ${ARG_OUT}/EBOOT.PBP)

  add_custom_target(${name}_relocation DEPENDS ${name})
  foreach(base ${PSP_RELOCATION_BASES})
    psp_link(${name}_${base}.elf ${base} ${CMAKE_CURRENT_BINARY_DIR}/relocation ${objects})
    add_custom_command(TARGET ${name}_relocation POST_BUILD
      COMMAND ${PSPLLM_PACKAGE} compare ${CMAKE_CURRENT_BINARY_DIR}/${name}.prx $<TARGET_FILE:${name}_${base}.elf> --base ${base} VERBATIM)
    add_dependencies(${name}_relocation ${name}_${base}.elf)
  endforeach()
endfunction()
