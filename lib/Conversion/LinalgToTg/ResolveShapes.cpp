//===- ResolveShapes.cpp - sizes of tensors with dynamic shapes -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds an expression of the sizes of arguments for each `?` in a function.
/// Each `?` of an argument is a variable at first. Operations say which sizes
/// are equal; such equations are solved for one of their variables, which is
/// then replaced by the rest.
///
//===----------------------------------------------------------------------===//

#include "Converter.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::linalgtotg;

namespace {

class ShapeResolver {
public:
  ShapeResolver(func::FuncOp function, SizeBounds bounds,
                ConversionState &state)
      : function(function), bounds(bounds), state(state),
        context(function.getContext()) {}

  LogicalResult resolve();

private:
  Dim number(int64_t value) const { return Dim(context, value); }
  /// With what is known of variables so far.
  Dim substitute(Dim dim) const;
  /// Makes two sizes equal. Fails if the equation cannot be solved.
  bool unify(Dim lhs, Dim rhs);
  bool solve(Dim difference);
  LogicalResult requireEqual(Operation *op, Dim lhs, Dim rhs);

  /// The dimensions of a tensor, unless some are not known.
  std::optional<SmallVector<Dim>> getDims(Value tensor) const;
  LogicalResult setDims(OpResult result, ArrayRef<Dim> dims);

  /// Elements of a tensor whose sizes its type tells can be counted.
  LogicalResult checkType(Value value) const;
  LogicalResult visit(Operation *op);
  /// The size that an operation on index values gives.
  std::optional<Dim> evaluate(Operation *op) const;
  LogicalResult visitLinalg(linalg::LinalgOp op);
  /// A tensor and its tiles, `tiles` of the axes `tiled`.
  LogicalResult visitTiles(Operation *op, Value tensor, Value packed,
                           ArrayRef<int64_t> tiled,
                           ArrayRef<OpFoldResult> tiles,
                           ArrayRef<int64_t> outerOrder);
  /// Dimensions of parts of a tensor at indices, which have type `type`: those
  /// of the indices, then those of the tensor. Indexed axes have size 1 or are
  /// not there.
  std::optional<SmallVector<Dim>> getIndexedDims(Value tensor, Value indices,
                                                 ArrayRef<int64_t> indexed,
                                                 RankedTensorType type) const;
  /// Finds out whether an assertion holds for all sizes, if that of two sizes
  /// which it says to be equal does.
  void visitAssertion(cf::AssertOp op);
  /// Dimensions of the result of an operation that says them, or their sizes.
  std::optional<SmallVector<Dim>> infer(Operation *op) const;
  LogicalResult setTypes();

  func::FuncOp function;
  SizeBounds bounds;
  ConversionState &state;
  MLIRContext *context;
  DenseMap<Value, SmallVector<Dim>> shapes;
  /// Variables that stand for `?`; what they were found to be.
  llvm::MapVector<Attribute, std::optional<Dim>> variables;
};

} // namespace

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

Dim ShapeResolver::substitute(Dim dim) const {
  // What replaces a variable has none that is replaced: see `solve`.
  return dim.substitute([&](VarAttr variable) {
    auto it = variables.find(variable);
    return it != variables.end() && it->second ? *it->second : Dim(variable);
  });
}

bool ShapeResolver::unify(Dim lhs, Dim rhs) {
  lhs = substitute(lhs);
  rhs = substitute(rhs);
  return lhs == rhs || solve(lhs - rhs) || solve(rhs - lhs);
}

/// Solves `difference` = 0 for a variable that it is a multiple of -1 of, plus
/// what does not depend on the variable.
bool ShapeResolver::solve(Dim difference) {
  SmallVector<VarAttr> candidates;
  difference.walk([&](VarAttr variable) { candidates.push_back(variable); });
  for (VarAttr variable : llvm::reverse(candidates)) {
    auto it = variables.find(variable);
    if (it == variables.end())
      continue;
    Dim rest = difference + Dim(variable);
    bool isFree = true;
    rest.walk([&](VarAttr other) { isFree &= other != variable; });
    if (!isFree || !isNeverNegative(rest))
      continue;
    it->second = rest;
    for (auto &[other, value] : variables)
      if (value)
        value = substitute(*value);
    return true;
  }
  return false;
}

