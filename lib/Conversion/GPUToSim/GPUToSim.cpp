//===- GPUToSim.cpp - work items as functions of the host -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the convert-gpu-to-sim pass. Upstream's conversion to OpenCL's
/// built-in functions would do for the operations of the gpu dialect, but the
/// simulator also wants every access to memory, while that is still an access
/// to an element of a buffer, and the state of the item without a thread-local
/// variable.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/GPUToSim/GPUToSim.h"
#include "BoxCopies.h"
#include "SimCalls.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "TinyGrad/Support/AsyncCopies.h"
#include "TinyGrad/Support/MatrixUnits.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tg {
#define GEN_PASS_DEF_CONVERTGPUTOSIM
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Alignment of the parts of a group's memory in bytes, as in a layout.
static constexpr int64_t kMemoryAlignment = 16;
/// Larger memory of an item is on the heap: its stack is small.
static constexpr int64_t kMaxStack = 4096;

namespace {
/// Members of the state of an item (SimItem), in 32-bit words.
enum StateWord {
  kGroupNumber = 0,
  kItemNumber = 3,
  kGridSize = 6,
  kGroupSize = 9,
  kLaneNumber = 12,
  kSubgroupNumber = 13
};

/// What the simulator is told about an access.
enum AccessFlag { kWrite = 1, kOfGroup = 2, kOfItem = 4, kAsync = 16 };
/// The alignment, as a power of two, and the number of the access in the kernel
/// begin at these bits.
constexpr int64_t kAlignmentBit = 8, kSiteBit = 16;

/// A value of SimShuffle.
constexpr int64_t kShuffleIdx = 3;

/// Values of SimMatrix.
enum MatrixMode { kLoad = 5, kLoadTransposed = 6 };

/// Converts one function.
class FunctionConverter {
public:
  FunctionConverter(gpu::GPUFuncOp source, ModuleOp module)
      : source(source), module(module), builder(source->getContext()) {}

  LogicalResult convert();

private:
  LogicalResult checkFunction();
  func::FuncOp createFunction();
  LogicalResult convertOperation(Operation *op);
  LogicalResult announce(Operation *op, Value memory, ValueRange indices,
                         Value count, int64_t flags);
  LogicalResult announce(Operation *op, Value memory, ValueRange indices,
                         int64_t count, bool isWrite,
                         std::optional<uint64_t> alignment = std::nullopt) {
    int64_t flags = isWrite ? kWrite : 0;
    if (alignment)
      flags |= static_cast<int64_t>(llvm::Log2_64(*alignment)) << kAlignmentBit;
    return announce(op, memory, indices, i64(count), flags);
  }
  // Matrix operations and asynchronous copies. The registers of a lane go
  // through memory of the item.
  LogicalResult convertProduct(Operation *op, tinygrad::MatrixFamily family,
                               ArrayRef<int64_t> shape, Value a, Value b,
                               Value c);
  LogicalResult convertLoadMatrices(nvgpu::LdMatrixOp load);
  // Operations of four subgroups, whose sums are structs of registers.
  LogicalResult convertWarpgroupProduct(NVVM::WgmmaMmaAsyncOp op);
  void convertTakenRegisters(LLVM::InlineAsmOp op);
  LogicalResult convertAddress(memref::ExtractAlignedPointerAsIndexOp op);
  LogicalResult convertRounding(NVVM::ConvertFloatToTF32Op op);
  LogicalResult convertCopy(nvgpu::DeviceAsyncCopyOp copy);
  LogicalResult convertDirectCopy(amdgpu::GatherToLDSOp copy);
  Value getRegisters(Type element, int64_t count, bool isResult);
  void writeRegisters(Value memory, int64_t offset, Value value);
  Value readRegisters(Value memory, Type type);
  Value getAddress(Value memory, Value index);
  void moveToHeap(memref::AllocaOp alloca);
  Value readState(int word);
  Value i64(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }
  Value toI64(Value value);
  Value call(StringRef name, ValueRange operands, Type result = {});

  gpu::GPUFuncOp source;
  ModuleOp module;
  OpBuilder builder;
  Location loc = UnknownLoc::get(builder.getContext());
  func::FuncOp func;
  Value item; ///< the address of the state
  /// Bits of AccessFlag of memory other than the kernel's buffers.
  DenseMap<Value, int64_t> memoryFlags;
  /// Where parts of the group's memory begin in it.
  DenseMap<Value, int64_t> memoryOffsets;
  /// Memory of the item for registers that an operation takes and for those
  /// that it gives, by the type of elements and their number.
  DenseMap<std::pair<Type, int64_t>, Value> registers[2];
  SmallVector<Operation *> tokens; ///< operations whose results are tokens
  std::optional<BoxConverter> boxes;
  int64_t numSites = 0, numAccesses = 0;
};
} // namespace

