//===- Index.h - index expressions ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The parts of an index expression, as in NumPy: integers, slices, new axes,
/// an ellipsis, tensors of integers.
///
/// \code
///   x.index({0, Slice(None, None, 2), Ellipsis, None, rows})
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_INDEX_H
#define TINYGRAD_TENSOR_INDEX_H

#include "TinyGrad/Tensor/SymInt.h"

#include <concepts>
#include <cstdint>
#include <optional>
#include <variant>

namespace tinygrad {

class Tensor;

/// In an index: a new axis of size 1. In a slice: an omitted bound.
struct NoneType {};
inline constexpr NoneType None{};

/// In an index: as many full slices as it takes.
struct EllipsisType {};
inline constexpr EllipsisType Ellipsis{};

/// A bound of a slice.
class SliceBound {
public:
  template <std::integral T> SliceBound(T value) : value(int64_t(value)) {}
  SliceBound(SymInt value) : value(value) {}
  SliceBound(NoneType) {}

  const std::optional<SymInt> &get() const { return value; }

private:
  std::optional<SymInt> value;
};

/// Python's start:stop:step. Negative bounds count from the end, bounds out of
/// range are clamped, a negative step goes backwards. Bounds may be symbolic,
/// the step not.
struct Slice {
  SliceBound start = None;
  SliceBound stop = None;
  SliceBound step = None;

  Slice() = default;
  Slice(SliceBound start, SliceBound stop, SliceBound step = None)
      : start(start), stop(stop), step(step) {}
};

/// One entry of an index. The tensor of an entry must live as long as the
/// entry.
class Index {
public:
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Index(T position) : value(SymInt(position)) {}
  Index(SymInt position) : value(position) {}
  Index(Slice slice) : value(slice) {}
  Index(NoneType none) : value(none) {}
  Index(EllipsisType ellipsis) : value(ellipsis) {}
  Index(const Tensor &positions) : value(&positions) {}

  const auto &get() const { return value; }

private:
  std::variant<SymInt, Slice, NoneType, EllipsisType, const Tensor *> value;
};

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_INDEX_H
