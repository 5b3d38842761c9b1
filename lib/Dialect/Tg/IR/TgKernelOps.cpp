//===- TgKernelOps.cpp - host program and kernel operations ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builders, syntax and verifiers of the operations of levels 2 and 3.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferPart.h"
#include "TinyGrad/Dialect/Tg/IR/TgContraction.h"
#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "TinyGrad/Dialect/Tg/IR/TgSharedUpdates.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Host program
//===----------------------------------------------------------------------===//

void AllocOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       getOperation()->getOpResult(0));
}

LogicalResult LiteralOp::verify() {
  ShapedType type = getValue().getShapedType();
  if (type.getElementType() != getType().getElementType() ||
      type.getNumElements() != getType().getNumElements())
    return emitOpError("the value is ")
           << type << ", the result " << getType() << " (C1)";
  return success();
}

FailureOr<SmallVector<char>> tg::getBytes(LiteralOp literal) {
  auto value = dyn_cast<DenseElementsAttr>(literal.getValue());
  if (!value)
    return literal.emitOpError("has elements that are not in the program, as ")
           << "dense<[1, 2]> : tensor<2xi32> is";
  SmallVector<char> bytes;
  if (value.getElementType().isInteger(1)) {
    for (bool bit : value.getValues<bool>())
      bytes.push_back(static_cast<char>(bit));
    return bytes;
  }
  const ArrayRef<char> raw = value.getRawData();
  for (int64_t i = 0; i < (value.isSplat() ? value.getNumElements() : 1); ++i)
    bytes.append(raw.begin(), raw.end());
  return bytes;
}

/// The bytes of an element in memory; a bool takes one.
static int64_t getElementBytes(MemRefType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

void SubbufferOp::build(OpBuilder &builder, OperationState &state, Type type,
                        Value source, Dim offset) {
  build(builder, state, type, source, offset.getAttr());
}

void SubbufferOp::build(OpBuilder &builder, OperationState &state, Type type,
                        Value source, int64_t offset) {
  build(builder, state, type, source, Dim(builder.getContext(), offset));
}

LogicalResult SubbufferOp::verify() {
  MemRefType source = getSource().getType(), result = getType();
  int64_t elementBytes = getElementBytes(result);
  if (source.getMemorySpace() != result.getMemorySpace())
    return emitOpError("is in another memory space than its source ")
           << source << " (C3)";
  Dim offset = getOffsetDim();
  if (failed(checkFits(getOffset(), [&] { return emitOpError(); })))
    return failure();
  if (!isNeverNegative(offset))
    return emitOpError("offset ")
           << offset.str() << (offset.isStatic() ? " is" : " can be")
           << " negative (C2)";
  if (!Dim::get(DimOpKind::mod, offset, Dim(getContext(), elementBytes)).is(0))
    return emitOpError("offset ")
           << offset.str() << " is not a multiple of the element size "
           << elementBytes << " (C2)";
  if (source.hasStaticShape() && result.hasStaticShape()) {
    uint64_t end = llvm::SaturatingMultiplyAdd<uint64_t>(
        result.getNumElements(), elementBytes, offset.getMax());
    const auto size = static_cast<uint64_t>(getBufferBytes(source));
    if (end > size)
      return emitOpError(offset.isStatic() ? "ends" : "can end")
             << " at byte " << end << " of a source of " << size
             << " bytes (C1)";
  }
  return success();
}

BufferPart mlir::tg::getBufferPart(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t begin = 0, size = type.hasStaticShape() ? getBufferBytes(type) : 0;
  bool isKnown = type.hasStaticShape();
  while (auto part = buffer.getDefiningOp<SubbufferOp>()) {
    std::optional<int64_t> offset = part.getOffsetDim().getStatic();
    isKnown &= offset && !llvm::AddOverflow<int64_t>(begin, *offset, begin);
    buffer = part.getSource();
  }
  BufferPart part{buffer, std::nullopt};
  if (int64_t end; isKnown && !llvm::AddOverflow(begin, size, end))
    part.bytes = {begin, end};
  return part;
}

StringRef BufferPart::getDevice() const {
  if (auto alloc = root.getDefiningOp<AllocOp>())
    return alloc.getDevice();
  if (auto literal = root.getDefiningOp<LiteralOp>())
    return literal.getDevice();
  auto argument = dyn_cast<BlockArgument>(root);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return "";
  auto func = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  auto device = func ? func.getArgAttrOfType<StringAttr>(
                           argument.getArgNumber(), deviceAttrName)
                     : StringAttr();
  return device ? device.getValue() : "";
}

/// Device names are case-insensitive, and ordinal 0 is the default: CPU, cpu
/// and CPU:0 are the same device.
static bool isSameDevice(StringRef device, StringRef other) {
  device.consume_back(":0");
  other.consume_back(":0");
  return device.equals_insensitive(other);
}

LogicalResult TransferOp::verify() {
  BufferPart dest = getBufferPart(getDest());
  if (dest.isLiteral())
    return emitOpError("writes to a tg.literal (C2)");
  if (getSource() == getDest() || getBufferPart(getSource()).overlaps(dest))
    return emitOpError("the source overlaps the destination (C3)");
  return success();
}

LogicalResult SortOp::verify() {
  MemRefType keys = getKeys().getType(), positions = getPositions().getType();
  Type element = positions.getElementType();
  if (keys.hasStaticShape() != positions.hasStaticShape() ||
      (keys.hasStaticShape() &&
       keys.getNumElements() < positions.getNumElements()))
    return emitOpError("has more positions, ")
           << positions << ", than keys, " << keys << " (C1)";
  if (failed(checkFits(getLength(), [&] { return emitOpError(); })))
    return failure();
  Dim length(getLength());
  if (!isNeverNegative(length))
    return emitOpError("length ") << length.str() << " can be negative (C2)";
  if (keys.hasStaticShape()) {
    const auto rows = static_cast<int64_t>(getRows());
    for (MemRefType type : {keys, positions})
      if (type.getNumElements() % rows != 0)
        return emitOpError("")
               << type.getNumElements() << " elements cannot be divided into "
               << rows << " rows (C1)";
    if (length.getMax() > keys.getNumElements() / rows)
      return emitOpError("sorts ") << length.str() << " elements of a row of "
                                   << keys.getNumElements() / rows << " (C2)";
  }
  if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64))
    return emitOpError("positions are i32 or i64, not ") << element << " (C3)";
  BufferPart dest = getBufferPart(getPositions());
  if (dest.isLiteral())
    return emitOpError("writes to a tg.literal (C3)");
  if (getKeys() == getPositions() || getBufferPart(getKeys()).overlaps(dest))
    return emitOpError("the keys overlap the positions (C3)");
  return success();
}

