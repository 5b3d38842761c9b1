//===- Index.cpp - index arithmetic of kernels ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Index values as linear forms over the open loops: the stride of lanes in
/// memory, folding by bounds, and code that computes each part of a sum in the
/// outermost scope possible.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelEmission/KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;

//===----------------------------------------------------------------------===//
// Forms and bounds
//===----------------------------------------------------------------------===//

Interval KernelEmitter::getTermBounds(Value value) {
  if (auto it = rangeIndex.find(value); it != rangeIndex.end()) {
    const Range &range = ranges[it->second];
    if (upcastSet & setOf(it->second))
      return {0, range.extent - 1};
    return {range.lo, range.hi};
  }
  // Quotient and remainder of a value both need its bounds. Without a cache,
  // the time for a chain of them would be exponential in its length.
  unsigned depth = getDepth(value);
  Key key(value, getKey(value));
  if (auto it = scopes[depth].bounds.find(key);
      it != scopes[depth].bounds.end())
    return it->second;
  Interval bounds = computeTermBounds(value.getDefiningOp());
  scopes[depth].bounds[key] = bounds;
  return bounds;
}

Interval KernelEmitter::computeTermBounds(Operation *op) {
  if (!isa<InferIntRangeInterface>(op))
    return Interval::getInt64();
  SmallVector<Interval, 3> operands;
  for (Value operand : op->getOperands()) {
    const Type type = operand.getType();
    operands.push_back(type.isIndex()     ? getBounds(getForm(operand))
                       : type.isInteger() ? Interval::getAll(type)
                                          : Interval());
  }
  // What is divided by a size is taken to be modest, known bounds or not.
  constexpr Interval::Number most = Interval::kModestEnd - 1;
  if (isa<IDivOp, FloorDivOp>(op) && operands[1].lo > 0)
    operands[0] = operands[0].max(-most).min(most);
  return inferInterval(op, operands);
}

/// The ends of a dimension, or of a symbolic range, as expressions.
std::optional<KernelEmitter::Part> KernelEmitter::getSymbolicEnds(Value value) {
  if (!isSymbolic)
    return std::nullopt;
  if (auto dim = value.getDefiningOp<DimOp>())
    return Part{Dim(dim.getDim()), Dim(dim.getDim())};
  auto it = rangeIndex.find(value);
  if (it == rangeIndex.end() || !ranges[it->second].part.first.getContext())
    return std::nullopt;
  return ranges[it->second].part;
}

Interval KernelEmitter::getBounds(const IndexForm &form) {
  Interval sum(form.constant);
  // Expressions may cancel against those of other terms.
  Part ends{getNumber(0), getNumber(0)};
  for (auto [atom, coefficient] : form.terms) {
    std::optional<Part> part = getSymbolicEnds(atom.getPointer());
    if (!part) {
      sum = sum + getTermBounds(atom.getPointer()) * coefficient;
      continue;
    }
    const Dim factor = getNumber(coefficient);
    if (coefficient < 0)
      std::swap(part->first, part->last);
    ends.first = ends.first + part->first * factor;
    ends.last = ends.last + part->last * factor;
    // A part that saturates says nothing of the sum.
    if (!isModest(ends.first) || !isModest(ends.last))
      return Interval::getInt64();
  }
  if (!sum.isModest())
    return Interval::getInt64();
  Dim least = ends.first + getNumber(sum.getMin());
  Dim greatest = ends.last + getNumber(sum.getMax());
  return Interval(least.getMin(), greatest.getMax()).wrapped();
}

LaneForm KernelEmitter::splitLanes(const IndexForm &form) {
  LaneForm result;
  result.scalar.constant = form.constant;
  for (const IndexForm::Term &term : form.terms) {
    auto [atom, factor] = term;
    std::optional<unsigned> lanes = getLaneRange(getDeps(atom.getPointer()));
    if (!lanes || atom.getInt())
      result.scalar.terms.push_back(term);
    else if (atom.getPointer() == ranges[*lanes].op.getResult())
      result.stride = factor;
    else
      result.irregular.push_back(term);
  }
  return result;
}

