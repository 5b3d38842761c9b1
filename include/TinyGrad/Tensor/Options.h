//===- Options.h - parameters of tensor methods -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Options of methods, for designated initializers:
///
/// \code
///   x.conv2d(weight, bias, {.stride = 2, .padding = {1, 1}})
///   Tensor::rand({2, 3}, {.dtype = DType::Float16})
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_OPTIONS_H
#define TINYGRAD_TENSOR_OPTIONS_H

#include "TinyGrad/Runtime/DType.h"
#include "TinyGrad/Tensor/Shape.h"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tinygrad {

/// The options of a new tensor by name, `{.dtype = DType::Int8}`, with the
/// defaults of TensorOptions.
struct NamedTensorOptions {
  std::optional<DType> dtype = {};
  std::string device = {};
};

/// Element type and device of a new tensor. Both are optional: by default, the
/// element type follows from the values (float32 if there are none) and the
/// device is the default one.
struct TensorOptions {
  std::optional<DType> dtype;
  std::string device;

  TensorOptions() = default;
  TensorOptions(const NamedTensorOptions &options)
      : dtype(options.dtype), device(options.device) {}
  TensorOptions(DType dtype, std::string device = {})
      : dtype(dtype), device(std::move(device)) {}
  TensorOptions(std::optional<DType> dtype, std::string device = {})
      : dtype(dtype), device(std::move(device)) {}
  // A template, so that {0} is not a null pointer to a name.
  template <std::convertible_to<std::string_view> Name>
  TensorOptions(const Name &device) : device(std::string_view(device)) {}
};

/// The parameter type for \p Options written in braces: `template
/// <OptionsFor<X> O = X> f(const O &options)`. Overload resolution prefers
/// functions that are not templates.
template <typename T, typename Options>
concept OptionsFor = std::same_as<T, Options>;

/// How Tensor::scatterReduce combines the values for one element.
enum class ScatterReduction { Sum, Prod, Mean, AMax, AMin };

/// Which axis of Tensor::meshgrid the first row runs along: axis 0, as matrices
/// are indexed, or axis 1, as x of coordinates (x, y).
enum class GridIndexing { IJ, XY };

/// Sizes of axes by name, `{{"h", 2}, {"w", n}}`.
using NamedSizes = std::vector<std::pair<std::string, SymInt>>;

/// How Tensor::pad fills the added elements. For a row `a b c` and two elements
/// on each side: `v v|a b c|v v` (Constant), `c b|a b c|b a` (Reflect, without
/// the outermost element itself), `a a|a b c|c c` (Replicate), `b c|a b c|a b`
/// (Circular).
enum class PadMode { Constant, Reflect, Replicate, Circular };

/// Between which elements Tensor::interpolate reads: in proportion to the
/// distance from both neighbors, at the one at or before a position, or at the
/// one whose center is nearest (as in Pillow and OpenCV).
enum class InterpolateMode { Linear, Nearest, NearestExact };

/// How the losses of each element, or row, are combined.
enum class Reduction { None, Mean, Sum };

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

/// Options of Tensor::convTranspose2d.
struct ConvTranspose2dOptions {
  int64_t groups = 1;
  /// Those of the convolution that is transposed; padding as in Conv2dOptions.
  PerAxis stride = 1;
  PerAxis dilation = 1;
  PerAxis padding = 0;
  /// Additional elements after each axis.
  PerAxis outputPadding = 0;
  /// As in Conv2dOptions.
  std::optional<DType> dtype = {};
};

/// Options of Tensor::maxUnpool2d: those of the pooling.
struct MaxUnpool2dOptions {
  /// The kernel size if empty.
  std::optional<PerAxis> stride = {};
  PerAxis dilation = 1;
  /// As in Conv2dOptions.
  PerAxis padding = 0;
  /// Sizes of the spatial axes of the result (or of all axes, of which the last
  /// ones count); if empty, the least that pooling would have taken.
  std::optional<Shape> outputSize = {};
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
