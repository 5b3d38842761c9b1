//===- Tensor.cpp - handles, facts, access to values ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What does not build operations, and the checks that the other files share.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/Tensor.h"
#include "Primitives.h"
#include "TensorImpl.h"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

std::string tinygrad::toString(const Shape &shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string detail::describe(const Tensor &tensor) {
  return toString(tensor.shape()) + " " + name(tensor.dtype());
}

int64_t detail::checkedNumElements(const Shape &shape, DType dtype,
                                   const char *what) {
  std::optional<int64_t> bytes = denseByteSize(dtype, shape);
  if (!bytes)
    throw ShapeError(std::string(what) + ": " + toString(shape) +
                     " is not the shape of a tensor: sizes must not be "
                     "negative, nor their product too large");
  return *bytes / int64_t(itemSize(dtype));
}

int64_t detail::checkedSum(int64_t a, int64_t b, const char *what) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum))
    throw ShapeError(std::string(what) + ": an axis of size " +
                     std::to_string(a) + " + " + std::to_string(b) +
                     " is too large");
  return sum;
}

void detail::checkFits(Scalar value, DType dtype, const char *what) {
  if (!value.fits(dtype))
    throw DTypeError(std::string(what) + ": " + value.str() +
                     " is not a value of " + name(dtype));
}

int64_t detail::normalizeAxis(int64_t axis, int64_t rank, const char *what) {
  const int64_t result = axis < 0 ? axis + rank : axis;
  if (result < 0 || result >= rank)
    throw IndexError(std::string(what) + ": axis " + std::to_string(axis) +
                     " is out of range for a tensor of rank " +
                     std::to_string(rank));
  return result;
}

std::vector<int64_t> detail::normalizeAxes(const Axes &axes, int64_t rank,
                                           const char *what) {
  std::vector<int64_t> result;
  if (axes.isAll()) {
    for (int64_t i = 0; i < rank; ++i)
      result.push_back(i);
    return result;
  }
  for (int64_t axis : axes.get()) {
    // A tensor of rank 0 counts as a row of one element.
    const bool ofScalar = rank == 0 && (axis == 0 || axis == -1);
    result.push_back(ofScalar ? 0 : normalizeAxis(axis, rank, what));
  }
  std::sort(result.begin(), result.end());
  auto twice = std::adjacent_find(result.begin(), result.end());
  if (twice != result.end())
    throw IndexError(std::string(what) + ": axis " + std::to_string(*twice) +
                     " is given twice");
  if (rank == 0)
    result.clear();
  return result;
}

Device &detail::deviceOf(const TensorOptions &options) {
  return options.device.empty() ? Device::getDefault()
                                : Device::get(options.device);
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

TensorImpl &Tensor::impl() const {
  if (!impl_)
    throw Error("the tensor is undefined (default-constructed)");
  return *impl_;
}

const Shape &Tensor::shape() const { return impl().shape; }

int64_t Tensor::size(int64_t axis) const {
  return shape()[normalizeAxis(axis, ndim(), "size")];
}

int64_t Tensor::ndim() const { return int64_t(shape().size()); }

int64_t Tensor::numel() const {
  // Sizes next to a zero may have a product that is too large.
  return std::find(shape().begin(), shape().end(), 0) != shape().end()
             ? 0
             : std::accumulate(shape().begin(), shape().end(), int64_t(1),
                               std::multiplies<int64_t>());
}

DType Tensor::dtype() const { return impl().dtype; }

std::size_t Tensor::itemsize() const { return itemSize(dtype()); }

std::size_t Tensor::nbytes() const { return std::size_t(numel()) * itemsize(); }

const std::string &Tensor::device() const { return impl().device->name(); }

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const Tensor &Tensor::realize() const {
  tinygrad::realize({*this});
  return *this;
}

static void checkAccess(const Tensor &tensor, DType wanted,
                        const char *method) {
  if (tensor.dtype() != wanted)
    throw DTypeError(std::string(method) + ": the tensor is " +
                     name(tensor.dtype()) + ", not " + name(wanted));
}

Buffer Tensor::hostBuffer(DType wanted, const char *method) const {
  checkAccess(*this, wanted, method);
  Buffer memory = buffer();
  memory.device().synchronize();
  if (memory.device().information().hostVisible)
    return memory;
  HostArray array = makeHostArray(dtype(), shape());
  memory.copyOut(array.data.address(), nbytes());
  return array.data;
}

void Tensor::readItem(void *value, DType wanted) const {
  checkAccess(*this, wanted, "item");
  if (numel() != 1)
    throw ShapeError("item: a tensor of shape " + toString(shape()) + " has " +
                     std::to_string(numel()) + " elements, not 1");
  Buffer memory = buffer();
  memory.device().synchronize();
  memory.copyOut(value, itemsize());
}

HostArray Tensor::toHost() const {
  HostArray array = makeHostArray(dtype(), shape());
  Buffer memory = buffer();
  memory.device().synchronize();
  memory.copyOut(array.data.address(), nbytes());
  return array;
}
