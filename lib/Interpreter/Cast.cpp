//===- Cast.cpp - conversion between element types ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tg.cast`. A value is first read as the widest number of its kind (double or
/// 64-bit integer), which is exact, and then converted once.
///
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Evaluate.h"

#include <cmath>
#include <limits>
#include <type_traits>

using namespace mlir;
using namespace mlir::tg;

/// Float to integer: truncates, saturates, and maps NaN to 0.
template <typename To> static To toInteger(double value) {
  if (std::isnan(value))
    return 0;
  double whole = std::trunc(value);
  // 2^digits is the first value above the range, and is exact in double.
  double limit = std::ldexp(1.0, std::numeric_limits<To>::digits);
  if (whole >= limit)
    return std::numeric_limits<To>::max();
  if (whole < (std::is_signed_v<To> ? -limit : 0.0))
    return std::numeric_limits<To>::min();
  return static_cast<To>(whole);
}

/// A 64-bit integer or a double as an exact APFloat.
template <typename From> static llvm::APFloat toAPFloat(From value) {
  if constexpr (std::is_floating_point_v<From>) {
    return llvm::APFloat(static_cast<double>(value));
  } else {
    llvm::APFloat result(llvm::APFloat::IEEEquad());
    result.convertFromAPInt(
        llvm::APInt(64, static_cast<uint64_t>(value), std::is_signed_v<From>),
        std::is_signed_v<From>, llvm::APFloat::rmNearestTiesToEven);
    return result;
  }
}

template <typename From, typename ToElement>
static void convert(From value, char *to) {
  using To = typename ToElement::Compute;
  if constexpr (std::is_same_v<To, bool>)
    ToElement::store(to, value != From(0));
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
    ToElement::store(to, toInteger<To>(value));
  else if constexpr (std::is_floating_point_v<To> &&
                     ToElement::size < sizeof(To))
    ToElement::storeRounded(to, toAPFloat(value));
  else
    ToElement::store(to, static_cast<To>(value));
}

void mlir::tg::evaluateCast(const HostTensor &x, HostTensor &result) {
  dispatchElement(x.elementType, [&](auto from) {
    using From = decltype(from);
    using Compute = typename From::Compute;
    using Wide = std::conditional_t<
        std::is_floating_point_v<Compute>, double,
        std::conditional_t<std::is_signed_v<Compute>, int64_t, uint64_t>>;
    dispatchElement(result.elementType, [&](auto to) {
      using To = decltype(to);
      for (int64_t i = 0, e = result.numElements(); i < e; ++i)
        convert<Wide, To>(From::load(x.bytes.data() + i * From::size),
                          result.bytes.data() + i * To::size);
    });
  });
}
