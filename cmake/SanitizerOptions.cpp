//===- SanitizerOptions.cpp - defaults of the sanitize preset -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiled into every program of the sanitize preset. The installed LLVM and
/// MLIR are not instrumented: an allocator or a container that own code poisons
/// and the library uses would be reported though nothing is wrong.
///
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options();
extern "C" const char *__ubsan_default_options();

const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0";
}

const char *__ubsan_default_options() { return "print_stacktrace=1"; }
