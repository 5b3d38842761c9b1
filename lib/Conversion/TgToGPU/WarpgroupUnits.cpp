//===- WarpgroupUnits.cpp - sums on Hopper's matrix units -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums of products of tiles by wgmma: four subgroups multiply together, read
/// both factors from the memory of the group, and go on before the sums are in
/// their registers.
///
/// Sums are a struct of registers, as the operation takes them.
///
//===----------------------------------------------------------------------===//

#include "GPUEmitter.h"
#include "TinyGrad/Support/MatrixUnits.h"
#include "TinyGrad/Support/TensorMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"
#include <string>

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;
using namespace mlir::tg::togpu;
using tinygrad::FragmentDigit;
using tinygrad::getBytes;
using tinygrad::kBoxRowBytes;
using tinygrad::MatrixElement;
using tinygrad::MatrixUnit;

/// Descriptors count in pieces of 16 bytes.
static constexpr int64_t kPieceBytes = 16, kPieceBits = 4;

static bool hasIntegers(const MatrixUnit &unit) {
  return unit.element == MatrixElement::i8;
}

static LLVM::LLVMStructType getSumType(MLIRContext *context,
                                       const MatrixUnit &unit) {
  Type element = hasIntegers(unit) ? Type(IntegerType::get(context, 32))
                                   : Type(Float32Type::get(context));
  return LLVM::LLVMStructType::getLiteral(
      context, SmallVector<Type>(unit.c.getNumRegisters(), element));
}

static NVVM::WGMMATypes getFactorType(const MatrixUnit &unit) {
  switch (unit.element) {
  case MatrixElement::f16:
    return NVVM::WGMMATypes::f16;
  case MatrixElement::bf16:
    return NVVM::WGMMATypes::bf16;
  case MatrixElement::tf32:
    return NVVM::WGMMATypes::tf32;
  case MatrixElement::e4m3:
    return NVVM::WGMMATypes::e4m3;
  case MatrixElement::e5m2:
    return NVVM::WGMMATypes::e5m2;
  case MatrixElement::i8:
    return NVVM::WGMMATypes::s8;
  case MatrixElement::f32:
  case MatrixElement::f64:
    break;
  }
  llvm_unreachable("no factors of wgmma");
}

Value GPUEmitter::createWarpgroupZeros(const MatrixUnit &unit, Location loc) {
  return LLVM::ZeroOp::create(at(0, loc),
                              getSumType(kernel.getContext(), unit));
}

void GPUEmitter::separateProxies(unsigned depth, Location loc) {
  if (layout.hasWarpgroups())
    NVVM::FenceProxyOp::create(
        at(depth, loc), NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(kernel.getContext(),
                                   NVVM::SharedSpace::shared_cta));
}

/// PTX ISA, "Matrix descriptor": the address in bits 0 to 13, the distances of
/// neighbors along the leading dimension in 16 to 29 and along the other one in
/// 32 to 45, all in pieces, and the kind of permutation in 62 and 63, where 1
/// is the one of rows of 128 bytes. With it the leading dimension only counts
/// if rows are along the result: it is the distance of blocks then.
static uint64_t getDescriptorBits(const Contraction::Factor &factor,
                                  int64_t bytes) {
  const uint64_t groups = kBoxRowBytes * tinygrad::kWarpgroupRows,
                 blocks = factor.depthStride == 1 || factor.blockStride == 0
                              ? kPieceBytes
                              : factor.blockStride * bytes;
  return uint64_t(1) << 62 | groups >> kPieceBits << 32 |
         blocks >> kPieceBits << 16;
}

Value GPUEmitter::getDescriptor(const Contraction &contraction, bool ofColumns,
                                Value start, Location loc) {
  const Contraction::Factor &factor =
      ofColumns ? contraction.columns : contraction.rows;
  // The position of the accumulator's first element.
  SmallVector<std::pair<unsigned, int64_t>> saved;
  for (RangeOp range : factor.ranges)
    if (range.getKind() != RangeKind::local) {
      const unsigned index = rangeIndex.lookup(range.getResult());
      saved.push_back({index, std::exchange(ranges[index].position, 0)});
    }
  IndexForm form = getForm(factor.getIndex());
  for (auto [index, position] : saved)
    ranges[index].position = position;
  for (RangeOp range : Contraction::getLanes(factor)) {
    const IndexAtom lane(range.getResult());
    for (auto [atom, coefficient] : IndexForm(form).terms)
      if (atom == lane)
        form.addTerm(atom, -coefficient);
  }
  // That of the tile is the same everywhere.
  const int64_t bytes = getBytes(contraction.unit->element);
  const uint64_t bits = getDescriptorBits(factor, bytes);
  Value &whole = descriptors[{factor.tile, bits}];
  if (!whole) {
    B &b = at(0, loc);
    Type i64 = b.getI64Type();
    auto number = [&](uint64_t value) -> Value {
      return arith::ConstantOp::create(b,
                                       b.getIntegerAttr(i64, APInt(64, value)));
    };
    Value address = arith::IndexCastOp::create(
        b, i64,
        memref::ExtractAlignedPointerAsIndexOp::create(
            b, memories.lookup(factor.tile)));
    Value pieces = arith::AndIOp::create(
        b, arith::ShRUIOp::create(b, address, number(kPieceBits)),
        number((uint64_t(1) << 14) - 1));
    whole = arith::OrIOp::create(b, pieces, number(bits));
  }
  Value first = getScalar(form, loc);
  if (start)
    first = arith::AddIOp::create(at(top(), loc), first, start);
  Value count = getIndexConstant(llvm::Log2_64(kPieceBytes / bytes), loc);
  B &b = at(top(), loc);
  Value pieces = arith::ShRUIOp::create(b, first, count);
  return arith::AddIOp::create(
      b, whole, arith::IndexCastOp::create(b, b.getI64Type(), pieces));
}

