//===- Instructions.cpp - instructions in C -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Instructions other than calls. What LLVM calls poison, the result of an
/// operation out of its bounds that may be computed and not used, is a number
/// here.
///
//===----------------------------------------------------------------------===//

#include "Printer.h"
#include "llvm/Analysis/VectorUtils.h"
#include <algorithm>

using namespace mlir::tg;
using namespace mlir::tg::c;

using Lanes = llvm::ArrayRef<std::string>;
using Kind = CType::Kind;

std::string FunctionPrinter::apply(const std::string &name, const CType &result,
                                   llvm::ArrayRef<CValue> operands,
                                   llvm::function_ref<std::string(Lanes)> lane,
                                   const std::string &native) {
  llvm::SmallVector<std::string> texts;
  llvm::SmallVector<CType> types;
  bool hasVectors = result.isVector();
  for (const CValue &operand : operands) {
    texts.push_back(operand.text);
    types.push_back(operand.type);
    hasVectors |= operand.type.isVector();
  }
  if (!hasVectors)
    return lane(texts);
  return helpers.getLanewise(name, result, types, lane, native) + "(" +
         llvm::join(texts, ", ") + ")";
}

std::string
FunctionPrinter::applyFloat(const std::string &name, const CType &result,
                            llvm::ArrayRef<CValue> operands,
                            llvm::function_ref<std::string(Lanes)> lane,
                            const std::string &native) {
  const CType type = operands.front().type;
  if (!type.isSmallFloat())
    return apply(name + "_" + type.getShortName(), result, operands, lane,
                 native);
  const std::string small = type.kind == Kind::F16 ? "f16" : "bf16";
  const std::string from = helpers.getFixed("f32_from_" + small),
                    to = helpers.getFixed(small + "_from_f32");
  return apply(name + "_" + small +
                   (type.isVector() ? "x" + std::to_string(type.lanes) : ""),
               result, operands, [&](Lanes lanes) {
                 llvm::SmallVector<std::string> wide;
                 for (const std::string &one : lanes)
                   wide.push_back(from + "(" + one + ")");
                 const std::string value = lane(wide);
                 return result.isSmallFloat() ? to + "(" + value + ")" : value;
               });
}

