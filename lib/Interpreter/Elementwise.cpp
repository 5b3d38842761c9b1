//===- Elementwise.cpp - elementwise operations ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each elementwise operation as a function on one element, and the loops that
/// apply it.
///
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Evaluate.h"

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

#include <cmath>
#include <limits>
#include <type_traits>

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Arithmetic on one element
//===----------------------------------------------------------------------===//

/// Integer arithmetic uses 64 unsigned bits, so that overflow wraps; the low
/// bits are correct for every narrower type.
static uint64_t wide(int64_t value) { return static_cast<uint64_t>(value); }

template <typename T> static T add(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a || b;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(wide(a) + wide(b));
  else
    return a + b;
}

template <typename T> static T sub(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(wide(a) - wide(b));
  else
    return a - b;
}

template <typename T> static T mul(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a && b;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(wide(a) * wide(b));
  else
    return a * b;
}

template <typename T> static T max(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<T>::quiet_NaN();
  return a < b ? b : a;
}

template <typename T> static T neg(T a) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(0 - wide(a));
  else
    return -a;
}

template <typename T> static T idiv(T a, T b) {
  if (b == 0)
    return 0;
  if constexpr (std::is_signed_v<T>)
    if (b == -1)
      return neg(a);
  return a / b;
}

template <typename T> static T mod(T a, T b) {
  if (b == 0)
    return 0;
  if constexpr (std::is_signed_v<T>)
    if (b == -1)
      return 0;
  return a % b;
}

template <typename T> static T floorDiv(T a, T b) {
  T quotient = idiv(a, b), rest = mod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? quotient - 1 : quotient;
}

template <typename T> static T floorMod(T a, T b) {
  T rest = mod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

template <typename T> static T shl(T a, T b) {
  uint64_t amount = static_cast<std::make_unsigned_t<T>>(b);
  return amount >= 8 * sizeof(T) ? 0 : static_cast<T>(wide(a) << amount);
}

template <typename T> static T shr(T a, T b) {
  uint64_t amount = static_cast<std::make_unsigned_t<T>>(b);
  if (amount >= 8 * sizeof(T))
    return a < 0 ? -1 : 0;
  return static_cast<T>(a >> amount);
}

/// A C library function, computed in double precision.
template <typename T, double (*function)(double)> static T viaDouble(T x) {
  return static_cast<T>(function(static_cast<double>(x)));
}

template <typename T> static T power(T x, T y) {
  return static_cast<T>(
      std::pow(static_cast<double>(x), static_cast<double>(y)));
}

template <typename T> static T mulAcc(T a, T b, T c) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fma(a, b, c);
  else
    return add(mul(a, b), c);
}

/// Not the function of Support/Threefry.h, by which the folder computes: the
/// interpreter checks that one.
static uint64_t threefry(uint64_t counter, uint64_t key) {
  constexpr unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  uint32_t keys[3] = {static_cast<uint32_t>(key),
                      static_cast<uint32_t>(key >> 32), 0};
  keys[2] = 0x1BD11BDA ^ keys[0] ^ keys[1];
  uint32_t x0 = static_cast<uint32_t>(counter) + keys[0];
  uint32_t x1 = static_cast<uint32_t>(counter >> 32) + keys[1];
  // 20 rounds; a part of the key is added after every fourth.
  for (uint32_t group = 0; group < 5; ++group) {
    for (unsigned rotation : rotations[group % 2]) {
      x0 += x1;
      x1 = (x1 << rotation) | (x1 >> (32 - rotation));
      x1 ^= x0;
    }
    x0 += keys[(group + 1) % 3];
    x1 += keys[(group + 2) % 3] + group + 1;
  }
  return static_cast<uint64_t>(x1) << 32 | x0;
}

//===----------------------------------------------------------------------===//
// Functions of operations
//===----------------------------------------------------------------------===//

template <typename T> using Unary = T (*)(T);
template <typename T> using Binary = T (*)(T, T);
template <typename T> using Compare = bool (*)(T, T);

/// Null if `op` is not a unary operation on T.
template <typename T> static Unary<T> getUnary(Operation *op) {
  if constexpr (!std::is_same_v<T, bool>)
    if (isa<NegOp>(op))
      return neg<T>;
  if constexpr (std::is_floating_point_v<T>) {
    if (isa<RecipOp>(op))
      return [](T x) { return T(1) / x; };
    if (isa<SqrtOp>(op))
      return [](T x) { return std::sqrt(x); };
    if (isa<TruncOp>(op))
      return [](T x) { return std::trunc(x); };
    if (isa<Exp2Op>(op))
      return viaDouble<T, std::exp2>;
    if (isa<ExpOp>(op))
      return viaDouble<T, std::exp>;
    if (isa<ExpM1Op>(op))
      return viaDouble<T, std::expm1>;
    if (isa<Log2Op>(op))
      return viaDouble<T, std::log2>;
    if (isa<LogOp>(op))
      return viaDouble<T, std::log>;
    if (isa<Log1pOp>(op))
      return viaDouble<T, std::log1p>;
    if (isa<SinOp>(op))
      return viaDouble<T, std::sin>;
    if (isa<CosOp>(op))
      return viaDouble<T, std::cos>;
    if (isa<TanOp>(op))
      return viaDouble<T, std::tan>;
    if (isa<AsinOp>(op))
      return viaDouble<T, std::asin>;
    if (isa<AcosOp>(op))
      return viaDouble<T, std::acos>;
    if (isa<AtanOp>(op))
      return viaDouble<T, std::atan>;
    if (isa<TanhOp>(op))
      return viaDouble<T, std::tanh>;
    if (isa<ErfOp>(op))
      return viaDouble<T, std::erf>;
  }
  return nullptr;
}