LogicalResult ShapeResolver::requireEqual(Operation *op, Dim lhs, Dim rhs) {
  if (unify(lhs, rhs))
    return success();
  return op->emitOpError("needs the sizes ")
         << substitute(lhs).str() << " and " << substitute(rhs).str()
         << " to be equal, which cannot be solved for the size of an argument";
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<SmallVector<Dim>> ShapeResolver::getDims(Value tensor) const {
  if (auto it = shapes.find(tensor); it != shapes.end())
    return it->second;
  if (hasDims(tensor.getType()))
    return tg::getDims(cast<RankedTensorType>(tensor.getType()));
  return std::nullopt;
}

LogicalResult ShapeResolver::setDims(OpResult result, ArrayRef<Dim> dims) {
  auto type = cast<RankedTensorType>(result.getType());
  assert(type.getRank() == int64_t(dims.size()) && "one for each axis");
  for (auto [size, dim] : llvm::zip_equal(type.getShape(), dims))
    if (!ShapedType::isDynamic(size) &&
        failed(requireEqual(result.getOwner(), dim, number(size))))
      return failure();
  shapes[result] = SmallVector<Dim>(dims);
  return success();
}

std::optional<Dim> ShapeResolver::evaluate(Operation *op) const {
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> axis = dim.getConstantIndex();
    auto dims = getDims(dim.getSource());
    if (axis && dims && *axis >= 0 && *axis < int64_t(dims->size()))
      return (*dims)[*axis];
    return std::nullopt;
  }
  return computeSize(
      op, [&](OpFoldResult operand) { return state.getSize(operand); });
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult ShapeResolver::visitLinalg(linalg::LinalgOp op) {
  SmallVector<std::optional<Dim>> loops(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    auto dims = getDims(operand.get());
    if (!dims)
      return op.emitOpError("has an operand of unknown shape");
    for (auto [expr, size] : llvm::zip_equal(
             op.getMatchingIndexingMap(&operand).getResults(), *dims))
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        std::optional<Dim> &loop = loops[dim.getPosition()];
        if (loop && failed(requireEqual(op, *loop, size)))
          return failure();
        if (!loop)
          loop = size;
      }
  }
  for (OpOperand &output : op.getDpsInitsMutable())
    if (OpResult result =
            op->getResult(output.getOperandNumber() - op.getNumDpsInputs()))
      if (failed(setDims(result, *getDims(output.get()))))
        return failure();
  return success();
}

LogicalResult ShapeResolver::visitTiles(Operation *op, Value tensor,
                                        Value packed, ArrayRef<int64_t> tiled,
                                        ArrayRef<OpFoldResult> tiles,
                                        ArrayRef<int64_t> outerOrder) {
  auto dims = getDims(tensor), packedDims = getDims(packed);
  auto tileSizes = state.getSizes(tiles);
  if (!dims || !packedDims)
    return success();
  if (!tileSizes)
    return op->emitOpError("has a size of tiles that is not computed from "
                           "sizes");
  for (auto [axis, tile] : llvm::zip_equal(tiled, *tileSizes)) {
    if (tile.getMin() < 1)
      return op->emitOpError("has tiles of size ")
             << tile.str() << ", which may be less than 1";
    (*dims)[axis] =
        Dim::get(DimOpKind::floordiv, (*dims)[axis] + tile - number(1), tile);
  }
  SmallVector<Dim> wanted(*dims);
  for (auto [i, axis] : llvm::enumerate(outerOrder))
    wanted[i] = (*dims)[axis];
  llvm::append_range(wanted, *tileSizes);
  for (auto [lhs, rhs] : llvm::zip_equal(wanted, *packedDims))
    if (failed(requireEqual(op, lhs, rhs)))
      return failure();
  return success();
}

