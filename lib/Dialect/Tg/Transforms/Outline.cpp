//===- Outline.cpp - tensor graphs inside of other functions --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-outline pass. Operations of the dialect that lie among
/// those of others become functions of their own, which the pipelines accept;
/// calls pass the memory of the tensors.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgHostFunctions.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "TinyGrad/Dialect/Tg/IR/TgReifyShapes.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGOUTLINE
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

static bool isOwnTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && hasDims(tensor) && isElementType(tensor.getElementType());
}

/// Whether an operation on tensors belongs to graphs, by its dialect or its
/// interfaces.
static bool isGraphOp(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isOwnTensor(op->getResult(0).getType()) ||
      !llvm::all_of(op->getOperandTypes(), isOwnTensor))
    return false;
  return isa_and_nonnull<TgDialect>(op->getDialect()) || isElementwiseOp(op) ||
         isa<MovementOpInterface>(op);
}

/// Operations whose results are memory, which an island has none of: values go
/// in and out.
static bool isAboutMemory(Operation *op) {
  return isa<AfterOp, AssignOp, BufferOp>(op);
}

/// Whether the pipelines accept a function as it is.
static bool isGraph(func::FuncOp function) {
  FunctionType type = function.getFunctionType();
  return llvm::all_of(type.getInputs(), isOwnTensor) &&
         llvm::all_of(type.getResults(), isOwnTensor) &&
         function.getBody().hasOneBlock() &&
         llvm::all_of(function.getBody().front(), [](Operation &op) {
           return isa<func::ReturnOp>(op) || isGraphOp(&op);
         });
}

namespace {
/// Operations of one block that are computed together, in their order. The call
/// takes the place of the last one: all operands are there, and nothing outside
/// has used a result.
struct Island {
  SmallVector<Operation *> ops;
  bool isOpen = true;
};

/// Outlines the islands of one function.
class Outliner {
public:
  Outliner(func::FuncOp function, SymbolTable &symbols)
      : function(function), symbols(symbols) {
    for (BlockArgument argument : function.getArguments())
      if (auto variable = function.getArgAttrOfType<VarAttr>(
              argument.getArgNumber(), variableAttrName))
        given[variable] = argument;
  }

  LogicalResult run();

private:
  LogicalResult checkOp(Operation *op);
  void findIslands(Block &block);
  LogicalResult outline(const Island &island);
  LogicalResult replaceDims();
  Value getVariable(OpBuilder &builder, Location loc, VarAttr variable,
                    ValueRange tensors);
  LogicalResult createCall(func::FuncOp graph, Operation *place,
                           ArrayRef<Value> inputs, ArrayRef<Value> outputs);

  func::FuncOp function;
  SymbolTable &symbols;
  /// Arguments that are values of variables.
  DenseMap<Attribute, Value> given;
  SmallVector<Island> islands;
};
} // namespace

LogicalResult Outliner::checkOp(Operation *op) {
  if (isAboutMemory(op))
    return op->emitOpError("is about memory; among operations of other "
                           "dialects, only values are computed");
  if (isa_and_nonnull<TgDialect>(op->getDialect()) && !isGraphOp(op) &&
      !isa<DimOp>(op))
    return op->emitOpError("is not on tensors; among operations of other "
                           "dialects, use those of arith or math for scalars");
  return success();
}

/// Values that cost nothing: each island that uses one has its own.
static bool isCopied(Operation *op) { return op->getNumOperands() == 0; }

void Outliner::findIslands(Block &block) {
  // The islands of this block, by number; a merged one is left without
  // operations.
  SmallVector<Island> found;
  DenseMap<Operation *, size_t> islandOf;
  auto lookUp = [&](Value value) -> std::optional<size_t> {
    Operation *producer = value.getDefiningOp();
    auto it = producer ? islandOf.find(producer) : islandOf.end();
    return it == islandOf.end() ? std::nullopt : std::optional(it->second);
  };
  for (Operation &op : block) {
    if (!isGraphOp(&op)) {
      // What it uses, also inside of it, has to be computed by now.
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (std::optional<size_t> used = lookUp(operand))
            found[*used].isOpen = false;
      });
      continue;
    }
    if (isCopied(&op))
      continue;
    std::optional<size_t> own;
    for (Value operand : op.getOperands()) {
      std::optional<size_t> other = lookUp(operand);
      if (!other || other == own || !found[*other].isOpen)
        continue;
      if (!own) {
        own = other;
        continue;
      }
      for (Operation *moved : found[*other].ops)
        islandOf[moved] = *own;
      llvm::append_range(found[*own].ops, found[*other].ops);
      found[*other].ops.clear();
    }
    if (!own) {
      own = found.size();
      found.emplace_back();
    }
    islandOf[&op] = *own;
    found[*own].ops.push_back(&op);
  }
  // Constants and positions that others use, each by itself.
  for (Operation &op : block)
    if (isGraphOp(&op) && isCopied(&op) &&
        llvm::any_of(op.getUsers(),
                     [](Operation *user) { return !isGraphOp(user); })) {
      found.emplace_back();
      found.back().ops.push_back(&op);
    }
  for (Island &island : found)
    if (!island.ops.empty()) {
      llvm::sort(island.ops, [](Operation *a, Operation *b) {
        return a->isBeforeInBlock(b);
      });
      islands.push_back(std::move(island));
    }
}

