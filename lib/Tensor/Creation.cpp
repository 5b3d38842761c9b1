//===- Creation.cpp - new tensors -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tensors from data, filled tensors, ranges.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"
#include "Shards.h"
#include "TinyGrad/Runtime/DefaultFloat.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// From data
//===----------------------------------------------------------------------===//

Tensor Tensor::fromBytes(const void *data, const Shape &shape, DType dtype,
                         const TensorOptions &options) {
  constantsOf(shape, "from");
  const SymInt count = checkedNumElements(shape, dtype, "from");
  Device &device = deviceOf(options);
  Buffer memory = Buffer::fromHost(
      device, data, std::size_t(count.value()) * itemSize(dtype), dtype);
  return prim::buffer(Graph::current(), memory, dtype, shape)
      .cast(options.dtype.value_or(dtype));
}

Tensor Tensor::fromFlat(const void *data, int64_t count, const Shape &shape,
                        DType dtype, const TensorOptions &options) {
  constantsOf(shape, "from");
  if (checkedNumElements(shape, dtype, "from") != count)
    throw ShapeError("from: " + std::to_string(count) +
                     " elements do not fill the shape " + toString(shape));
  return fromBytes(data, shape, dtype, options);
}

Tensor Tensor::fromScalars(const std::vector<Scalar> &data, const Shape &shape,
                           const TensorOptions &options) {
  DType dtype = data.empty() ? defaultFloat() : DType::Bool;
  for (const Scalar &value : data)
    dtype = promote(dtype, value.defaultDType());
  dtype = options.dtype.value_or(dtype);
  // Converts through a C++ type that represents all numbers of the kind.
  if (isFloat(dtype)) {
    std::vector<double> numbers;
    for (const Scalar &value : data)
      numbers.push_back(value.toDouble());
    return fromBytes(numbers.data(), shape, DType::Float64,
                     {dtype, options.device});
  }
  std::vector<uint64_t> numbers;
  for (const Scalar &value : data) {
    checkFits(value, dtype, "from");
    numbers.push_back(value.toBits());
  }
  return fromBytes(numbers.data(), shape, DType::UInt64,
                   {dtype, options.device});
}

Tensor Tensor::from(std::initializer_list<Scalar> row,
                    const TensorOptions &options) {
  return fromScalars(row, int64_t(row.size()), options);
}

Tensor Tensor::from(std::initializer_list<std::initializer_list<Scalar>> rows,
                    const TensorOptions &options) {
  std::vector<Scalar> data;
  const std::size_t width = rows.size() ? rows.begin()->size() : 0;
  for (const std::initializer_list<Scalar> &row : rows) {
    if (row.size() != width)
      throwRagged(width, row.size());
    data.insert(data.end(), row.begin(), row.end());
  }
  return fromScalars(data, {int64_t(rows.size()), int64_t(width)}, options);
}

void detail::throwRagged(std::size_t expected, std::size_t found) {
  throw ShapeError("from: nested lists have different lengths: " +
                   std::to_string(expected) + " and " + std::to_string(found));
}

/// The bytes of a tensor whose shape was checked.
static std::size_t sizeInBytes(const Shape &shape, DType dtype) {
  std::size_t bytes = itemSize(dtype);
  for (const SymInt &size : shape)
    if (size.max() == 0)
      return 0;
  for (const SymInt &size : shape)
    bytes *= std::size_t(size.max());
  return bytes;
}

static Tensor wrapBuffer(const Buffer &buffer, const Shape &shape, DType dtype,
                         const char *what) {
  checkedNumElements(shape, dtype, what);
  if (buffer.size() != sizeInBytes(shape, dtype))
    throw ShapeError(std::string(what) + ": a tensor " + toString(shape) +
                     " of " + name(dtype) + " does not fit a buffer of " +
                     std::to_string(buffer.size()) + " bytes");
  if (reinterpret_cast<uintptr_t>(buffer.address()) % itemSize(dtype) != 0)
    throw ShapeError(std::string(what) +
                     ": the buffer begins at an address that is not a multiple "
                     "of the size of " +
                     name(dtype));
  // The compiler's code is checked against the buffer's element type.
  return prim::buffer(Graph::current(), buffer.view(0, buffer.size(), dtype),
                      dtype, shape);
}

Tensor Tensor::fromBuffer(const Buffer &buffer, const Shape &shape,
                          DType dtype) {
  return wrapBuffer(buffer, shape, dtype, "fromBuffer");
}

Tensor Tensor::fromHost(const HostArray &array, const TensorOptions &options) {
  const Shape shape(array.shape.begin(), array.shape.end());
  Tensor tensor = wrapBuffer(array.data, shape, array.dtype, "fromHost");
  Device &device = deviceOf(options);
  if (&device != tensor.impl().device)
    tensor = tensor.to(device.name());
  return tensor.cast(options.dtype.value_or(array.dtype));
}