IndexForm KernelEmitter::getForm(Value index) {
  unsigned depth = getDepth(index);
  Key key(index, getKey(index));
  if (auto it = scopes[depth].forms.find(key); it != scopes[depth].forms.end())
    return it->second;
  Nesting nesting(*this, index);
  IndexForm form;
  withinDepth(depth, [&] { form = computeForm(index); });
  scopes[depth].forms[key] = form;
  return form;
}

IndexForm KernelEmitter::computeForm(Value index) {
  IndexForm opaque{IndexAtom(index)};
  if (auto it = rangeIndex.find(index); it != rangeIndex.end()) {
    const Range &range = ranges[it->second];
    if (loopSet & setOf(it->second))
      return range.value ? opaque : IndexForm(range.lo);
    return range.position >= 0 ? IndexForm(range.position) : opaque;
  }
  Operation *op = index.getDefiningOp();
  if (auto constant = dyn_cast<ConstOp>(op))
    return IndexForm(cast<IntegerAttr>(constant.getValue()).getInt());
  if (auto dim = dyn_cast<DimOp>(op))
    if (std::optional<int64_t> value = Dim(dim.getDim()).getStatic())
      return IndexForm(*value);
  auto operand = [&](unsigned i) { return getForm(op->getOperand(i)); };
  if (isa<AddOp, SubOp>(op)) {
    IndexForm form = operand(0);
    form.add(operand(1), isa<AddOp>(op) ? 1 : -1);
    return form;
  }
  if (isa<NegOp>(op))
    return operand(0).negated();
  if (isa<MulOp, MulAccOp>(op)) {
    IndexForm x = operand(0), y = operand(1);
    if (!y.isConstant())
      std::swap(x, y);
    if (!y.isConstant())
      return opaque;
    IndexForm form = isa<MulAccOp>(op) ? operand(2) : IndexForm();
    form.add(x, y.constant);
    return form;
  }
  if (isa<IDivOp, FloorDivOp>(op))
    return computeDivision(op, /*wantRemainder=*/false);
  if (isa<ModOp, FloorModOp>(op))
    return computeDivision(op, /*wantRemainder=*/true);
  if (auto where = dyn_cast<WhereOp>(op))
    if (std::optional<bool> condition = getKnown(where.getCondition()))
      return *condition ? operand(1) : operand(2);
  if (isa<MaxOp>(op)) {
    IndexForm difference = operand(0);
    difference.subtract(operand(1));
    Interval bounds = getBounds(difference);
    if (bounds.lo >= 0)
      return operand(0);
    if (bounds.hi <= 0)
      return operand(1);
  }
  return opaque;
}

IndexForm KernelEmitter::computeDivision(Operation *op, bool wantRemainder) {
  IndexForm x = getForm(op->getOperand(0)), y = getForm(op->getOperand(1));
  IndexForm opaque{IndexAtom(op->getResult(0))};
  if (!y.isConstant() || y.constant <= 0)
    return opaque;
  int64_t d = y.constant;
  if (!isa<FloorDivOp, FloorModOp>(op) && getBounds(x).lo < 0)
    return opaque;

  auto [quotient, rest] = splitTerms(x, d);
  quotient.constant = llvm::divideFloorSigned(x.constant, d);
  rest.constant = llvm::mod(x.constant, d);
  Interval bounds = getBounds(rest);
  if (bounds.lo >= 0 && bounds.hi < d)
    return wantRemainder ? rest : quotient;

  // If all terms but the lanes are multiples of a divisor of d, and the lanes
  // stay below that divisor, then the lanes never cross a multiple of d.
  LaneForm lanes = splitLanes(rest);
  if (lanes.stride == 0 || !lanes.irregular.empty())
    return opaque;
  int64_t step = lanes.scalar.getCommonDivisor(d);
  int64_t offset = rest.constant % step;
  std::optional<unsigned> range = getLaneRange(getDeps(op->getResult(0)));
  __int128 reach = __int128(lanes.stride) * (ranges[*range].extent - 1);
  if (offset + std::min<__int128>(reach, 0) < 0 ||
      offset + std::max<__int128>(reach, 0) >= step)
    return opaque;
  IndexForm form{IndexAtom(op->getResult(0), true)};
  if (wantRemainder)
    form.addTerm(IndexAtom(ranges[*range].op.getResult()), lanes.stride);
  return form;
}

