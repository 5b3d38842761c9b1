//===- Tensor.cpp - handles, properties, access to values -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Methods that build no operations, and checks shared by the other files.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/Tensor.h"
#include "Primitives.h"
#include "ReadElement.h"
#include "Recorder.h"
#include "Shards.h"
#include "TensorImpl.h"
#include "TinyGrad/Dialect/Tg/IR/TgLimits.h"
#include "TinyGrad/Runtime/Npy.h"
#include "TinyGrad/Runtime/Profile.h"

#include <algorithm>
#include <cstring>
#include <ostream>

using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

std::string tinygrad::toString(const Shape &shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + shape[i].str();
  return text + "]";
}

std::ostream &tinygrad::operator<<(std::ostream &stream, const Shape &shape) {
  return stream << toString(shape);
}

std::string detail::describe(const Tensor &tensor) {
  return toString(tensor.shape()) + " " + name(tensor.dtype());
}

/// The product of non-negative sizes.
static SymInt productOf(const Shape &shape) {
  SymInt product = 1;
  for (const SymInt &size : shape)
    if (size.max() == 0)
      return 0;
  for (const SymInt &size : shape)
    product *= size;
  return product;
}

SymInt detail::checkedNumElements(const Shape &shape, DType dtype,
                                  const char *what) {
  if (int64_t(shape.size()) > mlir::tg::kMaxAxes)
    throw ShapeError(
        std::string(what) + ": a tensor of " + std::to_string(shape.size()) +
        " axes; there can be at most " + std::to_string(mlir::tg::kMaxAxes));
  // As in NumPy, the product of the other sizes must fit even if one is zero:
  // movement operations multiply subsets of the sizes.
  int64_t bytes = int64_t(itemSize(dtype));
  bool fits = true, isEmpty = false;
  for (const SymInt &size : shape) {
    isEmpty |= size.max() == 0;
    fits =
        fits && size.min() >= 0 &&
        (size.max() == 0 || !__builtin_mul_overflow(bytes, size.max(), &bytes));
  }
  fits = fits && bytes != INT64_MAX; // stands for values that are too large
  if (fits && isEmpty)
    return 0;
  if (!fits)
    throw ShapeError(std::string(what) + ": " + toString(shape) +
                     " is not the shape of a tensor: sizes must not be "
                     "negative, nor the product of those that are not "
                     "0 too large");
  return detail::isSymbolic(shape) ? productOf(shape)
                                   : SymInt(bytes / int64_t(itemSize(dtype)));
}

