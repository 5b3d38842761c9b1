# How programs link LLVM and MLIR: their shared libraries, or their archives. For
# this project and for those that find its package.
#
#   tinygrad_link_statically(TARGET [LLVM_TARGETS target...])
#
# gives a program, or a shared library, what it needs of LLVM's and MLIR's archives
# instead of the shared libraries, with LLVM's code generators for LLVM_TARGETS,
# or for TINYGRAD_LLVM_TARGETS. With TINYGRAD_STATIC, all programs are linked so.
# One that also links libLLVM.so or libMLIR.so ends at once: both copies register
# the same options.

if(NOT TINYGRAD_LLVM_TARGETS)
  # This machine's processors, and GPUs.
  set(TINYGRAD_LLVM_TARGETS ${LLVM_NATIVE_ARCH} NVPTX AMDGPU)
endif()

# What LLVM links. Other machines than this may not have it.
set(TINYGRAD_ZSTD zstd::libzstd_shared)
if(TINYGRAD_WHEEL)
  set(TINYGRAD_ZSTD zstd::libzstd_static)
endif()

define_property(TARGET PROPERTY TINYGRAD_STATIC
  BRIEF_DOCS "Whether a program links the archives of LLVM and MLIR"
  INITIALIZE_FROM_VARIABLE TINYGRAD_STATIC)
define_property(TARGET PROPERTY TINYGRAD_LLVM_TARGETS
  BRIEF_DOCS "LLVM's code generators in such a program"
  INITIALIZE_FROM_VARIABLE TINYGRAD_LLVM_TARGETS)

function(_tinygrad_check_llvm_targets)
  if(NOT TARGET LLVMCore OR NOT TARGET MLIRIR)
    message(FATAL_ERROR "The LLVM in ${LLVM_DIR} has no archives to link "
      "statically; Debian's llvm-${LLVM_VERSION_MAJOR}-dev and "
      "libmlir-${LLVM_VERSION_MAJOR}-dev have them.")
  endif()
  foreach(target IN LISTS ARGN)
    if(NOT target IN_LIST LLVM_TARGETS_TO_BUILD)
      list(JOIN LLVM_TARGETS_TO_BUILD ", " names)
      message(FATAL_ERROR "TINYGRAD_LLVM_TARGETS: LLVM has no code generator "
        "called '${target}'; it has ${names}.")
    endif()
  endforeach()
endfunction()

function(tinygrad_link_statically target)
  cmake_parse_arguments(ARG "" "" "LLVM_TARGETS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tinygrad_link_statically(${target}): unknown "
      "arguments ${ARG_UNPARSED_ARGUMENTS}; LLVM_TARGETS is what it takes")
  endif()
  set_property(TARGET ${target} PROPERTY TINYGRAD_STATIC ON)
  if(ARG_LLVM_TARGETS)
    set_property(TARGET ${target} PROPERTY
      TINYGRAD_LLVM_TARGETS ${ARG_LLVM_TARGETS})
  endif()
  get_property(llvm_targets TARGET ${target} PROPERTY TINYGRAD_LLVM_TARGETS)
  _tinygrad_check_llvm_targets(${llvm_targets})
endfunction()

# Whether the program that links something is to have the archives.
set(linked "EXECUTABLE;SHARED_LIBRARY;MODULE_LIBRARY")
string(JOIN "," TINYGRAD_LINKS_ARCHIVES
  "$<AND:$<BOOL:$<TARGET_PROPERTY:TINYGRAD_STATIC>>"
  "$<IN_LIST:$<TARGET_PROPERTY:TYPE>,${linked}>>")
unset(linked)

# Makes `name`, an interface library, link LLVM as each program that links it
# wants it. MLIR's archives are among the others: what is not used, is not
# linked. They refer to functions in `extensions`, the library MLIRTgLink
# (lib/Target/Link/LlvmExtensions.cpp).
function(tinygrad_link_llvm name extensions)
  set(static "${TINYGRAD_LINKS_ARCHIVES}")
  target_link_libraries(${name} INTERFACE "$<$<NOT:${static}>:LLVM>")
  if(NOT TARGET LLVMCore OR NOT TARGET MLIRIR)
    return() # _tinygrad_check_llvm_targets says so.
  endif()

  # As files: as targets, they would bring the shared libraries too.
  set(archives)
  get_property(mlir_archives GLOBAL PROPERTY MLIR_ALL_LIBS)
  foreach(archive IN LISTS mlir_archives LLVM_AVAILABLE_LIBS)
    if(NOT TARGET ${archive} OR archive MATCHES "^MLIRCAPI")
      continue()
    endif()
    get_target_property(type ${archive} TYPE)
    get_target_property(file ${archive} LOCATION)
    # Debian's packages leave some out.
    if(type STREQUAL "STATIC_LIBRARY" AND EXISTS "${file}")
      list(APPEND archives ${file})
    endif()
  endforeach()
  list(APPEND archives $<TARGET_FILE:${extensions}>)
  list(JOIN archives "," archives)
  target_link_libraries(${name} INTERFACE
    "$<${static}:$<LINK_GROUP:RESCAN,${archives}>>"
    "$<${static}:ZLIB::ZLIB;${TINYGRAD_ZSTD};Threads::Threads>"
    "$<${static}:${CMAKE_DL_LIBS};m>")

  # Sections that nothing uses are left out. With lld, functions of equal code
  # become one, which saves a seventh. Relative relocations take 2 MB less in
  # their packed form, which the C library has known since glibc 2.36.
  include(CheckLinkerFlag)
  target_link_options(${name} INTERFACE "$<${static}:LINKER:--gc-sections>")
  check_linker_flag(CXX "LINKER:--icf=all" TINYGRAD_LINKER_HAS_ICF)
  if(TINYGRAD_LINKER_HAS_ICF)
    target_link_options(${name} INTERFACE "$<${static}:LINKER:--icf=all>")
  endif()
  check_linker_flag(CXX "LINKER:-z,pack-relative-relocs"
    TINYGRAD_LINKER_HAS_RELR)
  if(TINYGRAD_LINKER_HAS_RELR)
    target_link_options(${name} INTERFACE
      "$<${static}:LINKER:-z,pack-relative-relocs>")
  endif()
endfunction()

# Gives the programs that link `name` the code generators that they want. Nothing
# else in them refers to these but weak symbols (lib/Target/CodeGen).
function(tinygrad_link_code_generators name)
  foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
    set(functions)
    foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser)
      if(NOT part STREQUAL "AsmParser" OR TARGET LLVM${target}AsmParser)
        list(APPEND functions "LINKER:-u,LLVMInitialize${target}${part}")
      endif()
    endforeach()
    set(wanted
      "$<IN_LIST:${target},$<TARGET_PROPERTY:TINYGRAD_LLVM_TARGETS>>")
    target_link_options(${name} INTERFACE
      "$<$<AND:${TINYGRAD_LINKS_ARCHIVES},${wanted}>:${functions}>")
  endforeach()
endfunction()

if(TINYGRAD_STATIC)
  _tinygrad_check_llvm_targets(${TINYGRAD_LLVM_TARGETS})
endif()
