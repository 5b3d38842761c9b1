//===- Casts.cpp - conversions in C ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Conversions between numbers, and of their bits.
///
//===----------------------------------------------------------------------===//

#include "Printer.h"

using namespace mlir::tg;
using namespace mlir::tg::c;

using Lanes = llvm::ArrayRef<std::string>;
using Kind = CType::Kind;

std::string FunctionPrinter::getBitcast(const llvm::CastInst &cast) {
  const CType to = getType(&cast);
  const CValue from = get(cast.getOperand(0));
  const auto fixed = [&](const char *name) {
    return helpers.getFixed(name) + "(" + from.text + ")";
  };
  if (from.type.isMask || to.isMask) {
    if (from.type.isMask && to.isInt() && !to.isVector()) {
      // A bit for each lane.
      const CType type = from.type;
      return helpers.get("bits_from_" + type.getShortName(),
                         [&](const std::string &name) {
                           std::string sum;
                           for (unsigned i = 0; i < type.lanes; ++i)
                             sum +=
                                 (i ? " |\n         " : "") +
                                 std::string("(uint64_t)(") +
                                 Helpers::getLane(type, "a", llvm::Twine(i)) +
                                 " & 1u) << " + std::to_string(i);
                           return "HELPER uint64_t " + name + "(" +
                                  helpers.getType(type) + " a) {\n  return " +
                                  sum + ";\n}\n";
                         }) +
             "(" + from.text + ")";
    }
    if (to.isMask && from.type.isInt() && !from.type.isVector()) {
      llvm::SmallVector<std::string> lanes;
      return helpers.get(to.getShortName() + "_from_bits",
                         [&](const std::string &name) {
                           for (unsigned i = 0; i < to.lanes; ++i)
                             lanes.push_back(toLane(
                                 "a >> " + std::to_string(i) + " & 1u", to));
                           return "HELPER " + helpers.getType(to) + " " + name +
                                  "(uint64_t a) {\n  return " +
                                  helpers.make(to, lanes) + ";\n}\n";
                         }) +
             "(" + from.text + ")";
    }
    throw Unsupported{"this 'bitcast' of bools"};
  }
  if (helpers.getType(from.type) == helpers.getType(to))
    return from.text;
  if (from.type.kind == Kind::Wide || to.kind == Kind::Wide ||
      (from.type.isInt() && from.type.bits != from.type.getWidth()) ||
      (to.isInt() && to.bits != to.getWidth()))
    throw Unsupported{"a 'bitcast' of integers whose bits fill no bytes of C"};
  if (!from.type.isVector() && !to.isVector()) {
    if (to.kind == Kind::F32)
      return fixed("f32_from_bits");
    if (to.kind == Kind::F64)
      return fixed("f64_from_bits");
    return fixed(from.type.kind == Kind::F32 ? "bits_from_f32"
                                             : "bits_from_f64");
  }
  return helpers.get(to.getShortName() + "_as_" + from.type.getShortName(),
                     [&](const std::string &name) {
                       return "HELPER " + helpers.getType(to) + " " + name +
                              "(" + helpers.getType(from.type) + " a) {\n  " +
                              helpers.getType(to) +
                              " b;\n  memcpy(&b, &a, sizeof b);\n  return "
                              "b;\n}\n";
                     }) +
         "(" + from.text + ")";
}

/// What a number must exceed, and what must exceed it, to become an integer.
static std::pair<std::string, std::string>
getBounds(bool isDouble, bool isSigned, unsigned bits) {
  const std::string suffix = isDouble ? "" : "f";
  if (!isSigned)
    return {"> -1.0" + suffix, "< 0x1p" + std::to_string(bits) + suffix};
  const std::string top = "0x1p" + std::to_string(bits - 1);
  // The least integer minus one, where it is a number.
  if (isDouble && bits <= 32)
    return {"> -" + top + " - 1.0", "< " + top};
  return {">= -" + top + suffix, "< " + top + suffix};
}

