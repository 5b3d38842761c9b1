//===- SanitizerOptions.cpp - defaults of the sanitizers ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiled into every program of the presets sanitize and tsan. The installed
/// LLVM and MLIR are not instrumented: an allocator or a container that own
/// code poisons and the library uses would be reported though nothing is wrong.
///
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options();
extern "C" const char *__tsan_default_options();
extern "C" const char *__tsan_default_suppressions();
extern "C" const char *__ubsan_default_options();

const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0";
}

const char *__ubsan_default_options() { return "print_stacktrace=1"; }

// Accesses by functions that libraries without instrumentation call (memcpy,
// free) are not looked at: what these libraries lock is not all seen.
const char *__tsan_default_options() {
  return "ignore_noninstrumented_modules=1:second_deadlock_stack=1";
}

// Where oneTBB counts the tasks of a loop that are left. No task runs in there.
const char *__tsan_default_suppressions() {
  return "race:tbb::detail::d1::fold_tree\n";
}
