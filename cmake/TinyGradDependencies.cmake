# Finds what the project is built on, and says what to install when something
# is missing.

set(TINYGRAD_LLVM_VERSION 22)
set(_tinygrad_packages
  libmlir-${TINYGRAD_LLVM_VERSION}-dev mlir-${TINYGRAD_LLVM_VERSION}-tools
  llvm-${TINYGRAD_LLVM_VERSION}-dev llvm-${TINYGRAD_LLVM_VERSION}-tools
  clang-${TINYGRAD_LLVM_VERSION} lld-${TINYGRAD_LLVM_VERSION})
string(REPLACE ";" " " _tinygrad_packages "${_tinygrad_packages}")

# MLIR_DIR, when given, names another installation of the same version.
find_package(MLIR QUIET CONFIG
  HINTS /usr/lib/llvm-${TINYGRAD_LLVM_VERSION}/lib/cmake/mlir)
if(NOT MLIR_FOUND)
  message(FATAL_ERROR
    "MLIR ${TINYGRAD_LLVM_VERSION} was not found. On Debian, install it with\n"
    "  apt-get install ${_tinygrad_packages}\n"
    "or run scripts/setup.sh, which installs everything the project needs. "
    "For an MLIR installed elsewhere, set MLIR_DIR to its lib/cmake/mlir.")
endif()
if(NOT LLVM_VERSION_MAJOR EQUAL TINYGRAD_LLVM_VERSION)
  message(FATAL_ERROR
    "The MLIR found in ${MLIR_DIR} is version ${LLVM_PACKAGE_VERSION}; this "
    "project needs ${TINYGRAD_LLVM_VERSION}. On Debian, install it with\n"
    "  apt-get install ${_tinygrad_packages}\n"
    "or set MLIR_DIR to the lib/cmake/mlir of an installed MLIR "
    "${TINYGRAD_LLVM_VERSION}.")
endif()
foreach(target MLIR LLVM)
  if(NOT TARGET ${target})
    message(FATAL_ERROR
      "The MLIR found in ${MLIR_DIR} has no shared lib${target}, which this "
      "project links. On Debian, install it with\n"
      "  apt-get install ${_tinygrad_packages}")
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
find_package(GTest QUIET)
if(NOT GTest_FOUND)
  message(FATAL_ERROR
    "GoogleTest was not found: apt-get install libgtest-dev libgmock-dev")
endif()
find_package(ZLIB QUIET)
if(NOT ZLIB_FOUND)
  message(FATAL_ERROR "zlib was not found: apt-get install zlib1g-dev")
endif()

# The system's interpreter: it is the one that has Debian's NumPy.
find_program(TINYGRAD_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT TINYGRAD_PYTHON)
  find_program(TINYGRAD_PYTHON python3 REQUIRED)
endif()

if(TINYGRAD_ENABLE_CCACHE)
  find_program(TINYGRAD_CCACHE ccache)
  if(TINYGRAD_CCACHE)
    # A precompiled header is cached by its content only with these.
    set(_tinygrad_launcher ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros ${TINYGRAD_CCACHE})
    set(CMAKE_C_COMPILER_LAUNCHER ${_tinygrad_launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${_tinygrad_launcher})
  endif()
endif()
