//===- DiagnosticText.h - errors with their places in a text ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_DIAGNOSTICTEXT_H
#define TINYGRAD_LIB_TENSOR_DIAGNOSTICTEXT_H

#include "TinyGrad/Runtime/Error.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include <string>

namespace tinygrad::detail {

/// Collects the errors about a text, as "name:line:column: message".
class DiagnosticText {
public:
  explicit DiagnosticText(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
            return;
          text += text.empty() ? "" : "\n";
          if (auto place = diagnostic.getLocation()
                               ->findInstanceOf<mlir::FileLineColLoc>())
            text += place.getFilename().str() + ":" +
                    std::to_string(place.getLine()) + ":" +
                    std::to_string(place.getColumn()) + ": ";
          text += diagnostic.str();
        }) {}

  bool empty() const { return text.empty(); }
  /// Throws CompileError with the errors after \p prefix.
  [[noreturn]] void fail(const std::string &prefix) {
    throw CompileError(prefix + text);
  }
  /// The same with one more error.
  [[noreturn]] void fail(const std::string &prefix, mlir::Location location,
                         const mlir::Twine &what) {
    mlir::emitError(location) << what;
    fail(prefix);
  }

private:
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_DIAGNOSTICTEXT_H