//===----------------------------------------------------------------------===//
// Filled tensors
//===----------------------------------------------------------------------===//

Tensor::Tensor(Scalar value, const TensorOptions &options)
    : Tensor(full({}, value, options)) {}

static Tensor makeFull(const Shape &shape, Scalar value, DType dtype,
                       const TensorOptions &options, const char *what) {
  checkFits(value, dtype, what);
  checkedNumElements(shape, dtype, what);
  return prim::constant(Graph::current(), deviceOf(options), value, dtype,
                        shape);
}

Tensor Tensor::full(const Shape &shape, Scalar value,
                    const TensorOptions &options) {
  return makeFull(shape, value, options.dtype.value_or(value.defaultDType()),
                  options, "full");
}

Tensor Tensor::zeros(const Shape &shape, const TensorOptions &options) {
  return makeFull(shape, 0, options.dtype.value_or(defaultFloat()), options,
                  "zeros");
}

Tensor Tensor::ones(const Shape &shape, const TensorOptions &options) {
  return makeFull(shape, 1, options.dtype.value_or(defaultFloat()), options,
                  "ones");
}

static Tensor makeEmpty(const Graph &graph, Device &device, const Shape &shape,
                        DType dtype) {
  checkedNumElements(shape, dtype, "empty");
  return prim::buffer(
      graph, Buffer::allocate(device, sizeInBytes(shape, dtype), dtype), dtype,
      shape);
}

Tensor Tensor::empty(const Shape &shape, const TensorOptions &options) {
  return makeEmpty(Graph::current(), deviceOf(options), shape,
                   options.dtype.value_or(defaultFloat()));
}

Tensor Tensor::emptyLike(std::optional<DType> dtype) const {
  if (isSharded(*this))
    return shards::map(
        *this, [&](const Tensor &part) { return part.emptyLike(dtype); });
  return makeEmpty(Graph(impl().graph), *impl().device, shape(),
                   dtype.value_or(this->dtype()));
}

Tensor Tensor::fullLike(Scalar value, std::optional<DType> dtype) const {
  const DType result = dtype.value_or(this->dtype());
  checkFits(value, result, "fullLike");
  return prim::constant(*this, value, result, shape());
}

Tensor Tensor::zerosLike(std::optional<DType> dtype) const {
  return fullLike(0, dtype);
}

Tensor Tensor::onesLike(std::optional<DType> dtype) const {
  return fullLike(1, dtype);
}

static constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();

[[noreturn]] static void throwNoRange(Scalar start, Scalar stop, Scalar step) {
  throw ShapeError("arange: there is no range from " + start.str() + " to " +
                   stop.str() + " in steps of " + step.str());
}

static Tensor arangeOfFloats(Scalar start, Scalar stop, Scalar step,
                             DType dtype, Device &device) {
  const double distance = stop.toDouble() - start.toDouble();
  const double steps = std::ceil(distance / step.toDouble());
  if (!std::isfinite(steps))
    throwNoRange(start, stop, step);
  if (steps > 0x1p62)
    throw ShapeError("arange: the range from " + start.str() + " to " +
                     stop.str() + " is too long");
  const int64_t count = steps > 0 ? int64_t(steps) : 0;
  // A narrow type may represent the values, but not all positions.
  const DType compute =
      isFloat(dtype) ? promote(dtype, DType::Float32) : DType::Float64;
  checkedNumElements({count}, compute, "arange");
  Tensor position = prim::iota(Graph::current(), device, 0, compute, {count});
  return (position * step + start).cast(dtype);
}

/// Exact for all integers, including 64-bit ones.
static Tensor arangeOfIntegers(Scalar start, Scalar stop, Scalar step,
                               DType dtype, Device &device) {
  auto wide = [](Scalar value) {
    const uint64_t bits = value.toBits();
    return value.isNegative() ? __int128(int64_t(bits)) : __int128(bits);
  };
  const __int128 first = wide(start), stride = wide(step);
  const __int128 distance = wide(stop) - first;
  if (stride == 0)
    throwNoRange(start, stop, step);
  const __int128 steps =
      (distance > 0) == (stride > 0)
          ? (distance + stride - (stride > 0 ? 1 : -1)) / stride
          : __int128(0);
  const __int128 last = first + (steps - 1) * stride;
  auto isValue = [&](__int128 value) {
    return value >= integerMin(dtype) && value <= __int128(integerMax(dtype));
  };
  if (steps > 0 && !(isValue(first) && isValue(last)))
    throw DTypeError("arange: the numbers from " + start.str() + " to " +
                     stop.str() + " in steps of " + step.str() +
                     " are not all values of " + name(dtype));
  const int64_t count =
      steps > std::numeric_limits<int64_t>::max() ? -1 : int64_t(steps);
  // The step may not be a value of the type; arithmetic modulo 2^64 is exact.
  const bool isNarrow = start.fits(dtype) && step.fits(dtype);
  const DType compute = isNarrow ? dtype : DType::Int64;
  checkedNumElements({count}, compute, "arange");
  Tensor position = prim::iota(Graph::current(), device, 0, compute, {count});
  if (isNarrow)
    return position * step + start;
  return (position * int64_t(step.toBits()) + int64_t(start.toBits()))
      .cast(dtype);
}

