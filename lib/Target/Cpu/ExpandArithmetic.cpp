//===- ExpandArithmetic.cpp - operations that a processor does not have ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For processors of x86 without FMA, F16C or SSE4.1, LLVM calls libm and the
/// compiler's run-time library once for each lane of a vector. This writes the
/// operations as arithmetic on whole vectors instead, with the same results, so
/// that nothing is left to others. The products with a sum in f64 alone are
/// calls, of a function in SoftFloat.c that becomes part of the object.
///
/// Products with a sum in functions like exp need not be rounded once, but
/// nearly so (`afn`). They take an eighth of the time, and none is a call.
///
/// In the mode in which subnormal numbers are zeros, these operations treat
/// them as the instructions of newer processors do.
///
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "llvm/Analysis/InstSimplifyFolder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::tg;

// Made by the build.
extern const unsigned char kSoftFloatBitcode[];
extern const unsigned long kSoftFloatBitcodeSize;

/// The function of SoftFloat.c.
static constexpr llvm::StringLiteral kFma64 = "tgFma64";

namespace {
using Builder = llvm::IRBuilder<llvm::InstSimplifyFolder>;

/// Writes operations in front of the one that they replace, on scalars or on
/// vectors.
class Expander {
public:
  Expander(llvm::Instruction &op)
      : b(op.getParent(), op.getIterator(),
          llvm::InstSimplifyFolder(op.getModule()->getDataLayout())),
        lanes(op.getType()) {}

  llvm::Value *fma32(llvm::Value *x, llvm::Value *y, llvm::Value *z);
  /// The same rounded twice: a number of f64, to be truncated.
  llvm::Value *nearFma32(llvm::Value *x, llvm::Value *y, llvm::Value *z);
  llvm::Value *nearFma64(llvm::Value *x, llvm::Value *y, llvm::Value *z);
  llvm::Value *truncate(llvm::Value *x) { return b.CreateFPTrunc(x, f32()); }
  llvm::Value *fma64(llvm::Value *x, llvm::Value *y, llvm::Value *z,
                     llvm::Function *function);
  llvm::Value *extendHalf(llvm::Value *x);
  llvm::Value *truncateToHalf(llvm::Value *x);
  /// An operation on f16, computed in f32.
  llvm::Value *computeHalf(llvm::Instruction &op);
  /// Rounds to an integer.
  llvm::Value *round(llvm::Value *x, llvm::Intrinsic::ID how);

private:
  llvm::Type *with(llvm::Type *element) {
    return lanes->getWithNewType(element);
  }
  llvm::Type *i32() { return with(b.getInt32Ty()); }
  llvm::Type *f32() { return with(b.getFloatTy()); }
  llvm::Type *f64() { return with(b.getDoubleTy()); }
  llvm::Value *bitsOf(llvm::Value *x) {
    return b.CreateBitCast(
        x, with(b.getIntNTy(x->getType()->getScalarSizeInBits())));
  }
  llvm::Value *number(llvm::Value *like, uint64_t value) {
    return llvm::ConstantInt::get(like->getType(), value);
  }
  llvm::Value *real(llvm::Value *like, double value) {
    return llvm::ConstantFP::get(like->getType(), value);
  }

  Builder b;
  /// Of the type of the operation, all others have the lanes.
  llvm::Type *lanes;
};
} // namespace

/// The product is exact in f64. The sum is rounded to odd: if it is not exact,
/// towards zero, and its last bit is set. f64 has more than twice the bits of
/// f32, so that rounding that again is as good as rounding once.
llvm::Value *Expander::fma32(llvm::Value *x, llvm::Value *y, llvm::Value *z) {
  llvm::Value *product =
      b.CreateFMul(b.CreateFPExt(x, f64()), b.CreateFPExt(y, f64()));
  llvm::Value *term = b.CreateFPExt(z, f64());
  llvm::Value *sum = b.CreateFAdd(product, term);
  // What the sum lacks, which is a number of f64; NaN if the sum is not finite.
  llvm::Value *part = b.CreateFSub(sum, product);
  llvm::Value *error = b.CreateFAdd(
      b.CreateFSub(product, b.CreateFSub(sum, part)), b.CreateFSub(term, part));
  llvm::Value *bits = bitsOf(sum);
  llvm::Value *isInexact =
      b.CreateSExt(b.CreateFCmpONE(error, real(error, 0.0)), bits->getType());
  // All bits are set for an even number.
  llvm::Value *isEven =
      b.CreateSub(b.CreateAnd(bits, number(bits, 1)), number(bits, 1));
  // 1, away from zero, if the error has the sign of the sum, else -1.
  llvm::Value *differ =
      b.CreateLShr(b.CreateXor(bitsOf(error), bits), number(bits, 62));
  llvm::Value *step =
      b.CreateSub(number(bits, 1), b.CreateAnd(differ, number(bits, 2)));
  bits = b.CreateAdd(bits, b.CreateAnd(b.CreateAnd(step, isInexact), isEven));
  return b.CreateFPTrunc(b.CreateBitCast(bits, f64()), f32());
}