SymInt detail::checkedSum(SymInt a, SymInt b, const char *what) {
  int64_t most;
  if (__builtin_add_overflow(a.max(), b.max(), &most))
    throw ShapeError(std::string(what) + ": an axis of size " + a.str() +
                     " + " + b.str() + " is too large");
  return a + b;
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
    // A tensor of rank 0 is treated as a row of one element.
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
// Properties
//===----------------------------------------------------------------------===//

TensorImpl &Tensor::impl() const {
  if (!impl_)
    throw Error("the tensor is undefined: it was default-constructed, or it is "
                "the grad() of a tensor that has none, before backward() or "
                "after zeroGrad()");
  TensorImpl &tensor = impl_->selection ? impl_->selection->get() : *impl_;
  if (Recorder *recorder = Recorder::current(); recorder && !tensor.shards)
    recorder->use(tensor);
  return tensor;
}

const Shape &Tensor::shape() const { return impl().shape; }

SymInt Tensor::size(int64_t axis) const {
  return shape()[normalizeAxis(axis, ndim(), "size")];
}

int64_t Tensor::ndim() const { return int64_t(shape().size()); }

SymInt Tensor::numel() const { return productOf(shape()); }

std::vector<int64_t> Tensor::concreteShape() const { return valuesOf(shape()); }

bool Tensor::isSymbolic() const { return detail::isSymbolic(shape()); }

DType Tensor::dtype() const { return impl().dtype; }

std::size_t Tensor::itemsize() const { return itemSize(dtype()); }

std::size_t Tensor::nbytes() const {
  return std::size_t(numel().value()) * itemsize();
}

const std::string &Tensor::device() const { return impl().device->name(); }

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const Tensor &Tensor::realize(std::source_location where) const {
  tinygrad::realize({*this}, where);
  return *this;
}

static void checkAccess(const Tensor &tensor, DType wanted,
                        const char *method) {
  if (tensor.dtype() != wanted)
    throw DTypeError(std::string(method) + ": the tensor is " +
                     name(tensor.dtype()) + ", not " + name(wanted));
}

/// Whether the elements are contiguous in memory of the maximal sizes.
static bool isPacked(const std::vector<int64_t> &sizes,
                     const std::vector<int64_t> &greatest) {
  std::size_t first = 0;
  while (first < sizes.size() && sizes[first] == 1)
    ++first;
  for (std::size_t i = first + 1; i < sizes.size(); ++i)
    if (sizes[i] != greatest[i])
      return false;
  return true;
}

/// Copies elements from memory of the maximal sizes, row by row. Returns the
/// end of the copied elements.
static char *copyRows(const char *from, char *to, std::size_t itemSize,
                      const std::vector<int64_t> &sizes,
                      const std::vector<int64_t> &greatest, std::size_t axis) {
  if (axis + 1 == sizes.size()) {
    const std::size_t bytes = std::size_t(sizes[axis]) * itemSize;
    std::memcpy(to, from, bytes);
    return to + bytes;
  }
  std::size_t stride = itemSize;
  for (std::size_t i = axis + 1; i < greatest.size(); ++i)
    stride *= std::size_t(greatest[i]);
  for (int64_t i = 0; i < sizes[axis]; ++i)
    to = copyRows(from + std::size_t(i) * stride, to, itemSize, sizes, greatest,
                  axis + 1);
  return to;
}

/// The elements of a tensor in \p memory, without gaps.
static HostArray gatherElements(const Tensor &tensor, const Buffer &memory) {
  HostArray array = makeHostArray(tensor.dtype(), tensor.concreteShape());
  const std::vector<int64_t> greatest = largestOf(tensor.shape());
  if (isPacked(array.shape, greatest)) {
    memory.copyOut(array.data.address(), tensor.nbytes());
    return array;
  }
  Buffer staging = memory;
  if (!memory.device().information().hostVisible) {
    staging = makeHostArray(tensor.dtype(), greatest).data;
    memory.copyOut(staging.address(), memory.size());
  }
  if (array.numElements() != 0)
    copyRows(static_cast<const char *>(staging.address()),
             static_cast<char *>(array.data.address()), tensor.itemsize(),
             array.shape, greatest, 0);
  return array;
}

Buffer Tensor::hostBuffer(DType wanted, const char *method,
                          const std::source_location &where) const {
  const CallSite site(where.file_name(), where.line());
  checkAccess(*this, wanted, method);
  Recorder::checkHostRead(method);
  Buffer memory = buffer(std::source_location());
  memory.device().synchronize();
  if (memory.device().information().hostVisible &&
      (!isSymbolic() || isPacked(concreteShape(), largestOf(shape()))))
    return memory;
  return gatherElements(*this, memory).data;
}

void Tensor::readItem(void *value, DType wanted,
                      const std::source_location &where) const {
  const CallSite site(where.file_name(), where.line());
  checkAccess(*this, wanted, "item");
  Recorder::checkHostRead("item");
  if (numel().value() != 1)
    throw ShapeError("item: a tensor of shape " + toString(shape()) + " has " +
                     std::to_string(numel().value()) + " elements, not 1");
  if (!isSharded(*this) && readElement(impl(), value))
    return;
  Buffer memory = buffer(std::source_location());
  memory.device().synchronize();
  memory.copyOut(value, itemsize());
}

HostArray Tensor::toHost(std::source_location where) const {
  const CallSite site(where.file_name(), where.line());
  Recorder::checkHostRead("toHost");
  Buffer memory = buffer(std::source_location());
  memory.device().synchronize();
  return gatherElements(*this, memory);
}

void tinygrad::writeNpy(const std::string &path, const Tensor &tensor,
                        std::source_location where) {
  writeNpy(path, tensor.toHost(where));
}
