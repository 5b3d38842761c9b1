//===- Options.h - parameters of tensor methods -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The types of parameters: shapes, axes, and one struct of options for each
/// method that has several optional parameters, to be filled by name:
///
/// \code
///   x.conv2d(weight, bias, {.stride = 2, .padding = {1, 1}})
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_OPTIONS_H
#define TINYGRAD_TENSOR_OPTIONS_H

#include "TinyGrad/Runtime/DType.h"
#include "TinyGrad/Tensor/SymInt.h"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tinygrad {

/// The sizes of the axes, outermost first; empty for rank 0.
using Shape = std::vector<SymInt>;

/// "[2, 3]"
std::string toString(const Shape &shape);

/// Where and as what a new tensor is made. Both are optional: the element type
/// then follows from the values (float32 where there are none) and the device
/// is the default one.
struct TensorOptions {
  std::optional<DType> dtype;
  std::string device;

  TensorOptions() = default;
  TensorOptions(DType dtype, std::string device = {})
      : dtype(dtype), device(std::move(device)) {}
  TensorOptions(std::optional<DType> dtype, std::string device = {})
      : dtype(dtype), device(std::move(device)) {}
  // A template, so that {0} is no null pointer to a name.
  template <std::convertible_to<std::string_view> Name>
  TensorOptions(const Name &device) : device(std::string_view(device)) {}
};

/// The axes that a reduction runs over: all of them, one, or a list. Negative
/// ones count from the last.
class Axes {
public:
  /// All axes.
  Axes() = default;
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Axes(T axis) : list{int64_t(axis)}, isAll_(false) {}
  Axes(std::initializer_list<int64_t> axes) : list(axes), isAll_(false) {}
  Axes(std::vector<int64_t> axes) : list(std::move(axes)), isAll_(false) {}

  bool isAll() const { return isAll_; }
  const std::vector<int64_t> &get() const { return list; }

private:
  std::vector<int64_t> list;
  bool isAll_ = true;
};

/// One number for each spatial axis, or one for all of them.
class PerAxis {
public:
  template <std::integral T> PerAxis(T value) : list{int64_t(value)} {}
  PerAxis(std::initializer_list<int64_t> values) : list(values) {}
  PerAxis(std::vector<int64_t> values) : list(std::move(values)) {}

  const std::vector<int64_t> &get() const { return list; }

private:
  std::vector<int64_t> list;
};

/// Elements added before and after an axis.
using PadAmount = std::pair<SymInt, SymInt>;

/// The part of an axis from one position up to another, exclusive.
using Part = std::pair<SymInt, SymInt>;

/// How Tensor::scatterReduce combines the values for one element.
enum class ScatterReduction { Sum, Prod, Mean, AMax, AMin };

/// Options of Tensor::conv2d.
struct Conv2dOptions {
  int64_t groups = 1;
  PerAxis stride = 1;
  PerAxis dilation = 1;
  /// One number, one for each spatial axis, or a pair (before, after) for each,
  /// the pair of the last axis first.
  PerAxis padding = 0;
  /// Element type to accumulate in; chosen by sumAccumulationDType() if empty.
  std::optional<DType> dtype = {};
};

/// Options of Tensor::avgPool2d and Tensor::maxPool2d.
struct Pool2dOptions {
  /// The kernel size if empty.
  std::optional<PerAxis> stride = {};
  PerAxis dilation = 1;
  /// As in Conv2dOptions.
  PerAxis padding = 0;
  /// Keep a last window that is only partly inside.
  bool ceilMode = false;
  /// Average pooling: padding counts as elements.
  bool countIncludePad = true;
};

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_OPTIONS_H