/// The value of a variable as an index: the argument that is given for it, or a
/// size of one of the tensors, or of an argument. Null if there is none.
Value Outliner::getVariable(OpBuilder &builder, Location loc, VarAttr variable,
                            ValueRange tensors) {
  if (auto found = given.find(variable); found != given.end()) {
    Value value = found->second;
    if (value.getType().isIndex())
      return value;
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      value);
  }
  auto findIn = [&](ValueRange values) -> Value {
    for (Value value : values) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || !hasDims(type))
        continue;
      for (auto [axis, dim] : llvm::enumerate(getDims(type)))
        if (dim == Dim(variable))
          return tensor::DimOp::create(builder, loc, value,
                                       static_cast<int64_t>(axis));
    }
    return Value();
  };
  if (Value size = findIn(tensors))
    return size;
  return findIn(function.getArguments());
}

/// A buffer with the shape of a tensor, sizes `?` where these are symbolic.
static MemRefType getMemory(RankedTensorType type) {
  return MemRefType::get(type.getShape(), type.getElementType());
}

/// Whether memory of the actual size suffices for a tensor of symbolic shape.
static bool needsActualSize(RankedTensorType type) {
  return !getNeededElements(type).isStatic();
}

/// The memory of a tensor as a flat buffer, as if it were for its largest
/// shape.
static Value flatten(OpBuilder &builder, Location loc, Value memory,
                     RankedTensorType tensor) {
  auto type = cast<MemRefType>(memory.getType());
  MemRefType flat = getBufferType(type.getElementType(), getBufferSize(tensor));
  if (type == flat)
    return memory;
  return memref::ReinterpretCastOp::create(
      builder, loc, flat, memory, /*offset=*/0,
      ArrayRef<int64_t>(flat.getNumElements()), ArrayRef<int64_t>(1));
}

static Value allocate(OpBuilder &builder, Location loc, MemRefType type,
                      ValueRange sizes) {
  return memref::AllocOp::create(builder, loc, type, sizes,
                                 builder.getI64IntegerAttr(kBufferAlignment));
}

/// The part of memory for the largest shape that a tensor of these sizes is.
static Value getActualPart(OpBuilder &builder, Location loc, Value memory,
                           ArrayRef<OpFoldResult> sizes) {
  const SmallVector<OpFoldResult> zeros(sizes.size(), builder.getIndexAttr(0));
  const SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  return memref::SubViewOp::create(builder, loc, memory, zeros, sizes, ones);
}