static Type dropMemorySpace(MemRefType type) {
  return MemRefType::get(type.getShape(), type.getElementType(),
                         type.getLayout(), Attribute());
}

Value FunctionConverter::toI64(Value value) {
  return tg::toI64(builder, loc, value);
}

Value FunctionConverter::call(StringRef name, ValueRange operands,
                              Type result) {
  return callSimulator(builder, loc, module, name, operands, result);
}

Value FunctionConverter::readState(int word) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value state = LLVM::IntToPtrOp::create(builder, loc, pointer, toI64(item));
  Value place = LLVM::GEPOp::create(builder, loc, pointer, builder.getI32Type(),
                                    state, ArrayRef<LLVM::GEPArg>{word});
  Value number =
      LLVM::LoadOp::create(builder, loc, builder.getI32Type(), place);
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                      number);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Whether the memory is a row of numbers, as all memory of kernels is.
static bool isFlat(Type type) {
  auto memory = dyn_cast<MemRefType>(type);
  return memory && memory.getRank() == 1 && memory.hasStaticShape() &&
         memory.getLayout().isIdentity() &&
         memory.getElementType().isIntOrFloat();
}

LogicalResult FunctionConverter::checkFunction() {
  if (source.getNumPrivateAttributions() != 0)
    return source.emitOpError("has private memory attributions, which the "
                              "simulator does not support");
  auto variables = source->getAttrOfType<ArrayAttr>(variablesAttrName);
  const size_t numVariables = variables ? variables.size() : 0;
  ArrayRef<Type> types = source.getFunctionType().getInputs();
  if (!source.isKernel() ||
      !source->getAttrOfType<IntegerAttr>(outputsAttrName) ||
      source.getFunctionType().getNumResults() != 0 ||
      types.size() < numVariables ||
      !llvm::all_of(types.drop_back(numVariables), isFlat) ||
      !llvm::all_of(types.take_back(numVariables), llvm::IsaPred<IndexType>) ||
      !llvm::all_of(source.getWorkgroupAttributions(),
                    [](Value memory) { return isFlat(memory.getType()); }))
    return source.emitOpError(
        "is not a function that convert-tg-to-gpu makes: a kernel with "
        "'tg.outputs' that takes buffers of one dimension and known size, and "
        "an index for each variable");
  return success();
}

/// The function, with the source's body. Parts of the group's memory are views
/// of one buffer.
func::FuncOp FunctionConverter::createFunction() {
  auto variables = source->getAttrOfType<ArrayAttr>(variablesAttrName);
  const size_t numVariables = variables ? variables.size() : 0;
  const size_t numBuffers =
      source.getFunctionType().getNumInputs() - numVariables;
  int64_t bytes = 0;
  SmallVector<int64_t> offsets;
  for (auto [i, memory] : llvm::enumerate(source.getWorkgroupAttributions())) {
    auto alignment =
        dyn_cast_if_present<IntegerAttr>(source.getWorkgroupAttributionAttr(
            i, LLVM::LLVMDialect::getAlignAttrName()));
    offsets.push_back(llvm::alignTo(
        bytes, alignment ? std::max(alignment.getInt(), kMemoryAlignment)
                         : kMemoryAlignment));
    auto type = cast<MemRefType>(memory.getType());
    bytes = offsets.back() +
            type.getNumElements() * type.getElementTypeBitWidth() / 8;
  }
  Type index = builder.getIndexType();
  ArrayRef<Type> inputs = source.getFunctionType().getInputs();
  SmallVector<Type> types(inputs.take_front(numBuffers));
  if (bytes > 0)
    types.push_back(MemRefType::get({bytes}, builder.getI8Type()));
  types.append({index, index});
  types.append(numVariables, index);
  builder.setInsertionPoint(source->getParentOp());
  auto result =
      func::FuncOp::create(builder, source.getLoc(), source.getName(),
                           builder.getFunctionType(types, TypeRange()));
  result->setAttr(parallelExtentAttrName,
                  Dim(builder.getContext(), 1).getAttr());
  result->setAttr(outputsAttrName, source->getAttr(outputsAttrName));
  // Other items write to the buffers while one waits.
  result->setAttr(inPlaceAttrName, builder.getUnitAttr());
  if (variables)
    result->setAttr(variablesAttrName, variables);
  for (unsigned i = 0; i < numBuffers; ++i)
    if (Attribute least = source.getArgAttr(i, leastElementsAttrName))
      result.setArgAttr(i, leastElementsAttrName, least);

  result.getBody().takeBody(source.getBody());
  Block *body = &result.getBody().front();
  SmallVector<BlockArgument> old(body->getArguments());
  loc = source.getLoc();
  SmallVector<Value> arguments;
  for (Type type : types)
    arguments.push_back(body->addArgument(type, loc));
  const size_t next = numBuffers + (bytes > 0 ? 1 : 0);
  item = arguments[next];
  builder.setInsertionPointToStart(body);
  for (size_t i = 0; i < numBuffers; ++i)
    old[i].replaceAllUsesWith(arguments[i]);
  for (size_t i = 0; i < numVariables; ++i)
    old[numBuffers + i].replaceAllUsesWith(arguments[next + 2 + i]);
  for (auto [i, offset] : llvm::enumerate(offsets)) {
    BlockArgument memory = old[numBuffers + numVariables + i];
    Value start = arith::ConstantIndexOp::create(builder, loc, offset);
    Value view = memref::ViewOp::create(
        builder, loc,
        cast<MemRefType>(dropMemorySpace(cast<MemRefType>(memory.getType()))),
        arguments[numBuffers], start, ValueRange());
    memory.replaceAllUsesWith(view);
    memoryFlags[view] = kOfGroup;
    memoryOffsets[view] = offset;
  }
  body->eraseArguments(0, old.size());
  return result;
}

