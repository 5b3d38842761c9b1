# The functions that the folders' CMakeLists.txt are written with.
#
#   tinygrad_tablegen(TARGET FILE.td OUTPUT FLAGS [OUTPUT FLAGS]...)
#   tinygrad_add_library(NAME source... [MLIR_PCH] [LINK_LIBS library...])
#   tinygrad_add_c_library(NAME EXPORTS file LIBRARIES library...
#                          UPSTREAM library...)
#   tinygrad_add_internal_library(NAME source... [MLIR_PCH]
#                                 [LINK_LIBS library...])
#   tinygrad_add_tool(NAME source... [MLIR_PCH] [LINK_LIBS library...])
#   tinygrad_add_example(NAME source... [MLIR_PCH] [LINK_LIBS library...])
#   tinygrad_add_test_program(NAME source... [MLIR_PCH] [LINK_LIBS library...])
#   tinygrad_add_unittest(NAME source... [MLIR_PCH] [LINK_LIBS library...])
#   tinygrad_add_fuzzer(NAME CORPUS source... [LINK_LIBS library...])
#
# MLIR_PCH compiles with the shared precompiled MLIR headers and links MLIR.
# A target that uses MLIR without the precompiled header lists MLIR (or LLVM)
# among its LINK_LIBS. Programs link the shared libMLIR and libLLVM, or, where they
# are linked statically (TinyGradStatic.cmake), nothing but archives: mixing them
# registers options twice.

include(GNUInstallDirs)
include(TinyGradStatic)

# Flags of all own code.
add_library(TinyGradOptions INTERFACE)
# libstdc++ calls functions that it has marked as deprecated (std::stable_sort
# does), of which Clang warns. Without the macro it marks none; LLVM's and MLIR's
# marks stay.
target_compile_options(TinyGradOptions INTERFACE
  -Wall -Wextra -Werror -Wno-unused-parameter
  $<$<COMPILE_LANGUAGE:CXX>:-U__DEPRECATED>)
if(TINYGRAD_SANITIZE STREQUAL "thread")
  # oneTBB is not instrumented: of its loops, ForkJoin says what they guarantee.
  # The path is relative for ccache's sake.
  file(RELATIVE_PATH ignored ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/cmake)
  target_compile_options(TinyGradOptions INTERFACE
    -fsanitize=thread -fno-omit-frame-pointer
    -fsanitize-ignorelist=${ignored}/ThreadSanitizerIgnore.txt)
  target_link_options(TinyGradOptions INTERFACE -fsanitize=thread)