/// The product is exact in f64. An operand that is of f64 already is not
/// rounded before.
llvm::Value *Expander::nearFma32(llvm::Value *x, llvm::Value *y,
                                 llvm::Value *z) {
  auto extend = [&](llvm::Value *value) {
    return value->getType() == f64() ? value : b.CreateFPExt(value, f64());
  };
  return b.CreateFAdd(b.CreateFMul(extend(x), extend(y)), extend(z));
}

/// The product and the sum with what they lack, by Dekker and Knuth. Where that
/// is not finite, or the same but for the sign of a zero, it is as if rounded
/// twice.
llvm::Value *Expander::nearFma64(llvm::Value *x, llvm::Value *y,
                                 llvm::Value *z) {
  auto split = [&](llvm::Value *value) {
    llvm::Value *scaled = b.CreateFMul(value, real(value, 0x1p27 + 1));
    llvm::Value *high = b.CreateFSub(scaled, b.CreateFSub(scaled, value));
    return std::pair(high, b.CreateFSub(value, high));
  };
  auto [xHigh, xLow] = split(x);
  auto [yHigh, yLow] = split(y);
  llvm::Value *product = b.CreateFMul(x, y);
  llvm::Value *lost = b.CreateFSub(b.CreateFMul(xHigh, yHigh), product);
  lost = b.CreateFAdd(lost, b.CreateFMul(xHigh, yLow));
  lost = b.CreateFAdd(lost, b.CreateFMul(xLow, yHigh));
  lost = b.CreateFAdd(lost, b.CreateFMul(xLow, yLow));
  llvm::Value *sum = b.CreateFAdd(product, z);
  llvm::Value *part = b.CreateFSub(sum, product);
  llvm::Value *error = b.CreateFAdd(
      b.CreateFSub(product, b.CreateFSub(sum, part)), b.CreateFSub(z, part));
  llvm::Value *result = b.CreateFAdd(sum, b.CreateFAdd(error, lost));
  return b.CreateSelect(b.CreateFCmpONE(result, sum), result, sum);
}

llvm::Value *Expander::fma64(llvm::Value *x, llvm::Value *y, llvm::Value *z,
                             llvm::Function *function) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  if (!type)
    return b.CreateCall(function, {x, y, z});
  llvm::Value *result = llvm::PoisonValue::get(type);
  for (uint64_t i = 0; i < type->getNumElements(); ++i)
    result = b.CreateInsertElement(
        result,
        b.CreateCall(function, {b.CreateExtractElement(x, i),
                                b.CreateExtractElement(y, i),
                                b.CreateExtractElement(z, i)}),
        i);
  return result;
}

/// From f16 to f32, whose exponents are 112 larger. \p x may have that type or
/// be its bits.
llvm::Value *Expander::extendHalf(llvm::Value *x) {
  llvm::Value *bits = b.CreateZExt(bitsOf(x), i32());
  llvm::Value *sign =
      b.CreateShl(b.CreateAnd(bits, number(bits, 0x8000)), number(bits, 16));
  llvm::Value *rest = b.CreateAnd(bits, number(bits, 0x7fff));
  llvm::Value *wide = b.CreateShl(rest, number(rest, 13));
  llvm::Value *normal = b.CreateAdd(wide, number(wide, uint64_t(112) << 23));
  llvm::Value *count = b.CreateSIToFP(rest, f32());
  llvm::Value *subnormal = bitsOf(b.CreateFMul(count, real(count, 0x1p-24)));
  llvm::Value *result = b.CreateSelect(
      b.CreateICmpSLT(rest, number(rest, 0x400)), subnormal, normal);
  // NaNs become quiet.
  llvm::Value *special =
      b.CreateOr(b.CreateOr(wide, number(wide, 0x7f800000)),
                 b.CreateSelect(b.CreateICmpSGT(rest, number(rest, 0x7c00)),
                                number(rest, 0x400000), number(rest, 0)));
  result = b.CreateSelect(b.CreateICmpSGT(rest, number(rest, 0x7bff)), special,
                          result);
  return b.CreateBitCast(b.CreateOr(result, sign), f32());
}

