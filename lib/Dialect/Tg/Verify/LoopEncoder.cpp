//===- LoopEncoder.cpp - code of loops and vectors as SMT terms -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Encodes arith, vector and scf.
///
//===----------------------------------------------------------------------===//

#include "LoopEncoder.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tg;
using arith::CmpIPredicate;
using smt::IntPredicate;

LoopEncoder::LoopEncoder(OpBuilder &builder, Location loc, func::FuncOp func)
    : SmtEncoder(builder, loc), function(func) {
  // Values of variables come last, before them the work items to compute.
  SmallVector<VarAttr> variables;
  if (auto names = func->getAttrOfType<ArrayAttr>(variablesAttrName))
    variables = llvm::to_vector(names.getAsRange<VarAttr>());
  const size_t count = func.getNumArguments();
  for (auto [variable, argument] : llvm::zip_equal(
           variables, func.getArguments().take_back(variables.size())))
    lanes[{argument, 0}] = encodeDim(variable);
  Value begin = func.getArgument(count - variables.size() - 2);
  Value end = func.getArgument(count - variables.size() - 1);
  Term extent = encodeDim(func->getAttr(parallelExtentAttrName));
  Term first = declareUnknown(begin.getType()),
       last = declareUnknown(end.getType());
  first.lo = 0;
  last.hi = extent.hi;
  assertTrue(compare(IntPredicate::ge, first.term, number(0)));
  assertTrue(compare(IntPredicate::le, last.term, extent.term));
  lanes[{begin, 0}] = first;
  lanes[{end, 0}] = last;
}

SmtEncoder::Term LoopEncoder::declareUnknown(Type type) {
  type = getElementTypeOrSelf(type);
  if (!type.isIntOrIndex())
    return {};
  return unknownOf(type);
}

Value LoopEncoder::encodeSum(Value term, int64_t value) {
  return encodeSum(term, number(value));
}
Value LoopEncoder::encodeSum(Value x, Value y) {
  return smt::IntAddOp::create(b, b.getType<smt::IntType>(), ValueRange{x, y});
}

void LoopEncoder::assertReached(Operation *op) {
  for (Operation *inner = op; inner != function; inner = inner->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(inner->getParentOp());
    if (!branch) {
      // Some position of the loop.
      if (auto loop = dyn_cast<scf::ForOp>(inner->getParentOp()))
        getLane(loop.getInductionVar(), 0);
      continue;
    }
    Value condition = encodeLane(branch.getCondition(), 0);
    assertTrue(inner->getParentRegion() == &branch.getThenRegion()
                   ? condition
                   : makeNot(condition));
  }
}

SmtEncoder::Term LoopEncoder::getLane(Value value, int64_t lane) {
  auto it = lanes.find({value, lane});
  if (it != lanes.end())
    return it->second;
  Term term = encodeLaneOf(value, lane);
  return lanes[{value, lane}] = term;
}

SmtEncoder::Term LoopEncoder::encodePosition(scf::ForOp loop) {
  Term first = getLane(loop.getLowerBound(), 0),
       end = getLane(loop.getUpperBound(), 0),
       step = getLane(loop.getStep(), 0);
  const Interval all = Interval::getAll(loop.getInductionVar().getType());
  Term position = unknownWithin("position", all.lo, all.hi);
  position.lo = std::max(position.lo, first.lo);
  position.hi = std::min(position.hi, std::max(first.lo, end.hi - 1));
  assertTrue(makeAnd(compare(IntPredicate::ge, position.term, first.term),
                     compare(IntPredicate::lt, position.term, end.term)));
  // A multiple of the step from the first one on.
  if (step.lo == step.hi && step.lo != 1) {
    Value rest = smt::IntModOp::create(
        b, smt::IntSubOp::create(b, position.term, first.term), step.term);
    assertTrue(smt::EqOp::create(b, rest, number(0)));
  }
  return position;
}

