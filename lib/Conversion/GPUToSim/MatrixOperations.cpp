//===- MatrixOperations.cpp - matrix operations for the simulator ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Matrix operations, whose registers go through memory of the item, and copies
/// that items and subgroups do not wait for.
///
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"
#include "TinyGrad/Support/AsyncCopies.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tg;

/// What a lane reads by amdgpu.transpose_load.
static constexpr int64_t kTransposedBytes = 8;

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

/// Lanes exchange the pieces of 8 bytes that they read.
LogicalResult
FunctionConverter::convertTransposeLoad(amdgpu::TransposeLoadOp load) {
  auto type = cast<VectorType>(load.getType());
  const int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (bytes != 2 || type.getNumElements() * bytes != kTransposedBytes ||
      type.getElementType() !=
          cast<MemRefType>(load.getSrc().getType()).getElementType())
    return load.emitOpError("does not read 8 bytes of elements of 16 bits");
  if (failed(announce(load, load.getSrc(), load.getSrcIndices(),
                      type.getNumElements(), /*isWrite=*/false,
                      /*alignment=*/kTransposedBytes)))
    return failure();
  Value registers = getRegisters(type.getElementType(), type.getNumElements(),
                                 /*isResult=*/true);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  call("tg_sim_read_transposed",
       {toI64(item), getAddress(load.getSrc(), load.getSrcIndices()[0]),
        i64(bytes), getAddress(registers, zero), i64(numSites++)});
  load.getResult().replaceAllUsesWith(readRegisters(registers, type));
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
