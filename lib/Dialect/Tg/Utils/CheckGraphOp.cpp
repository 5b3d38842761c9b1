//===- CheckGraphOp.cpp - what tensor graphs consist of -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements checkGraphOp().
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Utils/CheckGraphOp.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgInterfaces.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tg;

/// Whether `convert-linalg-to-tg` makes a tensor graph of functions over the
/// dialect.
static bool isConverted(StringRef dialect) {
  return llvm::is_contained({"arith", "linalg", "math", "tensor"}, dialect);
}

/// Whether an operation lies in a function that tg-outline takes apart: among
/// operations that surround tensor graphs.
static bool isMixed(Operation &op) {
  return llvm::any_of(*op.getBlock(), [](Operation &other) {
    return !other.hasTrait<OpTrait::IsTerminator>() &&
           llvm::is_contained(
               {"affine", "bufferization", "cf", "func", "memref", "scf"},
               other.getName().getDialectNamespace());
  });
}

/// The operation of the dialect that computes what one of these dialects does;
/// empty if none is known.
static std::string findCounterpart(Operation &op) {
  const StringRef dialect = op.getName().getDialectNamespace();
  if (!isConverted(dialect))
    return "";
  const StringRef name = op.getName().stripDialect();
  const StringRef own =
      llvm::StringSwitch<StringRef>(name)
          .Case("constant", "const")
          .Case("divf", "fdiv")
          .Cases({"divsi", "divui"}, "idiv")
          .Case("floordivsi", "floordiv")
          .Cases({"remsi", "remui"}, "mod")
          .Cases({"maximumf", "maxsi", "maxui"}, "max")
          .Cases({"extf", "truncf", "sitofp", "uitofp"}, "cast")
          .Cases({"negf", "addf", "addi", "subf", "subi", "mulf", "muli"},
                 name.drop_back())
          .Case("select", "where")
          .Cases({"andi", "ori", "xori", "shli"}, name.drop_back())
          .Cases({"shrsi", "shrui"}, "shr")
          .Cases({"pad", "reshape"}, name)
          .Case("extract_slice", "shrink")
          .Cases({"collapse_shape", "expand_shape"}, "reshape")
          .Case("transpose", "permute")
          .Case("broadcast", "expand")
          .Case("powf", "pow")
          .Case("fma", "mulacc")
          .Default(dialect == "math" ? name : "");
  const std::string full = ("tg." + own).str();
  return RegisteredOperationName::lookup(full, op.getContext()) ? full : "";
}

LogicalResult tg::checkGraphOp(Operation &op) {
  StringRef message = "is not an operation of a tensor graph";
  if (isa_and_nonnull<TgDialect>(op.getDialect())) {
    if (op.getNumResults() != 1)
      return op.emitOpError(message);
    return success();
  }
  if (isa<MovementOpInterface>(op) || isElementwiseOp(&op))
    return success();
  InFlightDiagnostic error = op.emitOpError(message);
  if (isMixed(op))
    error << "; run tg-outline before, which makes tensor graphs of the "
             "operations that lie among those of other dialects";
  else if (const std::string own = findCounterpart(op); !own.empty())
    error << "; use '" << own
          << "', or run convert-linalg-to-tg on the function before";
  else if (isConverted(op.getName().getDialectNamespace()))
    error << "; run convert-linalg-to-tg on the function before";
  else if (isa<ElementwiseOpInterface>(op))
    error << ": what it computes is not known without a "
             "tg::ComposedOpInterface";
  else
    error << ": it has neither a tg::ElementwiseOpInterface nor a "
             "tg::MovementOpInterface";
  return error;
}
