# A file compiled for one processor must hold no function that the linker may share with others: weak symbols.
#   cmake -DNM=nm "-DOBJECTS=a.o;b.o" -P check_symbols.cmake
foreach(object ${OBJECTS})
  execute_process(COMMAND ${NM} --demangle --defined-only ${object}
    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]* [Wu] [^\n]*" shared "${symbols}")
  if(shared)
    list(JOIN shared "\n" shared)
    message(FATAL_ERROR "${object} holds code that other files might get:\n${shared}")
  endif()
  string(REGEX MATCH " [Tt] " code "${symbols}")
  if(NOT code)
    message(FATAL_ERROR "${object}: nm shows no code")
  endif()
endforeach()
