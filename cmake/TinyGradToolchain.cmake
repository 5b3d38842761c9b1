# Included before any language is enabled: a missing compiler or MLIR is
# reported with the packages to install rather than by a failing compiler check.

set(TINYGRAD_LLVM_VERSION 22)
set(TINYGRAD_PACKAGES
  libmlir-${TINYGRAD_LLVM_VERSION}-dev mlir-${TINYGRAD_LLVM_VERSION}-tools
  llvm-${TINYGRAD_LLVM_VERSION}-dev llvm-${TINYGRAD_LLVM_VERSION}-tools
  clang-${TINYGRAD_LLVM_VERSION} lld-${TINYGRAD_LLVM_VERSION}
  liblld-${TINYGRAD_LLVM_VERSION}-dev)
string(REPLACE ";" " " TINYGRAD_PACKAGES "${TINYGRAD_PACKAGES}")

# tinygrad_missing(WHAT...): stops, and says what to install.
function(tinygrad_missing)
  string(JOIN "" what ${ARGN})
  message(FATAL_ERROR
    "${what} On Debian, install what the build needs with\n"
    "  apt-get install ${TINYGRAD_PACKAGES}\n"
    "or run scripts/setup.sh, which installs that and everything else. For an "
    "MLIR ${TINYGRAD_LLVM_VERSION} installed elsewhere, set MLIR_DIR to its "
    "lib/cmake/mlir.")
endfunction()

set(TINYGRAD_LLVM_HINT /usr/lib/llvm-${TINYGRAD_LLVM_VERSION})
find_path(TINYGRAD_MLIR_CONFIG MLIRConfig.cmake
  HINTS ${MLIR_DIR} ${TINYGRAD_LLVM_HINT}/lib/cmake/mlir
  PATH_SUFFIXES lib/cmake/mlir)
if(NOT TINYGRAD_MLIR_CONFIG)
  tinygrad_missing("MLIR ${TINYGRAD_LLVM_VERSION} was not found.")
endif()

foreach(language C CXX)
  if(CMAKE_${language}_COMPILER)
    # Unset when not found; an absolute path is found as it is.
    find_program(TINYGRAD_${language}_COMPILER ${CMAKE_${language}_COMPILER}
      HINTS ${TINYGRAD_LLVM_HINT}/bin)
    if(NOT TINYGRAD_${language}_COMPILER)
      tinygrad_missing(
        "The compiler ${CMAKE_${language}_COMPILER} was not found.")
    endif()
  endif()
endforeach()
if(CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld=lld")
  find_program(TINYGRAD_LLD NAMES ld.lld-${TINYGRAD_LLVM_VERSION} ld.lld
    HINTS ${TINYGRAD_LLVM_HINT}/bin)
  if(NOT TINYGRAD_LLD)
    tinygrad_missing("The linker lld was not found.")
  endif()
endif()