std::optional<SmallVector<Dim>>
ShapeResolver::getIndexedDims(Value tensor, Value indices,
                              ArrayRef<int64_t> indexed,
                              RankedTensorType type) const {
  auto source = getDims(tensor), dims = getDims(indices);
  if (!source || !dims)
    return std::nullopt;
  dims->pop_back();
  const bool areKept = type.getRank() == int64_t(dims->size() + source->size());
  for (auto [axis, size] : llvm::enumerate(*source))
    if (!llvm::is_contained(indexed, int64_t(axis)))
      dims->push_back(size);
    else if (areKept)
      dims->push_back(number(1));
  return dims;
}

std::optional<SmallVector<Dim>> ShapeResolver::infer(Operation *op) const {
  auto add = [](ArrayRef<Dim> x, ArrayRef<Dim> y) {
    return llvm::map_to_vector(llvm::zip_equal(x, y), [](auto pair) {
      return std::get<0>(pair) + std::get<1>(pair);
    });
  };
  using Result = std::optional<SmallVector<Dim>>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](tensor::EmptyOp op) {
        return state.getSizes(op.getMixedSizes());
      })
      .Case([&](tensor::SplatOp op) {
        return state.getSizes(getMixedValues(op.getType().getShape(),
                                             op.getDynamicSizes(), context));
      })
      .Case([&](tensor::CastOp op) { return getDims(op.getSource()); })
      .Case([&](tensor::InsertSliceOp op) { return getDims(op.getDest()); })
      .Case([&](tensor::ExtractSliceOp op) -> Result {
        auto sizes = state.getSizes(op.getMixedSizes());
        if (!sizes)
          return std::nullopt;
        SmallVector<Dim> kept;
        llvm::SmallBitVector dropped = op.getDroppedDims();
        for (auto [axis, size] : llvm::enumerate(*sizes))
          if (!dropped.test(axis))
            kept.push_back(size);
        return kept;
      })
      .Case([&](tensor::PadOp op) -> Result {
        auto dims = getDims(op.getSource());
        auto low = state.getSizes(op.getMixedLowPad());
        auto high = state.getSizes(op.getMixedHighPad());
        if (!dims || !low || !high)
          return std::nullopt;
        return add(add(*dims, *low), *high);
      })
      .Case<tensor::InsertOp, tensor::ScatterOp>(
          [&](auto op) { return getDims(op.getDest()); })
      .Case([&](tensor::GenerateOp op) {
        return state.getSizes(getMixedValues(op.getType().getShape(),
                                             op.getDynamicExtents(), context));
      })
      .Case([&](linalg::PackOp op) { return getDims(op.getDest()); })
      .Case([&](linalg::UnPackOp op) { return getDims(op.getDest()); })
      .Case([&](tensor::GatherOp op) {
        return getIndexedDims(op.getSource(), op.getIndices(),
                              op.getGatherDims(), op.getResultType());
      })
      .Case([&](tensor::ConcatOp op) -> Result {
        Result sum;
        for (Value part : op.getInputs()) {
          auto dims = getDims(part);
          if (!dims)
            return std::nullopt;
          if (sum)
            (*sum)[op.getDim()] = (*sum)[op.getDim()] + (*dims)[op.getDim()];
          else
            sum = dims;
        }
        return sum;
      })
      .Case([&](tensor::CollapseShapeOp op) -> Result {
        auto dims = getDims(op.getSrc());
        if (!dims)
          return std::nullopt;
        SmallVector<Dim> products;
        for (const ReassociationIndices &group : op.getReassociationIndices()) {
          products.push_back(number(1));
          for (int64_t axis : group)
            products.back() = products.back() * (*dims)[axis];
        }
        return products;
      })
      .Case([&](tensor::ExpandShapeOp op) {
        return state.getSizes(op.getMixedOutputShape());
      })
      .Default([&](Operation *op) -> Result {
        if (!OpTrait::hasElementwiseMappableTraits(op))
          return std::nullopt;
        for (Value operand : op->getOperands())
          if (isa<RankedTensorType>(operand.getType()))
            return getDims(operand);
        return std::nullopt;
      });
}

LogicalResult ShapeResolver::checkType(Value value) const {
  if (!hasDims(value.getType()))
    return success();
  return checkNumElements(tg::getDims(cast<RankedTensorType>(value.getType())),
                          [&] { return emitError(value.getLoc()); });
}