/// The number of elements is symbolic; start, stop and step may be as well.
static Tensor arangeOfExpressions(Scalar start, Scalar stop, Scalar step,
                                  DType dtype, Device &device) {
  for (const Scalar &bound : {start, stop, step})
    if (bound.kind() == Scalar::Kind::Float)
      throw DTypeError("arange: a range with a symbolic bound is one of "
                       "integers, not from " +
                       start.str() + " to " + stop.str() + " in steps of " +
                       step.str());
  const int64_t stride = constantOf(step.toSymInt(), "arange: the step");
  if (stride == 0)
    throwNoRange(start, stop, step);
  const SymInt first = start.toSymInt(), last = stop.toSymInt();
  const SymInt distance = stride > 0 ? last - first : first - last;
  const int64_t length = stride > 0 ? stride : -std::max(stride, -kInt64Max);
  const SymInt count = symMax((distance - 1) / length + 1, 0);
  checkFits(start, dtype, "arange");
  checkFits(stop, dtype, "arange");
  checkedNumElements({count}, DType::Int64, "arange");
  Tensor position =
      prim::iota(Graph::current(), device, 0, DType::Int64, {count});
  return (position * stride + start).cast(dtype);
}

Tensor Tensor::arange(Scalar start, Scalar stop, Scalar step,
                      const TensorOptions &options) {
  const MethodScope method("arange");
  const bool isInt = start.kind() != Scalar::Kind::Float &&
                     stop.kind() != Scalar::Kind::Float &&
                     step.kind() != Scalar::Kind::Float;
  DType dtype = defaultFloat();
  if (isInt)
    dtype = promote({start.defaultDType(), stop.defaultDType(),
                     step.defaultDType(), defaultInt()});
  dtype = options.dtype.value_or(dtype);
  if (dtype == DType::Bool)
    throw DTypeError("arange: there is no range of bools");
  Device &device = deviceOf(options);
  if (start.isSymbolic() || stop.isSymbolic() || step.isSymbolic())
    return arangeOfExpressions(start, stop, step, dtype, device);
  if (isInt && !isFloat(dtype))
    return arangeOfIntegers(start, stop, step, dtype, device);
  // Floats of 32 bits have integers up to 2^24. Larger ones would be rounded
  // twice, as positions and as sums.
  const double largest =
      std::max({std::abs(start.toDouble()), std::abs(stop.toDouble()),
                std::abs(stop.toDouble() - start.toDouble())});
  if (isInt && dtype != DType::Float64 && largest > 0x1p24 && largest < 0x1p62)
    return arangeOfIntegers(start, stop, step, DType::Int64, device)
        .cast(dtype);
  return arangeOfFloats(start, stop, step, dtype, device);
}

Tensor Tensor::linspace(Scalar start, Scalar stop, SymInt number,
                        const TensorOptions &options) {
  const MethodScope method("linspace");
  const int64_t steps = constantOf(number, "linspace");
  for (const Scalar &end : {start, stop})
    if (end.isSymbolic())
      constantOf(end.toSymInt(), "linspace");
  if (steps < 0)
    throw ShapeError("linspace: the number of steps is negative: " +
                     std::to_string(steps));
  const DType dtype = options.dtype.value_or(defaultFloat());
  if (dtype == DType::Bool)
    throw DTypeError("linspace: there is no range of bools");
  const DType compute =
      isFloat(dtype) ? promote(dtype, DType::Float32) : DType::Float64;
  checkedNumElements({steps}, compute, "linspace");
  Tensor position =
      prim::iota(Graph::current(), deviceOf(options), 0, compute, {steps});
  if (steps <= 1)
    return position.fullLike(start).cast(dtype);
  const double step = (stop.toDouble() - start.toDouble()) / double(steps - 1);
  // The last element is exactly `stop`.
  Tensor values = position * step + start.toDouble();
  return (position == steps - 1).where(stop.toDouble(), values).cast(dtype);
}

Tensor Tensor::eye(SymInt rows, std::optional<SymInt> columns,
                   const TensorOptions &options) {
  const MethodScope method("eye");
  const Shape shape = {rows, columns.value_or(rows)};
  checkedNumElements(shape, options.dtype.value_or(defaultFloat()), "eye");
  const Graph graph = Graph::current();
  Device &device = deviceOf(options);
  const DType position = positionDType(shape);
  return (prim::iota(graph, device, 0, position, shape) ==
          prim::iota(graph, device, 1, position, shape))
      .cast(options.dtype.value_or(defaultFloat()));
}
