//===- PrepareGPUFunctions.cpp - memory and indices of GPU functions ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-prepare-gpu-functions pass.
///
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"
#include "TinyGrad/Conversion/GPUToLLVM/GPUToLLVM.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "TinyGrad/Support/GPUChips.h"
#include "TinyGrad/Support/TensorMap.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGPREPAREGPUFUNCTIONS
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Alignment of the parts of a group's memory in bytes: vectors of this size
/// are accessed at once.
static constexpr int64_t kMemoryAlignment = 16;

/// The loads of global memory that an item makes at once in a loop.
static constexpr int64_t kLoadsAtOnce = 4;

/// The arguments without the memory of the group.
static ArrayRef<BlockArgument> getArguments(gpu::GPUFuncOp func) {
  return func.getArguments().take_front(func.getFunctionType().getNumInputs());
}

//===----------------------------------------------------------------------===//
// The width of indices
//===----------------------------------------------------------------------===//

static bool isOfWorkgroup(Type type) {
  auto space = dyn_cast_if_present<gpu::AddressSpaceAttr>(
      cast<BaseMemRefType>(type).getMemorySpace());
  return space && space.getValue() == gpu::AddressSpace::Workgroup;
}

namespace {
/// Ranges of integers, where those of the function's variables are known.
class RangeAnalysis : public dataflow::IntegerRangeAnalysis {
public:
  RangeAnalysis(DataFlowSolver &solver,
                const DenseMap<Value, ConstantIntRanges> &known)
      : IntegerRangeAnalysis(solver), known(known) {}

  void setToEntryState(dataflow::IntegerValueRangeLattice *lattice) override {
    auto found = known.find(lattice->getAnchor());
    if (found == known.end())
      return IntegerRangeAnalysis::setToEntryState(lattice);
    propagateIfChanged(lattice,
                       lattice->join(IntegerValueRange(found->second)));
  }

private:
  const DenseMap<Value, ConstantIntRanges> &known;
};

/// Decides whether the indices of a function can be computed in 32 bits.
class NarrowIndices {
public:
  /// Whether all of them can.
  bool check(gpu::GPUFuncOp func);

private:
  /// The bounds of an index; none if they are not known.
  std::optional<ConstantIntRanges> getRange(Value value);
  bool isNonNegative(Value value) {
    std::optional<ConstantIntRanges> range = getRange(value);
    return range && range->smin().isNonNegative();
  }
  bool checkValue(Value value);
  bool checkOperation(Operation *op);

  DataFlowSolver solver;
};
} // namespace

std::optional<ConstantIntRanges> NarrowIndices::getRange(Value value) {
  const auto *state =
      solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  // Without a state: code that does not run.
  if (!state || state->getValue().isUninitialized())
    return std::nullopt;
  return state->getValue().getValue();
}

bool NarrowIndices::checkValue(Value value) {
  Type type = value.getType();
  if (auto buffer = dyn_cast<MemRefType>(type))
    return buffer.hasStaticShape() && llvm::isInt<32>(buffer.getNumElements());
  if (!getElementTypeOrSelf(type).isIndex())
    return true;
  // Addresses of a group's memory have fewer bits.
  if (auto address =
          value.getDefiningOp<memref::ExtractAlignedPointerAsIndexOp>())
    return isOfWorkgroup(address.getSource().getType());
  std::optional<ConstantIntRanges> range = getRange(value);
  return range && range->smin().isSignedIntN(32) &&
         range->smax().isSignedIntN(32);
}

bool NarrowIndices::checkOperation(Operation *op) {
  if (!llvm::all_of(op->getResults(),
                    [&](Value value) { return checkValue(value); }))
    return false;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (!llvm::all_of(block.getArguments(),
                        [&](Value value) { return checkValue(value); }))
        return false;
  // Where an index is taken as an unsigned number, negative ones would change.
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp, arith::CeilDivUIOp,
          arith::IndexCastUIOp>(op))
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return !getElementTypeOrSelf(operand).isIndex() || isNonNegative(operand);
    });
  // The counter goes past the end before it is compared.
  if (auto loop = dyn_cast<scf::ForOp>(op);
      loop && loop.getInductionVar().getType().isIndex()) {
    std::optional<ConstantIntRanges> end = getRange(loop.getUpperBound());
    std::optional<ConstantIntRanges> step = getRange(loop.getStep());
    return end && step && (end->smax() + step->smax()).isSignedIntN(32);
  }
  return true;
}