/// Null if `op` is not a binary operation on T.
template <typename T> static Binary<T> getBinary(Operation *op) {
  if (isa<AddOp>(op))
    return add<T>;
  if (isa<MulOp>(op))
    return mul<T>;
  if (isa<MaxOp>(op))
    return max<T>;
  if constexpr (!std::is_same_v<T, bool>)
    if (isa<SubOp>(op))
      return sub<T>;
  if constexpr (std::is_floating_point_v<T>) {
    if (isa<FDivOp>(op))
      return [](T a, T b) { return a / b; };
    if (isa<PowOp>(op))
      return power<T>;
  } else {
    if (isa<AndOp>(op))
      return [](T a, T b) { return static_cast<T>(a & b); };
    if (isa<OrOp>(op))
      return [](T a, T b) { return static_cast<T>(a | b); };
    if (isa<XorOp>(op))
      return [](T a, T b) { return static_cast<T>(a ^ b); };
    if constexpr (!std::is_same_v<T, bool>) {
      if (isa<IDivOp>(op))
        return idiv<T>;
      if (isa<ModOp>(op))
        return mod<T>;
      if (isa<FloorDivOp>(op))
        return floorDiv<T>;
      if (isa<FloorModOp>(op))
        return floorMod<T>;
      if (isa<ShlOp>(op))
        return shl<T>;
      if (isa<ShrOp>(op))
        return shr<T>;
    }
  }
  return nullptr;
}

/// Null if `op` is not a comparison.
template <typename T> static Compare<T> getCompare(Operation *op) {
  if (isa<CmpLtOp>(op))
    return [](T a, T b) { return a < b; };
  if (isa<CmpEqOp>(op))
    return [](T a, T b) { return a == b; };
  if (isa<CmpNeOp>(op))
    return [](T a, T b) { return a != b; };
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Evaluates mulacc and the operations that getUnary, getBinary and getCompare
/// support. Returns false for other operations.
template <typename Element>
static bool evaluateOn(Operation *op, ArrayRef<const HostTensor *> operands,
                       HostTensor &result) {
  using T = typename Element::Compute;
  constexpr unsigned size = Element::size;
  int64_t count = result.numElements();
  auto load = [&](unsigned operand, int64_t i) {
    return Element::load(operands[operand]->bytes.data() + i * size);
  };
  auto store = [&](int64_t i, T value) {
    Element::store(result.bytes.data() + i * size, value);
  };
  if (Unary<T> unary = getUnary<T>(op)) {
    for (int64_t i = 0; i < count; ++i)
      store(i, unary(load(0, i)));
    return true;
  }
  if (Binary<T> binary = getBinary<T>(op)) {
    for (int64_t i = 0; i < count; ++i)
      store(i, binary(load(0, i), load(1, i)));
    return true;
  }
  if (Compare<T> compare = getCompare<T>(op)) {
    for (int64_t i = 0; i < count; ++i)
      BoolElement::store(result.bytes.data() + i,
                         compare(load(0, i), load(1, i)));
    return true;
  }
  if constexpr (!std::is_same_v<T, bool>)
    if (isa<MulAccOp>(op)) {
      for (int64_t i = 0; i < count; ++i)
        store(i, mulAcc(load(0, i), load(1, i), load(2, i)));
      return true;
    }
  return false;
}

static void evaluateWhere(const HostTensor &condition, const HostTensor &x,
                          const HostTensor &y, HostTensor &result) {
  unsigned size = getElementSize(result.elementType);
  for (int64_t i = 0, e = result.numElements(); i < e; ++i) {
    const HostTensor &chosen = condition.bytes[i] ? x : y;
    std::memcpy(result.bytes.data() + i * size, chosen.bytes.data() + i * size,
                size);
  }
}

bool mlir::tg::evaluateElementwise(Operation *op,
                                   ArrayRef<const HostTensor *> operands,
                                   HostTensor &result) {
  if (isa<CastOp>(op)) {
    evaluateCast(*operands[0], result);
    return true;
  }
  if (isa<BitcastOp>(op)) {
    result.bytes = operands[0]->bytes;
    return true;
  }
  if (isa<WhereOp>(op)) {
    evaluateWhere(*operands[0], *operands[1], *operands[2], result);
    return true;
  }
  if (isa<ThreefryOp>(op)) {
    using U64 = PlainElement<uint64_t>;
    for (int64_t i = 0, e = result.numElements(); i < e; ++i)
      U64::store(result.bytes.data() + 8 * i,
                 threefry(U64::load(operands[0]->bytes.data() + 8 * i),
                          U64::load(operands[1]->bytes.data() + 8 * i)));
    return true;
  }
  // All remaining operations compute in the type of their operands, which
  // excludes the fp8 types.
  if (operands.empty())
    return false;
  Type type = operands[0]->elementType;
  auto evaluate = [&](auto element) {
    return evaluateOn<decltype(element)>(op, operands, result);
  };
  if (isa<IntegerType>(type))
    return dispatchInteger(type, evaluate);
  if (type.isF16() || type.isBF16() || type.isF32() || type.isF64())
    return dispatchFloat(type, evaluate);
  return false;
}
