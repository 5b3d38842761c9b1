//===- ThreadDiagnostics.h - diagnostics of one thread ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A handler of diagnostics for code that runs on several kernels of a context
/// at once.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_UTILS_THREADDIAGNOSTICS_H
#define TINYGRAD_DIALECT_TG_UTILS_THREADDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Threading.h"

namespace mlir::tg {

/// Calls `receive` with the diagnostics that this thread emits. Those of other
/// threads, which handlers of a context get as well, go to the handlers before
/// this one.
class ThreadDiagnosticHandler : public ScopedDiagnosticHandler {
public:
  template <typename Receive>
  ThreadDiagnosticHandler(MLIRContext *context, Receive receive)
      : ScopedDiagnosticHandler(context) {
    setHandler([thread = llvm::get_threadid(),
                receive = std::move(receive)](Diagnostic &diagnostic) {
      if (llvm::get_threadid() != thread)
        return failure();
      receive(diagnostic);
      return success();
    });
  }
};

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_THREADDIAGNOSTICS_H
