//===- LoopEncoder.h - code of loops and vectors as SMT terms ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Translates integers of a kernel that has become a function with loops and
/// vectors to operations of the smt dialect.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_VERIFY_LOOPENCODER_H
#define TINYGRAD_LIB_DIALECT_TG_VERIFY_LOOPENCODER_H

#include "SmtEncoder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tg {

/// Encodes scalars, and vectors lane by lane. What is not integer arithmetic,
/// such as what loops carry or a loaded value, is an unknown.
class LoopEncoder : public SmtEncoder {
public:
  /// The arguments of the function are assumed to be what callers pass.
  LoopEncoder(OpBuilder &builder, Location loc, func::FuncOp func);

  virtual ~LoopEncoder() = default;

  /// Asserts that control gets to the operation.
  void assertReached(Operation *op);
  /// The term of one lane; a scalar has one.
  Value encodeLane(Value value, int64_t lane) {
    return getLane(value, lane).term;
  }
  /// x + number
  Value encodeSum(Value term, int64_t number);
  Value encodeSum(Value x, Value y);

protected:
  /// For a function whose arguments a derived class encodes.
  LoopEncoder(OpBuilder &builder, Location loc, Operation *function)
      : SmtEncoder(builder, loc), function(function) {}
  /// The term of a value of which a derived class knows more.
  virtual std::optional<Term> encodeKnown(Value) { return std::nullopt; }
  Term getLane(Value value, int64_t lane);
  /// Some position of a loop.
  Term encodePosition(scf::ForOp loop);

private:
  Term encodeLaneOf(Value value, int64_t lane);
  Term encodeArith(Operation *op, Type type, ArrayRef<Term> operands);
  Value compareTerms(arith::CmpIPredicate predicate, Term x, Term y, Type type);
  /// The same bits as a number that is not negative.
  Term toUnsigned(Term term, Type type);
  Term declareUnknown(Type type);

  Operation *function;
  DenseMap<std::pair<Value, int64_t>, Term> lanes;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_VERIFY_LOOPENCODER_H