void FunctionConverter::moveToHeap(memref::AllocaOp alloca) {
  builder.setInsertionPoint(alloca);
  loc = alloca.getLoc();
  Value memory = memref::AllocOp::create(builder, loc, alloca.getType());
  memoryFlags[memory] = kOfItem;
  alloca.replaceAllUsesWith(memory);
  alloca.erase();
  builder.setInsertionPoint(func.getBody().front().getTerminator());
  memref::DeallocOp::create(builder, loc, memory);
}

LogicalResult FunctionConverter::convert() {
  if (failed(checkFunction()))
    return failure();
  func = createFunction();
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](MemRefType type) { return dropMemorySpace(type); });
  replacer.recursivelyReplaceElementsIn(func, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  boxes.emplace(module, func, item, memoryOffsets);
  SmallVector<Operation *> ops;
  func.getBody().walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    builder.setInsertionPoint(op);
    loc = op->getLoc();
    if (failed(BoxConverter::isOne(op) ? boxes->convert(op, numSites)
                                       : convertOperation(op)))
      return failure();
  }
  boxes->finish();
  for (Operation *op : llvm::reverse(tokens))
    op->erase();
  for (auto alloca : llvm::to_vector(func.getOps<memref::AllocaOp>())) {
    MemRefType type = alloca.getType();
    if (type.getNumElements() * type.getElementTypeBitWidth() / 8 > kMaxStack)
      moveToHeap(alloca);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult FunctionConverter::announce(Operation *op, Value memory,
                                          ValueRange indices, Value count,
                                          int64_t access) {
  if (!isFlat(memory.getType()))
    return op->emitOpError("accesses memory of type ")
           << memory.getType()
           << "; the simulator supports one dimension of known size";
  auto type = cast<MemRefType>(memory.getType());
  int64_t flags = memoryFlags.lookup(memory) | access, number = -1;
  if (auto argument = dyn_cast<BlockArgument>(memory))
    number = argument.getArgNumber();
  else if (isa_and_nonnull<memref::AllocaOp>(memory.getDefiningOp()))
    flags |= kOfItem;
  flags |= numAccesses++ << kSiteBit;
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memory);
  call("tg_sim_access",
       {toI64(item), toI64(base), toI64(indices[0]), toI64(count),
        i64(type.getNumElements()), i64(type.getElementTypeBitWidth() / 8),
        i64(flags), i64(number)},
       builder.getI64Type());
  return success();
}

//===----------------------------------------------------------------------===//
// Matrix operations and copies
//===----------------------------------------------------------------------===//

/// Memory of the item, at the top of the function: a loop would add to its
/// stack.
Value FunctionConverter::getRegisters(Type element, int64_t count,
                                      bool isResult) {
  Value &memory = registers[isResult][{element, count}];
  if (!memory) {
    OpBuilder top = OpBuilder::atBlockBegin(&func.getBody().front());
    memory = memref::AllocaOp::create(top, func.getLoc(),
                                      MemRefType::get({count}, element));
  }
  return memory;
}

Value FunctionConverter::getAddress(Value memory, Value index) {
  Value base = toI64(
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memory));
  const int64_t bytes =
      cast<MemRefType>(memory.getType()).getElementTypeBitWidth() / 8;
  return arith::AddIOp::create(
      builder, loc, base,
      arith::MulIOp::create(builder, loc, toI64(index), i64(bytes)));
}

