# `cmake --install` and what find_package(TinyGrad) finds afterwards.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/TinyGrad)

get_property(exports GLOBAL PROPERTY TINYGRAD_EXPORTS)
set_target_properties(TinyGradMlir PROPERTIES EXPORT_NAME Mlir)
install(TARGETS ${exports} TinyGradMlir
  EXPORT TinyGradTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
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
    PATTERN "*.inc"
    PATTERN "*.td"
    PATTERN "CMakeFiles" EXCLUDE)
endforeach()

set(TINYGRAD_MLIR_DIR ${MLIR_DIR})
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
  DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/licenses/tinygrad-mlir)