elseif(TINYGRAD_SANITIZE)
  # LLVM and MLIR are not instrumented. Checks that need every library to be
  # are off: vptr, function, and (in SanitizerOptions.cpp) manual poisoning.
  target_compile_options(TinyGradOptions INTERFACE
    -fsanitize=address,undefined -fno-sanitize=vptr,function
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(TinyGradOptions INTERFACE
    -fsanitize=address,undefined)
endif()

# LLVM, and MLIR with it, as own code and consumers of the installed package see
# them. Where LLVM is, find_package(TinyGrad) finds out itself.
add_library(TinyGradLlvmFiles INTERFACE)
tinygrad_link_llvm(TinyGradLlvmFiles MLIRTgLink)
add_library(TinyGradLlvm INTERFACE)
target_link_libraries(TinyGradLlvm INTERFACE
  $<BUILD_INTERFACE:TinyGradLlvmFiles>)
add_library(TinyGradMlir INTERFACE)
target_link_libraries(TinyGradMlir INTERFACE
  "$<$<NOT:${TINYGRAD_LINKS_ARCHIVES}>:MLIR>" TinyGradLlvm)
target_compile_definitions(TinyGradMlir INTERFACE
  _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
if(NOT LLVM_ENABLE_ASSERTIONS)
  target_compile_options(TinyGradMlir INTERFACE
    "$<BUILD_INTERFACE:$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Debug>>:SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/MatchLlvm.h>>")
endif()
target_include_directories(TinyGradMlir SYSTEM INTERFACE
  "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS};${LLVM_INCLUDE_DIRS}>")

# Everything that tablegen writes; all own code is compiled after it.
add_custom_target(TinyGradIncGen)
# Everything the test suites need.
add_custom_target(tinygrad-tests)

# The precompiled headers: object libraries own them, others reuse them.
function(_tinygrad_add_pch_owner name source header)
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/${source})
  target_link_libraries(${name} PRIVATE TinyGradOptions TinyGradMlir ${ARGN})
  target_precompile_headers(${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/cmake/${header})
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  # Without a time stamp inside, ccache can give back an older file.
  target_compile_options(${name} PRIVATE
    "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  # What depends on an object library itself does not wait for its files.
  add_custom_target(${name}File)
  add_dependencies(${name}File ${name})
  tinygrad_write_pch_sum(
    ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.pch.sum
    ${PROJECT_SOURCE_DIR}/cmake/${header})
endfunction()

function(tinygrad_add_pch)
  if(NOT TINYGRAD_ENABLE_PCH)
    return()
  endif()
  _tinygrad_add_pch_owner(TinyGradMlirPch MlirPch.cpp MlirPch.h)
  _tinygrad_add_pch_owner(TinyGradTestPch TestPch.cpp TestPch.h
    GTest::gmock GTest::gtest)
  target_compile_options(TinyGradTestPch PRIVATE -O0)
endfunction()

# Compiles `name` with the precompiled header that `owner` has.
function(_tinygrad_use_pch name owner)
  if(NOT TINYGRAD_ENABLE_PCH)
    return()
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_precompile_headers(${name} REUSE_FROM ${owner})
    return()
  endif()
  # CMake would also name the header, by a path that ccache cannot make relative.
  # What is in it is among the dependencies that Clang writes for each object.
  add_dependencies(${name} ${owner}File)
  target_compile_options(${name} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp -Xclang -include-pch -Xclang ${PROJECT_BINARY_DIR}/CMakeFiles/${owner}.dir/cmake_pch.hxx.pch>")
endfunction()

# Links `libs` to `name`, with MLIR and LLVM replaced by TinyGradMlir.
function(_tinygrad_link name visibility)
  foreach(lib IN LISTS ARGN)
    if(lib STREQUAL "MLIR" OR lib STREQUAL "LLVM")
      target_link_libraries(${name} ${visibility} TinyGradMlir)
      continue()
    endif()
    if(lib MATCHES "^MLIRCAPI" AND TARGET ${lib})
      # Debian ships MLIR's C API as archives of thin wrappers alone. Linked as
      # files they bring none of the static libraries their targets depend on.
      target_link_libraries(${name} ${visibility}
        $<TARGET_LINKER_FILE:${lib}>)
      continue()
    endif()
    if(lib MATCHES "^(MLIR|LLVM)" AND TARGET ${lib})
      get_target_property(imported ${lib} IMPORTED)
      if(imported)
        message(FATAL_ERROR "${name} links ${lib}, a component library of "
          "LLVM; link MLIR, the shared library, instead")
      endif()
    endif()
    target_link_libraries(${name} ${visibility} ${lib})
  endforeach()
endfunction()

# What libraries and executables have in common.
function(_tinygrad_target name pch)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:TinyGradOptions>)
  add_dependencies(${name} TinyGradIncGen)
  if(pch)
    _tinygrad_use_pch(${name} TinyGradMlirPch)
  endif()
endfunction()

# Runs mlir-tblgen on `file`, once for each (output, flags) pair. The flags of
# one output are one string. TARGET then stands for the generated files.
function(tinygrad_tablegen target file)
  set(LLVM_TARGET_DEFINITIONS ${file})
  set(TABLEGEN_OUTPUT)
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest output flags)
    separate_arguments(flags)
    mlir_tablegen(${output} ${flags})
  endwhile()
  add_custom_target(${target} DEPENDS ${TABLEGEN_OUTPUT})
  add_dependencies(TinyGradIncGen ${target})
endfunction()

# What libraries have in common.
function(_tinygrad_add_static name)
  if(NOT name MATCHES "^(MLIRTg|TinyGrad)[A-Z]")
    message(FATAL_ERROR "the library ${name} is named neither MLIRTg... (what "
      "is in mlir::tg) nor TinyGrad... (what is in tinygrad)")
  endif()
  cmake_parse_arguments(ARG "MLIR_PCH" "" "LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  _tinygrad_target(${name} ${ARG_MLIR_PCH})
  if(ARG_MLIR_PCH)
    target_link_libraries(${name} PUBLIC TinyGradMlir)
  endif()
  _tinygrad_link(${name} PUBLIC ${ARG_LINK_LIBS})
endfunction()

# A static library that programs of the project share; not installed.
function(tinygrad_add_internal_library name)
  _tinygrad_add_static(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()

# A static library of the project, installed and exported as
# TinyGrad::<name without a leading TinyGrad>.
function(tinygrad_add_library name)
  _tinygrad_add_static(${name} ${ARGN})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
  target_compile_features(${name} PUBLIC cxx_std_20)
  string(REGEX REPLACE "^TinyGrad" "" export_name ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${export_name})
  add_library(TinyGrad::${export_name} ALIAS ${name})
  set_property(GLOBAL APPEND PROPERTY TINYGRAD_EXPORTS ${name})
  # For scripts/check-libraries.py.
  cmake_parse_arguments(ARG "MLIR_PCH" "" "LINK_LIBS" ${ARGN})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(JOIN " " line ${name} ${folder} ${ARG_LINK_LIBS})
  set_property(GLOBAL APPEND_STRING PROPERTY TINYGRAD_LIBRARIES "${line}\n")
  # As upstream's MLIR_DIALECT_LIBS and MLIR_CONVERSION_LIBS: for those that
  # register everything; builders have nothing to register.
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "/lib/Dialect/.*/Builder$")
  elseif(CMAKE_CURRENT_SOURCE_DIR MATCHES "/lib/Dialect/")
    set_property(GLOBAL APPEND PROPERTY TINYGRAD_DIALECT_LIBS ${name})
  elseif(CMAKE_CURRENT_SOURCE_DIR MATCHES "/lib/Conversion/")
    set_property(GLOBAL APPEND PROPERTY TINYGRAD_CONVERSION_LIBS ${name})
  endif()
endfunction()

# A shared library for programs in C, installed and exported as
# TinyGrad::<name without a leading TinyGrad>: all of LIBRARIES and of UPSTREAM,
# MLIR's archives of C wrappers, and what these need. EXPORTS, a version script,
# says what is visible. Users neither see nor need C++. It is never unloaded,
# since threads and destructors of the runtime outlive a call of dlclose.
function(tinygrad_add_c_library name)
  cmake_parse_arguments(ARG "" "EXPORTS" "LIBRARIES;UPSTREAM" ${ARGN})
  set(exports ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_EXPORTS})
  add_library(${name} SHARED ${exports})
  set_target_properties(${name} PROPERTIES
    LINKER_LANGUAGE CXX
    LINK_DEPENDS ${exports}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(archives)
  foreach(lib IN LISTS ARG_LIBRARIES ARG_UPSTREAM)
    list(APPEND archives $<TARGET_LINKER_FILE:${lib}>)
  endforeach()
  list(JOIN archives "," archives)
  target_link_options(${name} PRIVATE
    "LINKER:--version-script=${exports}" "LINKER:-z,nodelete")
  target_link_libraries(${name} PRIVATE
    $<BUILD_INTERFACE:TinyGradOptions>
    "-Wl,--whole-archive,${archives},--no-whole-archive"
    ${ARG_LIBRARIES})
  add_dependencies(${name} ${ARG_LIBRARIES})
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
  target_include_directories(${name} SYSTEM INTERFACE
    "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS};${LLVM_INCLUDE_DIRS}>")
  string(REGEX REPLACE "^TinyGrad" "" export_name ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${export_name})
  add_library(TinyGrad::${export_name} ALIAS ${name})
  set_property(GLOBAL APPEND PROPERTY TINYGRAD_C_EXPORTS ${name})
endfunction()

function(_tinygrad_add_executable name)
  cmake_parse_arguments(ARG "MLIR_PCH" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  if(TINYGRAD_SANITIZE)
    target_sources(${name} PRIVATE
      ${PROJECT_SOURCE_DIR}/cmake/SanitizerOptions.cpp)
    set_source_files_properties(
      ${PROJECT_SOURCE_DIR}/cmake/SanitizerOptions.cpp
      TARGET_DIRECTORY ${name}
      PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
  _tinygrad_target(${name} ${ARG_MLIR_PCH})
  if(ARG_MLIR_PCH)
    target_link_libraries(${name} PRIVATE TinyGradMlir)
  endif()
  _tinygrad_link(${name} PRIVATE ${ARG_LINK_LIBS})
  # Clang takes a precompiled header only with the code generation that it was
  # compiled with: -fPIC as in the libraries, not the -fPIE of executables.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
endfunction()

# A program in build/bin that is installed.
function(tinygrad_add_tool name)
  _tinygrad_add_executable(${name} ${ARGN})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  add_dependencies(tinygrad-tests ${name})
endfunction()

# A program in build/bin that is not installed.
function(tinygrad_add_example name)
  _tinygrad_add_executable(${name} ${ARGN})
  add_dependencies(tinygrad-tests ${name})
endfunction()

# A program in build/bin that lit tests run; `all` does not build it.
function(tinygrad_add_test_program name)
  _tinygrad_add_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(tinygrad-tests ${name})
endfunction()

# A GoogleTest program in build/unittests, run by the test command. The tests
# themselves are not optimized, which would take longer than running them; but
# where they share a precompiled header with the libraries. The others have one
# of GoogleTest and the standard library.
function(tinygrad_add_unittest name)
  _tinygrad_add_executable(${name} ${ARGN})
  if(NOT "MLIR_PCH" IN_LIST ARGN)
    target_compile_options(${name} PRIVATE -O0)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      _tinygrad_use_pch(${name} TinyGradTestPch)
    endif()
  endif()
  target_link_libraries(${name} PRIVATE GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/unittests
    EXCLUDE_FROM_ALL ON)
  add_dependencies(tinygrad-tests ${name})
  set_property(GLOBAL APPEND PROPERTY TINYGRAD_UNITTESTS ${name})
endfunction()

# A libFuzzer target in build/fuzzers, in builds with the address sanitizer.
# CORPUS is the folder of the inputs that it begins with. The sources under test
# are among its own: those are instrumented, so that the fuzzer sees what its
# inputs reach.
function(tinygrad_add_fuzzer name corpus)
  if(NOT TINYGRAD_SANITIZE STREQUAL "address" OR
     NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  _tinygrad_add_executable(${name} ${ARGN})
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzzers
    EXCLUDE_FROM_ALL ON)
  add_dependencies(tinygrad-tests ${name})
  # For scripts/run-suites.py.
  set_property(GLOBAL APPEND_STRING PROPERTY TINYGRAD_FUZZERS
    "${name} ${CMAKE_CURRENT_SOURCE_DIR}/${corpus}\n")
endfunction()