/// Writes the elements of a scalar or vector one row after the other.
void FunctionConverter::writeRegisters(Value memory, int64_t offset,
                                       Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  Value index = arith::ConstantIndexOp::create(builder, loc, offset);
  if (!type) {
    memref::StoreOp::create(builder, loc, value, memory, index);
  } else if (type.getRank() == 1) {
    vector::StoreOp::create(builder, loc, value, memory, index);
  } else {
    const int64_t size = type.getNumElements() / type.getDimSize(0);
    for (int64_t i = 0; i < type.getDimSize(0); ++i)
      writeRegisters(memory, offset + i * size,
                     vector::ExtractOp::create(builder, loc, value, i));
  }
}

Value FunctionConverter::readRegisters(Value memory, Type type) {
  auto vector = cast<VectorType>(type);
  auto read = [&](VectorType row, int64_t offset) {
    Value index = arith::ConstantIndexOp::create(builder, loc, offset);
    return vector::LoadOp::create(builder, loc, row, memory, index);
  };
  if (vector.getRank() == 1)
    return read(vector, 0);
  Value result = arith::ConstantOp::create(builder, loc, vector,
                                           builder.getZeroAttr(vector));
  auto row = VectorType::get(vector.getDimSize(1), vector.getElementType());
  for (int64_t i = 0; i < vector.getDimSize(0); ++i)
    result = vector::InsertOp::create(
        builder, loc, read(row, i * vector.getDimSize(1)), result, i);
  return result;
}

static int64_t getNumLanes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

LogicalResult FunctionConverter::convertProduct(Operation *op,
                                                tinygrad::MatrixFamily family,
                                                ArrayRef<int64_t> shape,
                                                Value a, Value b, Value c) {
  Type element = getElementTypeOrSelf(a.getType());
  auto isOf = [&](const tinygrad::MatrixUnit &unit) {
    switch (unit.element) {
    case tinygrad::MatrixElement::f16:
      return element.isF16();
    case tinygrad::MatrixElement::bf16:
      return element.isBF16();
    case tinygrad::MatrixElement::tf32:
    case tinygrad::MatrixElement::f32:
      return element.isF32();
    case tinygrad::MatrixElement::f64:
      return element.isF64();
    case tinygrad::MatrixElement::i8:
      return element.isInteger(8);
    case tinygrad::MatrixElement::e4m3:
    case tinygrad::MatrixElement::e5m2:
      break;
    }
    return false;
  };
  // Operations of one family differ in their shapes and fragments.
  const auto *unit = llvm::find_if(tinygrad::kMatrixUnits, [&](auto &unit) {
    return unit.family == family && isOf(unit) &&
           shape == ArrayRef<int64_t>{unit.m, unit.n, unit.k} &&
           unit.a.getNumRegisters() == getNumLanes(a.getType()) &&
           unit.b.getNumRegisters() == getNumLanes(b.getType()) &&
           unit.c.getNumRegisters() == getNumLanes(c.getType());
  });
  Type sum = getElementTypeOrSelf(c.getType());
  if (unit == std::end(tinygrad::kMatrixUnits) ||
      sum.getIntOrFloatBitWidth() != (element.isF64() ? 64 : 32))
    return op->emitOpError("is no matrix operation that the simulator knows");
  const int64_t count = getNumLanes(a.getType());
  Value factors = getRegisters(element, count + getNumLanes(b.getType()),
                               /*isResult=*/false);
  Value sums = getRegisters(sum, getNumLanes(c.getType()), /*isResult=*/true);
  writeRegisters(factors, 0, a);
  writeRegisters(factors, count, b);
  writeRegisters(sums, 0, c);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  call("tg_sim_multiply",
       {toI64(item), i64(unit - tinygrad::kMatrixUnits),
        getAddress(factors, zero), getAddress(sums, zero), i64(numSites++)});
  op->getResult(0).replaceAllUsesWith(
      readRegisters(sums, op->getResult(0).getType()));
  op->erase();
  return success();
}

LogicalResult FunctionConverter::convertLoadMatrices(nvgpu::LdMatrixOp load) {
  auto type = cast<VectorType>(load.getRes().getType());
  const int64_t row = 16 * 8 / type.getElementTypeBitWidth();
  if (failed(announce(load, load.getSrcMemref(), load.getIndices(), row,
                      /*isWrite=*/false)))
    return failure();
  Value registers = getRegisters(type.getElementType(), type.getNumElements(),
                                 /*isResult=*/true);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  call("tg_sim_load_matrices",
       {toI64(item), getAddress(load.getSrcMemref(), load.getIndices()[0]),
        i64(load.getNumTiles()),
        i64(load.getTranspose() ? kLoadTransposed : kLoad),
        getAddress(registers, zero), i64(numSites++)});
  load.getRes().replaceAllUsesWith(readRegisters(registers, type));
  load.erase();
  return success();
}

