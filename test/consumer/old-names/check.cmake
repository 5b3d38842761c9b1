# cmake -DSOURCE=... -DBINARY=... -DTinyGrad_DIR=... -DC=... -DCXX=... -P check.cmake
#
# Configures, builds and runs the project beside this file, and checks that CMake
# warns of each old name.

file(REMOVE_RECURSE ${BINARY})
execute_process(
  COMMAND ${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${BINARY}
    -DTinyGrad_DIR=${TinyGrad_DIR} -DCMAKE_C_COMPILER=${C}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_WARN_DEPRECATED=ON
  OUTPUT_VARIABLE output ERROR_VARIABLE output
  COMMAND_ERROR_IS_FATAL ANY)
# CMake breaks lines.
string(REGEX REPLACE "[ \n]+" " " output "${output}")
foreach(names "CpuTarget MLIRTgCpuTarget"
    "InitAll MLIRTgInitAll" "Interpreter MLIRTgInterpreter"
    "MLIRMathToPolynomial MLIRTgMathToPolynomial" "MLIRTg MLIRTgDialect")
  string(REPLACE " " ";" names ${names})
  list(GET names 0 old)
  list(GET names 1 new)
  if(NOT output MATCHES
      "TinyGrad::${old}, is marked as being deprecated[^:]*: It is called TinyGrad::${new} now")
    message(FATAL_ERROR "no warning of TinyGrad::${old}: ${output}")
  endif()
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BINARY}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${BINARY}/old-passes COMMAND_ERROR_IS_FATAL ANY)
