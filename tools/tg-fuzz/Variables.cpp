//===- Variables.cpp - random symbolic sizes ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Variables of a graph, and sizes and positions that depend on them.
///
//===----------------------------------------------------------------------===//

#include "GraphGenerator.h"

using namespace mlir;
using namespace mlir::tg;

void GraphGenerator::addVariables() {
  // Lower bounds: zero, one, some. Small ranges are tested completely; other
  // maxima are near the sizes of vectors and tiles.
  static const int64_t least[] = {0, 0, 1, 1, 1, 2, 3, 5};
  static const int64_t most[] = {1,  2,  3,  4,  4,  5,  6,  8,  9,  12,
                                 16, 17, 24, 31, 32, 33, 48, 64, 65, 100};
  static const char *const names[] = {"n", "m", "k"};
  int64_t count = random.percent(50) ? 1 : random.percent(70) ? 2 : 3;
  for (int64_t i = 0; i < count; ++i) {
    int64_t min = random.pick(least);
    int64_t max = random.percent(5) ? min : std::max(min, random.pick(most));
    if (maxElements > options.maxElements)
      max = random.between(min, 400);
    variables.push_back(
        VarAttr::get(context, StringAttr::get(context, names[i]), min, max));
  }
}

Dim GraphGenerator::randomDim(int64_t limit) {
  auto make = [&](DimOpKind kind, Dim a, Dim b) {
    return Dim::get(kind, a, b);
  };
  for (int tries = 0; tries < 3 && isSymbolic(); ++tries) {
    Dim variable(random.pick(variables)), other(random.pick(variables));
    int64_t constant = random.between(2, 4);
    Dim size = variable;
    switch (random.below(20)) {
    case 0:
      size = variable + number(random.between(1, 3));
      break;
    case 1:
      size = variable - number(random.between(1, 3));
      break;
    case 2:
      size = variable * number(constant);
      break;
    case 3: // the rest of a fixed size
      size = number(variable.getMax() + random.below(2)) - variable;
      break;
    case 4:
      size = make(DimOpKind::floordiv, variable, number(constant));
      break;
    case 5: // number of blocks
      size = make(DimOpKind::floordiv, variable + number(constant - 1),
                  number(constant));
      break;
    case 6:
      size = make(DimOpKind::mod, variable, number(constant));
      break;
    case 7:
      size = make(random.percent(50) ? DimOpKind::min : DimOpKind::max,
                  variable, number(random.between(0, variable.getMax())));
      break;
    case 8:
      size = make(random.percent(50) ? DimOpKind::min : DimOpKind::max,
                  variable, other);
      break;
    case 9:
      size = variable + other;
      break;
    case 10:
      size = variable * other;
      break;
    default:
      break;
    }
    if (size.getMin() >= 0 && size.getMax() <= limit)
      return size;
  }
  return number(
      random.between(std::min<int64_t>(1, limit), std::min<int64_t>(9, limit)));
}

Dim GraphGenerator::randomPosition(Dim size) {
  auto fits = [&](Dim position) {
    return position.getMin() >= 0 && (size - position).getMin() >= 0;
  };
  for (int tries = 0; tries < 4 && isSymbolic(); ++tries) {
    Dim position = randomDim(size.getMax());
    // The size itself, its distance from the end, or clamped to fit.
    switch (random.below(3)) {
    case 0:
      break;
    case 1:
      position = size - position;
      break;
    default:
      position = Dim::get(DimOpKind::min, position, size);
      break;
    }
    if (fits(position))
      return position;
  }
  return number(random.between(0, size.getMin()));
}

Dim GraphGenerator::randomSize(ArrayRef<int64_t> sizes, int64_t limit) {
  if (isSymbolic() && random.percent(50))
    return randomDim(limit);
  return number(std::min(limit, random.pick(sizes)));
}