SmtEncoder::Term LoopEncoder::toUnsigned(Term term, Type type) {
  if (term.lo >= 0)
    return term;
  Number size =
      Number(1) << (type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
  Term result = choose(compare(IntPredicate::lt, term.term, number(0)),
                       sum(term, constant(size)), term);
  result.lo = 0;
  result.hi = size - 1;
  return result;
}

Value LoopEncoder::compareTerms(CmpIPredicate predicate, Term x, Term y,
                                Type type) {
  if (predicate == CmpIPredicate::eq)
    return smt::EqOp::create(b, x.term, y.term);
  if (predicate == CmpIPredicate::ne)
    return makeDistinct(x.term, y.term);
  if (type.isInteger(1))
    return declareUnknown(type).term;
  if (predicate >= CmpIPredicate::ult) {
    x = toUnsigned(x, type);
    y = toUnsigned(y, type);
  }
  switch (predicate) {
  case CmpIPredicate::slt:
  case CmpIPredicate::ult:
    return compare(IntPredicate::lt, x.term, y.term);
  case CmpIPredicate::sle:
  case CmpIPredicate::ule:
    return compare(IntPredicate::le, x.term, y.term);
  case CmpIPredicate::sgt:
  case CmpIPredicate::ugt:
    return compare(IntPredicate::gt, x.term, y.term);
  default:
    return compare(IntPredicate::ge, x.term, y.term);
  }
}

/// One lane of an operation of arith; of operands without terms, an unknown.
SmtEncoder::Term LoopEncoder::encodeArith(Operation *op, Type type,
                                          ArrayRef<Term> x) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return {compareTerms(comparison.getPredicate(), x[0], x[1], from)};
  if (isa<arith::SelectOp>(op))
    return choose(x[0].term, x[1], x[2]);
  if (type.isInteger(1)) {
    if (isa<arith::AndIOp>(op))
      return {makeAnd(x[0].term, x[1].term)};
    if (isa<arith::OrIOp>(op))
      return {smt::OrOp::create(b, x[0].term, x[1].term)};
    if (isa<arith::XOrIOp>(op))
      return {makeDistinct(x[0].term, x[1].term)};
    return declareUnknown(type);
  }
  if (from.isInteger(1))
    return isa<arith::ExtUIOp, arith::IndexCastUIOp>(op)
               ? choose(x[0].term, constant(1), constant(0))
               : declareUnknown(type);
  // Of numbers with as many bits, one with no more.
  if (isa<arith::XOrIOp, arith::OrIOp>(op) && x[0].lo >= 0 && x[1].lo >= 0) {
    Number most = 0;
    while (most < std::max(x[0].hi, x[1].hi))
      most = 2 * most + 1;
    return unknownWithin("x", 0, most);
  }
  if (isa<arith::XOrIOp>(op)) {
    // Its sign is what divisions that round down are written with.
    auto isNegative = [&](Term term) {
      return compare(IntPredicate::lt, term.term, number(0));
    };
    Term result = declareUnknown(type);
    assertTrue(
        smt::EqOp::create(b, isNegative(result),
                          makeDistinct(isNegative(x[0]), isNegative(x[1]))));
    return result;
  }
  if (isa<arith::AddIOp>(op))
    return wrap(sum(x[0], x[1]), type);
  if (isa<arith::SubIOp>(op))
    return wrap(difference(x[0], x[1]), type);
  if (isa<arith::MulIOp>(op))
    return wrap(product(x[0], x[1]), type);
  if (isa<arith::DivUIOp, arith::RemUIOp>(op))
    return wrap(divide(toUnsigned(x[0], type), toUnsigned(x[1], type),
                       /*floor=*/true, isa<arith::RemUIOp>(op)),
                type);
  if (isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp>(op))
    return wrap(divide(x[0], x[1], isa<arith::FloorDivSIOp>(op),
                       isa<arith::RemSIOp>(op)),
                type);
  // Bits, as far as they are arithmetic: the second operand is a constant.
  if (isa<arith::AndIOp, arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op) &&
      x[1].lo == x[1].hi && x[1].lo >= 0) {
    const Number by = x[1].lo;
    if (isa<arith::AndIOp>(op)) {
      // Of the lowest bits, or else something that is not more.
      if ((by & (by + 1)) == 0)
        return divide(toUnsigned(x[0], type), constant(by + 1), /*floor=*/true,
                      /*wantRemainder=*/true);
      return unknownWithin("x", 0, by);
    }
    if (by >= (type.isIndex() ? 64 : type.getIntOrFloatBitWidth()))
      return declareUnknown(type);
    Term power = constant(Number(1) << by);
    if (isa<arith::ShLIOp>(op))
      return wrap(product(x[0], power), type);
    return wrap(divide(isa<arith::ShRUIOp>(op) ? toUnsigned(x[0], type) : x[0],
                       power, /*floor=*/true, /*wantRemainder=*/false),
                type);
  }
  if (isa<arith::MinSIOp, arith::MaxSIOp>(op)) {
    const bool isMin = isa<arith::MinSIOp>(op);
    Term result = choose(compare(IntPredicate::lt, x[0].term, x[1].term),
                         isMin ? x[0] : x[1], isMin ? x[1] : x[0]);
    if (isMin)
      result.hi = std::min(x[0].hi, x[1].hi);
    else
      result.lo = std::max(x[0].lo, x[1].lo);
    return result;
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return wrap(x[0], type);
  if (isa<arith::IndexCastUIOp, arith::ExtUIOp>(op))
    return wrap(toUnsigned(x[0], from), type);
  return declareUnknown(type);
}

