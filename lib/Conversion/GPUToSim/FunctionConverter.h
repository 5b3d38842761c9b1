//===- FunctionConverter.h - a function of the simulator --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Converts one function of a GPU's work item to one of the host.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_GPUTOSIM_FUNCTIONCONVERTER_H
#define TINYGRAD_LIB_CONVERSION_GPUTOSIM_FUNCTIONCONVERTER_H

#include "BoxCopies.h"
#include "TinyGrad/Support/MatrixUnits.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tg {

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

/// The elements of a vector, or one.
inline int64_t getNumLanes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

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
  LogicalResult convertTransposeLoad(amdgpu::TransposeLoadOp load);
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

} // namespace mlir::tg

#endif // TINYGRAD_LIB_CONVERSION_GPUTOSIM_FUNCTIONCONVERTER_H
