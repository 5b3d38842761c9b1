//===- Intrinsics.cpp - calls in C ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Calls of the functions of the file, and of LLVM's own, some of which are
/// functions of the C library.
///
//===----------------------------------------------------------------------===//

#include "Printer.h"

using namespace mlir::tg;
using namespace mlir::tg::c;

using Lanes = llvm::ArrayRef<std::string>;
using Kind = CType::Kind;

static bool isIgnored(llvm::Intrinsic::ID id) {
  switch (id) {
  case llvm::Intrinsic::assume:
  case llvm::Intrinsic::experimental_noalias_scope_decl:
  case llvm::Intrinsic::lifetime_start:
  case llvm::Intrinsic::lifetime_end:
    return true;
  default:
    return false;
  }
}

/// A function of <math.h> that computes the same, exactly; none otherwise.
static llvm::StringRef getMathFunction(llvm::Intrinsic::ID id) {
  switch (id) {
  case llvm::Intrinsic::fma:
    return "fma";
  case llvm::Intrinsic::fabs:
    return "fabs";
  case llvm::Intrinsic::sqrt:
    return "sqrt";
  case llvm::Intrinsic::floor:
    return "floor";
  case llvm::Intrinsic::ceil:
    return "ceil";
  case llvm::Intrinsic::trunc:
    return "trunc";
  case llvm::Intrinsic::rint:
    return "rint";
  case llvm::Intrinsic::nearbyint:
  // The mode of rounding is that to the nearest even number.
  case llvm::Intrinsic::roundeven:
    return "nearbyint";
  case llvm::Intrinsic::round:
    return "round";
  case llvm::Intrinsic::copysign:
    return "copysign";
  case llvm::Intrinsic::minnum:
    return "fmin";
  case llvm::Intrinsic::maxnum:
    return "fmax";
  default:
    return {};
  }
}

std::string FunctionPrinter::getReduction(const llvm::IntrinsicInst &call) {
  const bool hasStart =
      call.getIntrinsicID() == llvm::Intrinsic::vector_reduce_fadd ||
      call.getIntrinsicID() == llvm::Intrinsic::vector_reduce_fmul;
  const CValue vector = get(call.getArgOperand(hasStart ? 1 : 0));
  const CType result = getType(&call), lane = vector.type.getLane();
  std::string symbol, choice;
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::vector_reduce_add:
  case llvm::Intrinsic::vector_reduce_fadd:
    symbol = "+";
    break;
  case llvm::Intrinsic::vector_reduce_mul:
  case llvm::Intrinsic::vector_reduce_fmul:
    symbol = "*";
    break;
  case llvm::Intrinsic::vector_reduce_and:
    symbol = "&";
    break;
  case llvm::Intrinsic::vector_reduce_or:
    symbol = "|";
    break;
  case llvm::Intrinsic::vector_reduce_xor:
    symbol = "^";
    break;
  case llvm::Intrinsic::vector_reduce_smin:
  case llvm::Intrinsic::vector_reduce_umin:
    choice = "<";
    break;
  case llvm::Intrinsic::vector_reduce_smax:
  case llvm::Intrinsic::vector_reduce_umax:
    choice = ">";
    break;
  default:
    throw Unsupported{"the call of '" +
                      call.getCalledFunction()->getName().str() + "'"};
  }
  if (lane.isSmallFloat() ||
      (lane.isMask && symbol != "&" && symbol != "|" && symbol != "^"))
    throw Unsupported{"the call of '" +
                      call.getCalledFunction()->getName().str() + "'"};
  const bool isSigned =
      call.getIntrinsicID() == llvm::Intrinsic::vector_reduce_smin ||
      call.getIntrinsicID() == llvm::Intrinsic::vector_reduce_smax;
  const std::string function = helpers.get(
      llvm::StringRef(llvm::Intrinsic::getBaseName(call.getIntrinsicID()))
              .rsplit('.')
              .second.str() +
          "_of_" + vector.type.getShortName() +
          (lane.isInt() && lane.bits != lane.getWidth() && !lane.isMask
               ? "_" + std::to_string(lane.bits)
               : ""),
      [&](const std::string &name) {
        std::string text = "HELPER " + result.getName() + " " + name + "(" +
                           (hasStart ? result.getName() + " all, " : "") +
                           helpers.getType(vector.type) + " a) {\n";
        const bool isFirst = !hasStart;
        if (isFirst)
          text += "  " + lane.getName() +
                  " all = " + Helpers::getLane(vector.type, "a", "0") + ";\n";
        for (unsigned i = isFirst; i < vector.type.lanes; ++i) {
          const std::string next =
              Helpers::getLane(vector.type, "a", llvm::Twine(i));
          std::string value;
          if (!symbol.empty())
            value = lane.getWidth() < 32 && symbol == "*"
                        ? "1u * all * " + next
                        : "all " + symbol + " " + next;
          else
            value = (isSigned ? toSigned(next, lane) : next) + " " + choice +
                    " " + (isSigned ? toSigned("all", lane) : "all") + " ? " +
                    next + " : all";
          text += "  all = " +
                  (lane.isInt() && !lane.isMask ? wrap(value, lane)
                   : lane.isMask ? "(" + lane.getName() + ")(" + value + ")"
                                 : value) +
                  ";\n";
        }
        return text + "  return " +
               (lane.isMask ? "(uint8_t)(all & 1u)" : "all") + ";\n}\n";
      });
  return function + "(" +
         (hasStart ? get(call.getArgOperand(0)).text + ", " : "") +
         vector.text + ")";
}

