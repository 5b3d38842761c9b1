//===- StoppablePasses.h - passes that can be stopped -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_COMPILER_STOPPABLEPASSES_H
#define TINYGRAD_LIB_COMPILER_STOPPABLEPASSES_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace tinygrad::detail {

/// Until the end of the scope, no pass of the context begins once this thread
/// is to be stopped (Interrupt.h): it is skipped, and the pipeline succeeds
/// with whatever the module is then. A pass that runs, with all pipelines that
/// it runs itself, runs to its end. Does nothing if the thread cannot be
/// stopped, or if someone else handles the actions of the context.
class StoppablePasses {
public:
  explicit StoppablePasses(mlir::MLIRContext &context);
  ~StoppablePasses();
  StoppablePasses(const StoppablePasses &) = delete;
  StoppablePasses &operator=(const StoppablePasses &) = delete;

private:
  mlir::MLIRContext *context = nullptr;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_COMPILER_STOPPABLEPASSES_H