SmtEncoder::Term LoopEncoder::encodeLaneOf(Value value, int64_t lane) {
  Type type = getElementTypeOrSelf(value.getType());
  if (!type.isIntOrIndex())
    return {};
  if (std::optional<Term> known = encodeKnown(value))
    return *known;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar()
               ? encodePosition(loop)
               : declareUnknown(argument.getType());
  }
  Operation *op = value.getDefiningOp();
  auto ofAttr = [&](const APInt &number) -> Term {
    if (type.isInteger(1))
      return {smt::BoolConstantOp::create(b, number.getBoolValue())};
    return constant(number.getSExtValue());
  };
  auto getLaneCount = [](Value vector) {
    auto type = dyn_cast<VectorType>(vector.getType());
    return type ? type.getNumElements() : 1;
  };
  Attribute attr;
  if (matchPattern(op, m_Constant(&attr))) {
    if (auto number = dyn_cast<IntegerAttr>(attr))
      return ofAttr(number.getValue());
    if (auto elements = dyn_cast<DenseIntElementsAttr>(attr))
      return ofAttr(elements.isSplat()
                        ? elements.getSplatValue<APInt>()
                        : *(elements.value_begin<APInt>() + lane));
    return declareUnknown(type);
  }
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return getLane(broadcast.getSource(),
                   lane % getLaneCount(broadcast.getSource()));
  if (isa<vector::StepOp>(op))
    return constant(lane);
  if (auto elements = dyn_cast<vector::FromElementsOp>(op))
    return getLane(elements.getElements()[lane], 0);
  if (auto shuffle = dyn_cast<vector::ShuffleOp>(op)) {
    int64_t from = shuffle.getMask()[lane];
    const int64_t first = getLaneCount(shuffle.getV1());
    if (from < 0)
      return declareUnknown(type);
    return from < first ? getLane(shuffle.getV1(), from)
                        : getLane(shuffle.getV2(), from - first);
  }
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    ArrayRef<int64_t> position = extract.getStaticPosition();
    auto source = cast<VectorType>(extract.getSource().getType());
    if (source.getRank() == 1 && position.size() == 1 &&
        !ShapedType::isDynamic(position[0]))
      return getLane(extract.getSource(), position[0]);
    return declareUnknown(type);
  }
  if (auto reduction = dyn_cast<vector::ReductionOp>(op);
      reduction && type.isInteger(1) && !reduction.getAcc() &&
      (reduction.getKind() == vector::CombiningKind::AND ||
       reduction.getKind() == vector::CombiningKind::OR)) {
    const bool isAnd = reduction.getKind() == vector::CombiningKind::AND;
    Value result = getLane(reduction.getVector(), 0).term;
    for (int64_t i = 1; i < getLaneCount(reduction.getVector()); ++i) {
      Value next = getLane(reduction.getVector(), i).term;
      result = isAnd ? makeAnd(result, next) : makeOr(result, next);
    }
    return {result};
  }
  if (auto mask = dyn_cast<vector::CreateMaskOp>(op);
      mask && mask.getType().getRank() == 1)
    return {compare(IntPredicate::lt, number(lane),
                    getLane(mask.getOperands()[0], 0).term)};
  if (auto mask = dyn_cast<vector::ConstantMaskOp>(op);
      mask && mask.getType().getRank() == 1)
    return {smt::BoolConstantOp::create(b, lane < mask.getMaskDimSizes()[0])};
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    const unsigned number = cast<OpResult>(value).getResultNumber();
    return choose(getLane(branch.getCondition(), 0).term,
                  getLane(branch.thenYield().getOperand(number), lane),
                  getLane(branch.elseYield().getOperand(number), lane));
  }
  if (!isa<arith::ArithDialect>(op->getDialect()) ||
      !llvm::all_of(op->getOperandTypes(), [](Type operand) {
        return getElementTypeOrSelf(operand).isIntOrIndex();
      }))
    return declareUnknown(type);
  SmallVector<Term, 3> operands;
  for (Value operand : op->getOperands())
    operands.push_back(
        getLane(operand, isa<VectorType>(operand.getType()) ? lane : 0));
  return encodeArith(op, type, operands);
}
