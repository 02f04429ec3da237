# cmake -DCXX= -DNM= -DLD= -DROOT= -DSOURCES=a.cpp,b.cpp -DWORK_DIR= -P check_freestanding.cmake
# Compiles the sources as the PSP program does and fails when they need more than the mem* functions: the
# compiler's helper library (64-bit division, doubles, leading zeros) does not exist there.
set(flags -march=mips2 -mabi=eabi -mgp32 -mlong32 -msingle-float -mhard-float -G0 -mno-abicalls -fno-pic -fno-pie
  -mdivide-breaks -ffreestanding -fno-exceptions -fno-rtti -std=c++20 -O2
  -ffp-contract=off -fno-math-errno -Wall -Wextra -Wdouble-promotion -Werror
  -Wa,-W)
string(REPLACE "," ";" sources "${SOURCES}")
file(MAKE_DIRECTORY ${WORK_DIR})
set(objects)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  set(object ${WORK_DIR}/${name}.o)
  execute_process(COMMAND ${CXX} ${flags} -I${ROOT} -c ${source} -o ${object} COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND objects ${object})
endforeach()
execute_process(COMMAND ${LD} -EL -r ${objects} -o ${WORK_DIR}/all.o COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${NM} -u ${WORK_DIR}/all.o OUTPUT_VARIABLE undefined COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n]+\n" symbols "${undefined}")
foreach(symbol ${symbols})
  string(STRIP ${symbol} symbol)
  if(NOT symbol MATCHES "^mem(cpy|set|move|cmp|chr)$")
    message(SEND_ERROR "the engine needs ${symbol}, which the PSP program does not have")
  endif()
endforeach()
