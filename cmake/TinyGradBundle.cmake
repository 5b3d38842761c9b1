# What travels to a machine with a GPU (docs/gpu.md):
#
#   ninja -C build gpu-bundle          makes build/gpu-bundle/tinygrad-gpu.tar.xz
#   ninja -C build gpu-bundle-folder   only the folder that it holds
#
# The programs are those of this build. LLVM's and MLIR's shared libraries, which
# need many others, stay here: one library, of their archives, takes the place of
# both. It has the functions that these programs name and what those need, and
# the code generators of TINYGRAD_LLVM_TARGETS.

set(TINYGRAD_BUNDLE_PROGRAMS
  tg-compile tg-fuzz tg-opt tg-run
  suite training launch-overhead
  fashion-mnist hello kv-cache resnet transformer)
set(TINYGRAD_BUNDLE_TESTS
  TinyGradDeviceConformanceTests TinyGradNNTests TinyGradOptimTests
  TinyGradStateTests TinyGradTensorTests
  tg-test-check)

# Programs of other builds are larger and slower, or have LLVM in them.
if(TINYGRAD_STATIC OR TINYGRAD_SANITIZE OR NOT TARGET LLVMCore OR
   NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  return()
endif()

set(folder ${PROJECT_BINARY_DIR}/gpu-bundle)
set(script ${PROJECT_SOURCE_DIR}/scripts/gpu-bundle.sh)
set(programs)
foreach(program IN LISTS TINYGRAD_BUNDLE_PROGRAMS TINYGRAD_BUNDLE_TESTS)
  list(APPEND programs $<TARGET_FILE:${program}>)
endforeach()
list(JOIN programs "\n" lines)
file(GENERATE OUTPUT ${folder}/programs.txt CONTENT "${lines}\n")

# The names that the library has to have.
set(names ${folder}/names.map ${folder}/names.rsp ${folder}/mlir-name.txt)
add_custom_command(OUTPUT ${names}
  COMMAND ${script} names ${folder} $<TARGET_FILE:LLVM> $<TARGET_FILE:MLIR>
  DEPENDS ${script} ${folder}/programs.txt
    ${TINYGRAD_BUNDLE_PROGRAMS} ${TINYGRAD_BUNDLE_TESTS}
  COMMENT "Listing what the bundle's programs need of LLVM"
  VERBATIM)
add_custom_target(TinyGradBundleNames DEPENDS ${names})

add_library(TinyGradBundleLlvm SHARED EXCLUDE_FROM_ALL
  ${PROJECT_SOURCE_DIR}/cmake/BundleRandom.c)
add_dependencies(TinyGradBundleLlvm TinyGradBundleNames)
tinygrad_link_statically(TinyGradBundleLlvm)
set_target_properties(TinyGradBundleLlvm PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY ${folder}
  OUTPUT_NAME LLVM
  LINKER_LANGUAGE CXX
  SUFFIX .so.bundle
  NO_SONAME ON
  BUILD_WITH_INSTALL_RPATH ON
  INSTALL_RPATH $ORIGIN
  INSTALL_RPATH_USE_LINK_PATH OFF
  LINK_DEPENDS "${names}")
target_link_options(TinyGradBundleLlvm PRIVATE
  LINKER:--version-script=${folder}/names.map LINKER:--undefined-version
  @${folder}/names.rsp
  LINKER:--strip-all
  LINKER:--as-needed LINKER:-z,defs)
# Behind the options of TinyGradMlir: packed relocations need glibc 2.36, and
# nothing else of the bundle does.
target_link_libraries(TinyGradBundleLlvm PRIVATE
  TinyGradMlir MLIRTgCodeGen
  -Wl,-z,nopack-relative-relocs)

# What can be sent, and the archive.
add_custom_target(gpu-bundle-folder
  COMMAND ${script} folder ${folder} $<TARGET_FILE:TinyGradBundleLlvm>
  VERBATIM)
add_dependencies(gpu-bundle-folder TinyGradBundleLlvm
  ${TINYGRAD_BUNDLE_PROGRAMS} ${TINYGRAD_BUNDLE_TESTS})
add_custom_target(gpu-bundle
  COMMAND ${script} pack ${folder}
  USES_TERMINAL
  VERBATIM)
add_dependencies(gpu-bundle gpu-bundle-folder)
