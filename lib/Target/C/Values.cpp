//===- Values.cpp - types, constants and operands in C --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Integers are unsigned, with zeros above their bits. A vector of bools has
/// the width of what was compared: lanes of ones or zeros, as comparisons of
/// vectors give them.
///
//===----------------------------------------------------------------------===//

#include "Printer.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir::tg;
using namespace mlir::tg::c;

static std::string toText(const llvm::Type &type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string mlir::tg::c::getNumber(uint64_t value, unsigned bits) {
  if (bits <= 32 || value <= 0xffff)
    return value < 65536 ? std::to_string(value) + "u"
                         : "UINT32_C(0x" + llvm::utohexstr(value, true) + ")";
  return "UINT64_C(0x" + llvm::utohexstr(value, true) + ")";
}

std::string mlir::tg::c::wrap(const std::string &text, const CType &type) {
  const std::string cast = "(" + type.getLane().getName() + ")";
  if (type.bits == type.getWidth())
    return cast + "(" + text + ")";
  return cast + "((" + text + ") & " +
         getNumber((uint64_t(1) << type.bits) - 1, type.getWidth()) + ")";
}

std::string mlir::tg::c::toSigned(const std::string &text, const CType &type) {
  const std::string width = std::to_string(type.getWidth());
  if (type.bits == type.getWidth())
    return "(int" + width + "_t)" + text;
  // The sign bit goes to the top, and back.
  const std::string by = std::to_string(type.getWidth() - type.bits);
  return "((int" + width + "_t)(uint" + width + "_t)((uint64_t)" + text +
         " << " + by + ") >> " + by + ")";
}

CType FunctionPrinter::getType(const llvm::Type *type) const {
  CType result;
  if (const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    result = getType(vector->getElementType());
    result.lanes = vector->getNumElements();
    if (result.kind == CType::Kind::Int && result.bits == 1) {
      result.isMask = true;
      result.bits = 8;
    }
    if (result.kind == CType::Kind::Wide)
      throw Unsupported{"values of the type " + toText(*type)};
    return result;
  }
  if (type->isVoidTy())
    return result;
  if (type->isIntegerTy()) {
    result.bits = type->getIntegerBitWidth();
    result.kind = result.bits <= 64 ? CType::Kind::Int : CType::Kind::Wide;
    if (result.kind == CType::Kind::Wide && result.bits % 32 != 0)
      throw Unsupported{"integers of " + std::to_string(result.bits) + " bits"};
    return result;
  }
  if (type->isPointerTy() && type->getPointerAddressSpace() == 0)
    result.kind = CType::Kind::Pointer;
  else if (type->isHalfTy())
    result.kind = CType::Kind::F16;
  else if (type->isBFloatTy())
    result.kind = CType::Kind::BF16;
  else if (type->isFloatTy())
    result.kind = CType::Kind::F32;
  else if (type->isDoubleTy())
    result.kind = CType::Kind::F64;
  else
    throw Unsupported{"values of the type " + toText(*type)};
  return result;
}

CType FunctionPrinter::getType(const llvm::Value *value) {
  CType type = getType(value->getType());
  if (type.isMask)
    type.bits = getMaskBits(value);
  return type;
}

/// The width of lanes of a vector of bools; 0 if any will do.
unsigned FunctionPrinter::getMaskBits(const llvm::Value *value,
                                      unsigned depth) {
  if (auto found = maskBits.find(value); found != maskBits.end())
    return found->second;
  if (llvm::isa<llvm::Constant>(value))
    return 8;
  unsigned bits = 0;
  auto ofLanes = [&](const llvm::Value *source) -> unsigned {
    const CType type = getType(source->getType());
    return type.isMask ? getMaskBits(source, depth + 1) : type.getWidth();
  };
  if (const auto *instruction = llvm::dyn_cast<llvm::Instruction>(value)) {
    if (llvm::isa<llvm::CmpInst, llvm::TruncInst>(instruction))
      bits = ofLanes(instruction->getOperand(0));
    else if (llvm::isa<llvm::BinaryOperator, llvm::PHINode, llvm::SelectInst,
                       llvm::ShuffleVectorInst, llvm::FreezeInst,
                       llvm::InsertElementInst>(instruction) &&
             depth < 8)
      for (const llvm::Value *operand : instruction->operands()) {
        if (bits != 0 || llvm::isa<llvm::Constant>(operand) ||
            !operand->getType()->isVectorTy() || operand == value ||
            !operand->getType()->getScalarType()->isIntegerTy(1))
          continue;
        bits = getMaskBits(operand, depth + 1);
      }
  }
  if (bits == 0)
    bits = 8;
  // What was found below the depth may not be final.
  if (depth == 0 || !llvm::isa<llvm::PHINode>(value))
    maskBits[value] = bits;
  return bits;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static std::string getFloat(const llvm::APFloat &value, bool isDouble,
                            Helpers &helpers) {
  const uint64_t bits = value.bitcastToAPInt().getZExtValue();
  if (value.isNaN())
    return helpers.getFixed(isDouble ? "f64_from_bits" : "f32_from_bits") +
           "(" + (isDouble ? "UINT64_C(0x" : "UINT32_C(0x") +
           llvm::utohexstr(bits, true) + "))";
  std::string text;
  if (value.isInfinity()) {
    text = isDouble ? "(double)INFINITY" : "INFINITY";
  } else {
    const double number =
        std::fabs(isDouble ? value.convertToDouble() : value.convertToFloat());
    char buffer[64];
    const bool isSmall = number < 1e6 && number * 8 == std::floor(number * 8);
    if (isSmall && number == std::floor(number))
      std::snprintf(buffer, sizeof(buffer), "%.1f", number);
    else
      std::snprintf(buffer, sizeof(buffer), isSmall ? "%.6g" : "%a", number);
    text = buffer;
    if (!isDouble)
      text += "f";
  }
  return value.isNegative() ? "(-" + text + ")" : text;
}

std::string FunctionPrinter::getScalar(const llvm::Constant *constant,
                                       const CType &type) {
  if (type.kind == CType::Kind::Wide) {
    llvm::SmallVector<std::string> limbs;
    llvm::APInt value(type.bits, 0);
    if (const auto *number = llvm::dyn_cast<llvm::ConstantInt>(constant))
      value = number->getValue();
    for (unsigned i = 0; i < type.bits; i += 32)
      limbs.push_back(getNumber(value.extractBitsAsZExtValue(32, i), 32));
    return "((" + helpers.getType(type) + "){{" + llvm::join(limbs, ", ") +
           "}})";
  }
  if (llvm::isa<llvm::UndefValue>(constant) || constant->isNullValue()) {
    switch (type.kind) {
    case CType::Kind::Pointer:
      return "((char *)0)";
    case CType::Kind::F32:
      return "0.0f";
    case CType::Kind::F64:
      return "0.0";
    default:
      return "0u";
    }
  }
  if (const auto *number = llvm::dyn_cast<llvm::ConstantInt>(constant)) {
    if (type.isMask)
      return number->isZero()
                 ? "0u"
                 : getNumber(type.bits == 64 ? ~uint64_t(0)
                                             : (uint64_t(1) << type.bits) - 1,
                             type.bits);
    return getNumber(number->getZExtValue(), type.bits);
  }
  if (const auto *number = llvm::dyn_cast<llvm::ConstantFP>(constant)) {
    if (type.isSmallFloat())
      return getNumber(number->getValueAPF().bitcastToAPInt().getZExtValue(),
                       16);
    return getFloat(number->getValueAPF(), type.kind == CType::Kind::F64,
                    helpers);
  }
  if (const auto *global = llvm::dyn_cast<llvm::GlobalValue>(constant)) {
    auto found = globals.find(global->getName());
    if (found == globals.end())
      throw Unsupported{"the address of '" + global->getName().str() + "'"};
    return llvm::isa<llvm::Function>(global)
               ? "((char *)(uintptr_t)" + found->second + ")"
               : "((char *)" + found->second + ")";
  }
  if (const auto *expression = llvm::dyn_cast<llvm::ConstantExpr>(constant)) {
    if (const auto *gep = llvm::dyn_cast<llvm::GEPOperator>(expression);
        gep && !type.isVector())
      return "AT(" + get(gep->getPointerOperand()).text + ", " +
             getOffset(*gep) + ")";
    if (expression->getOpcode() == llvm::Instruction::PtrToInt)
      return wrap("(uintptr_t)" + get(expression->getOperand(0)).text, type);
    if (expression->getOpcode() == llvm::Instruction::IntToPtr)
      return "((char *)(uintptr_t)" + get(expression->getOperand(0)).text + ")";
  }
  std::string text;
  llvm::raw_string_ostream(text) << *constant;
  throw Unsupported{"the constant " + text};
}

std::string FunctionPrinter::getConstant(const llvm::Constant *constant,
                                         const CType &type) {
  if (!type.isVector())
    return getScalar(constant, type);
  llvm::SmallVector<std::string> lanes;
  for (unsigned i = 0; i < type.lanes; ++i) {
    const llvm::Constant *lane = constant->getAggregateElement(i);
    if (!lane)
      throw Unsupported{"a constant of the type " +
                        toText(*constant->getType())};
    std::string text = getScalar(lane, type.getLane());
    if (type.kind == CType::Kind::Pointer)
      text = "(uint64_t)(uintptr_t)" + text;
    lanes.push_back(std::move(text));
  }
  if (llvm::all_equal(lanes) && type.lanes > 1)
    return helpers.splat(type, lanes.front());
  return helpers.make(type, lanes);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The distance from the base in bytes, as an expression of 64 bits.
std::string FunctionPrinter::getOffset(const llvm::GEPOperator &gep) {
  const unsigned bits = layout.getIndexTypeSizeInBits(gep.getType());
  llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> variables;
  llvm::APInt constant(bits, 0);
  if (!gep.collectOffset(layout, bits, variables, constant))
    throw Unsupported{"an address in memory of no fixed layout"};
  std::string text;
  for (const auto &[index, scale] : variables) {
    const CValue value = get(index);
    if (value.type.isVector() || !value.type.isInt())
      throw Unsupported{"an index of the type " + toText(*index->getType())};
    std::string one = value.type.bits == 64
                          ? value.text
                          : "(uint64_t)" + toSigned(value.text, value.type);
    if (!scale.isOne())
      one += " * " + getNumber(scale.getZExtValue(), 64);
    text += (text.empty() ? "" : " + ") + one;
  }
  if (!constant.isZero() || text.empty()) {
    if (text.empty())
      text = constant.isNegative()
                 ? "-" + std::to_string(-constant.getSExtValue())
                 : std::to_string(constant.getZExtValue());
    else
      text += (constant.isNegative() ? " - " : " + ") +
              getNumber(constant.abs().getZExtValue(), 64);
  }
  return text;
}

CValue FunctionPrinter::get(const llvm::Value *value) {
  CType type = getType(value);
  if (const auto *constant = llvm::dyn_cast<llvm::Constant>(value))
    return {getConstant(constant, type), type};
  if (inlined.contains(value)) {
    const std::string text =
        getExpression(*llvm::cast<llvm::Instruction>(value));
    if (llvm::isa<llvm::GetElementPtrInst>(value))
      return {text, type}; // AT(..)
    return {"(" + text + ")", type};
  }
  auto found = names.find(value);
  if (found == names.end())
    throw Unsupported{"an operand of the type " + toText(*value->getType())};
  return {found->second, type};
}

/// The mask with the lanes of another one.
std::string FunctionPrinter::toMask(const CValue &value, const CType &type) {
  if (value.type.bits == type.bits)
    return value.text;
  const std::string width = std::to_string(type.bits),
                    count = std::to_string(type.lanes);
  const std::string ones =
      getNumber(type.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << type.bits) - 1,
                type.bits);
  helpers.getType(type);
  helpers.getType(value.type);
  return helpers.getLanewise(
             "mask_" + type.getShortName() + "_from_" +
                 value.type.getShortName(),
             type, value.type,
             [&](llvm::ArrayRef<std::string> lanes) {
               return lanes[0] + " ? " + ones + " : 0u";
             },
             "(" + helpers.getType(type) + ")__builtin_convertvector((s" +
                 std::to_string(value.type.bits) + "x" + count + ")a, s" +
                 width + "x" + count + ")") +
         "(" + value.text + ")";
}

CValue FunctionPrinter::getAs(const llvm::Value *value, const CType &type) {
  if (const auto *constant = llvm::dyn_cast<llvm::Constant>(value))
    return {getConstant(constant, type), type};
  CValue own = get(value);
  if (!type.isMask)
    return own;
  return {toMask(own, type), type};
}
