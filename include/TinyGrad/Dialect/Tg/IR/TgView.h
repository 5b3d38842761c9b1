//===- TgView.h - views of memory -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `View`: which elements of memory a tensor consists of, as strides, an offset
/// and a mask; `ViewChain`: several, each over the row-major positions of the
/// one before. Movement operations are arithmetic on these.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGVIEW_H
#define TINYGRAD_DIALECT_TG_IR_TGVIEW_H

#include "TinyGrad/Dialect/Tg/IR/TgDim.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::tg {

class VarAttr;
class ViewAttr;

/// The positions [begin, end) of an axis.
struct Span {
  Dim begin, end;

  bool operator==(const Span &) const = default;
};

/// The element at `index` is the one at `offset + sum of index * stride` of the
/// space that the view is over, or zero where the mask excludes the index.
struct View {
  SmallVector<Dim, 4> shape, strides;
  Dim offset;
  /// For each axis the positions that hold elements, within [0, size); empty
  /// where that is all of them.
  SmallVector<Span, 4> mask;

  View() = default;
  explicit View(ViewAttr attr);
  ViewAttr getAttr() const;

  /// All of a row-major space of this shape, in order.
  static View getRowMajor(MLIRContext *context, ArrayRef<Dim> shape);
  /// The layout of a tensor of this shape in memory of its own: row-major with
  /// the strides of its largest shape, and with as many elements.
  static View getMemory(MLIRContext *context, ArrayRef<Dim> shape);

  bool operator==(const View &) const = default;
  MLIRContext *getContext() const { return offset.getContext(); }
  Span getSpan(size_t axis) const;
  bool isMasked(size_t axis) const;
  /// Whether it is known that there are no elements, but maybe zeros.
  bool isEmpty() const;

  /// Each applies one movement operation to the view.
  View permute(ArrayRef<int64_t> order) const;
  View expand(ArrayRef<Dim> newShape) const;
  View pad(ArrayRef<Dim> low, ArrayRef<Dim> high) const;
  View shrink(ArrayRef<Dim> from, ArrayRef<Dim> to) const;
  View flip(ArrayRef<int64_t> axes) const;
  /// None if strides and a mask for each axis cannot express it.
  std::optional<View> reshape(ArrayRef<Dim> newShape) const;

  /// One view that is `outer` over the positions of `inner`, or none.
  static std::optional<View> merge(const View &inner, const View &outer);

  /// The same space in fewer axes: those that follow one another in memory are
  /// one, and those of size 1 are gone.
  View joinAxes() const;

  /// The smallest and the largest position of an element that is not masked.
  /// None if a stride can be both negative and positive.
  std::optional<std::pair<Dim, Dim>> getTouched() const;
  /// Whether all these positions are known to lie in [0, size) if there is any.
  bool isWithin(Dim size) const;
  /// Whether some of them are known to lie outside.
  bool leaves(Dim size) const;

  /// Replaces each variable by what the function gives for it.
  void substitute(function_ref<Dim(VarAttr)> getValue);

  /// Brings the mask into its normal form: clamped, and none if it is true.
  void normalize();
};

/// Axes [begin, end) of a space, and the position in their row-major order that
/// an index of a view comes to: constant + sum of coefficient * index.
struct AxisGroup {
  size_t begin, end;
  Dim constant;
  SmallVector<Dim, 4> coefficients;
  /// Where the view's mask holds, it is in [min, max].
  Dim min, max;
};

/// A view over a row-major space of this shape by axes of that space. Groups
/// are as small as can be shown to be right wherever there is an index for
/// which the view's mask holds; of a group with one axis the position is the
/// index.
SmallVector<AxisGroup, 4> splitPositions(ArrayRef<Dim> shape, const View &view);

/// At least one view. The first is over the row-major positions of a tensor.
class ViewChain {
public:
  /// All of a tensor.
  explicit ViewChain(RankedTensorType type);
  /// From an array of `#tg.view`, over a tensor of this type.
  ViewChain(RankedTensorType type, ArrayAttr attr);
  ArrayAttr getAttr() const;

  ArrayRef<View> getViews() const { return views; }
  ArrayRef<Dim> getShape() const { return views.back().shape; }
  /// The shape of the tensor that the first view is over.
  ArrayRef<Dim> getBaseShape() const { return baseShape; }

  /// Applies a movement operation to what it is now.
  void apply(Operation *movement);
  /// Applies what makes one view of another, as the methods of `View` do; where
  /// that is not known to stay within what the last view is over, it becomes a
  /// view of its own.
  void transform(function_ref<View(const View &)> apply);
  /// Adds a view over the row-major positions of what it is now.
  void append(View view);

  /// The offset, in elements from the beginning of the tensor's memory, if the
  /// chain's elements follow one another from there on as a tensor of the
  /// chain's shape lies in memory.
  std::optional<Dim> getContiguousOffset() const;
  /// The chain as one view over the tensor's memory.
  std::optional<View> getMemoryView() const;

  /// Fails, with an error, if some view is known to leave the space that it is
  /// over.
  LogicalResult verify(function_ref<InFlightDiagnostic()> emitError) const;

private:
  Dim getSpaceSize(size_t number) const;
  void mergeLast();

  SmallVector<View, 1> views;
  SmallVector<Dim, 4> baseShape;
};

/// Evaluates a chain of static views, element by element.
class ViewEvaluator {
public:
  /// None if anything is symbolic.
  static std::optional<ViewEvaluator> get(const ViewChain &chain);

  /// The position that the element at `index` comes from; none for a zero.
  std::optional<int64_t> getPosition(ArrayRef<int64_t> index) const;

private:
  struct Axis {
    int64_t size, stride, begin, end;
  };
  struct Level {
    SmallVector<Axis, 4> axes;
    int64_t offset;
  };
  SmallVector<Level, 1> levels;
};

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGVIEW_H
