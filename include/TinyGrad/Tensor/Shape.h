//===- Shape.h - sizes, axes and parts of axes ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Types of parameters for axes. Each takes a braced list, a container of C++
/// integers (std::vector, std::array, std::span, a C array), one of SymInts,
/// and, where that makes sense, a single number:
///
/// \code
///   Tensor::zeros(3);
///   Tensor::zeros({2, n});
///   x.reshape(std::array{2, 3}).sum({0, -1});
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_SHAPE_H
#define TINYGRAD_TENSOR_SHAPE_H

#include "TinyGrad/Tensor/SymInt.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tinygrad {

struct NoneType;

namespace detail {
template <typename List> struct SequenceElement {
  using Type =
      std::remove_cvref_t<decltype(*std::begin(std::declval<const List &>()))>;
};
// The reference type of std::vector<bool>'s iterator is not bool everywhere.
template <typename List>
  requires requires { typename List::value_type; }
struct SequenceElement<List> {
  using Type = std::remove_cv_t<typename List::value_type>;
};
template <typename List> using ElementOf = typename SequenceElement<List>::Type;
} // namespace detail

/// A container, or a C array, with a known length; not a text.
template <typename T>
concept Sequence = requires(const T &list) {
  std::begin(list);
  std::end(list);
  std::size(list);
} && !std::convertible_to<const T &, std::string_view>;

/// The types of a size: a C++ integer, a SymInt, a Variable.
template <typename T>
concept SizeLike = detail::SymNumber<T> || std::derived_from<T, SymInt>;

/// A container of sizes.
template <typename T>
concept SizeSequence = Sequence<T> && SizeLike<detail::ElementOf<T>>;

/// A container of C++ integers.
template <typename T>
concept IntegerSequence =
    Sequence<T> && detail::SymNumber<detail::ElementOf<T>>;

/// The sizes of the axes, outermost first; empty for rank 0. A vector of
/// SymInts that can be constructed from anything that lists sizes.
class Shape : public std::vector<SymInt> {
public:
  Shape() = default;
  Shape(std::initializer_list<SymInt> sizes) : vector(sizes) {}
  /// One axis.
  template <SizeLike Size> Shape(Size size) : vector(1, SymInt(size)) {}
  template <SizeSequence List>
    requires(!std::derived_from<List, Shape>)
  Shape(const List &sizes) : vector(std::begin(sizes), std::end(sizes)) {}
  /// \p rank axes of one size.
  Shape(size_type rank, SymInt size) : vector(rank, size) {}
  template <std::input_iterator Iterator>
  Shape(Iterator begin, Iterator end) : vector(begin, end) {}
};

/// Shapes are compared with any container of sizes.
template <SizeSequence List>
  requires(!std::derived_from<List, std::vector<SymInt>>)
bool operator==(const Shape &lhs, const List &rhs) {
  return lhs == Shape(rhs);
}

/// "[2, 3]"
std::string toString(const Shape &shape);
std::ostream &operator<<(std::ostream &stream, const Shape &shape);

/// A list of axes, or all of them. Negative ones count from the last.
class Axes {
public:
  /// All axes.
  Axes() = default;
  template <detail::SymNumber Number>
  Axes(Number axis) : list{int64_t(axis)}, isAll_(false) {}
  Axes(std::initializer_list<int64_t> axes) : list(axes), isAll_(false) {}
  Axes(std::vector<int64_t> axes) : list(std::move(axes)), isAll_(false) {}
  template <IntegerSequence List>
  Axes(const List &axes)
      : list(std::begin(axes), std::end(axes)), isAll_(false) {}

  bool isAll() const { return isAll_; }
  const std::vector<int64_t> &get() const { return list; }

private:
  std::vector<int64_t> list;
  bool isAll_ = true;
};

/// One number for each spatial axis, or one for all of them.
class PerAxis {
public:
  template <detail::SymNumber Number>
  PerAxis(Number value) : list{int64_t(value)} {}
  PerAxis(std::initializer_list<int64_t> values) : list(values) {}
  PerAxis(std::vector<int64_t> values) : list(std::move(values)) {}
  template <IntegerSequence List>
  PerAxis(const List &values) : list(std::begin(values), std::end(values)) {}

  const std::vector<int64_t> &get() const { return list; }

private:
  std::vector<int64_t> list;
};

/// The part of an axis from one position up to another, exclusive; the whole
/// axis if it is `{}` or `None`.
class Part {
public:
  Part() = default;
  Part(const NoneType &) {}
  Part(SymInt begin, SymInt end) : begin_(begin), end_(end), isAll_(false) {}

  bool isAll() const { return isAll_; }
  /// Where it begins and ends in an axis of \p size.
  SymInt begin() const { return begin_; }
  SymInt end(SymInt size) const { return isAll_ ? size : end_; }

private:
  SymInt begin_, end_;
  bool isAll_ = true;
};

/// A part of each axis.
using Parts = std::vector<Part>;

/// Elements added before and after an axis; negative numbers remove elements.
using PadAmount = std::pair<SymInt, SymInt>;

/// How each axis is padded: a pair (before, after) for each, the first axis
/// first; or, as in PyTorch and tinygrad, a flat list of such pairs, the *last*
/// axis first, in which axes in front may be left out:
///
/// \code
///   x.pad({{0, 0}, {1, 2}});   // the same for a matrix as
///   x.pad({1, 2});
/// \endcode
class Padding {
  /// A number of a flat list. Never made of `{}`, which is a pair of zeros.
  struct Amount {
    template <SizeLike Size> Amount(Size value) : value(value) {}
    SymInt value;
  };

public:
  Padding() = default;
  Padding(std::initializer_list<PadAmount> amounts) : pairs_(amounts) {}
  Padding(std::initializer_list<Amount> amounts) : isFlat_(true) {
    for (const Amount &amount : amounts)
      flat.push_back(amount.value);
  }
  Padding(std::vector<PadAmount> amounts) : pairs_(std::move(amounts)) {}
  template <Sequence List>
    requires std::convertible_to<detail::ElementOf<List>, PadAmount>
  Padding(const List &amounts)
      : pairs_(std::begin(amounts), std::end(amounts)) {}
  template <SizeSequence List>
  Padding(const List &amounts)
      : flat(std::begin(amounts), std::end(amounts)), isFlat_(true) {}

  /// The pairs for a tensor of \p rank axes. Throws ShapeError for a flat list
  /// that does not have two numbers for each of some last axes.
  std::vector<PadAmount> pairs(int64_t rank) const;

private:
  std::vector<PadAmount> pairs_;
  std::vector<SymInt> flat;
  bool isFlat_ = false;
};

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_SHAPE_H