/// What the factors of wgmma are; none if they are of a kind that the simulator
/// does not know.
static std::optional<tinygrad::MatrixElement>
getElement(NVVM::WGMMATypes type) {
  switch (type) {
  case NVVM::WGMMATypes::f16:
    return tinygrad::MatrixElement::f16;
  case NVVM::WGMMATypes::bf16:
    return tinygrad::MatrixElement::bf16;
  case NVVM::WGMMATypes::tf32:
    return tinygrad::MatrixElement::tf32;
  case NVVM::WGMMATypes::e4m3:
    return tinygrad::MatrixElement::e4m3;
  case NVVM::WGMMATypes::e5m2:
    return tinygrad::MatrixElement::e5m2;
  case NVVM::WGMMATypes::s8:
    return tinygrad::MatrixElement::i8;
  default:
    return std::nullopt;
  }
}

LogicalResult
FunctionConverter::convertWarpgroupProduct(NVVM::WgmmaMmaAsyncOp op) {
  auto sums = cast<LLVM::LLVMStructType>(op.getInouts().getType());
  const auto count = static_cast<int64_t>(sums.getBody().size());
  const std::optional<tinygrad::MatrixElement> element =
      getElement(op.getTypeA());
  const bool isInteger = element == tinygrad::MatrixElement::i8;
  Type sum = isInteger ? Type(builder.getI32Type()) : builder.getF32Type();
  const auto *unit = llvm::find_if(tinygrad::kMatrixUnits, [&](auto &unit) {
    return unit.family == tinygrad::MatrixFamily::wgmma &&
           unit.element == element && unit.m == op.getShape().getM() &&
           unit.n == op.getShape().getN() && unit.k == op.getShape().getK() &&
           unit.c.getNumRegisters() == count;
  });
  if (unit == std::end(tinygrad::kMatrixUnits) ||
      op.getTypeB() != op.getTypeA() ||
      op.getTypeD() !=
          (isInteger ? NVVM::WGMMATypes::s32 : NVVM::WGMMATypes::f32) ||
      op.getSatfinite() == NVVM::MMAIntOverflow::satfinite ||
      !llvm::all_of(sums.getBody(), [&](Type type) { return type == sum; }) ||
      op.getScaleD() != NVVM::WGMMAScaleOut::one ||
      op.getScaleA() != NVVM::WGMMAScaleIn::one ||
      op.getScaleB() != NVVM::WGMMAScaleIn::one)
    return op.emitOpError("is no matrix operation that the simulator knows");
  // In its own operation's form: whether rows are along the result.
  const int64_t transposed = (op.getLayoutA() == NVVM::MMALayout::col ? 1 : 0) |
                             (op.getLayoutB() == NVVM::MMALayout::row ? 2 : 0);
  Value memory = getRegisters(sum, count, /*isResult=*/true);
  auto at = [&](int64_t i) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, i);
  };
  for (int64_t i = 0; i < count; ++i)
    memref::StoreOp::create(
        builder, loc,
        LLVM::ExtractValueOp::create(builder, loc, op.getInouts(), i), memory,
        at(i));
  call("tg_sim_multiply_shared",
       {toI64(item), i64(unit - tinygrad::kMatrixUnits), i64(transposed),
        op.getDescriptorA(), op.getDescriptorB(), getAddress(memory, at(0)),
        i64(numSites++)});
  Value result = LLVM::PoisonOp::create(builder, loc, sums);
  for (int64_t i = 0; i < count; ++i)
    result = LLVM::InsertValueOp::create(
        builder, loc, result,
        memref::LoadOp::create(builder, loc, memory, at(i)), i);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return success();
}

/// An operation without an instruction, which gives back what it takes.
void FunctionConverter::convertTakenRegisters(LLVM::InlineAsmOp op) {
  Value result =
      LLVM::PoisonOp::create(builder, loc, op.getResult(0).getType());
  for (auto [i, value] : llvm::enumerate(op.getOperands()))
    result = LLVM::InsertValueOp::create(builder, loc, result, value,
                                         static_cast<int64_t>(i));
  op.getResult(0).replaceAllUsesWith(result);
  op.erase();
}

/// The simulated memory of a group begins at address 0.
LogicalResult
FunctionConverter::convertAddress(memref::ExtractAlignedPointerAsIndexOp op) {
  auto offset = memoryOffsets.find(op.getSource());
  if (offset == memoryOffsets.end())
    return op.emitOpError("takes the address of memory that is not the "
                          "group's, which the simulator does not support");
  op.getResult().replaceAllUsesWith(
      arith::ConstantIndexOp::create(builder, loc, offset->second));
  op.erase();
  return success();
}