//===----------------------------------------------------------------------===//
// Code for indices
//===----------------------------------------------------------------------===//

Value KernelEmitter::getIota(B &b, int64_t lanes, int64_t factor,
                             Type element) {
  SmallVector<Attribute> numbers;
  for (int64_t i = 0; i < lanes; ++i)
    numbers.push_back(b.getIntegerAttr(element, mulWrapped(i, factor)));
  auto type = VectorType::get(lanes, element);
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, numbers));
}

Value KernelEmitter::sum(unsigned depth, Value x, Value y, Location loc) {
  Value &result = scopes[depth].sums[{
      0, x.getAsOpaquePointer(), int64_t(uintptr_t(y.getAsOpaquePointer()))}];
  if (!result)
    result = arith::AddIOp::create(at(depth, loc), x, y);
  return result;
}

Value KernelEmitter::scaled(unsigned depth, Value x, int64_t factor,
                            Location loc) {
  if (factor == 1)
    return x;
  Value &result = scopes[depth].sums[{1, x.getAsOpaquePointer(), factor}];
  if (!result) {
    B &b = at(depth, loc);
    result = arith::MulIOp::create(b, x, buildInt(b, x.getType(), factor));
  }
  return result;
}

Value KernelEmitter::getAtom(IndexAtom atom) {
  Value index = atom.getPointer();
  if (auto it = rangeIndex.find(index); it != rangeIndex.end())
    if (loopSet & setOf(it->second))
      return ranges[it->second].value;
  if (atom.getInt())
    if (std::optional<unsigned> lanes = getLaneRange(getDeps(index))) {
      ranges[*lanes].position = 0;
      Value value = getAtom(atom);
      ranges[*lanes].position = -1;
      return value;
    }
  unsigned depth = getDepth(index);
  Key key(index, getKey(index));
  if (Value found = scopes[depth].values.lookup(key))
    return found;
  Value result;
  withinDepth(depth,
              [&] { result = createIndexOp(index.getDefiningOp(), depth); });
  scopes[depth].values[key] = result;
  return result;
}

/// x / y or x mod y, for x >= 0 and y > 0.
static Value buildDivision(B &b, DimOpKind kind, Value x, Value y) {
  if (kind == DimOpKind::floordiv)
    return arith::DivUIOp::create(b, x, y);
  return arith::RemUIOp::create(b, x, y);
}

Value KernelEmitter::getDimValue(Dim dim, Location loc) {
  if (std::optional<int64_t> value = dim.getStatic())
    return getIndexConstant(*value, loc);
  if (Value found = dimValues.lookup(dim.getAttr()))
    return found;
  auto expr = cast<DimExprAttr>(dim.getAttr());
  const DimOpKind kind = expr.getKind();
  const SmallVector<Dim> operands = getDims(expr.getOperands());
  auto apply = [&](B &b, Value x, Value y) -> Value {
    switch (kind) {
    case DimOpKind::add:
      return arith::AddIOp::create(b, x, y);
    case DimOpKind::mul:
      return arith::MulIOp::create(b, x, y);
    case DimOpKind::min:
      return arith::MinSIOp::create(b, x, y);
    case DimOpKind::max:
      return arith::MaxSIOp::create(b, x, y);
    case DimOpKind::floordiv:
    case DimOpKind::mod:
      return operands[0].getMin() >= 0 && operands[1].getMin() > 0
                 ? buildDivision(b, kind, x, y)
                 : buildFloorDivision(b, x, y, kind == DimOpKind::mod);
    }
    llvm_unreachable("unknown DimOpKind");
  };
  Value result = getDimValue(operands[0], loc);
  for (Dim operand : ArrayRef(operands).drop_front()) {
    Value y = getDimValue(operand, loc);
    result = apply(at(0, loc), result, y);
  }
  return dimValues[dim.getAttr()] = result;
}

