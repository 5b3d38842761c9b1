//===- Format.h - std::format of tensors and their facts --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `std::format("{} {}", x.shape(), x.dtype())`, with the format specifications
/// of strings, where the C++ library has std::format. What it writes is what
/// `std::ostream <<` prints.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_FORMAT_H
#define TINYGRAD_TENSOR_FORMAT_H

#include "TinyGrad/Tensor/Tensor.h"

#include <version>

#ifdef __cpp_lib_format

#include <concepts>
#include <format>
#include <string>
#include <string_view>

template <>
struct std::formatter<tinygrad::DType, char>
    : std::formatter<std::string_view, char> {
  template <typename Context>
  auto format(tinygrad::DType dtype, Context &context) const {
    return std::formatter<std::string_view, char>::format(tinygrad::name(dtype),
                                                          context);
  }
};

template <>
struct std::formatter<tinygrad::Shape, char>
    : std::formatter<std::string_view, char> {
  template <typename Context>
  auto format(const tinygrad::Shape &shape, Context &context) const {
    return std::formatter<std::string_view, char>::format(
        tinygrad::toString(shape), context);
  }
};

template <std::derived_from<tinygrad::SymInt> S>
struct std::formatter<S, char> : std::formatter<std::string_view, char> {
  template <typename Context>
  auto format(const S &size, Context &context) const {
    return std::formatter<std::string_view, char>::format(size.str(), context);
  }
};

/// The values; realizes.
template <std::derived_from<tinygrad::Tensor> T>
struct std::formatter<T, char> : std::formatter<std::string_view, char> {
  template <typename Context>
  auto format(const T &tensor, Context &context) const {
    return std::formatter<std::string_view, char>::format(tensor.str(),
                                                          context);
  }
};

#endif // __cpp_lib_format

#endif // TINYGRAD_TENSOR_FORMAT_H
