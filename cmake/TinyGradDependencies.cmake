# Finds what the project is built on, and says what to install when something
# is missing.

# MLIR_DIR, when given, names another installation of the same version.
find_package(MLIR QUIET CONFIG HINTS ${TINYGRAD_MLIR_CONFIG})
if(NOT MLIR_FOUND)
  tinygrad_missing("MLIR ${TINYGRAD_LLVM_VERSION} was not found.")
endif()
if(NOT LLVM_VERSION_MAJOR EQUAL TINYGRAD_LLVM_VERSION)
  tinygrad_missing("The MLIR found in ${MLIR_DIR} is version "
    "${LLVM_PACKAGE_VERSION}, but ${TINYGRAD_LLVM_VERSION} is needed.")
endif()
foreach(target MLIR LLVM)
  if(NOT TARGET ${target})
    tinygrad_missing("The MLIR found in ${MLIR_DIR} has no shared "
      "lib${target}, which this project links.")
  endif()
endforeach()
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION}: ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR} ${MLIR_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

find_package(Threads REQUIRED)
find_package(TBB QUIET CONFIG)
if(NOT TBB_FOUND)
  message(FATAL_ERROR "oneTBB was not found: apt-get install libtbb-dev")
endif()
# Stacks of simulated work items. Static: of the library, only a few lines of
# assembly are used.
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost QUIET COMPONENTS context)
if(NOT Boost_FOUND)
  message(FATAL_ERROR
    "Boost.Context was not found: apt-get install libboost-context-dev")
endif()
find_package(GTest QUIET)
if(NOT GTest_FOUND)
  message(FATAL_ERROR
    "GoogleTest was not found: apt-get install libgtest-dev libgmock-dev")
endif()
find_package(ZLIB QUIET)
if(NOT ZLIB_FOUND)
  message(FATAL_ERROR "zlib was not found: apt-get install zlib1g-dev")
endif()

# Links code for AMD's GPUs, in the process that compiles it.
find_package(LLD QUIET CONFIG
  HINTS ${LLVM_INSTALL_PREFIX}/lib/cmake/lld NO_DEFAULT_PATH)
if(NOT LLD_FOUND)
  tinygrad_missing("LLVM's linker as a library (LLD) was not found.")
endif()
find_program(TINYGRAD_OBJCOPY llvm-objcopy
  HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH)
if(NOT TINYGRAD_OBJCOPY)
  tinygrad_missing("llvm-objcopy was not found in ${LLVM_TOOLS_BINARY_DIR}.")
endif()

# The linker as a program.
find_program(TINYGRAD_LLD NAMES ld.lld ld.lld-${TINYGRAD_LLVM_VERSION}
  HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH)
if(NOT TINYGRAD_LLD)
  find_program(TINYGRAD_LLD NAMES ld.lld-${TINYGRAD_LLVM_VERSION} ld.lld)
endif()
if(NOT TINYGRAD_LLD)
  tinygrad_missing("LLVM's linker, ld.lld, was not found.")
endif()

# The system's interpreter: it is the one that has Debian's NumPy.
find_program(TINYGRAD_SYSTEM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT TINYGRAD_SYSTEM_PYTHON)
  find_program(TINYGRAD_SYSTEM_PYTHON python3 REQUIRED)
endif()

if(TINYGRAD_ENABLE_CCACHE)
  find_program(TINYGRAD_CCACHE ccache)
  if(TINYGRAD_CCACHE)
    # Objects are found again from a clone in another folder: paths count
    # relative to the sources, and a precompiled header, which holds its own
    # path, by the file beside it (tinygrad_write_pch_sum).
    set(_tinygrad_launcher ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_PCH_EXTSUM=1 ${TINYGRAD_CCACHE})
    set(CMAKE_C_COMPILER_LAUNCHER ${_tinygrad_launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${_tinygrad_launcher})
  endif()
endif()

# Writes what stands for the content of a precompiled header in ccache's keys:
# its source, and the versions of compiler and libraries. (The options are those
# of the sources that include it.) Without Debian's package manager there is no
# such file, and ccache reads the precompiled header itself.
function(tinygrad_write_pch_sum output source)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY
    CMAKE_CONFIGURE_DEPENDS ${source})
  if(EXISTS /var/lib/dpkg/status)
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY
      CMAKE_CONFIGURE_DEPENDS /var/lib/dpkg/status)
  endif()
  execute_process(
    COMMAND dpkg-query -W libstdc++-*-dev libc6-dev libgcc-*-dev linux-libc-dev
      libgtest-dev libgmock-dev clang-${TINYGRAD_LLVM_VERSION}
      llvm-${TINYGRAD_LLVM_VERSION}-dev libmlir-${TINYGRAD_LLVM_VERSION}-dev
    RESULT_VARIABLE status OUTPUT_VARIABLE versions ERROR_QUIET)
  # A status of 1: no package has one of the names. Compiler and headers may also
  # be others than Debian's.
  if(NOT versions MATCHES "llvm-${TINYGRAD_LLVM_VERSION}-dev" OR
     NOT MLIR_DIR MATCHES "^/usr/lib/llvm-${TINYGRAD_LLVM_VERSION}/" OR
     NOT CMAKE_CXX_COMPILER MATCHES "^/usr/bin/")
    file(REMOVE ${output})
    return()
  endif()
  file(SHA256 ${source} content)
  file(CONFIGURE OUTPUT ${output} CONTENT
    "${content}\n${CMAKE_CXX_COMPILER_VERSION}\n${versions}")
endfunction()