std::string FunctionPrinter::getBinary(const llvm::BinaryOperator &operation) {
  const CType type = getType(&operation);
  const CValue lhs = getAs(operation.getOperand(0), type),
               rhs = getAs(operation.getOperand(1), type);
  const std::string opcode = operation.getOpcodeName();
  if (type.kind == Kind::Wide)
    return helpers.getWide(opcode, type) + "(" + lhs.text + ", " + rhs.text +
           ")";
  const std::string width = std::to_string(type.getWidth()),
                    most = std::to_string(type.getWidth() - 1) + "u";
  const std::string name =
      opcode + "_" + type.getShortName() +
      (type.bits == type.getWidth() ? "" : "_" + std::to_string(type.bits));
  // C computes with int, if it is wider.
  auto finish = [&](const std::string &text) {
    return type.bits == type.getWidth() && type.bits >= 32 ? text
                                                           : wrap(text, type);
  };
  // An amount of a shift within the width.
  auto by = [&](const std::string &amount) {
    const auto *number =
        llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
    return number && number->getValue().ult(type.getWidth())
               ? amount
               : "(" + amount + " & " + most + ")";
  };
  auto infix = [&](const std::string &symbol, const std::string &first = "",
                   bool isWrapped = true) {
    return apply(
        name, type, {lhs, rhs},
        [&](Lanes lanes) {
          const std::string text =
              first + lanes[0] + " " + symbol + " " + lanes[1];
          return isWrapped ? finish(text) : text;
        },
        type.bits == type.getWidth() ? "a " + symbol + " b" : "");
  };
  switch (operation.getOpcode()) {
  case llvm::Instruction::FAdd:
  case llvm::Instruction::FSub:
  case llvm::Instruction::FMul:
  case llvm::Instruction::FDiv: {
    const char *symbol = opcode == "fadd"   ? " + "
                         : opcode == "fsub" ? " - "
                         : opcode == "fmul" ? " * "
                                            : " / ";
    return applyFloat(
        opcode.substr(1), type, {lhs, rhs},
        [&](Lanes lanes) { return lanes[0] + symbol + lanes[1]; },
        std::string("a") + symbol + "b");
  }
  case llvm::Instruction::FRem:
    return applyFloat("rem", type, {lhs, rhs}, [&](Lanes lanes) {
      return std::string(type.kind == Kind::F64 ? "fmod(" : "fmodf(") +
             lanes[0] + ", " + lanes[1] + ")";
    });
  default:
    break;
  }
  if (type.isMask) {
    const CType lanes = type;
    const char *symbol = opcode == "and" || opcode == "mul" ? "&"
                         : opcode == "or"                   ? "|"
                         : opcode == "xor" || opcode == "add" || opcode == "sub"
                             ? "^"
                             : nullptr;
    if (!symbol)
      throw Unsupported{"'" + opcode + "' of bools"};
    const std::string text = symbol;
    return apply((text == "&"   ? "and_"
                  : text == "|" ? "or_"
                                : "xor_") +
                     type.getShortName(),
                 type, {lhs, rhs},
                 [&](Lanes each) {
                   return wrap(each[0] + " " + text + " " + each[1], lanes);
                 },
                 "a " + text + " b");
  }
  switch (operation.getOpcode()) {
  case llvm::Instruction::Add:
    // The negative number is easier to read.
    if (const auto *number =
            llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
        number && number->isNegative() && type.bits > 1)
      return finish(lhs.text + " - " +
                    getNumber((-number->getValue()).getZExtValue(), type.bits));
    return infix("+");
  case llvm::Instruction::Sub:
    return infix("-");
  case llvm::Instruction::Mul:
    // Products of small integers are no signed ones.
    return infix("*", type.getWidth() < 32 ? "1u * " : "");
  case llvm::Instruction::And:
    return infix(type.bits == 1 ? "&&" : "&", "", false);
  case llvm::Instruction::Or:
    return infix(type.bits == 1 ? "||" : "|", "", false);
  case llvm::Instruction::Xor:
    return infix("^", "", false);
  case llvm::Instruction::UDiv:
    return infix("/", "", false);
  case llvm::Instruction::URem:
    return infix("%", "", false);
  case llvm::Instruction::SDiv:
  case llvm::Instruction::SRem:
    return apply(name, type, {lhs, rhs}, [&](Lanes lanes) {
      return wrap(toSigned(lanes[0], type) +
                      (opcode == "sdiv" ? " / " : " % ") +
                      toSigned(lanes[1], type),
                  type);
    });
  case llvm::Instruction::Shl:
    return apply(
        name, type, {lhs, rhs},
        [&](Lanes lanes) {
          // A constant may be shorter, and a small integer is a signed one.
          const bool isLong =
              type.getWidth() >= 32 &&
              !llvm::isa<llvm::Constant>(operation.getOperand(0));
          return finish((isLong                  ? ""
                         : type.getWidth() == 64 ? "(uint64_t)"
                                                 : "(uint32_t)") +
                        lanes[0] + " << " + by(lanes[1]));
        },
        type.bits == type.getWidth() ? "a << (b & " + most + ")" : "");
  case llvm::Instruction::LShr:
    return apply(
        name, type, {lhs, rhs},
        [&](Lanes lanes) { return finish(lanes[0] + " >> " + by(lanes[1])); },
        type.bits == type.getWidth() ? "a >> (b & " + most + ")" : "");
  case llvm::Instruction::AShr:
    return apply(
        name, type, {lhs, rhs},
        [&](Lanes lanes) {
          return wrap(toSigned(lanes[0], type) + " >> " + by(lanes[1]), type);
        },
        type.bits == type.getWidth() && type.isVector()
            ? "(" + helpers.getType(type) + ")((s" + width + "x" +
                  std::to_string(type.lanes) + ")a >> (s" + width + "x" +
                  std::to_string(type.lanes) + ")(b & " + most + "))"
            : "");
  default:
    throw Unsupported{"the instruction '" + opcode + "'"};
  }
}