/// To tf32, with ties away from zero.
LogicalResult
FunctionConverter::convertRounding(NVVM::ConvertFloatToTF32Op op) {
  if (op.getRnd() != NVVM::FPRoundingMode::RNA ||
      op.getSat() != NVVM::SaturationMode::NONE || op.getRelu())
    return op.emitOpError("rounds in a way that the simulator does not know");
  auto i32 = [&](uint32_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc,
                                        static_cast<int32_t>(value), 32);
  };
  Value bits =
      arith::BitcastOp::create(builder, loc, builder.getI32Type(), op.getSrc());
  Value magnitude = arith::AndIOp::create(builder, loc, bits, i32(0x7fffffff));
  // Infinity and NaN remain what they are.
  Value isFinite = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, magnitude, i32(0x7f800000));
  Value carried = arith::AddIOp::create(builder, loc, bits, i32(0x1000));
  Value chosen = arith::SelectOp::create(builder, loc, isFinite, carried, bits);
  op.getRes().replaceAllUsesWith(
      arith::AndIOp::create(builder, loc, chosen, i32(0xffffe000)));
  op.erase();
  return success();
}

LogicalResult FunctionConverter::convertCopy(nvgpu::DeviceAsyncCopyOp copy) {
  const int64_t count = copy.getDstElements().getSExtValue();
  const int64_t bytes =
      cast<MemRefType>(copy.getDst().getType()).getElementTypeBitWidth() / 8;
  Value read =
      copy.getSrcElements() ? toI64(copy.getSrcElements()) : i64(count);
  if (failed(announce(copy, copy.getSrc(), copy.getSrcIndices(), read, 0)) ||
      failed(announce(copy, copy.getDst(), copy.getDstIndices(), i64(count),
                      kWrite | kAsync)))
    return failure();
  call("tg_sim_copy",
       {toI64(item), getAddress(copy.getDst(), copy.getDstIndices()[0]),
        getAddress(copy.getSrc(), copy.getSrcIndices()[0]), i64(count * bytes),
        arith::MulIOp::create(builder, loc, read, i64(bytes))});
  tokens.push_back(copy);
  return success();
}

/// Of the addresses to write to, only that of the subgroup's first item counts,
/// which the others get by a shuffle: all of them have to come. Each copy is a
/// group, since waits count copies.
LogicalResult FunctionConverter::convertDirectCopy(amdgpu::GatherToLDSOp copy) {
  auto type = dyn_cast<VectorType>(copy.getTransferType());
  if (!type || copy.getSrcIndices().size() != 1 ||
      copy.getDstIndices().size() != 1 ||
      type.getNumElements() * type.getElementTypeBitWidth() / 8 !=
          tinygrad::kDirectCopyBytes)
    return copy.emitOpError("is not a copy of ")
           << tinygrad::kDirectCopyBytes
           << " bytes between memory of one dimension";
  const int64_t count = type.getNumElements();
  Value width = i64(tinygrad::kDirectCopyItems);
  Value first = call("tg_sim_shuffle",
                     {toI64(item), toI64(copy.getDstIndices()[0]), i64(0),
                      i64(kShuffleIdx), width, i64(numSites++)},
                     builder.getI64Type());
  Value lane = arith::RemUIOp::create(builder, loc,
                                      toI64(readState(kLaneNumber)), width);
  Value place = arith::AddIOp::create(
      builder, loc, first,
      arith::MulIOp::create(builder, loc, lane, i64(count)));
  place =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), place);
  const int64_t alignment = llvm::Log2_64(tinygrad::kDirectCopyBytes)
                            << kAlignmentBit;
  if (failed(announce(copy, copy.getSrc(), copy.getSrcIndices(), i64(count),
                      alignment)) ||
      failed(announce(copy, copy.getDst(), place, i64(count),
                      kWrite | kAsync | alignment)))
    return failure();
  Value bytes = i64(tinygrad::kDirectCopyBytes);
  call("tg_sim_copy",
       {toI64(item), getAddress(copy.getDst(), place),
        getAddress(copy.getSrc(), copy.getSrcIndices()[0]), bytes, bytes});
  call("tg_sim_commit_copies", {toI64(item)});
  copy.erase();
  return success();
}

