//===- HostToLLVM.h - host programs to LLVM's dialect -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lowers the host program of a scheduled module, the function that launches
/// its kernels, to a function in LLVM's dialect that calls them. It allocates
/// nothing: intermediates are in memory that its caller gives.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_HOSTTOLLVM_HOSTTOLLVM_H
#define TINYGRAD_CONVERSION_HOSTTOLLVM_HOSTTOLLVM_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <optional>
#include <string>

namespace mlir::tg {

#define GEN_PASS_DECL_CONVERTTGHOSTTOLLVM
#include "TinyGrad/Conversion/Passes.h.inc"

/// How a host program is lowered.
struct HostToLLVMOptions {
  /// The function takes a pointer to a structure of two pointers, a context and
  /// a function that runs parts of a kernel on several threads:
  ///
  ///     void parallel_for(void *context, int64_t extent,
  ///                       void (*body)(void *data, int64_t begin, int64_t
  ///                       end), void *data);
  ///
  /// It calls `body` for disjoint parts of [0, extent), and returns when all
  /// are done. Without it (or with a null pointer for either) kernels run on
  /// the calling thread.
  bool threads = false;
  /// Whether a kernel is worth several threads; if not set, each one of which
  /// positions can run in parallel is.
  std::function<bool(KernelOp)> isParallel;
  /// Variables that are arguments even if nothing needs them: optimization may
  /// have found out that one has a single value.
  SmallVector<VarAttr> variables;
  /// Values of variables that are no arguments, by name.
  llvm::StringMap<int64_t> fixed;
  /// The prefix of the names of kernels and functions in the result.
  std::string prefix;
};

/// A lowered host program. Its function returns nothing and takes
/// - a pointer for each argument,
/// - a pointer for each result that is not `inPlace`, aligned to 64 bytes and
///   apart from all other memory,
/// - the value of each variable, an `i64`,
/// - a pointer to `scratchBytes` bytes of memory, aligned to 64 bytes,
/// - with `HostToLLVMOptions::threads`, the pointer described there.
struct HostFunction {
  /// An argument.
  struct Argument {
    MemRefType type;
    /// A kernel writes to it.
    bool isWritten = false;
    /// Kernels assume an address that is a multiple of as many bytes.
    int64_t alignment = 1;
    /// How many elements its memory needs, over the function's variables, if
    /// these are not all of the type.
    std::optional<Dim> elements;
  };
  /// A result.
  struct Result {
    MemRefType type;
    /// The argument that is written and holds it, if it is one.
    std::optional<unsigned> inPlace;
    /// As of an argument.
    std::optional<Dim> elements;
  };

  /// A call of a kernel.
  struct Launch {
    /// With the prefix.
    std::string kernel;
    /// The values of its variables, over those of the function.
    SmallVector<Dim> variables;
    /// It runs the positions from 0 to this one.
    Dim extent;
  };

  LLVM::LLVMFuncOp function;
  SmallVector<Argument> arguments;
  SmallVector<Result> results;
  /// By name.
  SmallVector<VarAttr> variables;
  int64_t scratchBytes = 0;
  /// In order.
  SmallVector<Launch> launches;
};

/// The value of a dimension, an `i64`, in LLVM's dialect.
Value createDimInLLVM(OpBuilder &builder, Location loc, Dim dim,
                      llvm::function_ref<Value(VarAttr)> getValue);

/// Adds to \p module a function in LLVM's dialect for a host program, named as
/// it is with the prefix. It calls the kernels through their C interface (see
/// Target/Cpu/CpuTarget.h); those that the module has no function for, it
/// declares. \p kernels has their definitions. The program stays. Reports what
/// has no counterpart: sorting, several devices. The context has loaded LLVM's
/// dialect.
FailureOr<HostFunction>
convertHostToLLVM(ModuleOp module, func::FuncOp host,
                  const SymbolTable &kernels,
                  const HostToLLVMOptions &options = {});

} // namespace mlir::tg

#endif // TINYGRAD_CONVERSION_HOSTTOLLVM_HOSTTOLLVM_H