std::string mlir::tg::c::toLane(const std::string &condition,
                                const CType &mask) {
  if (!mask.isMask)
    return condition;
  return "(uint" + std::to_string(mask.bits) + "_t)((" + condition +
         ") ? -1 : 0)";
}

std::string FunctionPrinter::getIntCompare(const llvm::ICmpInst &compare) {
  const CType result = getType(&compare);
  const CValue lhs = get(compare.getOperand(0));
  const CType type = lhs.type;
  const CValue rhs = getAs(compare.getOperand(1), type);
  const llvm::CmpInst::Predicate predicate = compare.getPredicate();
  const bool isSigned = compare.isSigned();
  const std::string symbol = predicate == llvm::CmpInst::ICMP_EQ   ? "=="
                             : predicate == llvm::CmpInst::ICMP_NE ? "!="
                             : llvm::ICmpInst::isLT(predicate)     ? "<"
                             : llvm::ICmpInst::isLE(predicate)     ? "<="
                             : llvm::ICmpInst::isGT(predicate)     ? ">"
                                                                   : ">=";
  if (type.kind == Kind::Wide) {
    if (compare.isEquality())
      return std::string(symbol == "!=" ? "!" : "") +
             helpers.getWide("eq", type) + "(" + lhs.text + ", " + rhs.text +
             ")";
    const bool swaps = symbol == ">" || symbol == "<=";
    return std::string(symbol.size() == 2 ? "!" : "") +
           helpers.getWide(isSigned ? "slt" : "ult", type) + "(" +
           (swaps ? rhs : lhs).text + ", " + (swaps ? lhs : rhs).text + ")";
  }
  if (isSigned && type.isMask)
    throw Unsupported{"a signed comparison of bools"};
  const std::string name = llvm::CmpInst::getPredicateName(predicate).str() +
                           "_" + type.getShortName() +
                           (type.isInt() && type.bits != type.getWidth()
                                ? "_" + std::to_string(type.bits)
                                : "");
  const std::string signedType = "(s" + std::to_string(type.getWidth()) + "x" +
                                 std::to_string(type.lanes) + ")";
  // Addresses are compared as numbers.
  const bool isAddress =
      type.kind == Kind::Pointer && !type.isVector() && !compare.isEquality();
  std::string native;
  if (result.isVector() && (!isSigned || type.bits == type.getWidth()))
    native = "(" + helpers.getType(result) + ")(" +
             (isSigned ? signedType : "") + "a " + symbol + " " +
             (isSigned ? signedType : "") + "b)";
  return apply(
      name, result, {lhs, rhs},
      [&](Lanes lanes) {
        auto operand = [&](const std::string &text) {
          return isSigned    ? toSigned(text, type)
                 : isAddress ? "(uintptr_t)" + text
                             : text;
        };
        return toLane(
            operand(lanes[0]) + " " + symbol + " " + operand(lanes[1]), result);
      },
      native);
}