/// From f32 or f64 to f16, rounded once.
llvm::Value *Expander::truncateToHalf(llvm::Value *x) {
  const bool isDouble = x->getType()->getScalarType()->isDoubleTy();
  // Bits of the significand, of which f16 has 10, and the bias of the exponent.
  const unsigned width = isDouble ? 64 : 32, significand = isDouble ? 52 : 23,
                 bias = isDouble ? 1023 : 127, lost = significand - 10;
  auto exponent = [&](unsigned value) {
    return uint64_t(value) << significand;
  };
  const uint64_t one = 1, infinity = exponent(2 * bias + 1);
  llvm::Value *bits = bitsOf(x);
  llvm::Value *rest = b.CreateAnd(bits, number(bits, (one << (width - 1)) - 1));
  // A carry from the significand goes to the exponent.
  llvm::Value *normal = b.CreateSub(rest, number(rest, exponent(bias - 15)));
  llvm::Value *isOdd =
      b.CreateAnd(b.CreateLShr(normal, number(rest, lost)), number(rest, 1));
  normal = b.CreateLShr(
      b.CreateAdd(b.CreateAdd(normal, number(rest, (one << (lost - 1)) - 1)),
                  isOdd),
      number(rest, lost));
  // The last bit of the number that is added is worth that of subnormal numbers
  // of f16, 2^-24.
  llvm::Value *magnitude = b.CreateBitCast(rest, x->getType());
  llvm::Value *magic = number(rest, exponent(bias + significand - 24));
  llvm::Value *subnormal = b.CreateSub(
      bitsOf(b.CreateFAdd(magnitude, b.CreateBitCast(magic, x->getType()))),
      magic);
  llvm::Value *result =
      b.CreateSelect(b.CreateICmpSLT(rest, number(rest, exponent(bias - 14))),
                     subnormal, normal);
  // From 65520 on, which is as near to infinity as to the largest number.
  const uint64_t large =
      exponent(bias + 15) | (uint64_t(0x7ff) << (significand - 11));
  result = b.CreateSelect(b.CreateICmpSGT(rest, number(rest, large - 1)),
                          number(rest, 0x7c00), result);
  llvm::Value *nan = b.CreateOr(
      b.CreateAnd(b.CreateLShr(rest, number(rest, lost)), number(rest, 0x3ff)),
      number(rest, 0x7e00));
  result = b.CreateSelect(b.CreateICmpSGT(rest, number(rest, infinity)), nan,
                          result);
  llvm::Value *sign = b.CreateAnd(b.CreateLShr(bits, number(bits, width - 16)),
                                  number(bits, 0x8000));
  return b.CreateBitCast(
      b.CreateTrunc(b.CreateOr(result, sign), with(b.getInt16Ty())),
      with(b.getHalfTy()));
}

/// f32 has more than twice the bits of f16, so that its results, rounded again,
/// are those of one operation.
llvm::Value *Expander::computeHalf(llvm::Instruction &op) {
  llvm::SmallVector<llvm::Value *> operands;
  for (llvm::Value *operand : op.operands())
    if (operand->getType()->isFPOrFPVectorTy())
      operands.push_back(extendHalf(operand));
  if (auto *compare = llvm::dyn_cast<llvm::FCmpInst>(&op))
    return b.CreateFCmp(compare->getPredicate(), operands[0], operands[1]);
  if (auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&op))
    return truncateToHalf(
        b.CreateBinOp(binary->getOpcode(), operands[0], operands[1]));
  if (auto *cast = llvm::dyn_cast<llvm::CastInst>(&op)) {
    if (!operands.empty())
      return b.CreateCast(cast->getOpcode(), operands[0], op.getType());
    return truncateToHalf(
        b.CreateCast(cast->getOpcode(), cast->getOperand(0), f32()));
  }
  if (auto *negation = llvm::dyn_cast<llvm::UnaryOperator>(&op))
    return truncateToHalf(b.CreateUnOp(negation->getOpcode(), operands[0]));
  auto &call = llvm::cast<llvm::IntrinsicInst>(op);
  return truncateToHalf(
      b.CreateIntrinsic(f32(), call.getIntrinsicID(), operands));
}

