//===- PrintC.h - LLVM IR as C source ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes a module of LLVM IR as one file of C99, for compilers and processors
/// that LLVM has no code generator for.
///
/// The text has no undefined behavior where the IR has none: integers are
/// unsigned, amounts of shifts are within the width, memory is accessed by
/// memcpy, addresses are computed as integers, numbers are converted to
/// integers only if they fit. f16 and bf16 are their bits. Vectors are those of
/// GCC and Clang where the compiler has them, and structs of lanes elsewhere.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TARGET_C_PRINTC_H
#define TINYGRAD_TARGET_C_PRINTC_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::tg {

/// How a module is written.
struct PrintCOptions {
  /// A function that others call, as its header declares it.
  struct Declaration {
    /// "int net_step(const float *x, void *scratch)".
    std::string text;
    /// The names of its parameters.
    std::vector<std::string> parameters;
  };

  /// The name of the file's macro that turns vectors off is NAME_PORTABLE.
  std::string name;
  /// Whether the target rounds a product with a sum once. If it does not, those
  /// that may be rounded twice (`afn`), as in functions like exp, are computed
  /// with more bits instead, unless the compiler has an instruction for them.
  /// The file's macro NAME_FMA decides, if it is defined: 0 or 1.
  bool hasFma = true;
  /// Lines before everything else: a comment, inclusions.
  std::string introduction;
  /// By the name of the function. All others are static.
  llvm::StringMap<Declaration> declarations;
  /// What stands before a function, by its name: the text of a comment.
  llvm::StringMap<std::string> comments;
  /// Names of parameters of static functions.
  llvm::StringMap<std::vector<std::string>> parameters;
  /// Definitions in C of functions that the module only declares. In them, "@"
  /// stands for the name.
  llvm::StringMap<std::string> definitions;
};

/// Why there is no text.
struct PrintCError {
  /// The function at fault, or nothing.
  std::string function;
  std::string reason;
};

/// The text of the module, whose data layout is one of 64-bit pointers and the
/// lowest byte first. None, and an error, for a module with something that has
/// no counterpart: inline assembly, atomic and volatile accesses, calls of
/// pointers and of unknown functions, structs as values, scalable vectors.
std::optional<std::string>
printC(llvm::Module &module, const PrintCOptions &options, PrintCError &error);

} // namespace mlir::tg

#endif // TINYGRAD_TARGET_C_PRINTC_H