std::string FunctionPrinter::getFloatCompare(const llvm::FCmpInst &compare) {
  const CType result = getType(&compare);
  const CValue lhs = get(compare.getOperand(0)),
               rhs = get(compare.getOperand(1));
  // A negated comparison is true of NaNs.
  auto condition = [&](const std::string &a, const std::string &b,
                       bool isVector) -> std::string {
    auto with = [&](const char *symbol) {
      return "(" + a + " " + symbol + " " + b + ")";
    };
    auto negated = [&](const std::string &text) {
      return (isVector ? "~" : "!") + text;
    };
    const std::string both = isVector ? " & " : " && ",
                      either = isVector ? " | " : " || ";
    std::string ordered =
        "((" + a + " == " + a + ")" + both + "(" + b + " == " + b + "))";
    std::string differs = "(" + with("<") + either + with(">") + ")";
    switch (compare.getPredicate()) {
    case llvm::CmpInst::FCMP_OEQ:
      return with("==");
    case llvm::CmpInst::FCMP_OGT:
      return with(">");
    case llvm::CmpInst::FCMP_OGE:
      return with(">=");
    case llvm::CmpInst::FCMP_OLT:
      return with("<");
    case llvm::CmpInst::FCMP_OLE:
      return with("<=");
    case llvm::CmpInst::FCMP_ONE:
      return differs;
    case llvm::CmpInst::FCMP_ORD:
      return ordered;
    case llvm::CmpInst::FCMP_UNO:
      return negated(ordered);
    case llvm::CmpInst::FCMP_UEQ:
      return negated(differs);
    case llvm::CmpInst::FCMP_UGT:
      return negated(with("<="));
    case llvm::CmpInst::FCMP_UGE:
      return negated(with("<"));
    case llvm::CmpInst::FCMP_ULT:
      return negated(with(">="));
    case llvm::CmpInst::FCMP_ULE:
      return negated(with(">"));
    case llvm::CmpInst::FCMP_UNE:
      return with("!=");
    default:
      throw Unsupported{"a comparison that is always true or false"};
    }
  };
  std::string native;
  if (result.isVector())
    native =
        "(" + helpers.getType(result) + ")(" + condition("a", "b", true) + ")";
  return applyFloat(
      llvm::CmpInst::getPredicateName(compare.getPredicate()).str(), result,
      {lhs, rhs},
      [&](Lanes lanes) {
        return toLane(condition(lanes[0], lanes[1], false), result);
      },
      native);
}

std::string FunctionPrinter::getSelect(const llvm::SelectInst &select) {
  const CType type = getType(&select);
  const CValue yes = getAs(select.getTrueValue(), type),
               no = getAs(select.getFalseValue(), type);
  CType condition = getType(select.getCondition());
  if (!condition.isVector())
    return get(select.getCondition()).text + " ? " + yes.text + " : " + no.text;
  condition.bits = type.getWidth();
  const CValue mask = getAs(select.getCondition(), condition);
  const std::string as = "(" + helpers.getType(condition) + ")",
                    back = "(" + helpers.getType(type) + ")";
  return apply(
      "select_" + type.getShortName(), type, {mask, yes, no},
      [&](Lanes lanes) {
        return lanes[0] + " ? " + lanes[1] + " : " + lanes[2];
      },
      back + "((a & " + as + "b) | (~a & " + as + "c))");
}

std::string
FunctionPrinter::getShuffle(const llvm::ShuffleVectorInst &shuffle) {
  const CType type = getType(&shuffle);
  CType source = getType(shuffle.getOperand(0)->getType());
  if (type.isMask)
    source.bits = type.bits;
  if (const llvm::Value *scalar = llvm::getSplatValue(&shuffle);
      scalar && !type.isMask) {
    const CValue value = get(scalar);
    return helpers.splat(type, type.kind == Kind::Pointer
                                   ? "(uint64_t)(uintptr_t)" + value.text
                                   : value.text);
  }
  const CValue lhs = getAs(shuffle.getOperand(0), source),
               rhs = getAs(shuffle.getOperand(1), source);
  const bool isSingle = llvm::isa<llvm::UndefValue>(shuffle.getOperand(1));
  std::string name = "shuffle_" + source.getShortName(), indices;
  llvm::SmallVector<std::string> lanes;
  for (int index : shuffle.getShuffleMask()) {
    name += index < 0 ? "_x" : "_" + std::to_string(index);
    // -1 would be any value, of which conditions in other helpers would be
    // undefined behavior.
    indices += ", " + std::to_string(std::max(index, 0));
    lanes.push_back(
        index < 0 ? "0u"
        : unsigned(index) < source.lanes
            ? Helpers::getLane(source, "a", llvm::Twine(index))
            : Helpers::getLane(source, isSingle ? "a" : "b",
                               llvm::Twine(unsigned(index) - source.lanes)));
  }
  if (type.lanes > 16)
    name = "shuffle_" + source.getShortName() + "_" +
           llvm::utohexstr(llvm::xxh3_64bits(name), true);
  auto isNative = [](const CType &one) {
    return one.lanes > 1 && llvm::isPowerOf2_32(one.lanes);
  };
  const std::string function =
      helpers.get(name, [&](const std::string &unique) {
        const std::string typeName = helpers.getType(source),
                          head = "HELPER " + helpers.getType(type) + " " +
                                 unique + "(" + typeName + " a" +
                                 (isSingle ? "" : ", " + typeName + " b") +
                                 ") {\n";
        const std::string portable =
            "  return " + helpers.make(type, lanes) + ";\n";
        if (!isNative(type) || !isNative(source))
          return head + portable + "}\n";
        return head + "#if VECTORS\n  return __builtin_shufflevector(a, " +
               (isSingle ? "a" : "b") + indices + ");\n#else\n" + portable +
               "#endif\n}\n";
      });
  return function + "(" + lhs.text + (isSingle ? "" : ", " + rhs.text) + ")";
}