llvm::Value *Expander::round(llvm::Value *x, llvm::Intrinsic::ID how) {
  llvm::Value *magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  auto withSign = [&](llvm::Value *value) {
    return b.CreateCopySign(value, x);
  };
  // Numbers of this size have no fraction, nor does a sum with one.
  llvm::Value *large =
      real(x, x->getType()->getScalarType()->isDoubleTy() ? 0x1p52 : 0x1p23);
  llvm::Value *nearest = b.CreateFSub(b.CreateFAdd(magnitude, large), large);
  llvm::Value *one = real(x, 1.0), *zero = real(x, 0.0);
  // One less or more if that is on the wrong side.
  auto correct = [&](llvm::Value *value, llvm::Value *isWrong) {
    return b.CreateFSub(value, b.CreateSelect(isWrong, one, zero));
  };
  llvm::Value *result = nullptr;
  switch (how) {
  case llvm::Intrinsic::trunc:
    result = correct(nearest, b.CreateFCmpOGT(nearest, magnitude));
    break;
  case llvm::Intrinsic::floor:
    result = withSign(nearest);
    result = correct(result, b.CreateFCmpOGT(result, x));
    break;
  case llvm::Intrinsic::ceil:
    result = withSign(nearest);
    one = real(x, -1.0);
    result = correct(result, b.CreateFCmpOLT(result, x));
    break;
  default:
    result = nearest;
    break;
  }
  // A zero has the sign of the number; so have all others.
  return b.CreateSelect(b.CreateFCmpOLT(magnitude, large), withSign(result), x);
}

namespace {
/// What the processor has.
struct Processor {
  bool fma, f16c, halfArithmetic, rounding;
};
} // namespace

static bool isOf(llvm::Value *value, const llvm::Type *element) {
  return value->getType()->getScalarType() == element;
}

/// Whether it is an operation on f16 that is not just a selection of values.
static bool computesHalf(llvm::Instruction &op) {
  llvm::Type *half = llvm::Type::getHalfTy(op.getContext());
  if (llvm::isa<llvm::FPExtInst, llvm::FPTruncInst>(op))
    return false;
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&op)) {
    switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::roundeven:
      return isOf(&op, half);
    default:
      return false;
    }
  }
  if (llvm::isa<llvm::FCmpInst, llvm::FPToSIInst, llvm::FPToUIInst>(op))
    return isOf(op.getOperand(0), half);
  return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::SIToFPInst,
                   llvm::UIToFPInst>(op) &&
         isOf(&op, half);
}

/// Whether LLVM would call a function for an operation.
static bool isMissing(llvm::Instruction &op, const Processor &processor) {
  if (!processor.f16c && !processor.halfArithmetic && computesHalf(op))
    return true;
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&op)) {
    llvm::Type *type = op.getType()->getScalarType();
    if (!type->isFloatTy() && !type->isDoubleTy())
      return false;
    switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::fma:
      return !processor.fma;
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::roundeven:
      return !processor.rounding;
    default:
      return false;
    }
  }
  if (processor.halfArithmetic)
    return false;
  llvm::Type *half = llvm::Type::getHalfTy(op.getContext());
  if (llvm::isa<llvm::FPExtInst>(op))
    return isOf(op.getOperand(0), half) && !processor.f16c;
  // F16C has no conversion from f64.
  return llvm::isa<llvm::FPTruncInst>(op) && isOf(&op, half) &&
         (!processor.f16c ||
          op.getOperand(0)->getType()->getScalarType()->isDoubleTy());
}

static bool isFma64(llvm::Instruction *op) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(op);
  return call && call->getIntrinsicID() == llvm::Intrinsic::fma &&
         op->getType()->getScalarType()->isDoubleTy();
}