/// Emits the code that calls the graph, in the place of `place`, and replaces
/// the outputs.
LogicalResult Outliner::createCall(func::FuncOp graph, Operation *place,
                                   ArrayRef<Value> inputs,
                                   ArrayRef<Value> outputs) {
  const Location loc = place->getLoc();
  OpBuilder builder(place);
  FailureOr<SmallVector<VarAttr>> variables = collectVariables(graph);
  if (failed(variables))
    return failure();

  // Values of variables, and whether they are what the graph was compiled for.
  DenseMap<Attribute, Value> values;
  for (VarAttr variable : *variables) {
    Value value = getVariable(builder, loc, variable, inputs);
    if (!value)
      return place->emitOpError("uses the size '")
             << variable.getName().getValue()
             << "', whose value is not known here: no tensor that it computes "
                "with, and no argument of '@"
             << function.getSymName()
             << "', has this size; add an argument with 'tg.variable = "
             << variable << "'";
    values[variable] = value;
    auto getNumber = [&](int64_t number) {
      return arith::ConstantIndexOp::create(builder, loc, number).getResult();
    };
    Value isWithin = arith::AndIOp::create(
        builder, loc,
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, value,
                              getNumber(variable.getMin())),
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, value,
                              getNumber(variable.getMax())));
    cf::AssertOp::create(builder, loc, isWithin,
                         ("the size '" + variable.getName().getValue() +
                          "' is not in [" + Twine(variable.getMin()) + ", " +
                          Twine(variable.getMax()) + "]")
                             .str());
  }
  auto getSizes = [&](RankedTensorType type) {
    return llvm::map_to_vector(getDims(type), [&](Dim dim) -> OpFoldResult {
      if (std::optional<int64_t> number = dim.getStatic())
        return builder.getIndexAttr(*number);
      return createDimValue(builder, loc, dim, [&](VarAttr variable) {
        return values.lookup(variable);
      });
    });
  };

  // Those that are not numbers.
  auto getSizeValues = [&](RankedTensorType type) {
    SmallVector<Value> sizes;
    for (OpFoldResult size : getSizes(type))
      if (auto value = dyn_cast<Value>(size))
        sizes.push_back(value);
    return sizes;
  };

  SmallVector<Value> buffers;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    auto type = cast<RankedTensorType>(input.getType());
    Value memory = bufferization::ToBufferOp::create(
        builder, loc, getMemory(type), input, /*read_only=*/true);
    if (!type.hasStaticShape()) {
      const SmallVector<OpFoldResult> sizes = getSizes(type);
      for (auto [axis, size] : llvm::enumerate(sizes)) {
        auto expected = dyn_cast<Value>(size);
        if (!expected)
          continue;
        Value own = tensor::DimOp::create(builder, loc, input,
                                          static_cast<int64_t>(axis));
        Value isEqual = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::eq, own, expected);
        cf::AssertOp::create(builder, loc, isEqual,
                             ("axis " + Twine(axis) + " of operand " +
                              Twine(i) + " of '@" + graph.getSymName() +
                              "' is not " + getDim(type, axis).str())
                                 .str());
      }
    }
    if (!type.hasStaticShape() && !needsActualSize(type)) {
      const SmallVector<OpFoldResult> sizes = getSizes(type);
      // Rows lie apart as in the largest shape.
      Value whole = allocate(
          builder, loc,
          MemRefType::get(getLargestShape(type), type.getElementType()), {});
      memref::CopyOp::create(builder, loc, memory,
                             getActualPart(builder, loc, whole, sizes));
      memory = whole;
    }
    buffers.push_back(flatten(builder, loc, memory, type));
  }
  SmallVector<Value> wholes;
  for (Value output : outputs) {
    auto type = cast<RankedTensorType>(output.getType());
    if (needsActualSize(type))
      wholes.push_back(
          allocate(builder, loc, getMemory(type), getSizeValues(type)));
    else
      wholes.push_back(allocate(
          builder, loc,
          MemRefType::get(getLargestShape(type), type.getElementType()), {}));
    buffers.push_back(flatten(builder, loc, wholes.back(), type));
  }
  SmallVector<Value> operands = buffers;
  for (VarAttr variable : *variables)
    operands.push_back(arith::IndexCastOp::create(
        builder, loc, builder.getI64Type(), values.lookup(variable)));

  OpBuilder atGraph(graph);
  auto callee = func::FuncOp::create(
      atGraph, loc, (graph.getSymName() + "_call").str(),
      builder.getFunctionType(ValueRange(operands).getTypes(), {}));
  callee.setPrivate();
  callee->setAttr(graphAttrName, FlatSymbolRefAttr::get(graph));
  callee->setAttr(variablesAttrName,
                  builder.getArrayAttr(SmallVector<Attribute>(
                      variables->begin(), variables->end())));
  symbols.insert(callee);
  func::CallOp::create(builder, loc, callee, operands);

  for (auto [output, whole] : llvm::zip_equal(outputs, wholes)) {
    auto type = cast<RankedTensorType>(output.getType());
    Value memory = whole;
    if (!type.hasStaticShape() && !needsActualSize(type)) {
      memory = getActualPart(builder, loc, whole, getSizes(type));
      if (memory.getType() != getMemory(type)) {
        Value packed =
            allocate(builder, loc, getMemory(type), getSizeValues(type));
        memref::CopyOp::create(builder, loc, memory, packed);
        memory = packed;
      }
    }
    Value value = bufferization::ToTensorOp::create(
        builder, loc, type, memory, /*restrict=*/true, /*writable=*/true);
    Value(output).replaceAllUsesWith(value);
  }
  return success();
}