void ShapeResolver::visitAssertion(cf::AssertOp op) {
  APInt value;
  if (matchPattern(op.getArg(), m_ConstantInt(&value))) {
    if (!value.isZero())
      state.holding.insert(op);
    return;
  }
  auto compare = op.getArg().getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return;
  auto getSize = [&](Value operand) {
    // Front ends compare sizes as i64, too.
    while (auto cast = operand.getDefiningOp<arith::IndexCastOp>())
      operand = cast.getIn();
    APInt constant;
    if (matchPattern(operand, m_ConstantInt(&constant)))
      return std::optional<Dim>(number(constant.getSExtValue()));
    return state.getSize(operand);
  };
  std::optional<Dim> lhs = getSize(compare.getLhs()),
                     rhs = getSize(compare.getRhs());
  if (!lhs || !rhs)
    return;
  const Dim less = substitute(*rhs) - substitute(*lhs),
            greater = substitute(*lhs) - substitute(*rhs), one = number(1);
  const bool areNegative = lhs->getMin() < 0 || rhs->getMin() < 0;
  auto holds = [&] {
    using P = arith::CmpIPredicate;
    switch (compare.getPredicate()) {
    case P::eq:
      return unify(*lhs, *rhs);
    case P::ne:
      return isNeverNegative(less - one) || isNeverNegative(greater - one);
    case P::slt:
      return isNeverNegative(less - one);
    case P::sle:
      return isNeverNegative(less);
    case P::sgt:
      return isNeverNegative(greater - one);
    case P::sge:
      return isNeverNegative(greater);
    case P::ult:
      return !areNegative && isNeverNegative(less - one);
    case P::ule:
      return !areNegative && isNeverNegative(less);
    case P::ugt:
      return !areNegative && isNeverNegative(greater - one);
    case P::uge:
      return !areNegative && isNeverNegative(greater);
    }
    llvm_unreachable("unknown predicate");
  };
  if (holds())
    state.holding.insert(op);
}