/// Verifies that the launch passes values for the kernel's numbers (C5).
static LogicalResult verifyNumbers(LaunchOp launch, KernelOp kernel) {
  const ArrayAttr wanted = kernel.getNumbersAttr();
  const ArrayRef<int64_t> given =
      launch.getNumbers().value_or(ArrayRef<int64_t>());
  const size_t count = wanted ? wanted.size() : 0;
  if (given.size() != count)
    return launch.emitOpError("gives ")
           << given.size() << " numbers to '" << launch.getKernel()
           << "', which takes " << count << " (C5)";
  for (size_t i = 0; i < count; ++i)
    if (auto variable = cast<VarAttr>(wanted[i]);
        given[i] < variable.getMin() || given[i] > variable.getMax())
      return launch.emitOpError("gives '")
             << variable.getName().getValue() << "' the value " << given[i]
             << ", which is not in [" << variable.getMin() << ", "
             << variable.getMax() << "] (C5)";
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("'") << getKernel() << "' is not a tg.kernel (C1)";
  if (kernel.getArgumentTypes() != getBuffers().getTypes())
    return emitOpError("passes (")
           << getBuffers().getTypes() << ") to '" << getKernel()
           << "', which takes (" << kernel.getArgumentTypes() << ") (C1)";
  auto parts = llvm::map_to_vector(getBuffers(), getBufferPart);
  std::optional<size_t> placed;
  for (auto [i, part] : llvm::enumerate(parts)) {
    if (part.getDevice().empty())
      continue;
    if (placed && !isSameDevice(parts[*placed].getDevice(), part.getDevice()))
      return emitOpError("argument ")
             << *placed << " is on " << parts[*placed].getDevice()
             << ", argument " << i << " on " << part.getDevice() << " (C4)";
    placed = i;
  }
  for (auto [i, part] : llvm::enumerate(parts)) {
    auto alignment = kernel.getArgAttrOfType<IntegerAttr>(i, alignmentAttrName);
    if (alignment && part.bytes && part.bytes->first % alignment.getInt() != 0)
      return emitOpError("argument ")
             << i << " begins at byte " << part.bytes->first
             << ", which is not a multiple of the " << alignment.getInt()
             << " bytes that the kernel states (C6)";
  }
  for (size_t i = 0; i < kernel.getOutputs(); ++i) {
    if (parts[i].isLiteral())
      return emitOpError("argument ")
             << i << ", which the kernel writes, is a tg.literal (C3)";
    for (size_t j = 0; j < parts.size() && !kernel.getInPlace(); ++j) {
      if (i == j)
        continue;
      if (getBuffers()[i] == getBuffers()[j])
        return emitOpError("the buffer written as argument ")
               << i << " is also argument " << j << " (C2)";
      if (parts[i].overlaps(parts[j]))
        return emitOpError("the buffer written as argument ")
               << i << " overlaps argument " << j << " (C2)";
    }
  }
  return verifyNumbers(*this, kernel);
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

/// Parses like a function, except that the body may be empty.
ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  (void)impl::parseOptionalVisibilityKeyword(parser, result.attributes);
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, isVariadic, resultTypes,
          resultAttrs))
    return failure();
  auto argTypes = llvm::map_to_vector(
      arguments, [](const OpAsmParser::Argument &arg) { return arg.type; });
  result.addAttribute(
      getFunctionTypeAttrName(result.name),
      TypeAttr::get(builder.getFunctionType(argTypes, resultTypes)));
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  call_interface_impl::addArgAndResultAttrs(
      builder, result, arguments, resultAttrs, getArgAttrsAttrName(result.name),
      getResAttrsAttrName(result.name));
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty()) {
    Block &block = body->emplaceBlock();
    for (const OpAsmParser::Argument &arg : arguments)
      block.addArgument(arg.type, arg.sourceLoc.value_or(result.location));
  }
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

