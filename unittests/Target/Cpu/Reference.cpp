//===- Reference.cpp - scalar reference of tg's arithmetic ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the reference with APInt and APFloat.
///
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "llvm/ADT/APSInt.h"
#include <cstdlib>
#include <cstring>

using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

const std::vector<ElementType> &getTypes() {
  static const std::vector<ElementType> types = {
      {"i1", 1, ElementType::Bool},
      {"i8", 8, ElementType::Signed},
      {"i16", 16, ElementType::Signed},
      {"i32", 32, ElementType::Signed},
      {"i64", 64, ElementType::Signed},
      {"ui8", 8, ElementType::Unsigned},
      {"ui16", 16, ElementType::Unsigned},
      {"ui32", 32, ElementType::Unsigned},
      {"ui64", 64, ElementType::Unsigned},
      {"f16", 16, ElementType::Float, &APFloat::IEEEhalf()},
      {"bf16", 16, ElementType::Float, &APFloat::BFloat()},
      {"f32", 32, ElementType::Float, &APFloat::IEEEsingle()},
      {"f64", 64, ElementType::Float, &APFloat::IEEEdouble()},
      {"f8E4M3FN", 8, ElementType::Float, &APFloat::Float8E4M3FN()},
      {"f8E5M2", 8, ElementType::Float, &APFloat::Float8E5M2()},
      {"f8E4M3FNUZ", 8, ElementType::Float, &APFloat::Float8E4M3FNUZ()},
      {"f8E5M2FNUZ", 8, ElementType::Float, &APFloat::Float8E5M2FNUZ()}};
  return types;
}

const ElementType &getType(const std::string &name) {
  for (const ElementType &type : getTypes())
    if (type.name == name)
      return type;
  std::abort();
}

bool ElementType::isNan(uint64_t bits) const {
  return isFloat() && toFloat(bits).isNaN();
}

Elements::Elements(const ElementType &type, const std::vector<uint64_t> &values)
    : Elements(type, values.size()) {
  for (size_t i = 0; i < values.size(); ++i)
    set(i, values[i]);
}

uint64_t Elements::get(size_t i) const {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + i * type.bytes(), type.bytes());
  return bits;
}