bool NarrowIndices::check(gpu::GPUFuncOp func) {
  DenseMap<Value, ConstantIntRanges> known;
  if (auto variables = func->getAttrOfType<ArrayAttr>(variablesAttrName)) {
    ArrayRef<BlockArgument> last =
        getArguments(func).take_back(variables.size());
    for (auto [argument, variable] : llvm::zip_equal(last, variables)) {
      auto var = cast<VarAttr>(variable);
      known.try_emplace(argument, ConstantIntRanges::fromSigned(
                                      APInt(64, uint64_t(var.getMin())),
                                      APInt(64, uint64_t(var.getMax()))));
    }
  }
  dataflow::loadBaselineAnalyses(solver);
  solver.load<RangeAnalysis>(known);
  // The function is the root: nothing is known of its callers.
  if (failed(solver.initializeAndRun(func)))
    return false;
  return !func.walk([&](Operation *op) {
                return checkOperation(op) ? WalkResult::advance()
                                          : WalkResult::interrupt();
              })
              .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Arguments and memory
//===----------------------------------------------------------------------===//

static MemRefType inSpace(Type type, gpu::AddressSpace space) {
  auto buffer = cast<MemRefType>(type);
  return MemRefType::get(buffer.getShape(), buffer.getElementType(),
                         buffer.getLayout(),
                         gpu::AddressSpaceAttr::get(type.getContext(), space));
}

/// Buffers are in global memory, and variables are passed as i64.
static void convertArguments(gpu::GPUFuncOp func) {
  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  SmallVector<Type> types;
  for (BlockArgument argument : getArguments(func)) {
    if (isa<MemRefType>(argument.getType())) {
      argument.setType(inSpace(argument.getType(), gpu::AddressSpace::Global));
    } else if (argument.getType().isIndex()) {
      argument.setType(builder.getI64Type());
      auto index = arith::IndexCastOp::create(builder, argument.getLoc(),
                                              builder.getIndexType(), argument);
      argument.replaceAllUsesExcept(index, index);
    }
    types.push_back(argument.getType());
  }
  func.setFunctionType(builder.getFunctionType(types, TypeRange()));
}

static int64_t getBytes(BlockArgument memory) {
  auto type = cast<MemRefType>(memory.getType());
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

/// What the address of a part of a group's memory has to be a multiple of.
static int64_t getAlignment(gpu::GPUFuncOp func, unsigned attribution) {
  auto alignment =
      dyn_cast_if_present<IntegerAttr>(func.getWorkgroupAttributionAttr(
          attribution, LLVM::LLVMDialect::getAlignAttrName()));
  return alignment ? std::max(alignment.getInt(), kMemoryAlignment)
                   : kMemoryAlignment;
}

/// The memory of the group becomes views of what the launch provides.
static void takeMemoryFromLaunch(gpu::GPUFuncOp func) {
  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  Location loc = func.getLoc();
  auto space = gpu::AddressSpaceAttr::get(func.getContext(),
                                          gpu::AddressSpace::Workgroup);
  Value all = gpu::DynamicSharedMemoryOp::create(
      builder, loc,
      MemRefType::get({ShapedType::kDynamic}, builder.getI8Type(),
                      MemRefLayoutAttrInterface(), space));
  int64_t bytes = 0;
  for (unsigned i = 0; i < func.getNumWorkgroupAttributions(); ++i) {
    BlockArgument memory = func.getWorkgroupAttributions()[i];
    const int64_t begin = llvm::alignTo(bytes, getAlignment(func, i));
    Value offset = arith::ConstantIndexOp::create(builder, loc, begin);
    bytes = begin + getBytes(memory);
    memory.replaceAllUsesWith(
        memref::ViewOp::create(builder, loc, cast<MemRefType>(memory.getType()),
                               all, offset, ValueRange()));
  }
  const unsigned first = func.getFunctionType().getNumInputs();
  func.getBody().front().eraseArguments(first,
                                        func.getNumWorkgroupAttributions());
  func->setAttr(gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName(),
                builder.getI64IntegerAttr(0));
  func.removeWorkgroupAttribAttrsAttr();
}

/// What a launch has to make; nothing if it is not the kind of map that
/// launches make.
static std::optional<tinygrad::TensorMap>
describeMap(nvgpu::TmaCreateDescriptorOp op) {
  auto cast = op.getTensor().getDefiningOp<memref::CastOp>();
  auto matrix =
      cast ? cast.getSource().getDefiningOp<memref::ReinterpretCastOp>()
           : nullptr;
  auto buffer = matrix ? dyn_cast<BlockArgument>(matrix.getSource()) : nullptr;
  SmallVector<uint32_t> box;
  for (Value size : op.getBoxDimensions()) {
    APInt number;
    if (matchPattern(size, m_ConstantInt(&number)))
      box.push_back(uint32_t(number.getZExtValue()));
  }
  if (!buffer || matrix.getType().getRank() != 2 || box.size() != 2 ||
      !matrix.getType().hasStaticShape() ||
      llvm::any_of(matrix.getStaticStrides(), ShapedType::isDynamic) ||
      matrix.getStaticStrides()[1] != 1 || matrix.getStaticOffsets()[0] != 0)
    return std::nullopt;
  const ArrayRef<int64_t> shape = matrix.getType().getShape();
  const int64_t bytes = matrix.getType().getElementTypeBitWidth() / 8;
  return tinygrad::TensorMap{buffer.getArgNumber(),
                             uint32_t(bytes),
                             {shape[1], shape[0]},
                             matrix.getStaticStrides()[0] * bytes,
                             {box[1], box[0]}};
}

/// Tensor maps become arguments that the launch makes, after all others, in
/// their order. The attribute says what they are.
static LogicalResult takeMapsFromLaunch(gpu::GPUFuncOp func) {
  SmallVector<int64_t> numbers;
  SmallVector<nvgpu::TmaCreateDescriptorOp> maps(
      func.getBody().front().getOps<nvgpu::TmaCreateDescriptorOp>());
  for (nvgpu::TmaCreateDescriptorOp map : maps) {
    const unsigned number = func.getFunctionType().getNumInputs();
    (void)func.insertArgument(number, map.getTensorMap().getType(), {},
                              map.getLoc());
    map.getTensorMap().replaceAllUsesWith(func.getArgument(number));
    if (std::optional<tinygrad::TensorMap> description = describeMap(map))
      llvm::append_range(numbers, description->getNumbers());
    else
      return map.emitError(
          "is no matrix of a buffer that a launch can describe");
    Operation *unused = map;
    while (unused && unused->use_empty() &&
           isa<nvgpu::TmaCreateDescriptorOp, memref::CastOp,
               memref::ReinterpretCastOp>(unused)) {
      Operation *next = unused->getOperand(0).getDefiningOp();
      unused->erase();
      unused = next;
    }
  }
  if (!maps.empty())
    func->setAttr(tensorMapsAttrName,
                  Builder(func.getContext()).getI64ArrayAttr(numbers));
  return success();
}

static void placeMemory(gpu::GPUFuncOp func, int64_t maxStaticBytes) {
  int64_t bytes = 0;
  SmallVector<Attribute> aligned;
  Builder builder(func.getContext());
  for (auto [i, memory] : llvm::enumerate(func.getWorkgroupAttributions())) {
    const int64_t alignment = getAlignment(func, i);
    bytes = llvm::alignTo(bytes, alignment) + getBytes(memory);
    aligned.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                             builder.getI64IntegerAttr(alignment))));
  }
  // Mbarriers are memory of the code in any case.
  func.walk([&](nvgpu::MBarrierCreateOp create) {
    const MemRefType type = nvgpu::getMBarrierMemrefType(
        func.getContext(), create.getBarriers().getType());
    bytes = llvm::alignTo(bytes, type.getElementTypeBitWidth() / 8) +
            type.getNumElements() * type.getElementTypeBitWidth() / 8;
  });
  if (maxStaticBytes > 0 && bytes > maxStaticBytes) {
    takeMemoryFromLaunch(func);
  } else if (bytes > 0) {
    func.setWorkgroupAttribAttrsAttr(builder.getArrayAttr(aligned));
  }
  func.walk([](memref::AllocaOp alloca) {
    alloca.getResult().setType(
        inSpace(alloca.getType(), gpu::AddressSpace::Private));
  });
}