Type KernelOp::cloneTypeWith(TypeRange inputs, TypeRange results) {
  return FunctionType::get(getContext(), inputs, results);
}

/// Loads may access inputs, tiles, and outputs that are written in place;
/// stores access outputs.
static LogicalResult verifyAccess(LoadOp load, KernelOp kernel) {
  auto argument = dyn_cast<BlockArgument>(load.getBuffer());
  if (!argument || kernel.getInPlace() ||
      argument.getArgNumber() >= static_cast<uint64_t>(kernel.getOutputs()))
    return success();
  return load.emitOpError("reads argument ")
         << argument.getArgNumber()
         << ", an output of a kernel that is not 'in_place' (C5)";
}

static LogicalResult verifyAccess(StoreOp store, KernelOp kernel) {
  auto argument = dyn_cast<BlockArgument>(store.getBuffer());
  if (!argument)
    return store.emitOpError("writes to a buffer that is not an argument of "
                             "the kernel (C5)");
  if (argument.getArgNumber() >= static_cast<uint64_t>(kernel.getOutputs()))
    return store.emitOpError("writes to argument ")
           << argument.getArgNumber() << ", which is not one of the "
           << kernel.getOutputs() << " outputs (C5)";
  if (store.getUpdate() && !kernel.getInPlace())
    return store.emitOpError("updates an output of a kernel that is not "
                             "'in_place' (C5)");
  return success();
}

RangeOp tg::findSharedRange(StoreOp store, KernelOp kernel) {
  llvm::SetVector<Value> inIndex;
  inIndex.insert(store.getIndex());
  for (size_t i = 0; i < inIndex.size(); ++i)
    if (Operation *op = inIndex[i].getDefiningOp(); op && !isa<LoadOp>(op))
      inIndex.insert(op->operand_begin(), op->operand_end());
  for (auto range : kernel.getBody().getOps<RangeOp>())
    if (range.getKind() != RangeKind::loop &&
        range.getKind() != RangeKind::upcast &&
        range.getKind() != RangeKind::unroll && range.getLargestExtent() > 1 &&
        !inIndex.contains(range))
      return range;
  return RangeOp();
}

LogicalResult KernelOp::verify() {
  if (!getResultTypes().empty())
    return emitOpError(
        "has results; a kernel writes through its arguments (C1)");
  for (auto [i, type] : llvm::enumerate(getArgumentTypes())) {
    if (!isBufferType(type))
      return emitOpError("argument ") << i << " is " << type
                                      << ", not a flat buffer of a tg element "
                                         "type, of at most 2^53 elements (C1)";
  }
  if (static_cast<size_t>(getOutputs()) > getArgumentTypes().size())
    return emitOpError("has ")
           << getOutputs() << " outputs but only " << getArgumentTypes().size()
           << " arguments (C1)";
  llvm::SmallDenseSet<StringAttr> names;
  if (ArrayAttr numbers = getNumbersAttr())
    for (auto variable : numbers.getAsRange<VarAttr>()) {
      if (variable.getValue())
        return emitOpError("number '")
               << variable.getName().getValue() << "' has a value (C9)";
      if (!names.insert(variable.getName()).second)
        return emitOpError("lists the number '")
               << variable.getName().getValue() << "' twice (C9)";
    }
  return success();
}