LogicalResult ShapeResolver::visit(Operation *op) {
  for (Value result : op->getResults())
    if (failed(checkType(result)))
      return failure();
  if (auto structured = dyn_cast<linalg::LinalgOp>(op);
      structured && structured.hasPureTensorSemantics())
    return visitLinalg(structured);
  if (op->getNumResults() == 1 && op->getResult(0).getType().isIndex()) {
    if (std::optional<Dim> size = evaluate(op))
      state.sizes[op->getResult(0)] = *size;
    return success();
  }
  if (OpTrait::hasElementwiseMappableTraits(op)) {
    std::optional<SmallVector<Dim>> first;
    for (Value operand : op->getOperands()) {
      auto dims = getDims(operand);
      if (!isa<RankedTensorType>(operand.getType()) || !dims)
        continue;
      if (first)
        for (auto [lhs, rhs] : llvm::zip_equal(*first, *dims))
          if (failed(requireEqual(op, lhs, rhs)))
            return failure();
      first = dims;
    }
  }
  if (auto part = dyn_cast<tensor::InsertSliceOp>(op)) {
    auto sizes = state.getSizes(part.getMixedSizes());
    auto dims = getDims(part.getSource());
    llvm::SmallBitVector dropped = part.getDroppedDims();
    if (sizes && dims) {
      size_t number = 0;
      for (auto [axis, size] : llvm::enumerate(*sizes))
        if (!dropped.test(axis) &&
            failed(requireEqual(op, size, (*dims)[number++])))
          return failure();
    }
  }
  if (auto scatter = dyn_cast<tensor::ScatterOp>(op)) {
    auto source = getDims(scatter.getSource());
    auto wanted =
        getIndexedDims(scatter.getDest(), scatter.getIndices(),
                       scatter.getScatterDims(), scatter.getSourceType());
    if (source && wanted)
      for (auto [lhs, rhs] : llvm::zip_equal(*wanted, *source))
        if (failed(requireEqual(op, lhs, rhs)))
          return failure();
  }
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    visitAssertion(assertion);
  if (auto pack = dyn_cast<linalg::PackOp>(op))
    if (failed(visitTiles(op, pack.getSource(), pack.getDest(),
                          pack.getInnerDimsPos(), pack.getMixedTiles(),
                          pack.getOuterDimsPerm())))
      return failure();
  if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
    if (failed(visitTiles(op, unpack.getDest(), unpack.getSource(),
                          unpack.getInnerDimsPos(), unpack.getMixedTiles(),
                          unpack.getOuterDimsPerm())))
      return failure();
  for (OpResult result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      continue;
    std::optional<SmallVector<Dim>> dims;
    if (result.getResultNumber() == 0)
      dims = infer(op);
    if (dims) {
      if (failed(setDims(result, *dims)))
        return failure();
    } else if (!hasDims(type)) {
      return op->emitOpError("has a result of type ")
             << type
             << ", whose sizes are not known as expressions of the sizes of "
                "arguments";
    }
  }
  if (auto ret = dyn_cast<func::ReturnOp>(op))
    for (auto [value, type] :
         llvm::zip_equal(ret.getOperands(), function.getResultTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      auto dims = getDims(value);
      if (!tensor || !dims)
        continue;
      for (auto [dim, size] : llvm::zip_equal(*dims, tensor.getShape()))
        if (!ShapedType::isDynamic(size) &&
            failed(requireEqual(op, dim, number(size))))
          return failure();
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult ShapeResolver::setTypes() {
  for (auto &[value, size] : state.sizes)
    size = substitute(size);
  for (auto &[value, dims] : shapes) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<Dim> known =
        llvm::map_to_vector(dims, [&](Dim dim) { return substitute(dim); });
    auto emitError = [&] {
      InFlightDiagnostic error = mlir::emitError(value.getLoc());
      error << "a tensor of type " << type << " and shape " << toString(known)
            << ": ";
      return error;
    };
    for (Dim dim : known)
      if (failed(checkLength(dim.getAttr(), emitError)) ||
          failed(checkFits(dim.getAttr(), emitError)))
        return failure();
    for (Dim dim : known)
      if (!isNeverNegative(dim))
        return emitError() << dim.str() << " can be negative, down to "
                           << dim.getMin()
                           << "; the option min-size bounds sizes of arguments";
    if (failed(checkNumElements(known, emitError)))
      return failure();
    value.setType(getTensorType(known, type.getElementType()));
  }
  SmallVector<Type> results(function.getResultTypes());
  for (Operation &op : function.front())
    if (auto ret = dyn_cast<func::ReturnOp>(op))
      results.assign(ret.getOperandTypes().begin(),
                     ret.getOperandTypes().end());
  function.setFunctionType(
      FunctionType::get(context, function.front().getArgumentTypes(), results));
  return success();
}

LogicalResult ShapeResolver::resolve() {
  if (function.isExternal())
    return success();
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (failed(checkType(argument)))
      return failure();
    if (!type || hasDims(type))
      continue;
    if (type.getEncoding())
      return emitError(argument.getLoc())
             << "argument " << argument.getArgNumber() << " has the type "
             << type << "; the only encoding that is known is #tg.shape";
    SmallVector<Dim> dims;
    for (auto [axis, size] : llvm::enumerate(type.getShape())) {
      if (!ShapedType::isDynamic(size)) {
        dims.push_back(number(size));
        continue;
      }
      std::string name = "arg" + std::to_string(argument.getArgNumber()) + "_" +
                         std::to_string(axis);
      auto variable = VarAttr::get(context, StringAttr::get(context, name),
                                   bounds.min, bounds.max, std::nullopt);
      variables[variable] = std::nullopt;
      dims.push_back(Dim(variable));
    }
    shapes[argument] = dims;
  }
  for (Block &block : function.getBody())
    for (Operation &op : block)
      if (failed(visit(&op)))
        return failure();
  return setTypes();
}

LogicalResult linalgtotg::resolveShapes(func::FuncOp function,
                                        SizeBounds bounds,
                                        ConversionState &state) {
  return ShapeResolver(function, bounds, state).resolve();
}