std::string FunctionPrinter::getCast(const llvm::CastInst &cast) {
  const CType to = getType(&cast);
  const CValue value = get(cast.getOperand(0));
  const CType from = value.type;
  const std::string opcode = cast.getOpcodeName();
  const std::string name = to.getShortName() +
                           (to.isInt() && to.bits != to.getWidth() && !to.isMask
                                ? "_" + std::to_string(to.bits)
                                : "") +
                           "_" + opcode + "_" + from.getShortName() +
                           (from.isInt() && from.bits != from.getWidth()
                                ? "_" + std::to_string(from.bits)
                                : "") +
                           (from.isMask || to.isMask ? "_bools" : "") +
                           (from.kind == Kind::BF16 ? "_bf16" : "") +
                           (to.kind == Kind::BF16 ? "_to_bf16" : "");
  const std::string vector = to.isVector() ? helpers.getType(to) : "";
  auto signedVector = [&](const CType &type) {
    return "s" + std::to_string(type.getWidth()) + "x" +
           std::to_string(type.lanes);
  };
  const bool fills = (!from.isInt() || from.bits == from.getWidth()) &&
                     (!to.isInt() || to.bits == to.getWidth());
  switch (cast.getOpcode()) {
  case llvm::Instruction::BitCast:
    return getBitcast(cast);
  case llvm::Instruction::PtrToInt:
    if (to.isVector())
      return apply(name, to, value,
                   [&](Lanes lanes) { return wrap(lanes[0], to); });
    return wrap("(uintptr_t)" + value.text, to);
  case llvm::Instruction::IntToPtr:
    if (to.isVector())
      return apply(name, to, value, [&](Lanes lanes) { return lanes[0]; });
    return "(char *)(uintptr_t)" + value.text;
  case llvm::Instruction::Trunc:
    if (from.kind == Kind::Wide) {
      if (to.kind != Kind::Wide)
        return wrap(helpers.getWide("trunc", from) + "(" + value.text + ")",
                    to);
      return helpers.get(to.getShortName() + "_trunc_" + from.getShortName(),
                         [&](const std::string &unique) {
                           return "HELPER " + helpers.getType(to) + " " +
                                  unique + "(" + helpers.getType(from) +
                                  " a) {\n  " + helpers.getType(to) +
                                  " b;\n  memcpy(&b, &a, sizeof b);\n  return "
                                  "b;\n}\n";
                         }) +
             "(" + value.text + ")";
    }
    if (to.isMask)
      return apply(name, to, value,
                   [&](Lanes lanes) { return toLane(lanes[0] + " & 1u", to); });
    return apply(
        name, to, value, [&](Lanes lanes) { return wrap(lanes[0], to); },
        fills ? "__builtin_convertvector(a, " + vector + ")" : "");
  case llvm::Instruction::ZExt:
    if (to.kind == Kind::Wide) {
      if (from.kind == Kind::Wide)
        throw Unsupported{"'zext' of integers of more than 64 bits"};
      return helpers.getWide("zext", to) + "(" + value.text + ")";
    }
    if (from.isMask)
      return apply(name, to, value,
                   [&](Lanes lanes) { return wrap(lanes[0] + " & 1u", to); });
    return apply(
        name, to, value, [&](Lanes lanes) { return wrap(lanes[0], to); },
        fills ? "__builtin_convertvector(a, " + vector + ")" : "");
  case llvm::Instruction::SExt:
    if (to.kind == Kind::Wide) {
      if (from.kind == Kind::Wide)
        throw Unsupported{"'sext' of integers of more than 64 bits"};
      return helpers.getWide("sext", to) + "((uint64_t)" +
             toSigned(value.text, from) + ")";
    }
    if (from.isMask)
      return apply(name, to, value, [&](Lanes lanes) {
        return wrap(lanes[0] + " ? -1 : 0", to);
      });
    return apply(
        name, to, value,
        [&](Lanes lanes) { return wrap(toSigned(lanes[0], from), to); },
        fills && to.isVector()
            ? "(" + vector + ")__builtin_convertvector((" + signedVector(from) +
                  ")a, " + signedVector(to) + ")"
            : "");
  case llvm::Instruction::FPExt:
  case llvm::Instruction::FPTrunc: {
    if (!from.isSmallFloat() && !to.isSmallFloat())
      return apply(
          name, to, value,
          [&](Lanes lanes) {
            return "(" + to.getLane().getName() + ")" + lanes[0];
          },
          "__builtin_convertvector(a, " + vector + ")");
    auto kindName = [](const CType &type) -> std::string {
      return type.kind == Kind::F16    ? "f16"
             : type.kind == Kind::BF16 ? "bf16"
             : type.kind == Kind::F32  ? "f32"
                                       : "f64";
    };
    if (from.isSmallFloat() && to.isSmallFloat())
      throw Unsupported{"a conversion between f16 and bf16"};
    // A number of f32 has the same value as one of f64.
    const CType wide =
        to.kind == Kind::F64 ? CType{Kind::F32, 0, 0, false} : to;
    const std::string function =
        helpers.getFixed(kindName(wide) + "_from_" + kindName(from));
    return apply(name, to, value, [&](Lanes lanes) {
      return (to.kind == Kind::F64 ? "(double)" : "") + function + "(" +
             lanes[0] + ")";
    });
  }
  case llvm::Instruction::SIToFP:
  case llvm::Instruction::UIToFP: {
    const bool isSigned = opcode == "sitofp";
    if (from.kind == Kind::Wide)
      throw Unsupported{"'" + opcode + "' of integers of more than 64 bits"};
    auto integer = [&](const std::string &text) {
      return from.isMask ? (isSigned ? "(" + text + " ? -1 : 0)"
                                     : "(" + text + " & 1u)")
             : isSigned  ? toSigned(text, from)
                         : text;
    };
    if (to.isSmallFloat()) {
      const std::string narrow = helpers.getFixed(
          to.kind == Kind::F16 ? "f16_from_f64" : "bf16_from_f64");
      return apply(name, to, value, [&](Lanes lanes) {
        if (from.getWidth() < 64)
          return narrow + "((double)" + integer(lanes[0]) + ")";
        return narrow + "(" +
               helpers.getFixed(isSigned ? "f64_from_s64_odd"
                                         : "f64_from_u64_odd") +
               "(" + lanes[0] + "))";
      });
    }
    return apply(
        name, to, value,
        [&](Lanes lanes) {
          return "(" + to.getLane().getName() + ")" + integer(lanes[0]);
        },
        fills && to.isVector() && !from.isMask
            ? "__builtin_convertvector(" +
                  (isSigned ? "(" + signedVector(from) + ")a" : "a") + ", " +
                  vector + ")"
            : "");
  }
  case llvm::Instruction::FPToSI:
  case llvm::Instruction::FPToUI: {
    const bool isSigned = opcode == "fptosi";
    if (to.kind == Kind::Wide || to.isMask)
      throw Unsupported{"this '" + opcode + "'"};
    // As processors convert to 32 bits or 64, and take the lower bits.
    const unsigned bits = to.bits <= 32 ? 32 : 64;
    const bool isDouble = from.kind == Kind::F64;
    const auto [above, below] = getBounds(isDouble, isSigned, bits);
    CType whole;
    whole.kind = Kind::Int;
    whole.bits = bits;
    const std::string small = from.kind == Kind::F16 ? "f16" : "bf16";
    const std::string function = helpers.get(
        std::string(isSigned ? "s" : "u") + std::to_string(bits) + "_from_" +
            (isDouble ? "f64" : "f32"),
        [&, above = above, below = below](const std::string &unique) {
          return "/* The integer is 0 or the least one if the number does not "
                 "fit. */\nHELPER " +
                 whole.getName() + " " + unique + "(" +
                 (isDouble ? "double" : "float") + " a) {\n  return a " +
                 above + " && a " + below + " ? " +
                 (isSigned ? "(" + whole.getName() + ")(int" +
                                 std::to_string(bits) + "_t)a"
                           : "(" + whole.getName() + ")a") +
                 " : " +
                 (isSigned ? getNumber(uint64_t(1) << (bits - 1), bits)
                           : "0u") +
                 ";\n}\n";
        });
    return apply(name, to, value, [&](Lanes lanes) {
      const std::string number =
          from.isSmallFloat()
              ? helpers.getFixed("f32_from_" + small) + "(" + lanes[0] + ")"
              : lanes[0];
      return wrap(function + "(" + number + ")", to);
    });
  }
  default:
    throw Unsupported{"the instruction '" + opcode + "'"};
  }
}