/// Whether the memory of a tile goes with the ranges of the group's \p items:
/// those that the stage closes, and those among \p open that its value still
/// depends on.
static LogicalResult
verifyTileMemory(StageOp stage, ArrayRef<int64_t> open,
                 const DenseMap<int64_t, RangeKind> &items) {
  if (stage.getMemory() == TileMemory::group) {
    for (int64_t id : open)
      if (auto item = items.find(id); item != items.end())
        return stage.emitOpError(
                   "the value of a group's tile depends on range ")
               << id << " of kind '" << stringifyRangeKind(item->second)
               << "', which is not among its ranges (C4)";
    return success();
  }
  for (Value range : stage.getRanges())
    if (auto op = range.getDefiningOp<RangeOp>();
        op && op.getKind() == RangeKind::local)
      return stage.emitOpError("a work item's tile has range ")
             << op.getId() << " of kind 'local', whose positions are other "
             << "work items; the tile of a group is 'in group' (C3)";
  return success();
}

/// Multiplies a number of positions by an extent; returns false on overflow of
/// int64_t. Empty ranges count as one position, so that the result does not
/// depend on the order.
static bool multiplyPositions(int64_t &positions, int64_t extent) {
  return !llvm::MulOverflow(positions, std::max<int64_t>(extent, 1), positions);
}

