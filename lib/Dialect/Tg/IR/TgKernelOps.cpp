//===- TgKernelOps.cpp - host program and kernel operations ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builders, assembly and verifiers of the operations of levels 2 and 3.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Host program
//===----------------------------------------------------------------------===//

void AllocOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(), getOperation()->getOpResult(0));
}

LogicalResult LiteralOp::verify() {
  ShapedType type = getValue().getShapedType();
  if (type.getElementType() != getType().getElementType() ||
      type.getNumElements() != getType().getNumElements())
    return emitOpError("the value is ")
           << type << ", the result " << getType() << " (C1)";
  return success();
}

/// The bytes of an element in memory; bool takes one.
static int64_t getElementBytes(MemRefType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

LogicalResult ViewOp::verify() {
  MemRefType source = getSource().getType(), result = getType();
  int64_t elementBytes = getElementBytes(result), offset = getOffset();
  if (offset < 0 || offset % elementBytes != 0)
    return emitOpError("offset ")
           << offset << " is not a multiple of the element size "
           << elementBytes << " (C2)";
  if (source.hasStaticShape() && result.hasStaticShape()) {
    int64_t end = offset + result.getNumElements() * elementBytes;
    int64_t size = source.getNumElements() * getElementBytes(source);
    if (end > size)
      return emitOpError("ends at byte ")
             << end << " of a source of " << size << " bytes (C1)";
  }
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("'") << getKernel() << "' is not a tg.kernel (C1)";
  if (kernel.getArgumentTypes() != getBuffers().getTypes())
    return emitOpError("operands do not have the types of the arguments of '")
           << getKernel() << "' (C1)";
  if (kernel.getInPlace())
    return success();
  for (auto [i, buffer] :
       llvm::enumerate(getBuffers().take_front(kernel.getOutputs())))
    for (auto [j, other] : llvm::enumerate(getBuffers()))
      if (i != j && buffer == other)
        return emitOpError("the buffer written as argument ")
               << i << " is also argument " << j << " (C2)";
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     TypeRange argTypes, int64_t outputs) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(
      getFunctionTypeAttrName(state.name),
      TypeAttr::get(builder.getFunctionType(argTypes, TypeRange())));
  state.addAttribute(getOutputsAttrName(state.name),
                     builder.getI64IntegerAttr(outputs));
  Block &block = state.addRegion()->emplaceBlock();
  for (Type type : argTypes)
    block.addArgument(type, state.location);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) -> Type {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

Type KernelOp::cloneTypeWith(TypeRange inputs, TypeRange results) {
  return FunctionType::get(getContext(), inputs, results);
}

LogicalResult KernelOp::verify() {
  if (!getResultTypes().empty())
    return emitOpError("has results; a kernel writes through its arguments (C1)");
  for (auto [i, type] : llvm::enumerate(getArgumentTypes())) {
    auto buffer = dyn_cast<MemRefType>(type);
    if (!buffer || buffer.getRank() != 1 || !buffer.getLayout().isIdentity())
      return emitOpError("argument ")
             << i << " is " << type << ", not a flat buffer (C1)";
  }
  if (static_cast<size_t>(getOutputs()) > getArgumentTypes().size())
    return emitOpError("has ") << getOutputs() << " outputs but only "
                               << getArgumentTypes().size() << " arguments";
  // The ranges that each value depends on, as a set of ids; a reduce closes its
  // own. Bodies are small and each operation is looked at once.
  DenseMap<Value, SmallVector<int64_t>> open;
  DenseSet<int64_t> ids;
  for (Operation &op : getBody().front()) {
    if (op.getName().getDialectNamespace() != "tg" ||
        isa<KernelOp, LaunchOp, AllocOp, ViewOp, TransferOp>(op))
      return op.emitOpError("does not belong into a kernel (C3)");
    for (Type type : op.getResultTypes())
      if (isa<RankedTensorType>(type))
        return op.emitOpError("works on tensors inside a kernel (C3)");
    SmallVector<int64_t> deps;
    for (Value operand : op.getOperands())
      for (int64_t id : open.lookup(operand))
        if (!llvm::is_contained(deps, id))
          deps.push_back(id);
    if (auto range = dyn_cast<RangeOp>(op)) {
      deps.push_back(range.getId());
      if (!ids.insert(range.getId()).second)
        return range.emitOpError("id ")
               << range.getId() << " is used by another range (C2)";
    }
    auto close = [&](ValueRange ranges) {
      for (Value range : ranges)
        if (auto rangeOp = range.getDefiningOp<RangeOp>())
          llvm::erase(deps, static_cast<int64_t>(rangeOp.getId()));
    };
    if (auto reduce = dyn_cast<RangedReduceOp>(op))
      close(reduce.getRanges());
    if (auto stage = dyn_cast<StageOp>(op))
      close(stage.getRanges());
    for (Value result : op.getResults())
      open[result] = deps;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Inside kernels
//===----------------------------------------------------------------------===//

void RangeOp::build(OpBuilder &builder, OperationState &state, int64_t id,
                    RangeKind kind, int64_t extent) {
  build(builder, state, builder.getIndexType(), id, kind,
        builder.getI64IntegerAttr(extent));
}

int64_t RangeOp::getStaticExtent() { return *Dim(getExtent()).getStatic(); }

LogicalResult RangeOp::verify() {
  Dim extent(getExtent());
  if (extent.getMin() < 0)
    return emitOpError("extent ") << extent.str() << " is negative (C1)";
  int64_t peel = getPeel();
  if (peel > extent.getMax())
    return emitOpError("peels ") << peel << " of " << extent.str()
                                 << " positions (C2)";
  if (peel > 0 && getKind() != RangeKind::loop && getKind() != RangeKind::thread)
    return emitOpError("only loops are peeled (C2)");
  return success();
}

/// The operands are results of different tg.range operations.
static LogicalResult checkRanges(Operation *op, ValueRange ranges) {
  DenseSet<Value> seen;
  for (Value range : ranges) {
    if (!range.getDefiningOp<RangeOp>())
      return op->emitOpError("works over a value that is not a tg.range");
    if (!seen.insert(range).second)
      return op->emitOpError("works over a range twice");
  }
  return success();
}

LogicalResult RangedReduceOp::verify() {
  return checkRanges(*this, getRanges());
}

LogicalResult StageOp::verify() {
  if (failed(checkRanges(*this, getRanges())))
    return failure();
  int64_t count = 1;
  for (Value range : getRanges())
    count *= Dim(range.getDefiningOp<RangeOp>().getExtent()).getMax();
  if (!getTile().getType().hasStaticShape() ||
      getTile().getType().getNumElements() != count)
    return emitOpError("the tile is ")
           << getTile().getType() << ", the ranges have " << count
           << " positions (C1)";
  return success();
}

LogicalResult BarrierOp::verify() {
  if (!getTile().getDefiningOp<StageOp>())
    return emitOpError("the operand is not the result of a tg.stage (C1)");
  return success();
}