/// Adds the function of SoftFloat.c; null, and the reason, if that fails.
static llvm::Function *addFma64(llvm::Module &module, std::string &error) {
  if (failed(
          cpu::linkBitcode(module,
                           {reinterpret_cast<const char *>(kSoftFloatBitcode),
                            kSoftFloatBitcodeSize},
                           error)))
    return nullptr;
  llvm::Function *fma64 = module.getFunction(kFma64);
  fma64->addFnAttr(llvm::Attribute::NoInline);
  fma64->addFnAttr(llvm::Attribute::NoUnwind);
  fma64->addFnAttr(cpu::kHelperAttrName);
  // Code for it comes first, so that its cost is known to its callers.
  fma64->removeFromParent();
  module.getFunctionList().push_front(fma64);
  return fma64;
}

static llvm::Value *expand(llvm::Instruction &op, llvm::Function *fma64) {
  Expander expander(op);
  if (computesHalf(op))
    return expander.computeHalf(op);
  if (llvm::isa<llvm::FPTruncInst>(op))
    return expander.truncateToHalf(op.getOperand(0));
  if (llvm::isa<llvm::FPExtInst>(op)) {
    llvm::Value *single = expander.extendHalf(op.getOperand(0));
    if (single->getType() == op.getType())
      return single;
    return llvm::IRBuilder<>(&op).CreateFPExt(single, op.getType());
  }
  auto &call = llvm::cast<llvm::IntrinsicInst>(op);
  llvm::Value *x = call.getArgOperand(0);
  if (call.getIntrinsicID() != llvm::Intrinsic::fma)
    return expander.round(x, call.getIntrinsicID());
  llvm::Value *y = call.getArgOperand(1), *z = call.getArgOperand(2);
  return op.getType()->getScalarType()->isDoubleTy()
             ? expander.fma64(x, y, z, fma64)
             : expander.fma32(x, y, z);
}

bool cpu::expandPolynomials(llvm::Module &module,
                            const CpuTargetOptions &target) {
  if (!module.getTargetTriple().isX86() || target.hasFma())
    return false;
  llvm::SmallVector<llvm::IntrinsicInst *> products;
  for (llvm::Function &function : module)
    for (llvm::Instruction &op : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&op))
        if (call->getIntrinsicID() == llvm::Intrinsic::fma &&
            call->hasApproxFunc() && !op.getType()->getScalarType()->isHalfTy())
          products.push_back(call);
  // Results for other products alone are not rounded to f32 between: a chain
  // of them is a polynomial.
  llvm::DenseMap<llvm::Value *, llvm::Value *> wide;
  for (llvm::IntrinsicInst *op : products) {
    Expander expander(*op);
    llvm::SmallVector<llvm::Value *, 3> operands(op->args());
    llvm::Value *result = nullptr;
    if (op->getType()->getScalarType()->isDoubleTy()) {
      result = expander.nearFma64(operands[0], operands[1], operands[2]);
    } else {
      for (llvm::Value *&operand : operands)
        if (llvm::Value *number = wide.lookup(operand);
            number && operand->hasOneUser())
          operand = number;
      llvm::Value *sum =
          expander.nearFma32(operands[0], operands[1], operands[2]);
      result = expander.truncate(sum);
      wide[result] = sum;
    }
    op->replaceAllUsesWith(result);
    op->eraseFromParent();
  }
  for (auto [narrow, number] : wide)
    if (auto *op = llvm::dyn_cast<llvm::Instruction>(narrow);
        op && op->use_empty())
      op->eraseFromParent();
  return !products.empty();
}

LogicalResult cpu::expandArithmetic(llvm::Module &module,
                                    const CpuTargetOptions &target,
                                    bool &isExpanded, std::string &error) {
  isExpanded = false;
  if (!module.getTargetTriple().isX86())
    return success();
  const Processor processor = {
      target.hasFma(),
      target.hasFeature("f16c") || target.hasFeature("avx512f"),
      target.hasFeature("avx512fp16"), target.hasFeature("sse4.1")};
  llvm::Function *fma64 = nullptr;
  for (;;) {
    llvm::SmallVector<llvm::Instruction *> missing;
    for (llvm::Function &function : module)
      for (llvm::Instruction &op : llvm::instructions(function))
        if (isMissing(op, processor))
          missing.push_back(&op);
    if (missing.empty())
      return success();
    isExpanded = true;
    if (!fma64 && llvm::any_of(missing, isFma64)) {
      fma64 = addFma64(module, error);
      if (!fma64)
        return failure();
    }
    // What an operation on f16 becomes may be missing too.
    for (llvm::Instruction *op : missing) {
      op->replaceAllUsesWith(expand(*op, fma64));
      op->eraseFromParent();
    }
  }
}