/// Loads and stores of some lanes. Nothing is read or written at the others.
std::string FunctionPrinter::getMasked(const llvm::IntrinsicInst &call) {
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  const bool isStore = id == llvm::Intrinsic::masked_store ||
                       id == llvm::Intrinsic::masked_scatter;
  const bool isIndexed = id == llvm::Intrinsic::masked_gather ||
                         id == llvm::Intrinsic::masked_scatter;
  const CValue address = get(call.getArgOperand(isStore ? 1 : 0));
  const llvm::Value *data =
      isStore ? call.getArgOperand(0) : call.getArgOperand(2);
  const CType type = getType(data);
  const CValue value = get(data);
  if (type.isMask || (type.isInt() && type.bits != type.getWidth()))
    throw Unsupported{"a masked access to numbers whose bits fill no bytes"};
  const llvm::Value *condition = call.getArgOperand(isStore ? 2 : 1);
  CType maskType = getType(condition);
  maskType.bits = type.getWidth();
  const CValue mask = getAs(condition, maskType);
  const unsigned bytes = type.getWidth() / 8;
  CType lane = type.getLane();
  const bool isPointer = lane.kind == Kind::Pointer;
  const uint64_t alignment = std::min<uint64_t>(
      call.getParamAlign(isStore ? 1 : 0).valueOrOne().value(), bytes);
  const std::string access = isStore ? helpers.getStore(lane, alignment)
                                     : helpers.getLoad(lane, alignment);
  const std::string name =
      std::string(isIndexed ? (isStore ? "scatter_" : "gather_")
                            : (isStore ? "store_some_" : "load_some_")) +
      type.getShortName() + (isPointer ? "_pointers" : "") +
      (alignment == bytes ? "" : "_" + std::to_string(alignment));
  const std::string function =
      helpers.get(name, [&](const std::string &unique) {
        auto place = [&](unsigned i) {
          return isIndexed
                     ? "(char *)(uintptr_t)" +
                           Helpers::getLane(address.type, "p", llvm::Twine(i))
                     : "AT(p, " + std::to_string(i * bytes) + ")";
        };
        const std::string pointer =
            isIndexed ? helpers.getType(address.type) + " p"
                      : std::string(isStore ? "char *p" : "const char *p");
        const std::string typeName = helpers.getType(type),
                          parameters = "(" + pointer + ", " +
                                       helpers.getType(mask.type) + " some, " +
                                       typeName + " a)";
        std::string text = "HELPER " + (isStore ? "void" : typeName) + " " +
                           unique + parameters + " {\n";
        llvm::SmallVector<std::string> lanes;
        for (unsigned i = 0; i < type.lanes; ++i) {
          const std::string given = Helpers::getLane(type, "a", llvm::Twine(i)),
                            isOn = Helpers::getLane(mask.type, "some",
                                                    llvm::Twine(i));
          if (isStore)
            text += "  if (" + isOn + ")\n    " + access + "(" + place(i) +
                    ", " + (isPointer ? "(char *)(uintptr_t)" : "") + given +
                    ");\n";
          else
            lanes.push_back(isOn + " ? " +
                            (isPointer ? "(uint64_t)(uintptr_t)" : "") +
                            access + "(" + place(i) + ") : " + given);
        }
        if (!isStore)
          text += "  return " + helpers.make(type, lanes) + ";\n";
        return text + "}\n";
      });
  return function + "(" + address.text + ", " + mask.text + ", " + value.text +
         ")";
}