LogicalResult Outliner::outline(const Island &island) {
  const SetVector<Operation *> ops(island.ops.begin(), island.ops.end());
  SetVector<Value> inputs;
  SmallVector<Value> outputs;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!ops.contains(producer) &&
          !(producer && isGraphOp(producer) && isCopied(producer)))
        inputs.insert(operand);
    }
    if (llvm::any_of(op->getUsers(),
                     [&](Operation *user) { return !ops.contains(user); }))
      outputs.push_back(op->getResult(0));
  }
  if (outputs.empty()) {
    for (Operation *op : llvm::reverse(ops))
      op->erase();
    return success();
  }
  Operation *place = ops.back();
  OpBuilder builder(function);
  auto graph = func::FuncOp::create(
      builder, place->getLoc(), (function.getSymName() + "_island").str(),
      builder.getFunctionType(ValueRange(inputs.getArrayRef()).getTypes(),
                              ValueRange(outputs).getTypes()));
  graph.setPrivate();
  symbols.insert(graph);
  builder.setInsertionPointToEnd(graph.addEntryBlock());
  IRMapping mapping;
  for (auto [input, argument] : llvm::zip_equal(inputs, graph.getArguments())) {
    argument.setLoc(input.getLoc());
    mapping.map(input, argument);
  }
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand))
        builder.clone(*operand.getDefiningOp(), mapping);
    builder.clone(*op, mapping);
  }
  SmallVector<Value> results;
  for (Value output : outputs)
    results.push_back(mapping.lookup(output));
  func::ReturnOp::create(builder, place->getLoc(), results);
  if (failed(createCall(graph, place, inputs.getArrayRef(), outputs)))
    return failure();
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  return success();
}

/// Sizes as scalars become the values of their variables.
LogicalResult Outliner::replaceDims() {
  SmallVector<DimOp> dims;
  function.walk([&](DimOp op) {
    if (op.getType().isIndex())
      dims.push_back(op);
  });
  for (DimOp op : dims) {
    OpBuilder builder(op);
    VarAttr missing;
    Value value = createDimValue(
        builder, op.getLoc(), Dim(op.getDim()), [&](VarAttr variable) {
          Value own = getVariable(builder, op.getLoc(), variable, {});
          if (!own)
            missing = variable;
          return own;
        });
    if (!value)
      return op.emitOpError("uses the size '")
             << missing.getName().getValue()
             << "', whose value is not known here: no argument of '@"
             << function.getSymName()
             << "' has this size; add an argument with 'tg.variable = "
             << missing << "'";
    op.replaceAllUsesWith(value);
    op.erase();
  }
  return success();
}

LogicalResult Outliner::run() {
  const WalkResult checked = function.walk([&](Operation *op) {
    return failed(checkOp(op)) ? WalkResult::interrupt()
                               : WalkResult::advance();
  });
  if (checked.wasInterrupted() || failed(replaceDims()))
    return failure();
  function.walk([&](Block *block) { findIslands(*block); });
  // Inner blocks come first, and of each block constants last: until then, the
  // other islands find them.
  for (const Island &island : islands)
    if (failed(outline(island)))
      return failure();
  // Nothing asks for these any more.
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, variableAttrName);
  // Those that only islands used, which have their own.
  function.walk([](Operation *op) {
    if (isGraphOp(op) && op->use_empty())
      op->erase();
  });
  return success();
}

namespace {
struct TgOutlinePass : tg::impl::TgOutlineBase<TgOutlinePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    // Scheduling gives functions other arguments, so that graphs that are
    // called become islands of a function that stays as it is.
    llvm::StringSet<> called;
    module.walk([&](Operation *op) {
      if (auto call = dyn_cast<CallOpInterface>(op)) {
        if (auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
          called.insert(callee.getRootReference());
      } else if (auto constant = dyn_cast<func::ConstantOp>(op)) {
        called.insert(constant.getValue());
      }
    });
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      const std::optional<LevelRange> levels = getLevels(function);
      if (function.isExternal() ||
          (levels && levels->first != ModuleLevel::TensorGraph) ||
          (isGraph(function) && !called.contains(function.getSymName())))
        continue;
      if (failed(Outliner(function, symbols).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