void Elements::set(size_t i, uint64_t bits) {
  std::memcpy(bytes.data() + i * type.bytes(), &bits, type.bytes());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static uint64_t convertFloat(APFloat value, const ElementType &to) {
  bool losesInfo;
  value.convert(*to.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

std::vector<uint64_t> getEdges(const ElementType &type) {
  std::vector<uint64_t> values;
  if (type.kind == ElementType::Bool)
    return {0, 1};
  uint64_t mask = type.width == 64 ? ~0ull : (1ull << type.width) - 1;
  if (!type.isFloat()) {
    for (int64_t v : {0, 1, 2, 3, 5, 7, 8, 16, 31, 32, 63, 64, 100, 127})
      for (int64_t sign : {1, -1})
        values.push_back(uint64_t(v * sign) & mask);
    uint64_t top = 1ull << (type.width - 1);
    for (uint64_t v : {top, top + 1, top - 1, top - 2, top + top / 3})
      values.push_back(v & mask);
  } else {
    for (double v :
         {0.0,     0.5,     0.999, 1.0,   1.5,   2.5,          3.0,
          7.25,    100.0,   127.5, 240.0, 448.0, 464.0,        480.0,
          57344.0, 65520.0, 1e-3,  1e-7,  1e9,   2147483648.0, 4294967296.0,
          1e19,    3e38,    1e300, 1e-40, 1e-310})
      for (double sign : {1.0, -1.0})
        values.push_back(convertFloat(APFloat(v * sign), type));
    const llvm::fltSemantics &semantics = *type.semantics;
    values.push_back(
        APFloat::getNaN(semantics).bitcastToAPInt().getZExtValue());
    for (bool negative : {false, true}) {
      if (!type.isFp8() || type.name == "f8E5M2")
        values.push_back(APFloat::getInf(semantics, negative)
                             .bitcastToAPInt()
                             .getZExtValue());
      for (const APFloat &v :
           {APFloat::getLargest(semantics, negative),
            APFloat::getSmallest(semantics, negative),
            APFloat::getSmallestNormalized(semantics, negative)})
        values.push_back(v.bitcastToAPInt().getZExtValue());
    }
  }
  // Pseudo-random bits with a fixed seed.
  uint64_t state = 0x9e3779b97f4a7c15;
  for (int i = 0; i < 24; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    values.push_back(state & mask);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

uint64_t castReference(const ElementType &from, const ElementType &to,
                       uint64_t bits) {
  if (from.isFloat()) {
    APFloat value = from.toFloat(bits);
    if (to.kind == ElementType::Bool)
      return !value.isZero();
    if (to.isFloat())
      return convertFloat(value, to);
    if (value.isNaN())
      return 0;
    APSInt result(to.width, to.kind == ElementType::Unsigned);
    bool isExact;
    value.convertToInteger(result, APFloat::rmTowardZero, &isExact);
    return result.getZExtValue();
  }
  APInt value = from.toInt(bits);
  if (to.kind == ElementType::Bool)
    return !value.isZero();
  bool isSigned = from.kind == ElementType::Signed;
  if (to.isFloat()) {
    // Rounded once, from an exact value.
    APFloat exact(APFloat::IEEEquad());
    exact.convertFromAPInt(value, isSigned, APFloat::rmNearestTiesToEven);
    return convertFloat(exact, to);
  }
  APInt result =
      isSigned ? value.sextOrTrunc(to.width) : value.zextOrTrunc(to.width);
  return result.getZExtValue();
}

static uint64_t boolReference(const std::string &op, bool x, bool y) {
  if (op == "add" || op == "max" || op == "or")
    return x || y;
  if (op == "mul" || op == "and")
    return x && y;
  if (op == "xor" || op == "cmpne")
    return x != y;
  if (op == "cmpeq")
    return x == y;
  if (op == "cmplt")
    return !x && y;
  std::abort();
}

static uint64_t floatReference(const std::string &op, const ElementType &type,
                               uint64_t xBits, uint64_t yBits) {
  APFloat x = type.toFloat(xBits), y = type.toFloat(yBits);
  APFloat::cmpResult order = x.compare(y);
  if (op == "cmplt")
    return order == APFloat::cmpLessThan;
  if (op == "cmpeq")
    return order == APFloat::cmpEqual;
  if (op == "cmpne")
    return order != APFloat::cmpEqual;
  constexpr auto rounding = APFloat::rmNearestTiesToEven;
  if (op == "max") {
    if (x.isNaN() || y.isNaN())
      return (x.isNaN() ? x : y).bitcastToAPInt().getZExtValue();
    return order == APFloat::cmpLessThan ? yBits : xBits;
  }
  if (op == "add")
    x.add(y, rounding);
  else if (op == "sub")
    x.subtract(y, rounding);
  else if (op == "mul")
    x.multiply(y, rounding);
  else if (op == "fdiv")
    x.divide(y, rounding);
  else
    std::abort();
  return x.bitcastToAPInt().getZExtValue();
}

static APInt divideReference(const std::string &op, bool isSigned, APInt x,
                             APInt y) {
  unsigned width = x.getBitWidth();
  if (y.isZero())
    return APInt(width, 0);
  // At twice the width nothing overflows.
  APInt wideX = isSigned ? x.sext(2 * width) : x.zext(2 * width);
  APInt wideY = isSigned ? y.sext(2 * width) : y.zext(2 * width);
  APInt quotient = wideX.sdiv(wideY);
  if (op == "floordiv" || op == "floormod")
    if (quotient * wideY != wideX && wideX.isNegative() != wideY.isNegative())
      quotient -= 1;
  if (op == "idiv" || op == "floordiv")
    return quotient.trunc(width);
  return (wideX - quotient * wideY).trunc(width);
}

uint64_t binaryReference(const std::string &op, const ElementType &type,
                         uint64_t xBits, uint64_t yBits) {
  if (type.kind == ElementType::Bool)
    return boolReference(op, xBits, yBits);
  if (type.isFloat())
    return floatReference(op, type, xBits, yBits);
  APInt x = type.toInt(xBits), y = type.toInt(yBits);
  bool isSigned = type.kind == ElementType::Signed;
  bool isLess = isSigned ? x.slt(y) : x.ult(y);
  if (op == "cmplt")
    return isLess;
  if (op == "cmpeq")
    return x == y;
  if (op == "cmpne")
    return x != y;
  APInt result(type.width, 0);
  if (op == "add")
    result = x + y;
  else if (op == "sub")
    result = x - y;
  else if (op == "mul")
    result = x * y;
  else if (op == "max")
    result = isLess ? y : x;
  else if (op == "and")
    result = x & y;
  else if (op == "or")
    result = x | y;
  else if (op == "xor")
    result = x ^ y;
  else if (op == "shl")
    result = y.uge(type.width) ? APInt(type.width, 0) : x.shl(y);
  else if (op == "shr")
    result =
        isSigned
            ? x.ashr(y.uge(type.width) ? APInt(type.width, type.width - 1) : y)
        : y.uge(type.width) ? APInt(type.width, 0)
                            : x.lshr(y);
  else
    result = divideReference(op, isSigned, x, y);
  return result.getZExtValue();
}