std::string FunctionPrinter::getIntrinsic(const llvm::IntrinsicInst &call) {
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  const CType type = getType(&call);
  const std::string intrinsic = call.getCalledFunction()->getName().str();
  auto fail = [&]() -> Unsupported {
    return {"the call of '" + intrinsic + "'"};
  };
  if (llvm::StringRef(intrinsic).starts_with("llvm.vector.reduce."))
    return getReduction(call);
  if (id == llvm::Intrinsic::masked_load ||
      id == llvm::Intrinsic::masked_gather)
    return getMasked(call);
  llvm::SmallVector<CValue> operands;
  for (const llvm::Value *operand : call.args())
    if (!operand->getType()->isMetadataTy())
      operands.push_back(getAs(operand, operand->getType() == call.getType()
                                            ? type
                                            : getType(operand)));
  if (operands.empty() || operands.front().type.kind == Kind::Wide ||
      type.isMask)
    throw fail();
  // It is for LLVM's code generator alone.
  if (id == llvm::Intrinsic::arithmetic_fence)
    return operands.front().text;
  const bool isDouble = operands.front().type.kind == Kind::F64;
  const std::string suffix = "_" + type.getShortName() +
                             (type.isInt() && type.bits != type.getWidth()
                                  ? "_" + std::to_string(type.bits)
                                  : "");
  if (id == llvm::Intrinsic::fma && call.hasApproxFunc() && !options.hasFma &&
      type.isFloat())
    return helpers.getNearFma(type) + "(" + operands[0].text + ", " +
           operands[1].text + ", " + operands[2].text + ")";
  if (llvm::StringRef function = getMathFunction(id); !function.empty()) {
    if (type.isSmallFloat() && id == llvm::Intrinsic::fma)
      throw fail(); // It would be rounded twice.
    return applyFloat(function.str() + "_of", type, operands, [&](Lanes lanes) {
      return function.str() + (isDouble ? "(" : "f(") +
             llvm::join(lanes, ", ") + ")";
    });
  }
  auto choose = [&](const char *symbol, bool isSigned) {
    std::string native;
    return apply(
        std::string(llvm::Intrinsic::getBaseName(id).rsplit('.').second) +
            suffix,
        type, operands, [&](Lanes lanes) {
          auto number = [&](const std::string &text) {
            return isSigned ? toSigned(text, type) : text;
          };
          return number(lanes[0]) + " " + symbol + " " + number(lanes[1]) +
                 " ? " + lanes[0] + " : " + lanes[1];
        });
  };
  switch (id) {
  case llvm::Intrinsic::fmuladd:
    return applyFloat("muladd", type, operands, [&](Lanes lanes) {
      return lanes[0] + " * " + lanes[1] + " + " + lanes[2];
    });
  case llvm::Intrinsic::minimum:
  case llvm::Intrinsic::maximum: {
    // A NaN wins, and -0 is less than +0.
    const bool isLeast = id == llvm::Intrinsic::minimum;
    return applyFloat(
        isLeast ? "minimum" : "maximum", type, operands, [&](Lanes lanes) {
          const std::string &a = lanes[0], &b = lanes[1];
          return a + (isLeast ? " < " : " > ") + b + " ? " + a + " : " + b +
                 (isLeast ? " < " : " > ") + a + " ? " + b + " : " + a +
                 " == " + b + " ? (signbit(" + a + ")" +
                 (isLeast ? " ? " : " == 0 ? ") + a + " : " + b + ") : " + a +
                 " + " + b;
        });
  }
  case llvm::Intrinsic::smin:
    return choose("<", true);
  case llvm::Intrinsic::smax:
    return choose(">", true);
  case llvm::Intrinsic::umin:
    return choose("<", false);
  case llvm::Intrinsic::umax:
    return choose(">", false);
  case llvm::Intrinsic::abs:
    operands.pop_back();
    return apply("abs" + suffix, type, operands, [&](Lanes lanes) {
      return toSigned(lanes[0], type) + " < 0 ? " +
             wrap("0u - " + lanes[0], type) + " : " + lanes[0];
    });
  case llvm::Intrinsic::fshl:
  case llvm::Intrinsic::fshr: {
    if (!llvm::isPowerOf2_32(type.bits) || type.bits < 8)
      throw fail();
    const std::string most = std::to_string(type.bits - 1) + "u";
    const std::string wide =
        std::string("(uint") + (type.bits == 64 ? "64" : "32") + "_t)";
    // Halves of the shift that is not by the whole width.
    return apply((id == llvm::Intrinsic::fshl ? "fshl" : "fshr") + suffix, type,
                 operands, [&](Lanes lanes) {
                   const std::string by = "(" + lanes[2] + " & " + most + ")",
                                     rest =
                                         "(~" + lanes[2] + " & " + most + ")";
                   return id == llvm::Intrinsic::fshl
                              ? wrap(wide + lanes[0] + " << " + by + " | " +
                                         lanes[1] + " >> 1 >> " + rest,
                                     type)
                              : wrap(wide + lanes[0] + " << 1 << " + rest +
                                         " | " + lanes[1] + " >> " + by,
                                     type);
                 });
  }
  case llvm::Intrinsic::ctpop: {
    const std::string function = helpers.getFixed("popcount");
    return apply("ctpop" + suffix, type, operands, [&](Lanes lanes) {
      return wrap(function + "(" + lanes[0] + ")", type);
    });
  }
  case llvm::Intrinsic::ctlz:
  case llvm::Intrinsic::cttz: {
    operands.pop_back();
    const bool isLeading = id == llvm::Intrinsic::ctlz;
    const std::string function =
        helpers.getFixed(isLeading ? "leading_zeros" : "trailing_zeros");
    return apply((isLeading ? "ctlz" : "cttz") + suffix, type, operands,
                 [&](Lanes lanes) {
                   return wrap(function + "(" + lanes[0] + ", " +
                                   std::to_string(type.bits) + "u)",
                               type);
                 });
  }
  case llvm::Intrinsic::is_fpclass: {
    const CValue &value = operands.front();
    if (value.type.isSmallFloat())
      throw fail();
    const std::string function =
        helpers.getFixed(isDouble ? "class_f64" : "class_f32");
    return "(" + function + "(" + value.text + ") & " + operands[1].text +
           ") != 0u";
  }
  default:
    throw fail();
  }
}