/// Reports tiles of an item that exceed what every GPU has for them.
static LogicalResult checkItemMemory(gpu::GPUFuncOp func) {
  int64_t bytes = 0;
  WalkResult result = func.walk([&](memref::AllocaOp alloca) {
    MemRefType type = alloca.getType();
    if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat()) {
      emitError(alloca.getLoc(), "a tile of a work item needs a known size");
      return WalkResult::interrupt();
    }
    bytes += type.getNumElements() * type.getElementTypeBitWidth() / 8;
    if (bytes <= tinygrad::kMaxItemBytes)
      return WalkResult::advance();
    emitError(alloca.getLoc(), "tiles bring the memory of a work item to ")
        << bytes << " bytes; code for GPUs can use " << tinygrad::kMaxItemBytes;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// What LLVM is told of a loop: how many positions become one, 1 for none.
static LLVM::LoopAnnotationAttr getUnrolling(MLIRContext *context,
                                             int32_t count) {
  auto i32 = IntegerType::get(context, 32);
  auto unroll =
      count == 1
          ? LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, true), {},
                                      {}, {}, {}, {}, {})
          : LLVM::LoopUnrollAttr::get(context, {}, IntegerAttr::get(i32, count),
                                      {}, {}, {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {},
                                       {}, {}, {}, {}, {}, {}, {}, {});
}

/// How many accesses of global memory a loop has in each position, and what
/// they read.
static int64_t countLoads(scf::ForOp loop) {
  int64_t loads = 0;
  loop.walk([&](Operation *op) {
    Value buffer;
    if (auto load = dyn_cast<memref::LoadOp>(op))
      buffer = load.getMemRef();
    else if (auto load = dyn_cast<vector::LoadOp>(op))
      buffer = load.getBase();
    auto argument = dyn_cast_if_present<BlockArgument>(buffer);
    auto func = loop->getParentOfType<gpu::GPUFuncOp>();
    loads += argument && llvm::is_contained(getArguments(func), argument);
  });
  return loads;
}

static bool hasLoop(scf::ForOp loop) {
  return loop.getBody()
      ->walk([](scf::ForOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

static void annotateLoops(gpu::GPUFuncOp func) {
  MLIRContext *context = func.getContext();
  func.walk([&](scf::ForOp loop) {
    const bool hasBarrier =
        loop->walk([](Operation *op) {
              return isa<gpu::BarrierOp, NVVM::BarrierOp>(op)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted();
    int32_t count = 1;
    if (!hasBarrier && !hasLoop(loop))
      if (const int64_t loads = countLoads(loop); loads > 0)
        while (2 * count * loads <= kLoadsAtOnce)
          count *= 2;
    loop->setAttr(loopAnnotationAttrName, getUnrolling(context, count));
  });
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// Splits sines, cosines and tangents of vectors of f64 into those of their
/// elements. tg-expand-math reduces very large arguments one after the other in
/// a loop over the lanes, and a GPU has no vector registers: values indexed by
/// a loop would be in memory.
static void splitWideTrigonometry(gpu::GPUFuncOp func) {
  func.walk([](Operation *op) {
    if (!isa<math::SinOp, math::CosOp, math::TanOp>(op))
      return;
    auto type = dyn_cast<VectorType>(op->getResult(0).getType());
    if (!type || type.getRank() != 1 || !type.getElementType().isF64())
      return;
    OpBuilder builder(op);
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
      Value x = vector::ExtractOp::create(builder, op->getLoc(),
                                          op->getOperand(0), lane);
      elements.push_back(builder
                             .create(op->getLoc(),
                                     op->getName().getIdentifier(), x,
                                     type.getElementType(), op->getAttrs())
                             ->getResult(0));
    }
    op->getResult(0).replaceAllUsesWith(
        vector::FromElementsOp::create(builder, op->getLoc(), type, elements));
    op->erase();
  });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Whether a value of f32 is rounded to f16 or bf16, and not used otherwise.
static bool isNarrowed(Value value) {
  return getElementTypeOrSelf(value).isF32() && !value.use_empty() &&
         llvm::all_of(value.getUsers(), [](Operation *user) {
           auto narrow = dyn_cast<arith::TruncFOp>(user);
           return narrow && getElementTypeOrSelf(narrow.getType())
                                    .getIntOrFloatBitWidth() == 16;
         });
}

/// Computes exponentials that are rounded to f16 or bf16 by the instruction for
/// powers of two. Its error, 2 units in f32, and that of the product with
/// log2(e), at most 2^-17 of the result, do not show after the rounding.
static void useInstructions(gpu::GPUFuncOp func) {
  func.walk([](Operation *op) {
    if (!isa<math::ExpOp, math::Exp2Op>(op) || !isNarrowed(op->getResult(0)))
      return;
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    Value x = op->getOperand(0);
    if (isa<math::ExpOp>(op)) {
      TypedAttr log2e = builder.getF32FloatAttr(1.44269504088896340736f);
      if (auto vector = dyn_cast<VectorType>(x.getType()))
        log2e = DenseElementsAttr::get(vector, Attribute(log2e));
      x = arith::MulFOp::create(builder, x,
                                arith::ConstantOp::create(builder, log2e));
    }
    op->getResult(0).replaceAllUsesWith(
        LLVM::Exp2Op::create(builder, x.getType(), x));
    op->erase();
  });
}

/// Reports what the conversion to LLVM's dialect does not support.
static LogicalResult checkArguments(gpu::GPUFuncOp func) {
  for (BlockArgument argument : getArguments(func)) {
    Type type = argument.getType();
    auto buffer = dyn_cast<MemRefType>(type);
    if (buffer ? !buffer.hasStaticShape() || !buffer.getLayout().isIdentity()
               : !type.isIndex() && !type.isIntOrFloat())
      return func.emitOpError("takes ")
             << type << ", which code for GPUs cannot be passed";
  }
  if (func.getFunctionType().getNumResults() != 0)
    return func.emitOpError("has results, as functions of work items cannot");
  auto variables = func->getAttrOfType<ArrayAttr>(variablesAttrName);
  const size_t numIndices =
      llvm::count_if(func.getArgumentTypes(), llvm::IsaPred<IndexType>);
  if ((variables ? variables.size() : 0) != numIndices ||
      !llvm::all_of(func.getArgumentTypes().take_back(numIndices),
                    llvm::IsaPred<IndexType>))
    return func.emitOpError("takes ")
           << numIndices << " indices, which are not the last arguments or not "
           << "as many as '" << variablesAttrName << "' lists";
  return success();
}

namespace {
struct TgPrepareGPUFunctionsPass
    : tg::impl::TgPrepareGPUFunctionsBase<TgPrepareGPUFunctionsPass> {
  using Base::Base;

  void runOnOperation() override {
    gpu::GPUFuncOp func = getOperation();
    if (!func.isKernel() || func.isExternal())
      return;
    if (failed(checkArguments(func)) || failed(checkItemMemory(func)))
      return signalPassFailure();
    if (NarrowIndices().check(func))
      func->setAttr(narrowIndicesAttrName, UnitAttr::get(&getContext()));
    convertArguments(func);
    if (failed(takeMapsFromLaunch(func)))
      return signalPassFailure();
    placeMemory(func, maxStaticBytes);
    annotateLoops(func);
    splitWideTrigonometry(func);
    useInstructions(func);
  }
};
} // namespace
