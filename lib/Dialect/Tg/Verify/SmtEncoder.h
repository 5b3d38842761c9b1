//===- SmtEncoder.h - index arithmetic as SMT terms -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Translates scalar integer arithmetic of kernels to operations of the smt
/// dialect, over integers without a bound.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_VERIFY_SMTENCODER_H
#define TINYGRAD_LIB_DIALECT_TG_VERIFY_SMTENCODER_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "mlir/Dialect/SMT/IR/SMTOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tg {

/// The name of a variable in formulas: letters and digits only.
std::string getSymbol(VarAttr var);

/// Encodes values into the body of one smt.solver. Integers of every width are
/// terms of sort Int within the bounds of their type, bools of sort Bool.
/// Arithmetic wraps as the dialect says: where a result may leave its type, by
/// bounds of its operands, it is brought back by a remainder. (Bit vectors of
/// 64 bits would wrap by themselves, but no solver decides their products and
/// quotients; linear integer arithmetic with divisions by constants is
/// decidable.) What is not integer arithmetic, such as a loaded value, is an
/// unknown constant.
///
/// The bounds of a tg.where are those of IndexAnalysis, which looks at the
/// condition; whoever encodes a kernel has these bounds proved as well.
class SmtEncoder {
public:
  explicit SmtEncoder(OpBuilder &builder, Location loc) : b(loc, builder) {}

  /// The term of a value.
  Value encode(Value value);
  /// The term of a dimension.
  Value encode(Dim dim) { return encodeDim(dim.getAttr()).term; }

  /// Variables have the terms that another encoder of the formula gave them.
  void shareVariables(const SmtEncoder &other) {
    dims = other.dims;
    declared = other.declared;
  }

  /// The variables that formulas name.
  ArrayRef<VarAttr> getVariables() const { return declared.getArrayRef(); }

  void assertTrue(Value term) { smt::AssertOp::create(b, term); }
  Value number(__int128 value);
  Value makeNot(Value term) { return smt::NotOp::create(b, term); }
  Value makeAnd(Value x, Value y) { return smt::AndOp::create(b, x, y); }
  Value makeOr(Value x, Value y) { return smt::OrOp::create(b, x, y); }
  Value makeDistinct(Value x, Value y) {
    return smt::DistinctOp::create(b, x, y);
  }
  /// first <= term <= last
  Value isWithin(Value term, __int128 first, __int128 last);
  /// 0 <= term < end
  Value isBelow(Value term, Value end);

protected:
  using Number = __int128;
  /// A term with bounds, both ends included; bools have none.
  struct Term {
    Value term;
    Number lo = 0, hi = 0;
  };

  Term encodeDim(Attribute dim);
  /// Any number of a type, or within bounds.
  Term unknownOf(Type type);
  Term unknownWithin(StringRef name, Number lo, Number hi);
  Term constant(Number value);
  /// The term brought into the bounds of a type.
  Term wrap(Term term, Type type);
  Term sum(Term x, Term y);
  Term difference(Term x, Term y);
  Term product(Term x, Term y);
  Term divide(Term x, Term y, bool floor, bool wantRemainder);
  Term choose(Value condition, Term x, Term y);
  Value compare(smt::IntPredicate predicate, Value x, Value y) {
    return smt::IntCmpOp::create(b, predicate, x, y);
  }
  Value declare(Type sort, StringRef name) {
    return smt::DeclareFunOp::create(b, sort, b.getStringAttr(name));
  }

  ImplicitLocOpBuilder b;

private:
  Term encodeOp(Value value);

  IndexAnalysis analysis;
  DenseMap<Value, Term> terms;
  DenseMap<Attribute, Term> dims;
  SetVector<VarAttr> declared;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_VERIFY_SMTENCODER_H
