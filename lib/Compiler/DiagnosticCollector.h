//===- DiagnosticCollector.h - diagnostics of a context ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Handlers that keep the errors of a context, or learn that there are any.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_COMPILER_DIAGNOSTICCOLLECTOR_H
#define TINYGRAD_LIB_COMPILER_DIAGNOSTICCOLLECTOR_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace tinygrad {

/// The errors, each on a line of the usual form FILE:LINE:COLUMN: MESSAGE if
/// its location has a file, with its notes of one line.
std::string toString(llvm::ArrayRef<mlir::Diagnostic> errors);

/// Keeps the errors of a context during its lifetime, and drops its other
/// diagnostics; no other handler gets them.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            errors.push_back(std::move(diagnostic));
          return mlir::success();
        }) {}

  bool any() const { return !errors.empty(); }
  std::string getText() const { return toString(errors); }
  /// The messages without their locations.
  std::string getMessages() const;
  llvm::SmallVector<mlir::Diagnostic, 0> take() { return std::move(errors); }

private:
  llvm::SmallVector<mlir::Diagnostic, 0> errors;
  mlir::ScopedDiagnosticHandler handler;
};

/// Learns whether there are errors, which go to the handlers before this one.
class ErrorObserver {
public:
  explicit ErrorObserver(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          hasErrors |=
              diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
          return mlir::failure();
        }) {}

  bool any() const { return hasErrors; }

private:
  bool hasErrors = false;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tinygrad

#endif // TINYGRAD_LIB_COMPILER_DIAGNOSTICCOLLECTOR_H