/// Verifies the body after each of its operations was verified by itself.
LogicalResult KernelOp::verifyRegions() {
  // The ranges that each value depends on, and those that a reduce closes. Each
  // operation is visited once.
  DenseMap<Value, SmallVector<int64_t>> open;
  DenseSet<int64_t> isSinglePosition;
  DenseMap<int64_t, RangeKind> items;
  DenseMap<int64_t, int64_t> extents;
  DenseMap<int64_t, Operation *> closedBy;
  int64_t parallelExtent = 1;
  SmallVector<StoreOp> stores;
  VariableChecker variables;
  auto checkVariables = [&](Operation &op, Attribute dim) {
    return variables.check(dim, [&] { return op.emitOpError(); });
  };
  for (Operation &op : getBody().front()) {
    if ((!isa_and_nonnull<TgDialect>(op.getDialect()) &&
         !isElementwiseOp(&op)) ||
        isa<KernelOp, LaunchOp, AllocOp, LiteralOp, SubbufferOp, TransferOp,
            SortOp>(op))
      return op.emitOpError("is not allowed inside a tg.kernel (C3)");
    for (Type type : op.getResultTypes())
      if (isa<RankedTensorType>(type))
        return op.emitOpError("works on tensors inside a kernel (C3)");
    if (auto load = dyn_cast<LoadOp>(op))
      if (failed(verifyAccess(load, *this)))
        return failure();
    if (auto store = dyn_cast<StoreOp>(op)) {
      if (failed(verifyAccess(store, *this)))
        return failure();
      stores.push_back(store);
    }
    SmallVector<int64_t> deps;
    for (Value operand : op.getOperands())
      for (int64_t id : open.lookup(operand))
        if (!llvm::is_contained(deps, id))
          deps.push_back(id);
    if (auto dim = dyn_cast<DimOp>(op))
      if (failed(checkVariables(op, dim.getDim())))
        return failure();
    if (auto range = dyn_cast<RangeOp>(op)) {
      if (failed(checkVariables(op, range.getExtent())) ||
          failed(checkVariables(op, range.getPeelDim().getAttr())))
        return failure();
      deps.push_back(range.getId());
      int64_t extent = Dim(range.getExtent()).getMax();
      if (extent <= 1)
        isSinglePosition.insert(range.getId());
      if (range.getKind() == RangeKind::local ||
          range.getKind() == RangeKind::group_reduce)
        items.try_emplace(range.getId(), range.getKind());
      if (!extents.try_emplace(range.getId(), extent).second)
        return range.emitOpError("id ")
               << range.getId() << " is used by another range (C2)";
      if ((range.getKind() == RangeKind::thread ||
           range.getKind() == RangeKind::global) &&
          !multiplyPositions(parallelExtent, extent))
        return range.emitOpError("makes the number of work items exceed 63 "
                                 "bits (C6)");
    }
    int64_t positions = 1;
    for (int64_t id : deps)
      if (!multiplyPositions(positions, extents.lookup(id)))
        return op.emitOpError("is evaluated at more positions than fit into "
                              "63 bits (C6)");
    auto close = [&](ValueRange ranges) {
      for (Value range : ranges)
        if (auto rangeOp = range.getDefiningOp<RangeOp>())
          llvm::erase(deps, static_cast<int64_t>(rangeOp.getId()));
    };
    if (auto reduce = dyn_cast<RangedReduceOp>(op)) {
      close(reduce.getRanges());
      for (Value range : reduce.getRanges())
        if (auto rangeOp = range.getDefiningOp<RangeOp>())
          closedBy.try_emplace(rangeOp.getId(), &op);
    }
    if (auto stage = dyn_cast<StageOp>(op)) {
      close(stage.getRanges());
      if (failed(verifyTileMemory(stage, deps, items)))
        return failure();
    }
    for (Value result : op.getResults())
      open[result] = deps;
  }
  for (StoreOp store : stores) {
    for (Value operand : store->getOperands())
      for (int64_t id : open.lookup(operand))
        if (Operation *reduce = closedBy.lookup(id)) {
          InFlightDiagnostic diag = store.emitOpError("depends on range ")
                                    << id
                                    << ", which a tg.ranged_reduce closes (C4)";
          diag.attachNote(reduce->getLoc()) << "the tg.ranged_reduce";
          return diag;
        }
    if (store.getUpdate()) {
      if (RangeOp range = findSharedRange(store, *this))
        return store.emitOpError("updates the same elements in several work "
                                 "items, those of range ")
               << range.getId() << " (C8)";
      continue;
    }
    // Several values for one element. A mask may select a single one of them.
    for (int64_t id : open.lookup(store.getValue()))
      if (!store.getMask() && !isSinglePosition.contains(id) &&
          !llvm::is_contained(open.lookup(store.getIndex()), id))
        return store.emitOpError("writes a value that depends on range ")
               << id << " to an index that does not (C2)";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Inside kernels
//===----------------------------------------------------------------------===//

void RangeOp::build(OpBuilder &builder, OperationState &state, int64_t id,
                    RangeKind kind, Dim extent) {
  build(builder, state, builder.getIndexType(), id, kind, extent.getAttr(),
        /*peel=*/Attribute());
}

void RangeOp::build(OpBuilder &builder, OperationState &state, int64_t id,
                    RangeKind kind, int64_t extent) {
  build(builder, state, id, kind, Dim(builder.getContext(), extent));
}

Dim RangeOp::getPeelDim() {
  if (std::optional<Attribute> peel = getPeel())
    return Dim(*peel);
  return Dim(getContext(), 0);
}

void RangeOp::setPeelDim(Dim peel) {
  if (peel.is(0))
    removePeelAttr();
  else
    setPeelAttr(peel.getAttr());
}

LogicalResult RangeOp::verify() {
  Dim extent(getExtent());
  for (Attribute dim : {getExtent(), getPeelDim().getAttr()})
    if (failed(checkFits(dim, [&] { return emitOpError(); })))
      return failure();
  if (!isNeverNegative(extent))
    return emitOpError("extent ") << extent.str() << " is negative (C1)";
  if (extent.getMax() > kMaxRangeExtent)
    return emitOpError("extent ")
           << extent.str() << " can be more than 2^53 (C1)";
  if (int64_t id = getId(); id < 0 || id > kMaxRangeId)
    return emitOpError("id ") << id << " is not in [0, 2^31) (C3)";
  Dim peel = getPeelDim();
  if (peel.getMin() < 0 || peel.getMin() > extent.getMax())
    return emitOpError("peels ")
           << peel.str() << " of " << extent.str() << " positions (C2)";
  if (!peel.is(0) && getKind() != RangeKind::loop &&
      getKind() != RangeKind::thread)
    return emitOpError("peels a range of kind '")
           << stringifyRangeKind(getKind())
           << "'; only loop and thread ranges can be peeled (C2)";
  return success();
}

/// Verifies that an access is within its buffer if its index is a constant or a
/// range. A mask may exclude out-of-bounds positions.
static LogicalResult verifyIndex(Operation *op, MemRefType buffer, Value index,
                                 Value mask) {
  if (mask || !buffer.hasStaticShape())
    return success();
  int64_t size = buffer.getDimSize(0), first, last;
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant))) {
    first = last = constant.getSExtValue();
  } else if (auto range = index.getDefiningOp<RangeOp>()) {
    first = 0;
    last = Dim(range.getExtent()).getMax() - 1;
  } else {
    return success();
  }
  if (first >= 0 && last < size)
    return success();
  return op->emitOpError("accesses position ")
         << (first < 0 ? first : last) << " of a buffer of " << size
         << " elements (C1)";
}

