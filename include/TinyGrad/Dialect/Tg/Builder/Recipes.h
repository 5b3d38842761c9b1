//===- Recipes.h - what is composed of operations ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How products of matrices, softmax, convolutions and the like are composed,
/// for each class of values: `tg::TgBuilder` has one, of MLIR's values, and the
/// C++ API has `Tensor`. Such a class has the operators and methods that a
/// recipe uses, and `Shape` is a vector of sizes that are made of an int64_t,
/// compared and multiplied. Nothing here needs MLIR.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_BUILDER_RECIPES_H
#define TINYGRAD_DIALECT_TG_BUILDER_RECIPES_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace mlir::tg::recipes {

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

/// Whether two shapes have a common one. Axes are matched from the last one.
template <typename Shape> bool canBroadcast(const Shape &a, const Shape &b) {
  for (std::size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const auto &x = a[a.size() - i], &y = b[b.size() - i];
    if (x != y && x != 1 && y != 1)
      return false;
  }
  return true;
}

/// The common shape of all in a list of pointers. Where there is none, calls
/// \p fail with two sizes that are at fault, and returns what it has.
template <typename Shape, typename List, typename Fail>
Shape getCommonShape(const List &shapes, const Fail &fail) {
  std::size_t rank = 0;
  for (const Shape *shape : shapes)
    rank = std::max(rank, shape->size());
  Shape result(rank, 1);
  for (const Shape *shape : shapes) {
    const std::size_t added = rank - shape->size();
    for (std::size_t i = 0; i < shape->size(); ++i) {
      const auto size = (*shape)[i];
      auto &common = result[added + i];
      if (common == 1) {
        common = size;
      } else if (size != 1 && size != common) {
        fail(size, common);
        return result;
      }
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// What is wrong with the shapes of a product of matrices; empty if nothing is.
/// \p text makes texts of shapes and sizes, and tells why two sizes differ.
template <typename Shape, typename Text>
std::string findProductFault(const Shape &lhs, const Shape &rhs,
                             const Text &text) {
  const std::string both = text(lhs) + " and " + text(rhs);
  if (lhs.empty() || rhs.empty())
    return "operands of shapes " + both + " must have at least one axis";
  const auto &columns = lhs.back();
  const auto &rows = rhs.size() == 1 ? rhs[0] : rhs[rhs.size() - 2];
  if (columns != rows)
    return "shapes " + both + " do not fit: " + text(columns) +
           " columns and " + text(rows) + " rows" + text(columns, rows);
  return "the axes before the last two of " + both +
         " cannot be broadcast together";
}

/// Whether shapes have a product.
template <typename Shape> bool haveProduct(const Shape &lhs, const Shape &rhs) {
  if (lhs.empty() || rhs.empty() ||
      lhs.back() != (rhs.size() == 1 ? rhs[0] : rhs[rhs.size() - 2]))
    return false;
  for (std::size_t i = 3; i <= std::min(lhs.size(), rhs.size()); ++i) {
    const auto &x = lhs[lhs.size() - i], &y = rhs[rhs.size() - i];
    if (x != y && x != 1 && y != 1)
      return false;
  }
  return true;
}

/// The product of matrices, or of stacks of them, whose shapes fit. An operand
/// of one axis is a row on the left and a column on the right. Products are
/// added up in \p accumulate.
template <typename T, typename Type>
T matmul(const T &lhs, const T &rhs, Type accumulate, Type type) {
  const bool isRow = lhs.ndim() == 1, isColumn = rhs.ndim() == 1;
  // Rows (..., n, 1, k) times columns (..., 1, m, k).
  const T rows = (isRow ? lhs.unsqueeze(0) : lhs).unsqueeze(-2);
  const T columns =
      (isColumn ? rhs.unsqueeze(0) : rhs.transpose(-1, -2)).unsqueeze(-3);
  T result = (rows.cast(accumulate) * columns.cast(accumulate))
                 .sum(-1, false, accumulate)
                 .cast(type);
  if (isColumn)
    result = result.squeeze(-1);
  if (isRow)
    result = result.squeeze(isColumn ? -1 : -2);
  return result;
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// exp(x) as 2^(x log2(e)), which takes two or three operations less than exp.
/// The error grows with |x|, up to 60 units in the last place of a float32. It
/// suffices below: it matters only for terms that are negligible next to the
/// largest one, which is 1. There, no gradient flows through what is
/// subtracted, on which results do not depend.
template <typename T> T cheapExponential(const T &x) {
  return (x * 1.4426950408889634).exp2();
}

/// Axes are sorted and remain with size 1; \p largest is the maximum along
/// them.
template <typename T, typename Axes>
T softmax(const T &x, const T &largest, const Axes &axes) {
  const T power = cheapExponential(x - largest.detach());
  // One division per sum. Dividing each element would not be more accurate, as
  // the rounding of x - maximum dominates the error.
  return power * power.sum(axes, true).reciprocal();
}

template <typename T, typename Axes>
T logSoftmax(const T &x, const T &largest, const Axes &axes) {
  const T shifted = x - largest.detach();
  return shifted - cheapExponential(shifted).sum(axes, true).log();
}

/// \p logOfSum is the logarithm, with the gradient 0 at 0: of no elements but
/// -inf.
template <typename T, typename Axes, typename Log>
T logSumExp(const T &x, const T &largest, const Axes &axes,
            const Log &logOfSum) {
  // An infinite maximum is the result; x - maximum would be NaN.
  const T offset = largest.isfinite().where(largest, 0).detach();
  return logOfSum(cheapExponential(x - offset).sum(axes, true)) + offset;
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

/// Deviations of elements from their mean along axes, which remain with size 1.
template <typename T> struct Deviations {
  /// The differences from the rounded mean, and the mean of these differences.
  T fromMean, rest;
  /// The sum of the squares of the differences from the exact mean.
  T squares;
};

/// \p count is the number of elements along the axes, \p most the greatest
/// finite value.
template <typename T, typename Axes, typename Count>
Deviations<T> getDeviations(const T &x, const Axes &axes, const Count &count,
                            double most) {
  // The mean is rounded; its error is the mean of the differences. The sum of
  // the squared differences exceeds the exact one by count * error^2.
  const T fromMean = x - x.sum(axes, true) / count;
  const T rest = fromMean.sum(axes, true);
  const T meanOfRest = rest / count;
  // The excess overflows only if the squares do; their infinity is the result.
  const T excess = (rest * meanOfRest).minimum(most);
  const T squares = fromMean.square().sum(axes, true) - excess;
  // Unlike that of a maximum, the derivative is complete at 0.
  return {fromMean, meanOfRest, (squares < 0).where(0, squares)};
}

/// What layer normalization computes before its weight and bias.
template <typename T, typename Count>
T normalize(const Deviations<T> &deviations, const Count &count,
            double epsilon) {
  return (deviations.fromMean - deviations.rest) *
         (deviations.squares / count + epsilon).rsqrt();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The windows of convolution and pooling along one spatial axis.
struct Window {
  int64_t size = 1, stride = 1, dilation = 1;
  /// Explicit padding before and after; `extra` extends it for a partial
  /// window.
  int64_t before = 0, after = 0, extra = 0;
  /// The padded input and the number of windows: fitWindow() computes them.
  int64_t input = 0, output = 0;

  /// The distance from the first to the last element of a window, plus 1.
  int64_t extent() const { return dilation * (size - 1) + 1; }
};

/// Computes the rest of a window along an axis of \p length. Where \p isCeil is
/// set, a partial window at the end counts. Returns what is wrong; \p where
/// makes the text of the axis for it.
template <typename Where>
std::string fitWindow(Window &window, int64_t length, bool isCeil,
                      const Where &where) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  if (window.size <= 0 || window.stride <= 0 || window.dilation <= 0 ||
      window.before < 0 || window.after < 0)
    return "kernel, stride and dilation must be positive, padding not "
           "negative";
  int64_t sum = length;
  for (int64_t more : {window.before, window.after, int64_t(1)}) {
    if (sum > most - more)
      return "an axis of size " + std::to_string(sum) + " + " +
             std::to_string(more) + " is too large";
    sum += more;
  }
  window.input = sum - 1;
  // Larger dilations and strides are equivalent and could overflow below.
  if (window.size == 1)
    window.dilation = 1;
  window.stride = std::min(window.stride, sum);
  int64_t extent;
  if (__builtin_mul_overflow(window.dilation, window.size - 1, &extent) ||
      extent == most)
    extent = most;
  else
    ++extent;
  if (window.input < extent)
    return "a kernel of extent " + std::to_string(extent) +
           " is larger than the padded input of size " +
           std::to_string(window.input) + where();
  const int64_t steps = window.input - extent;
  window.output = steps / window.stride + 1;
  // The last, partial window must begin inside the input or the padding before
  // it.
  if (isCeil && steps % window.stride != 0 &&
      window.output * window.stride < length + window.before) {
    window.extra = window.output * window.stride + extent - window.input;
    window.input += window.extra;
    ++window.output;
  }
  return "";
}

/// All windows of a padded tensor with the outer shape \p head (or another one
/// of as many elements) and the inputs of \p windows. Each spatial axis i
/// becomes an output axis o and a window axis k. The output axes come before
/// the last \p behind axes of the head, the window axes at the end. \p x is a
/// chain of movements.
template <typename Chain, typename Shape>
void takeWindows(Chain &x, const Shape &head,
                 const std::vector<Window> &windows, int64_t behind) {
  const int64_t outer = int64_t(head.size()), count = int64_t(windows.size()),
                front = outer - behind;
  const bool isTiling =
      std::all_of(windows.begin(), windows.end(), [](const Window &w) {
        return w.size == w.stride && w.dilation == 1;
      });
  if (isTiling) {
    // Adjacent windows: splits the axis in two.
    Shape input = head, kept = head, split = head;
    std::vector<int64_t> order;
    for (const Window &w : windows) {
      input.push_back(w.input);
      kept.push_back(w.output * w.size);
      split.insert(split.end(), {w.output, w.size});
    }
    for (int64_t i = 0; i < front; ++i)
      order.push_back(i);
    for (int64_t i = 0; i < count; ++i)
      order.push_back(outer + 2 * i);
    for (int64_t i = front; i < outer; ++i)
      order.push_back(i);
    for (int64_t i = 0; i < count; ++i)
      order.push_back(outer + 2 * i + 1);
    x.reshape(input).shrink(Shape(outer + count, 0), kept);
    x.reshape(split).permute(order);
    return;
  }
  using Size = typename Shape::value_type;
  Shape shape(outer + 2 * count, 0), strides = shape;
  Size step = 1;
  // An axis of size 1 has stride 0, since a long stride could overflow.
  auto set = [&](int64_t axis, const Size &size, const Size &times) {
    shape[axis] = size;
    if (size != 1)
      strides[axis] = step * times;
  };
  for (int64_t i = count; i-- > 0;) {
    set(front + i, windows[i].output, windows[i].stride);
    set(outer + count + i, windows[i].size, windows[i].dilation);
    step *= windows[i].input;
  }
  for (int64_t i = outer; i-- > 0;) {
    set(i < front ? i : i + count, head[i], 1);
    step *= head[i];
  }
  x.strided(shape, strides);
}

/// The shapes of a convolution, which is the sum over `summed` of windows of
/// the padded input and of the weight, both expanded to (batch, group, out,
/// o..., in, k...).
template <typename Shape> struct ConvolutionShapes {
  Shape low, high, head, expanded, weight, output, bias;
  std::vector<int64_t> summed;
};

/// For an input of (batch, groups * in, ...) and a weight of (groups * out, in,
/// k...).
template <typename Shape, typename Size>
ConvolutionShapes<Shape>
getConvolutionShapes(const Size &batch, int64_t groups, const Size &in,
                     const Size &out, const Size &allOut,
                     const std::vector<Window> &windows) {
  ConvolutionShapes<Shape> shapes{Shape(2, 0),
                                  Shape(2, 0),
                                  Shape{batch, groups, 1, in},
                                  Shape{batch, groups, out},
                                  Shape{Size(1), groups, out},
                                  Shape{batch, allOut},
                                  Shape{allOut},
                                  {}};
  for (const Window &window : windows) {
    shapes.low.push_back(window.before);
    shapes.high.push_back(window.after);
    shapes.expanded.push_back(window.output);
    shapes.weight.push_back(1);
    shapes.output.push_back(window.output);
    shapes.bias.push_back(1);
  }
  const int64_t spatial = int64_t(windows.size());
  shapes.summed.push_back(3 + spatial);
  for (Shape *shape : {&shapes.expanded, &shapes.weight})
    shape->push_back(in);
  for (int64_t i = 0; i < spatial; ++i) {
    for (Shape *shape : {&shapes.expanded, &shapes.weight})
      shape->push_back(windows[i].size);
    shapes.summed.push_back(4 + spatial + i);
  }
  return shapes;
}

/// Brings both factors of a convolution to its expanded shape.
template <typename Chain, typename Shape>
void expandFactors(Chain &input, Chain &weight,
                   const ConvolutionShapes<Shape> &shapes,
                   const std::vector<Window> &windows) {
  input.pad(shapes.low, shapes.high);
  takeWindows(input, shapes.head, windows, 1);
  input.expand(shapes.expanded);
  weight.reshape(shapes.weight);
  weight.expand(shapes.expanded);
}

} // namespace mlir::tg::recipes

#endif // TINYGRAD_DIALECT_TG_BUILDER_RECIPES_H