Value KernelEmitter::createIndexOp(Operation *op, unsigned depth) {
  if (auto dim = dyn_cast<DimOp>(op))
    return getDimValue(Dim(dim.getDim()), op->getLoc());
  if (isa<IDivOp, FloorDivOp, ModOp, FloorModOp>(op)) {
    IndexForm x = getForm(op->getOperand(0)), y = getForm(op->getOperand(1));
    if (getBounds(x).lo >= 0 && getBounds(y).lo > 0) {
      Value dividend = get(op->getOperand(0));
      Value divisor = y.isConstant() ? buildInt(at(depth, op->getLoc()),
                                                dividend.getType(), y.constant)
                                     : get(op->getOperand(1));
      B &b = at(depth, op->getLoc());
      if (auto vector = dyn_cast<VectorType>(dividend.getType()))
        divisor = toLanes(b, divisor, vector.getNumElements());
      else if (auto vector = dyn_cast<VectorType>(divisor.getType()))
        dividend = toLanes(b, dividend, vector.getNumElements());
      return buildDivision(
          b, isa<IDivOp, FloorDivOp>(op) ? DimOpKind::floordiv : DimOpKind::mod,
          dividend, divisor);
    }
  }
  return createElementwise(op, depth);
}

Value KernelEmitter::getScalar(const IndexForm &form, Location loc) {
  // Sum the outer terms first, so that inner loops add to an invariant.
  SmallVector<std::pair<unsigned, const IndexForm::Term *>> terms;
  for (const IndexForm::Term &term : form.terms)
    terms.push_back({getDepth(term.first.getPointer()), &term});
  llvm::sort(terms); // terms of equal depth keep their order
  Value total;
  for (auto [depth, term] : terms) {
    Value part = scaled(depth, getAtom(term->first), term->second, loc);
    total = total ? sum(depth, total, part, loc) : part;
  }
  if (total && form.constant == 0)
    return total;
  unsigned depth = terms.empty() ? 0 : terms.back().first;
  Value constant = getIndexConstant(form.constant, loc);
  return total ? sum(depth, total, constant, loc) : constant;
}

Value KernelEmitter::getIndex(const IndexForm &form, Location loc) {
  LaneForm lanes = splitLanes(form);
  if (lanes.stride == 0 && lanes.irregular.empty())
    return getScalar(lanes.scalar, loc);
  RangeSet set = 0;
  unsigned depth = 0;
  SmallVector<Value> irregular;
  for (auto [atom, factor] : form.terms) {
    set |= getDeps(atom.getPointer());
    depth = std::max(depth, getDepth(atom.getPointer()));
  }
  for (auto [atom, factor] : lanes.irregular)
    irregular.push_back(getAtom(atom));
  Value scalar = getScalar(lanes.scalar, loc);
  int64_t width = ranges[*getLaneRange(set)].extent;
  B &b = at(depth, loc);
  auto type = VectorType::get(width, b.getIndexType());
  Value total = vector::BroadcastOp::create(b, type, scalar);
  if (lanes.stride)
    total = arith::AddIOp::create(
        b, total, getIota(b, width, lanes.stride, b.getIndexType()));
  for (auto [term, value] : llvm::zip_equal(lanes.irregular, irregular)) {
    // If all lanes are equal, the value may be a scalar.
    value = toLanes(b, value, width);
    if (term.second != 1)
      value = arith::MulIOp::create(b, value, buildInt(b, type, term.second));
    total = arith::AddIOp::create(b, total, value);
  }
  return total;
}