LogicalResult LoadOp::verify() {
  return verifyIndex(*this, getBuffer().getType(), getIndex(), getMask());
}

void StoreOp::build(OpBuilder &builder, OperationState &state, Value value,
                    Value buffer, Value index, Value mask) {
  build(builder, state, value, buffer, index, mask, UpdateKindAttr(),
        ValueRange(), /*nontemporal=*/false, /*prefetch=*/IntegerAttr());
}

/// Verifies that the operands are results of different tg.range operations.
static LogicalResult checkRanges(Operation *op, ValueRange ranges,
                                 StringRef constraint) {
  DenseSet<Value> seen;
  for (auto [i, value] : llvm::enumerate(ranges)) {
    auto range = value.getDefiningOp<RangeOp>();
    if (!range)
      return op->emitOpError("range operand ")
             << i << " is not the result of a tg.range " << constraint;
    if (!seen.insert(value).second)
      return op->emitOpError("lists range ")
             << range.getId() << " twice " << constraint;
  }
  return success();
}

LogicalResult StoreOp::verify() {
  std::optional<UpdateKind> update = getUpdate();
  if (update && *update != UpdateKind::set && isFp8(getValue().getType()))
    return emitOpError("'")
           << stringifyUpdateKind(*update) << "' does not take "
           << getValue().getType() << " (C3)";
  if (update && getNontemporal())
    return emitOpError("an update reads the element, so it cannot be "
                       "'nontemporal' (C3)");
  if (update && getAsTma())
    return emitOpError("an update is not stored 'as tma' (C3)");
  if (!update && !getRanges().empty())
    return emitOpError("only an update can be 'over' ranges (C4)");
  if (failed(checkRanges(*this, getRanges(), "(C4)")))
    return failure();
  return verifyIndex(*this, getBuffer().getType(), getIndex(), getMask());
}

LogicalResult RangedReduceOp::verify() {
  if (failed(checkRanges(*this, getRanges(), "(C1)")))
    return failure();
  return verifyContraction(*this);
}

LogicalResult RangedScanOp::verify() {
  if (failed(checkRanges(*this, getRanges(), "(C1)")))
    return failure();
  for (auto [i, value] : llvm::enumerate(getRanges())) {
    auto range = value.getDefiningOp<RangeOp>();
    if (range.getKind() == RangeKind::loop ||
        (range.getKind() == RangeKind::upcast && i + 1 == getRanges().size()))
      continue;
    return emitOpError("range ")
           << range.getId() << " is of kind '"
           << stringifyRangeKind(range.getKind())
           << "', not 'loop' (the last range may be 'upcast') (C2)";
  }
  if (getKind() == ScanKind::logaddexp && !isa<FloatType>(getType()))
    return emitOpError("'logaddexp' takes floats, not ")
           << getType() << " (C3)";
  return success();
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value buffer,
                   Value index, Value mask) {
  build(builder, state, cast<MemRefType>(buffer.getType()).getElementType(),
        buffer, index, mask, /*prefetch=*/IntegerAttr());
}

void StageOp::build(OpBuilder &builder, OperationState &state, MemRefType tile,
                    Value value, ValueRange ranges, TileMemory memory) {
  state.addOperands(value);
  state.addOperands(ranges);
  if (memory != TileMemory::item)
    state.getOrAddProperties<Properties>().memory =
        TileMemoryAttr::get(builder.getContext(), memory);
  state.addTypes(tile);
}

LogicalResult StageOp::verify() {
  if (failed(checkRanges(*this, getRanges(), "(C2)")))
    return failure();
  if (getBuffers() && getMemory() != TileMemory::group)
    return emitOpError("a tile of a work item has one buffer (C5)");
  if (getAsTma() && !getBuffers())
    return emitOpError("only a tile with 'buffers' is filled 'as tma' (C5)");
  // For a symbolic extent, the tile has the maximal size.
  int64_t count = 1;
  for (Value range : getRanges())
    if (llvm::MulOverflow(
            count, Dim(range.getDefiningOp<RangeOp>().getExtent()).getMax(),
            count))
      return emitOpError("has more positions than fit into 63 bits (C1)");
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
