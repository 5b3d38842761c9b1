//===- DiagnosticCollector.cpp - diagnostics of a context -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Prints collected errors.
///
//===----------------------------------------------------------------------===//

#include "DiagnosticCollector.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tinygrad;

static std::string toString(ArrayRef<Diagnostic> errors, bool hasLocations) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Diagnostic &error : errors) {
    if (!text.empty())
      os << '\n';
    if (Location location = error.getLocation(); !hasLocations)
      ;
    else if (auto file = location->findInstanceOf<FileLineColLoc>();
             file && file.getLine() == 0)
      os << file.getFilename().getValue() << ": "; // a file as a whole
    else if (file)
      os << file.getFilename().getValue() << ':' << file.getLine() << ':'
         << file.getColumn() << ": ";
    else if (!isa<UnknownLoc>(location))
      os << location << ": ";
    os << error.str();
    for (const Diagnostic &note : error.getNotes()) {
      // A note with several lines prints a whole function.
      std::string line = note.str();
      if (!StringRef(line).contains('\n'))
        os << "\n  note: " << line;
    }
  }
  return text;
}

std::string tinygrad::toString(ArrayRef<Diagnostic> errors) {
  return ::toString(errors, /*hasLocations=*/true);
}

std::string DiagnosticCollector::getMessages() const {
  return ::toString(errors, /*hasLocations=*/false);
}