void GPUEmitter::addWarpgroupProducts(const Contraction &contraction,
                                      RangeSet tiles, RangeSet steps,
                                      ArrayRef<Value> starts,
                                      SmallVectorImpl<Value> &sums,
                                      Location loc) {
  const MatrixUnit &unit = *contraction.unit;
  MLIRContext *context = kernel.getContext();
  const NVVM::WGMMATypes type = getFactorType(unit),
                         sum = hasIntegers(unit) ? NVVM::WGMMATypes::s32
                                                 : NVVM::WGMMATypes::f32;
  // Along the depth, A has rows and B has columns.
  const bool isAlongDepth[] = {contraction.rows.depthStride == 1,
                               contraction.columns.depthStride == 1};
  const NVVM::MMALayout a = isAlongDepth[0] ? NVVM::MMALayout::row
                                            : NVVM::MMALayout::col,
                        b = isAlongDepth[1] ? NVVM::MMALayout::col
                                            : NVVM::MMALayout::row;
  // Registers may have been written since the last operation.
  NVVM::WgmmaFenceAlignedOp::create(at(top(), loc));
  forEachPosition(steps, [&] {
    Value *next = sums.begin();
    DenseMap<uint64_t, Value> descriptors[2];
    forEachPosition(tiles, [&] {
      Value factors[2];
      for (bool ofColumns : {false, true}) {
        const Contraction::Factor &factor =
            ofColumns ? contraction.columns : contraction.rows;
        Value &known = descriptors[ofColumns][getKey(factor.getIndex())];
        if (!known)
          known = getDescriptor(contraction, ofColumns, starts[ofColumns], loc);
        factors[ofColumns] = known;
      }
      *next = NVVM::WgmmaMmaAsyncOp::create(
          at(top(), loc), next->getType(), *next, factors[0], factors[1],
          NVVM::MMAShapeAttr::get(context, int(unit.m), int(unit.n),
                                  int(unit.k)),
          type, type, sum, NVVM::WGMMAScaleOut::one, NVVM::WGMMAScaleIn::one,
          NVVM::WGMMAScaleIn::one, a, b, NVVM::MMAIntOverflowAttr());
      ++next;
    });
  });
  NVVM::WgmmaGroupSyncAlignedOp::create(at(top(), loc));
  // The barrier that follows lets others overwrite the tiles.
  NVVM::WgmmaWaitGroupSyncOp::create(at(top(), loc),
                                     uint64_t(positionsInFlight));
}

SmallVector<Value> GPUEmitter::takeRegisters(const MatrixUnit &unit, Value sum,
                                             Location loc) {
  const int64_t count = unit.c.getNumRegisters();
  B &b = at(top(), loc);
  auto take = [&](Value from) {
    SmallVector<Value> registers;
    for (int64_t i = 0; i < count; ++i)
      registers.push_back(LLVM::ExtractValueOp::create(b, from, i));
    return registers;
  };
  // Nothing but the order of operations with side effects says that registers
  // are read after the wait. This one takes them and gives them back.
  const std::string kind = hasIntegers(unit) ? "=r" : "=f";
  std::string constraints = kind;
  for (int64_t i = 1; i < count; ++i)
    constraints += "," + kind;
  for (int64_t i = 0; i < count; ++i)
    constraints += "," + std::to_string(i);
  return take(LLVM::InlineAsmOp::create(b, getSumType(b.getContext(), unit),
                                        take(sum), /*asm=*/"", constraints,
                                        /*has_side_effects=*/true,
                                        /*is_align_stack=*/false,
                                        LLVM::tailcallkind::TailCallKind::None,
                                        /*asm_dialect=*/LLVM::AsmDialectAttr(),
                                        /*operand_attrs=*/ArrayAttr())
                  .getResult(0));
}

int64_t GPUEmitter::getRegister(const Contraction &contraction) {
  const MatrixUnit &unit = *contraction.unit;
  int64_t number = 0;
  for (bool ofColumns : {false, true}) {
    const Contraction::Factor &factor =
        ofColumns ? contraction.columns : contraction.rows;
    for (auto [range, digit] : llvm::zip_equal(
             factor.ranges, getAccumulatorDigits(unit, ofColumns))) {
      if (digit.isLane)
        continue;
      int64_t distance = 1;
      for (const FragmentDigit &own : unit.c.registers) {
        if ((ofColumns ? own.column : own.row) == digit.stride)
          break;
        distance *= own.extent;
      }
      const Range &bound =
          ranges[rangeIndex.lookup(RangeOp(range).getResult())];
      number += std::max<int64_t>(bound.position, 0) * distance;
    }
  }
  return number;
}
