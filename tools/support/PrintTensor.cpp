//===- PrintTensor.cpp - tensors as text ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Prints values with as many digits as they need.
///
//===----------------------------------------------------------------------===//

#include "support/ToolSupport.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::tg;

/// The bits of one element, zero extended.
static uint64_t getBits(const HostTensor &tensor, int64_t i) {
  unsigned size = getElementSize(tensor.elementType);
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.bytes.data() + i * size, size);
  return bits;
}

static llvm::APInt getAPInt(const HostTensor &tensor, int64_t i) {
  unsigned width = tensor.elementType.getIntOrFloatBitWidth();
  return llvm::APInt(width, getBits(tensor, i), /*isSigned=*/false,
                     /*implicitTrunc=*/true);
}

double mlir::tg::getElementAsDouble(const HostTensor &tensor, int64_t i) {
  // Types of most elements, without the conversions of any format.
  auto read = [&](auto number) -> double {
    std::memcpy(&number, tensor.bytes.data() + i * sizeof(number),
                sizeof(number));
    return static_cast<double>(number);
  };
  if (tensor.elementType.isF32())
    return read(float());
  if (tensor.elementType.isF64())
    return read(double());
  if (tensor.elementType.isSignlessInteger(32))
    return read(int32_t());
  if (auto type = dyn_cast<FloatType>(tensor.elementType))
    return llvm::APFloat(type.getFloatSemantics(), getAPInt(tensor, i))
        .convertToDouble();
  bool isSigned = !tensor.elementType.isUnsignedInteger() &&
                  !tensor.elementType.isInteger(1);
  return getAPInt(tensor, i).roundToDouble(isSigned);
}

/// Prints the shortest decimal number that rounds to `value` in its format;
/// integers are printed in full.
static void printShortest(raw_ostream &os, const llvm::APFloat &value) {
  const llvm::fltSemantics &semantics = value.getSemantics();
  double number = value.convertToDouble();
  if (std::abs(number) < 0x1p53 && std::trunc(number) == number) {
    os << llvm::format("%.0f", number);
    return;
  }
  std::string text;
  for (unsigned digits = 1; digits <= 17; ++digits) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, number);
    llvm::APFloat read(llvm::APFloat::IEEEdouble(), text);
    bool losesInfo;
    read.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    if (read.bitwiseIsEqual(value))
      break;
  }
  os << text;
}

static void printElement(raw_ostream &os, const HostTensor &tensor, int64_t i,
                         const PrintOptions &options) {
  Type type = tensor.elementType;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    llvm::APFloat value(floatType.getFloatSemantics(), getAPInt(tensor, i));
    if (value.isNaN())
      os << "nan";
    else if (value.isInfinity())
      os << (value.isNegative() ? "-inf" : "inf");
    else if (options.precision > 0)
      os << llvm::format("%.*g", options.precision, value.convertToDouble());
    else
      printShortest(os, value);
    return;
  }
  if (type.isInteger(1)) {
    os << (getBits(tensor, i) ? "true" : "false");
    return;
  }
  getAPInt(tensor, i).print(os, /*isSigned=*/!type.isUnsignedInteger());
}

/// Prints the part of the tensor whose first `axis` indices are fixed.
static void printAxis(raw_ostream &os, const HostTensor &tensor, size_t axis,
                      int64_t offset, bool abbreviate,
                      const PrintOptions &options) {
  if (axis == tensor.shape.size()) {
    printElement(os, tensor, offset, options);
    return;
  }
  // The number of elements shown at each end of an abbreviated axis.
  constexpr int64_t shown = 3;
  int64_t size = tensor.shape[axis];
  os << '[';
  for (int64_t i = 0; i < size; ++i) {
    if (i > 0)
      os << ", ";
    if (abbreviate && i == shown && size > 2 * shown) {
      os << "..., ";
      i = size - shown;
    }
    printAxis(os, tensor, axis + 1, offset * size + i, abbreviate, options);
  }
  os << ']';
}

void mlir::tg::printTensor(raw_ostream &os, const HostTensor &tensor,
                           const PrintOptions &options) {
  os << RankedTensorType::get(tensor.shape, tensor.elementType) << " = ";
  printAxis(os, tensor, 0, 0, tensor.numElements() > options.maxElements,
            options);
}