LogicalResult FunctionConverter::convertOperation(Operation *op) {
  auto replace = [&](Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<gpu::BlockIdOp>([&](auto id) {
        replace(readState(kGroupNumber + static_cast<int>(id.getDimension())));
        return success();
      })
      .Case<gpu::ThreadIdOp>([&](auto id) {
        replace(readState(kItemNumber + static_cast<int>(id.getDimension())));
        return success();
      })
      .Case<gpu::GridDimOp>([&](auto size) {
        replace(readState(kGridSize + static_cast<int>(size.getDimension())));
        return success();
      })
      .Case<gpu::BlockDimOp>([&](auto size) {
        replace(readState(kGroupSize + static_cast<int>(size.getDimension())));
        return success();
      })
      .Case<gpu::LaneIdOp>([&](auto) {
        replace(readState(kLaneNumber));
        return success();
      })
      .Case<gpu::SubgroupIdOp>([&](auto) {
        replace(readState(kSubgroupNumber));
        return success();
      })
      .Case<gpu::BarrierOp>([&](auto) {
        call("tg_sim_barrier", {toI64(item), i64(numSites++)});
        op->erase();
        return success();
      })
      .Case<gpu::ShuffleOp>([&](gpu::ShuffleOp shuffle) -> LogicalResult {
        Type type = shuffle.getValue().getType();
        if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64)
          return op->emitOpError("shuffles values of type ")
                 << type << "; the simulator supports scalars";
        // The simulator's numbers of the modes.
        int64_t mode = 0;
        switch (shuffle.getMode()) {
        case gpu::ShuffleMode::XOR:
          mode = 0;
          break;
        case gpu::ShuffleMode::UP:
          mode = 1;
          break;
        case gpu::ShuffleMode::DOWN:
          mode = 2;
          break;
        case gpu::ShuffleMode::IDX:
          mode = 3;
          break;
        }
        Value bits = call("tg_sim_shuffle",
                          {toI64(item), toI64(shuffle.getValue()),
                           toI64(shuffle.getOffset()), i64(mode),
                           toI64(shuffle.getWidth()), i64(numSites++)},
                          builder.getI64Type());
        Type integer = builder.getIntegerType(type.getIntOrFloatBitWidth());
        if (integer != bits.getType())
          bits = arith::TruncIOp::create(builder, loc, integer, bits);
        if (type != integer)
          bits = arith::BitcastOp::create(builder, loc, type, bits);
        Value lane = readState(kLaneNumber);
        Value width = arith::IndexCastUIOp::create(
            builder, loc, builder.getIndexType(), shuffle.getWidth());
        shuffle.getValid().replaceAllUsesWith(arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ult, lane, width));
        shuffle.getShuffleResult().replaceAllUsesWith(bits);
        op->erase();
        return success();
      })
      .Case<nvgpu::MmaSyncOp>([&](nvgpu::MmaSyncOp mma) {
        return convertProduct(op, tinygrad::MatrixFamily::mma,
                              mma.getMmaShapeAsArray(), mma.getMatrixA(),
                              mma.getMatrixB(), mma.getMatrixC());
      })
      .Case<amdgpu::MFMAOp>([&](amdgpu::MFMAOp mfma) -> LogicalResult {
        if (mfma.getBlocks() != 1 || mfma.getCbsz() != 0 ||
            mfma.getBlgp() != amdgpu::MFMAPermB::none ||
            mfma.getReducePrecision() || mfma.getNegateA() ||
            mfma.getNegateB() || mfma.getNegateC())
          return op->emitOpError("is no matrix operation that the simulator "
                                 "knows");
        return convertProduct(op, tinygrad::MatrixFamily::mfma,
                              {mfma.getM(), mfma.getN(), mfma.getK()},
                              mfma.getSourceA(), mfma.getSourceB(),
                              mfma.getDestC());
      })
      .Case<amdgpu::WMMAOp>([&](amdgpu::WMMAOp wmma) -> LogicalResult {
        if (wmma.getSubwordOffset() != 0 || wmma.getUnsignedA() ||
            wmma.getUnsignedB() || wmma.getClamp())
          return op->emitOpError("is no matrix operation that the simulator "
                                 "knows");
        return convertProduct(op, tinygrad::MatrixFamily::wmma,
                              {wmma.getM(), wmma.getN(), wmma.getK()},
                              wmma.getSourceA(), wmma.getSourceB(),
                              wmma.getDestC());
      })
      .Case<nvgpu::LdMatrixOp>(
          [&](nvgpu::LdMatrixOp load) { return convertLoadMatrices(load); })
      .Case<NVVM::ConvertFloatToTF32Op>(
          [&](NVVM::ConvertFloatToTF32Op op) { return convertRounding(op); })
      .Case<nvgpu::DeviceAsyncCopyOp>(
          [&](nvgpu::DeviceAsyncCopyOp copy) { return convertCopy(copy); })
      .Case<nvgpu::DeviceAsyncCreateGroupOp>([&](auto) {
        call("tg_sim_commit_copies", {toI64(item)});
        tokens.push_back(op);
        return success();
      })
      .Case<nvgpu::DeviceAsyncWaitOp>([&](nvgpu::DeviceAsyncWaitOp wait) {
        call("tg_sim_wait_for_copies",
             {toI64(item), i64(wait.getNumGroups().value_or(0))});
        tokens.push_back(op);
        return success();
      })
      .Case<amdgpu::GatherToLDSOp>(
          [&](amdgpu::GatherToLDSOp copy) { return convertDirectCopy(copy); })
      .Case<amdgpu::MemoryCounterWaitOp>(
          [&](amdgpu::MemoryCounterWaitOp wait) -> LogicalResult {
            if (!wait.getLoad() || wait.getStore() || wait.getDs() ||
                wait.getExp() || wait.getTensor())
              return op->emitOpError("waits for something else than loads, "
                                     "which the simulator does not support");
            call("tg_sim_wait_for_copies", {toI64(item), i64(*wait.getLoad())});
            op->erase();
            return success();
          })
      .Case<NVVM::WgmmaMmaAsyncOp>([&](NVVM::WgmmaMmaAsyncOp multiply) {
        return convertWarpgroupProduct(multiply);
      })
      .Case<NVVM::WgmmaFenceAlignedOp>([&](auto) {
        call("tg_sim_fence_registers", {toI64(item)});
        op->erase();
        return success();
      })
      .Case<NVVM::WgmmaGroupSyncAlignedOp>([&](auto) {
        call("tg_sim_commit_products", {toI64(item)});
        op->erase();
        return success();
      })
      .Case<NVVM::WgmmaWaitGroupSyncOp>([&](NVVM::WgmmaWaitGroupSyncOp wait) {
        call("tg_sim_wait_for_products",
             {toI64(item), i64(static_cast<int64_t>(wait.getGroup()))});
        op->erase();
        return success();
      })
      .Case<NVVM::FenceProxyOp>([&](NVVM::FenceProxyOp fence) -> LogicalResult {
        if (fence.getKind() != NVVM::ProxyKind::async_shared)
          return op->emitOpError("is not supported by the simulator");
        call("tg_sim_fence_proxy", {toI64(item)});
        op->erase();
        return success();
      })
      .Case<LLVM::ExtractValueOp>([&](auto) {
        call("tg_sim_read_sum", {toI64(item)});
        return success();
      })
      .Case<LLVM::InlineAsmOp>([&](LLVM::InlineAsmOp taken) -> LogicalResult {
        if (!taken.getAsmString().empty() || taken->getNumResults() != 1 ||
            !isa<LLVM::LLVMStructType>(taken.getResult(0).getType()))
          return op->emitOpError("is not supported by the simulator");
        convertTakenRegisters(taken);
        return success();
      })
      .Case<memref::ExtractAlignedPointerAsIndexOp>(
          [&](memref::ExtractAlignedPointerAsIndexOp address) {
            return convertAddress(address);
          })
      .Case<gpu::ReturnOp>([&](auto) {
        func::ReturnOp::create(builder, loc);
        op->erase();
        return success();
      })
      .Case<memref::LoadOp>([&](memref::LoadOp load) {
        return announce(op, load.getMemref(), load.getIndices(), 1,
                        /*isWrite=*/false);
      })
      .Case<memref::StoreOp>([&](memref::StoreOp store) {
        return announce(op, store.getMemref(), store.getIndices(), 1,
                        /*isWrite=*/true);
      })
      .Case<vector::LoadOp>([&](vector::LoadOp load) {
        return announce(op, load.getBase(), load.getIndices(),
                        getNumLanes(load.getType()), /*isWrite=*/false,
                        load.getAlignment());
      })
      .Case<vector::StoreOp>([&](vector::StoreOp store) {
        return announce(op, store.getBase(), store.getIndices(),
                        getNumLanes(store.getValueToStore().getType()),
                        /*isWrite=*/true, store.getAlignment());
      })
      .Default([&](Operation *op) -> LogicalResult {
        if (isa<gpu::GPUDialect, nvgpu::NVGPUDialect, NVVM::NVVMDialect,
                amdgpu::AMDGPUDialect>(op->getDialect()))
          return op->emitOpError("is not supported by the simulator");
        return success();
      });
}

LogicalResult tg::convertGPUToSim(ModuleOp module) {
  for (auto kernels : llvm::to_vector(module.getOps<gpu::GPUModuleOp>())) {
    for (auto func : llvm::to_vector(kernels.getOps<gpu::GPUFuncOp>()))
      if (failed(FunctionConverter(func, module).convert()))
        return failure();
    kernels.erase();
  }
  return success();
}

namespace {
struct ConvertGPUToSimPass
    : tg::impl::ConvertGPUToSimBase<ConvertGPUToSimPass> {
  void runOnOperation() override {
    if (failed(convertGPUToSim(getOperation())))
      signalPassFailure();
  }
};
} // namespace
