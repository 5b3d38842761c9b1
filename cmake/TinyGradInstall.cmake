# `cmake --install` and what find_package(TinyGrad) finds afterwards.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/TinyGrad)

get_property(exports GLOBAL PROPERTY TINYGRAD_EXPORTS)
set_target_properties(TinyGradLlvm PROPERTIES EXPORT_NAME Llvm)
set_target_properties(TinyGradMlir PROPERTIES EXPORT_NAME Mlir)
install(TARGETS ${exports} TinyGradLlvm TinyGradMlir
  EXPORT TinyGradTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Exported by itself: a project in C need not find what the others link.
get_property(c_exports GLOBAL PROPERTY TINYGRAD_C_EXPORTS)
install(TARGETS ${c_exports}
  EXPORT TinyGradCTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT TinyGradCTargets
  NAMESPACE TinyGrad::
  DESTINATION ${package_dir})
install(EXPORT TinyGradTargets
  NAMESPACE TinyGrad::
  DESTINATION ${package_dir})

# Headers as written, those that tablegen wrote, and the .td files, for
# dialects and passes that build on this one.
foreach(root ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  install(DIRECTORY ${root}/include/TinyGrad ${root}/include/TinyGrad-c
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING
    PATTERN "*.h"
    PATTERN "*.def"
    PATTERN "*.inc"
    PATTERN "*.td"
    PATTERN "CMakeFiles" EXCLUDE)
endforeach()

set(TINYGRAD_MLIR_DIR ${MLIR_DIR})
set(TINYGRAD_MLIR_INCLUDE_DIRS ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
list(REMOVE_DUPLICATES TINYGRAD_MLIR_INCLUDE_DIRS)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/TinyGradConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/TinyGradConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cmake/TinyGradConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/cmake/TinyGradConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/TinyGradConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/TinyGradStatic.cmake
  DESTINATION ${package_dir})

# For programs in C that do not use CMake. Paths count from the file's own
# folder, since the prefix may change when the package is installed.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH TINYGRAD_PREFIX_FROM_PKGCONFIG
  /prefix/${pkgconfig_dir} /prefix)
string(REGEX REPLACE "/$" ""
  TINYGRAD_PREFIX_FROM_PKGCONFIG ${TINYGRAD_PREFIX_FROM_PKGCONFIG})
list(TRANSFORM TINYGRAD_MLIR_INCLUDE_DIRS PREPEND "-isystem "
  OUTPUT_VARIABLE TINYGRAD_MLIR_CFLAGS)
list(JOIN TINYGRAD_MLIR_CFLAGS " " TINYGRAD_MLIR_CFLAGS)
configure_file(
  ${PROJECT_SOURCE_DIR}/cmake/tinygrad.pc.in
  ${PROJECT_BINARY_DIR}/cmake/tinygrad.pc
  @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/tinygrad.pc
  DESTINATION ${pkgconfig_dir})

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/licenses/tinygrad-mlir)