std::string FunctionPrinter::getCall(const llvm::CallInst &call) {
  if (call.isInlineAsm())
    throw Unsupported{"inline assembly"};
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    throw Unsupported{"the call of a pointer"};
  if (const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    // A class of each lane is a mask.
    if (intrinsic->getIntrinsicID() == llvm::Intrinsic::is_fpclass &&
        call.getType()->isVectorTy()) {
      const CValue value = get(call.getArgOperand(0));
      const CType type = getType(&call);
      if (value.type.isSmallFloat())
        throw Unsupported{"the call of '" + callee->getName().str() + "'"};
      const std::string classes = get(call.getArgOperand(1)).text;
      const std::string function = helpers.getFixed(
          value.type.kind == Kind::F64 ? "class_f64" : "class_f32");
      return apply("class_" + value.type.getShortName() + "_" +
                       std::to_string(
                           llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))
                               ->getZExtValue()),
                   type, value, [&](Lanes lanes) {
                     return "(uint" + std::to_string(type.bits) + "_t)((" +
                            function + "(" + lanes[0] + ") & " + classes +
                            ") != 0u ? -1 : 0)";
                   });
    }
    return getIntrinsic(*intrinsic);
  }
  auto found = globals.find(callee->getName());
  if (found == globals.end())
    throw Unsupported{"the call of '" + callee->getName().str() + "'"};
  llvm::SmallVector<std::string> operands;
  for (const llvm::Value *operand : call.args())
    operands.push_back(get(operand).text);
  return found->second + "(" + llvm::join(operands, ", ") + ")";
}

void FunctionPrinter::printCall(const llvm::CallInst &call) {
  const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
  if (!intrinsic) {
    line(getCall(call) + ";");
    return;
  }
  const llvm::Intrinsic::ID id = intrinsic->getIntrinsicID();
  if (isIgnored(id))
    return;
  auto operand = [&](unsigned i) { return get(call.getArgOperand(i)).text; };
  switch (id) {
  case llvm::Intrinsic::masked_store:
  case llvm::Intrinsic::masked_scatter:
    line(getMasked(*intrinsic) + ";");
    return;
  case llvm::Intrinsic::memcpy:
  case llvm::Intrinsic::memcpy_inline:
  case llvm::Intrinsic::memmove:
    line((id == llvm::Intrinsic::memmove ? "memmove(" : "memcpy(") +
         operand(0) + ", " + operand(1) + ", (size_t)" + operand(2) + ");");
    return;
  case llvm::Intrinsic::memset:
  case llvm::Intrinsic::memset_inline:
    line("memset(" + operand(0) + ", " + operand(1) + ", (size_t)" +
         operand(2) + ");");
    return;
  case llvm::Intrinsic::prefetch: {
    auto number = [&](unsigned i) {
      return std::to_string(
          llvm::cast<llvm::ConstantInt>(call.getArgOperand(i))->getZExtValue());
    };
    line("PREFETCH(" + operand(0) + ", " + number(1) + ", " + number(2) + ");");
    return;
  }
  default:
    throw Unsupported{"the call of '" +
                      call.getCalledFunction()->getName().str() + "'"};
  }
}
