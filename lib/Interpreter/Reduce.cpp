//===- Reduce.cpp - reductions along axes ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tg.reduce`, in row-major order. Floats are accumulated in double precision,
/// sums with compensation, and rounded once.
///
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include "Elements.h"
#include "Evaluate.h"

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

#include <cmath>
#include <limits>
#include <type_traits>

using namespace mlir;
using namespace mlir::tg;

/// a + b; adds the rounding error to `rest` (Neumaier summation).
static double addWithRest(double a, double b, double &rest) {
  double sum = a + b;
  if (std::isfinite(sum))
    rest += std::abs(a) >= std::abs(b) ? (a - sum) + b : (b - sum) + a;
  return sum;
}

template <typename T> static T identity(ReduceKind kind) {
  if (kind == ReduceKind::add)
    return 0;
  if (kind == ReduceKind::mul)
    return 1;
  if constexpr (std::is_floating_point_v<T>)
    return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::lowest();
}

void mlir::tg::evaluateReduce(ReduceOp op, const HostTensor &x,
                              HostTensor &result) {
  ReduceKind kind = op.getKind();
  // A reduced axis has stride 0 in the result.
  SmallVector<int64_t> strides = getStrides(result.shape);
  for (int64_t axis : op.getAxes())
    strides[axis] = 0;
  // What a position of each axis adds to the position in the result. Of an
  // empty tensor, other dimensions may be too large to be counted.
  SmallVector<std::vector<int64_t>> targets;
  for (auto [extent, stride] : llvm::zip_equal(x.shape, strides)) {
    targets.emplace_back(x.numElements() == 0 ? 0 : extent);
    for (auto [position, target] : llvm::enumerate(targets.back()))
      target = position * stride;
  }
  auto reduce = [&](auto element) {
    using Element = decltype(element);
    using Compute = typename Element::Compute;
    using Sum =
        std::conditional_t<std::is_floating_point_v<Compute>, double, Compute>;
    // Not std::vector: std::vector<bool> has no references to its elements.
    int64_t resultCount = result.numElements();
    auto sums = std::make_unique<Sum[]>(resultCount);
    std::fill_n(sums.get(), resultCount, identity<Sum>(kind));
    constexpr bool isFloat = std::is_floating_point_v<Compute>;
    const bool hasRests = isFloat && kind == ReduceKind::add;
    std::vector<double> rests(hasRests ? resultCount : 0);
    const char *from = x.bytes.data();
    forEachSum(targets, [&](int64_t to) {
      Sum value = Element::load(from);
      from += Element::size;
      if constexpr (isFloat)
        sums[to] = hasRests ? addWithRest(sums[to], value, rests[to])
                            : combine<Sum>(kind, sums[to], value);
      else
        sums[to] = combine<Sum>(kind, sums[to], value);
    });
    for (int64_t i = 0; i < resultCount; ++i) {
      char *to = result.bytes.data() + i * Element::size;
      if constexpr (isFloat)
        if (hasRests && std::isfinite(sums[i]) && rests[i] != 0)
          sums[i] += rests[i];
      // Rounds once, also for f16 and bf16.
      if constexpr (std::is_floating_point_v<Compute> &&
                    Element::size < sizeof(Compute))
        Element::storeRounded(to, llvm::APFloat(sums[i]));
      else
        Element::store(to, static_cast<Compute>(sums[i]));
    }
  };
  if (isa<IntegerType>(x.elementType))
    dispatchInteger(x.elementType, reduce);
  else
    dispatchFloat(x.elementType, reduce);
}
