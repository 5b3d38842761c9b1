//===- MatrixUnits.cpp - matrix operations to LLVM's dialect --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lowers the forms of nvgpu.mma.sync that upstream's pattern does not.
///
//===----------------------------------------------------------------------===//

#include "MatrixUnits.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace mlir::tg;

/// Preferred to upstream's pattern.
static constexpr unsigned kOverUpstream = 10;

namespace {
class MmaPattern : public ConvertOpToLLVMPattern<nvgpu::MmaSyncOp> {
public:
  explicit MmaPattern(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, kOverUpstream) {}

  LogicalResult
  matchAndRewrite(nvgpu::MmaSyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto factor = cast<VectorType>(op.getMatrixA().getType());
    auto result = cast<VectorType>(op.getRes().getType());
    Type element = factor.getElementType();
    const bool isInteger = element.isInteger(8);
    if ((!isInteger && !element.isBF16()) || result.getRank() != 2)
      return failure();
    const Location loc = op.getLoc();
    // Registers of 32 bits, and accumulators one by one.
    auto getRegisters = [&](Value array, int64_t count) {
      SmallVector<Value> registers;
      for (int64_t i = 0; i < count; ++i)
        registers.push_back(LLVM::BitcastOp::create(
            rewriter, loc, rewriter.getI32Type(),
            LLVM::ExtractValueOp::create(rewriter, loc, array, i)));
      return registers;
    };
    auto other = cast<VectorType>(op.getMatrixB().getType());
    const SmallVector<Value> a =
        getRegisters(adaptor.getMatrixA(), factor.getDimSize(0));
    const SmallVector<Value> b =
        getRegisters(adaptor.getMatrixB(), other.getDimSize(0));
    const int64_t columns = result.getDimSize(1);
    auto getNumber = [&](int64_t number) -> Value {
      return LLVM::ConstantOp::create(rewriter, loc,
                                      rewriter.getI32IntegerAttr(number));
    };
    SmallVector<Value> c;
    for (int64_t i = 0; i < result.getNumElements(); ++i)
      c.push_back(LLVM::ExtractElementOp::create(
          rewriter, loc,
          LLVM::ExtractValueOp::create(rewriter, loc, adaptor.getMatrixC(),
                                       i / columns),
          getNumber(i % columns)));
    const NVVM::MMATypes type =
        isInteger ? NVVM::MMATypes::s8 : NVVM::MMATypes::bf16;
    Type sums = LLVM::LLVMStructType::getLiteral(
        getContext(), SmallVector<Type>(c.size(), result.getElementType()));
    Value sum = NVVM::MmaOp::create(
        rewriter, loc, sums, a, b, c, op.getMmaShapeAsArray(),
        /*b1Op=*/std::nullopt,
        isInteger ? std::optional(NVVM::MMAIntOverflow::wrapped) : std::nullopt,
        std::array{type, type},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    Type array = getTypeConverter()->convertType(result);
    Type row = VectorType::get(columns, result.getElementType());
    Value converted = LLVM::PoisonOp::create(rewriter, loc, array);
    for (int64_t i = 0; i < result.getDimSize(0); ++i) {
      Value vector = LLVM::PoisonOp::create(rewriter, loc, row);
      for (int64_t j = 0; j < columns; ++j)
        vector = LLVM::InsertElementOp::create(
            rewriter, loc, vector,
            LLVM::ExtractValueOp::create(rewriter, loc, sum, i * columns + j),
            getNumber(j));
      converted =
          LLVM::InsertValueOp::create(rewriter, loc, converted, vector, i);
    }
    rewriter.replaceOp(op, converted);
    return success();
  }
};
} // namespace

void tg::populateMatrixUnitPatterns(const LLVMTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<MmaPattern>(converter);
}