/// Addresses of lanes, as numbers.
std::string FunctionPrinter::getAddresses(const llvm::GetElementPtrInst &gep) {
  const CType type = getType(&gep);
  if (gep.getNumIndices() != 1 ||
      layout.getTypeAllocSize(gep.getSourceElementType()).isScalable())
    throw Unsupported{"a vector of addresses with several indices"};
  const uint64_t scale =
      layout.getTypeAllocSize(gep.getSourceElementType()).getFixedValue();
  CValue base = get(gep.getPointerOperand()), index = get(gep.getOperand(1));
  if (!base.type.isVector()) {
    base.text = "(uint64_t)(uintptr_t)" + base.text;
    base.type.kind = Kind::Int;
    base.type.bits = 64;
  }
  return apply("addresses_" + base.type.getShortName() + "_" +
                   index.type.getShortName() + "_" + std::to_string(scale),
               type, {base, index}, [&](Lanes lanes) {
                 return lanes[0] + " + (uint64_t)" +
                        toSigned(lanes[1], index.type) + " * " +
                        std::to_string(scale) + "u";
               });
}

bool mlir::tg::c::isPartOfSplat(const llvm::InsertElementInst &insert) {
  return llvm::all_of(insert.users(), [](const llvm::User *user) {
    return llvm::isa<llvm::ShuffleVectorInst>(user) &&
           !user->getType()->getScalarType()->isIntegerTy(1) &&
           llvm::getSplatValue(user);
  });
}

