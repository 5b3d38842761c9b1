//===- Nested.h - nested lists of numbers -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The arguments of Tensor::from: containers of numbers, nested to any depth.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_NESTED_H
#define TINYGRAD_TENSOR_NESTED_H

#include "TinyGrad/Tensor/Scalar.h"
#include "TinyGrad/Tensor/Shape.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace tinygrad {

/// A pointer to elements of a tensor.
template <typename T>
concept ElementPointer =
    std::is_pointer_v<T> &&
    ElementType<std::remove_cv_t<std::remove_pointer_t<T>>>;

/// A container of elements of a tensor.
template <typename T>
concept ElementSequence = Sequence<T> && ElementType<detail::ElementOf<T>>;

namespace detail {
template <typename T> struct Nesting {
  using Element = T;
  static constexpr std::size_t depth = 0;
};
template <Sequence T> struct Nesting<T> {
  using Element = typename Nesting<ElementOf<T>>::Element;
  static constexpr std::size_t depth = 1 + Nesting<ElementOf<T>>::depth;
};
} // namespace detail

/// A container of elements of a tensor, or of such containers:
/// std::vector<float>, std::array<std::array<int, 3>, 2>, double[4], ...
template <typename T>
concept NestedSequence =
    Sequence<T> && ElementType<typename detail::Nesting<T>::Element>;

/// Arguments that Tensor::from does not accept.
template <typename T>
concept NotNested = !NestedSequence<T> && !ElementPointer<T>;

namespace detail {

template <typename E> using Braced1 = std::initializer_list<E>;
template <typename E> using Braced2 = std::initializer_list<Braced1<E>>;
template <typename E> using Braced3 = std::initializer_list<Braced2<E>>;
template <typename E> using Braced4 = std::initializer_list<Braced3<E>>;

/// vector<bool> has no pointers to its elements.
template <typename E>
using Stored = std::conditional_t<std::is_same_v<E, bool>, uint8_t, E>;

/// Throws ShapeError for lists of different lengths at one level.
[[noreturn]] void throwRagged(std::size_t expected, std::size_t found);

/// The elements of nested lists in order, and the length of each level; -1 for
/// a level without lists.
template <typename E> struct Flattened {
  std::vector<Stored<E>> elements;
  std::vector<int64_t> lengths;

  template <typename T> void append(const T &item, std::size_t level = 0) {
    if constexpr (Sequence<T>) {
      const std::size_t length = std::size(item);
      if (lengths[level] < 0)
        lengths[level] = int64_t(length);
      else if (lengths[level] != int64_t(length))
        throwRagged(std::size_t(lengths[level]), length);
      for (auto it = std::begin(item); it != std::end(item); ++it)
        append<ElementOf<T>>(*it, level + 1);
    } else {
      elements.push_back(item);
    }
  }
};

/// Calls \p body(pointer to the elements, shape).
template <NestedSequence T, typename Body>
auto withElements(const T &list, Body body) {
  using E = typename Nesting<T>::Element;
  if constexpr (ElementSequence<T> && !std::is_same_v<E, bool> &&
                requires { std::data(list); }) {
    return body(static_cast<const void *>(std::data(list)),
                Shape(int64_t(std::size(list))));
  } else {
    Flattened<E> flattened;
    flattened.lengths.assign(Nesting<T>::depth, -1);
    flattened.append(list);
    Shape shape;
    for (int64_t length : flattened.lengths)
      shape.push_back(length < 0 ? 0 : length);
    return body(static_cast<const void *>(flattened.elements.data()), shape);
  }
}

} // namespace detail
} // namespace tinygrad

#endif // TINYGRAD_TENSOR_NESTED_H
