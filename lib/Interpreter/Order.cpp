//===- Order.cpp - scans, scatters and sorts ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tg.scan`, `tg.scatter` and `tg.argsort`, row by row along the axis. Floats
/// are combined in double precision and rounded when they are stored.
///
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include "Elements.h"
#include "Evaluate.h"

#include <algorithm>
#include <memory>
#include <numeric>

using namespace mlir;
using namespace mlir::tg;

namespace {
/// The rows of a tensor along an axis: `count` elements each, one row for each
/// position along the axes before (`outer`) and after (`inner`).
struct Rows {
  int64_t outer = 1, length = 1, inner = 1;

  Rows(ArrayRef<int64_t> shape, int64_t axis) : length(shape[axis]) {
    for (int64_t size : shape.take_front(axis))
      outer *= size;
    for (int64_t size : shape.drop_front(axis + 1))
      inner *= size;
  }

  /// Calls body(o, i) for each row. Element p of the row is at `at(o, p, i)`.
  template <typename Body> void forEach(Body &&body) const {
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i)
        body(o, i);
  }
  int64_t at(int64_t o, int64_t p, int64_t i) const {
    return (o * length + p) * inner + i;
  }
};

/// The type that sums of an element type are accumulated in.
template <typename Element>
using Sum =
    std::conditional_t<std::is_floating_point_v<typename Element::Compute>,
                       double, typename Element::Compute>;
} // namespace

/// Rounds once, also for narrow types.
template <typename Element> static void storeSum(char *to, Sum<Element> value) {
  using Compute = typename Element::Compute;
  if constexpr (std::is_floating_point_v<Compute> &&
                Element::size < sizeof(Compute))
    Element::storeRounded(to, llvm::APFloat(value));
  else
    Element::store(to, static_cast<Compute>(value));
}

void mlir::tg::evaluateScan(ScanOp op, const HostTensor &x,
                            HostTensor &result) {
  const Rows rows(x.shape, static_cast<int64_t>(op.getAxis()));
  dispatchElement(x.elementType, [&](auto element) {
    using Element = decltype(element);
    rows.forEach([&](int64_t o, int64_t i) {
      Sum<Element> sum{};
      for (int64_t p = 0; p < rows.length; ++p) {
        const int64_t at = rows.at(o, p, i) * Element::size;
        const Sum<Element> value = Element::load(x.bytes.data() + at);
        sum = p == 0 ? value : combine(op.getKind(), sum, value);
        storeSum<Element>(result.bytes.data() + at, sum);
      }
    });
  });
}

/// An index as a number. Values of ui64 that do not fit are out of range
/// anyway.
static int64_t getIndex(const HostTensor &index, int64_t i) {
  return dispatchInteger(index.elementType, [&](auto element) -> int64_t {
    using Element = decltype(element);
    const auto value = Element::load(index.bytes.data() + i * Element::size);
    return static_cast<int64_t>(value);
  });
}

void mlir::tg::evaluateScatter(ScatterOp op, const HostTensor &base,
                               const HostTensor &index,
                               const HostTensor &updates, HostTensor &result) {
  const auto axis = static_cast<int64_t>(op.getAxis());
  const Rows to(base.shape, axis), from(updates.shape, axis);
  result.bytes = base.bytes;
  if (op.getKind() == UpdateKind::set) {
    const unsigned size = getElementSize(base.elementType);
    from.forEach([&](int64_t o, int64_t i) {
      for (int64_t p = 0; p < from.length; ++p) {
        const int64_t at = getIndex(index, from.at(o, p, i));
        if (at >= 0 && at < to.length)
          std::memcpy(result.bytes.data() + to.at(o, at, i) * size,
                      updates.bytes.data() + from.at(o, p, i) * size, size);
      }
    });
    return;
  }
  dispatchElement(base.elementType, [&](auto element) {
    using Element = decltype(element);
    // Not std::vector: std::vector<bool> has no references to its elements.
    auto row = std::make_unique<Sum<Element>[]>(to.length);
    from.forEach([&](int64_t o, int64_t i) {
      for (int64_t p = 0; p < to.length; ++p)
        row[p] =
            Element::load(base.bytes.data() + to.at(o, p, i) * Element::size);
      for (int64_t p = 0; p < from.length; ++p) {
        const int64_t at = getIndex(index, from.at(o, p, i));
        if (at >= 0 && at < to.length)
          row[at] = combine<Sum<Element>>(
              op.getKind(), row[at],
              Element::load(updates.bytes.data() +
                            from.at(o, p, i) * Element::size));
      }
      for (int64_t p = 0; p < to.length; ++p)
        storeSum<Element>(result.bytes.data() + to.at(o, p, i) * Element::size,
                          row[p]);
    });
  });
}

void mlir::tg::evaluateArgsort(ArgsortOp op, const HostTensor &x,
                               HostTensor &result) {
  const auto last = static_cast<int64_t>(x.shape.size()) - 1;
  const Rows rows(x.shape, last), to(result.shape, last);
  const bool isLong = result.elementType.isInteger(64);
  dispatchElement(x.elementType, [&](auto element) {
    using Element = decltype(element);
    std::vector<int64_t> order(rows.length);
    rows.forEach([&](int64_t o, int64_t i) {
      auto load = [&](int64_t p) {
        return Element::load(x.bytes.data() + rows.at(o, p, i) * Element::size);
      };
      auto isLess = [&](auto a, auto b) {
        if constexpr (std::is_floating_point_v<decltype(a)>)
          if (std::isnan(a) || std::isnan(b))
            return !std::isnan(a) && std::isnan(b);
        return a < b;
      };
      std::iota(order.begin(), order.end(), int64_t(0));
      // Equal elements keep their order.
      llvm::sort(order, [&](int64_t a, int64_t b) {
        const bool isBefore = isLess(load(a), load(b));
        const bool isAfter = isLess(load(b), load(a));
        if (isBefore == isAfter)
          return a < b;
        return op.getDescending() ? isAfter : isBefore;
      });
      for (int64_t p = 0; p < to.length; ++p) {
        const int64_t at = to.at(o, p, i);
        if (isLong)
          PlainElement<int64_t>::store(result.bytes.data() + 8 * at, order[p]);
        else
          PlainElement<int32_t>::store(result.bytes.data() + 4 * at,
                                       static_cast<int32_t>(order[p]));
      }
    });
  });
}