std::string
FunctionPrinter::getExpression(const llvm::Instruction &instruction) {
  if (const auto *operation =
          llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
    return getBinary(*operation);
  if (const auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
    return getIntCompare(*compare);
  if (const auto *compare = llvm::dyn_cast<llvm::FCmpInst>(&instruction))
    return getFloatCompare(*compare);
  if (const auto *cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
    return getCast(*cast);
  if (const auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
    return getSelect(*select);
  if (const auto *shuffle =
          llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction))
    return getShuffle(*shuffle);
  if (const auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
    if (gep->getType()->isVectorTy())
      return getAddresses(*gep);
    return "AT(" + get(gep->getPointerOperand()).text + ", " +
           getOffset(llvm::cast<llvm::GEPOperator>(*gep)) + ")";
  }
  if (instruction.getOpcode() == llvm::Instruction::FNeg) {
    const CValue value = get(instruction.getOperand(0));
    if (value.type.isSmallFloat())
      return apply(
          "negate_bits_" + value.type.getShortName(), value.type, value,
          [](Lanes lanes) { return "(uint16_t)(" + lanes[0] + " ^ 0x8000u)"; });
    return apply(
        "neg_" + value.type.getShortName(), value.type, value,
        [](Lanes lanes) { return "-" + lanes[0]; }, "-a");
  }
  if (llvm::isa<llvm::FreezeInst>(instruction))
    return getAs(instruction.getOperand(0), getType(&instruction)).text;
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    const CType type = getType(load);
    if (load->isVolatile() || load->isAtomic())
      throw Unsupported{"a volatile or atomic access"};
    if (type.isMask ||
        (type.isInt() && type.bits != 1 && type.bits != type.getWidth()))
      throw Unsupported{"a load of numbers whose bits fill no bytes"};
    const std::string text = helpers.getLoad(type, load->getAlign().value()) +
                             "(" + get(load->getPointerOperand()).text + ")";
    return type.isInt() && type.bits == 1 ? text + " & 1u" : text;
  }
  if (const auto *extract =
          llvm::dyn_cast<llvm::ExtractElementInst>(&instruction)) {
    const CValue vector = get(extract->getVectorOperand());
    const auto *number =
        llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand());
    const std::string lane = Helpers::getLane(
        vector.type, vector.text,
        number ? std::to_string(number->getZExtValue() % vector.type.lanes)
               : get(extract->getIndexOperand()).text + " % " +
                     std::to_string(vector.type.lanes) + "u");
    return vector.type.isMask                  ? lane + " & 1u"
           : vector.type.kind == Kind::Pointer ? "(char *)(uintptr_t)" + lane
                                               : lane;
  }
  if (const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
    return getCall(*call);
  throw Unsupported{std::string("the instruction '") +
                    instruction.getOpcodeName() + "'"};
}

void FunctionPrinter::printInstruction(const llvm::Instruction &instruction) {
  if (llvm::isa<llvm::PHINode>(instruction)) {
    if (!instruction.use_empty())
      assign(instruction); // declares it
    return;
  }
  if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    const CValue value = get(store->getValueOperand());
    if (store->isVolatile() || store->isAtomic())
      throw Unsupported{"a volatile or atomic access"};
    if (value.type.isMask || (value.type.isInt() && value.type.bits != 1 &&
                              value.type.bits != value.type.getWidth()))
      throw Unsupported{"a store of numbers whose bits fill no bytes"};
    line(helpers.getStore(value.type, store->getAlign().value()) + "(" +
         get(store->getPointerOperand()).text + ", " + value.text + ");");
    return;
  }
  if (const auto *memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
    const std::optional<llvm::TypeSize> size =
        memory->getAllocationSize(layout);
    if (!size || size->isScalable() || !memory->isStaticAlloca())
      throw Unsupported{"memory on the stack of no fixed size"};
    const std::string name = names.lookup(memory), array = name + "_memory";
    // Memory lives as long as the function, and is declared with its
    // variables.
    locals["ALIGN(" +
           std::to_string(std::max<uint64_t>(memory->getAlign().value(), 16)) +
           ") char"]
        .push_back(
            array + "[" +
            std::to_string(std::max<uint64_t>(size->getFixedValue(), 1)) + "]");
    locals["char *"].push_back(name);
    line(name + " = " + array + ";");
    return;
  }
  if (llvm::isa<llvm::FenceInst>(instruction))
    return; // For stores that bypass caches, which there are none of in C.
  if (const auto *insert =
          llvm::dyn_cast<llvm::InsertElementInst>(&instruction)) {
    if (isPartOfSplat(*insert))
      return;
    const CType type = getType(insert);
    const CValue vector = getAs(insert->getOperand(0), type),
                 value = get(insert->getOperand(1));
    const auto *number =
        llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2));
    const std::string index =
        number ? std::to_string(number->getZExtValue() % type.lanes)
               : get(insert->getOperand(2)).text + " % " +
                     std::to_string(type.lanes) + "u";
    line(assign(*insert, /*isConstant=*/false) + vector.text + ";");
    line(Helpers::getLane(type, names.lookup(insert), index) + " = " +
         (type.isMask                  ? toLane(value.text, type)
          : type.kind == Kind::Pointer ? "(uint64_t)(uintptr_t)" + value.text
                                       : value.text) +
         ";");
    return;
  }
  if (const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      call && call->getType()->isVoidTy()) {
    printCall(*call);
    return;
  }
  if (instruction.use_empty() && !instruction.mayHaveSideEffects())
    return;
  const std::string text = getExpression(instruction);
  line(assign(instruction) + text + ";");
}
