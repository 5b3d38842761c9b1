//===- Tensor.h - lazy tensors ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The tensor API. Operations on tensors are lazy: they extend a graph, which
/// is compiled and run when values are asked for.
///
/// Method names are tinygrad's, converted from snake_case to camelCase.
/// promote() gives operands a common element type; shapes are broadcast.
/// Negative axes count from the last. Every method throws ShapeError,
/// DTypeError, IndexError or DeviceError for operands that it does not accept,
/// before anything is built. docs/tensor-api.md describes the rules.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_TENSOR_H
#define TINYGRAD_TENSOR_TENSOR_H

#include "TinyGrad/Runtime/DType.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/HostArray.h"
#include "TinyGrad/Tensor/Graph.h"
#include "TinyGrad/Tensor/Index.h"
#include "TinyGrad/Tensor/Nested.h"
#include "TinyGrad/Tensor/Operand.h"
#include "TinyGrad/Tensor/Options.h"
#include "TinyGrad/Tensor/Scalar.h"
#include "TinyGrad/Tensor/Shape.h"
#include "TinyGrad/Tensor/TensorData.h"
#include "TinyGrad/Tensor/Training.h"

#include <concepts>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace tinygrad {

class IndexedTensor;
class Tensor;
struct ValuesAndIndices;
namespace detail {
struct TensorImpl;
} // namespace detail

/// A handle on a value of a graph. Copies of a handle are the same tensor:
/// assign() through one is visible in the others. A default-constructed handle
/// is undefined; anything but defined(), assignment and destruction throws
/// Error.
///
/// The methods are in groups: facts, creation, random numbers, movement,
/// indexing, scans and sorts, elementwise (two operands, one), reductions,
/// networks, factorizations, losses, element type and place, values. Options
/// and the types of parameters are in Options.h, Shape.h, Operand.h and
/// Index.h.
class Tensor {
public:
  Tensor() = default;
  /// A tensor of rank 0. The number may be symbolic: it is then an operand that
  /// a program receives when it runs.
  explicit Tensor(Scalar value, const TensorOptions &options = {});

  Tensor(const Tensor &) = default;
  Tensor(Tensor &&) = default;
  /// Makes this variable refer to another tensor. Index expressions can be
  /// assigned to as well, see IndexedTensor; other temporaries cannot: use
  /// assign().
  Tensor &operator=(const Tensor &) & = default;
  Tensor &operator=(Tensor &&) & = default;
  Tensor &operator=(const Tensor &) && = delete; // a temporary: use assign()

  /// Tensors are compared element by element. Use all(), any() or item<bool>().
  explicit operator bool() const = delete; // use all(), any() or item<bool>()

  bool defined() const { return impl_ != nullptr; }

  //===--------------------------------------------------------------------===//
  // Facts
  //===--------------------------------------------------------------------===//

  /// Symbolic sizes are expressions, whether they have a value or not.
  const Shape &shape() const;
  /// Size of one axis.
  SymInt size(int64_t axis) const;
  int64_t ndim() const;
  SymInt numel() const;
  /// The sizes with the values that variables are bound to. Throws ShapeError
  /// if one is not bound.
  std::vector<int64_t> concreteShape() const;
  /// Whether some size is an expression.
  bool isSymbolic() const;
  DType dtype() const;
  /// Size of an element and of all elements in bytes. A tensor of symbolic
  /// shape takes more memory: that of its largest sizes.
  std::size_t itemsize() const;
  std::size_t nbytes() const;
  /// Canonical name of the device, such as "CPU".
  const std::string &device() const;
  /// The names of all its devices: several for the results of shard().
  std::vector<std::string> devices() const;
  /// The axis along which its devices have equal parts; none if each of them
  /// has all of it.
  std::optional<int64_t> shardAxis() const;
  /// The tensors on its devices, in the order of devices(): parts or copies.
  std::vector<Tensor> shards() const;
  bool isFloatingPoint() const { return isFloat(dtype()); }
  /// Whether the values are in memory.
  bool isRealized() const;

  //===--------------------------------------------------------------------===//
  // Creation
  //===--------------------------------------------------------------------===//

  /// Copies the elements of a list, a container or a C array, nested to any
  /// depth: `{{1, 2}, {3, 4}}` is a matrix. The element type is the C++ type of
  /// the elements unless the options name another one, to which it is then
  /// cast. Throws ShapeError for lists of different lengths.
  template <NestedSequence List>
  static Tensor from(const List &data, const TensorOptions &options = {}) {
    using E = typename detail::Nesting<List>::Element;
    return detail::withElements(data, [&](const void *elements, Shape shape) {
      return fromBytes(elements, shape, dtypeOf<E>(), options);
    });
  }
  template <ElementType E>
  static Tensor from(detail::Braced1<E> row,
                     const TensorOptions &options = {}) {
    return from<detail::Braced1<E>>(row, options);
  }
  template <ElementType E>
  static Tensor from(detail::Braced2<E> rows,
                     const TensorOptions &options = {}) {
    return from<detail::Braced2<E>>(rows, options);
  }
  template <ElementType E>
  static Tensor from(detail::Braced3<E> planes,
                     const TensorOptions &options = {}) {
    return from<detail::Braced3<E>>(planes, options);
  }
  template <ElementType E>
  static Tensor from(detail::Braced4<E> blocks,
                     const TensorOptions &options = {}) {
    return from<detail::Braced4<E>>(blocks, options);
  }
  /// Numbers of several types, `{1, 2.5}`, become int32 or float32, as if they
  /// were operands of a tensor.
  static Tensor from(std::initializer_list<Scalar> row,
                     const TensorOptions &options = {});
  static Tensor from(std::initializer_list<std::initializer_list<Scalar>> rows,
                     const TensorOptions &options = {});
  template <NotNested T, typename... Options>
  static Tensor from(const T &, const Options &...) {
    static_assert(NestedSequence<T>,
                  "Tensor::from takes a container of numbers, nested to any "
                  "depth, or a pointer and a shape");
    return {};
  }
  /// Row-major elements, in any shape that they fill.
  template <ElementSequence List>
  static Tensor from(const List &data, const Shape &shape,
                     const TensorOptions &options = {}) {
    using E = detail::ElementOf<List>;
    return detail::withElements(data, [&](const void *elements, Shape flat) {
      return fromFlat(elements, flat[0].value(), shape, dtypeOf<E>(), options);
    });
  }
  template <ElementType E>
  static Tensor from(detail::Braced1<E> data, const Shape &shape,
                     const TensorOptions &options = {}) {
    return from<detail::Braced1<E>>(data, shape, options);
  }
  template <ElementPointer Pointer>
  static Tensor from(const Pointer &data, const Shape &shape,
                     const TensorOptions &options = {}) {
    return fromBytes(data, shape,
                     dtypeOf<std::remove_cvref_t<decltype(*data)>>(), options);
  }
  /// \p data holds elements of \p dtype.
  static Tensor fromBytes(const void *data, const Shape &shape, DType dtype,
                          const TensorOptions &options = {});
  /// Takes ownership of an array from a file reader; without a copy on the CPU.
  static Tensor fromHost(const HostArray &array,
                         const TensorOptions &options = {});
  /// Uses \p buffer without a copy. It must hold exactly the elements and begin
  /// at a multiple of their size; its own element type is ignored.
  static Tensor fromBuffer(const Buffer &buffer, const Shape &shape,
                           DType dtype);

  /// Memory with undefined contents.
  static Tensor empty(const Shape &shape, const TensorOptions &options = {});
  static Tensor full(const Shape &shape, Scalar value,
                     const TensorOptions &options = {});
  static Tensor zeros(const Shape &shape, const TensorOptions &options = {});
  static Tensor ones(const Shape &shape, const TensorOptions &options = {});
  /// The numbers from \p start up to \p stop (exclusive): int32 (int64 or
  /// uint64 if they need that) if all three are integers, else float32. Throws
  /// ShapeError for a step of 0 and DTypeError for integers that are not values
  /// of the type.
  static Tensor arange(Scalar start, Scalar stop, Scalar step = 1,
                       const TensorOptions &options = {});
  static Tensor arange(Scalar stop, const TensorOptions &options = {}) {
    return arange(0, stop, 1, options);
  }
  /// \p steps numbers from \p start to \p stop, both included.
  static Tensor linspace(Scalar start, Scalar stop, SymInt steps,
                         const TensorOptions &options = {});
  /// Ones on the diagonal; square if \p columns is not given.
  static Tensor eye(SymInt rows, std::optional<SymInt> columns = {},
                    const TensorOptions &options = {});

  // The same with options by name: Tensor::zeros({2}, {.dtype = DType::Int8}).
#include "TinyGrad/Tensor/NamedOptions.inc"

  /// Of the same shape, element type (unless given) and device.
  Tensor emptyLike(std::optional<DType> dtype = {}) const;
  Tensor fullLike(Scalar value, std::optional<DType> dtype = {}) const;
  Tensor zerosLike(std::optional<DType> dtype = {}) const;
  Tensor onesLike(std::optional<DType> dtype = {}) const;
  Tensor randLike(std::optional<DType> dtype = {}) const;
  Tensor randnLike(std::optional<DType> dtype = {}) const;

  //===--------------------------------------------------------------------===//
  // Random numbers
  //===--------------------------------------------------------------------===//

  /// Seeds the random numbers of the current graph, by the seed modulo 2^32.
  /// The numbers are those of tinygrad, of the Threefry-2x32 counter generator:
  /// the n-th tensor made on the k-th device used after seeding has the same
  /// values whichever devices these are.
  static void manualSeed(uint64_t seed);
  /// Uniform in [0, 1).
  static Tensor rand(const Shape &shape, const TensorOptions &options = {});
  /// Normal, mean 0 and variance 1.
  static Tensor randn(const Shape &shape, const TensorOptions &options = {});
  /// Integers in [low, high): up to 2^23 numbers are made of float32 fractions,
  /// so that the probabilities of n differ by n / 2^23 of their size; of more,
  /// each is as likely as any other, to one part in 2^32 (2^64 from 2^32
  /// numbers on).
  static Tensor randint(const Shape &shape, int64_t low = 0, int64_t high = 10,
                        const TensorOptions &options = {});
  /// The numbers from 0 up to \p n, exclusive, in random order: int32, or
  /// another integer type.
  static Tensor randperm(SymInt n, const TensorOptions &options = {});
  /// Uniform in [low, high), rounded to the element type; `high` itself occurs
  /// only if both are equal. Throws Error unless both are finite in the type
  /// and low <= high.
  static Tensor uniform(const Shape &shape, double low = 0, double high = 1,
                        const TensorOptions &options = {});
  /// Throws Error unless mean and standard deviation are finite and the latter
  /// is not negative.
  static Tensor normal(const Shape &shape, double mean = 0, double std = 1,
                       const TensorOptions &options = {});
  /// Initial weights, as in tinygrad. For a weight of shape (out, in...) with n
  /// elements and k = n / out inputs for each output: uniform in [-1, 1) times
  /// n^-0.5, or times sqrt(6 / (out + k)).
  static Tensor scaledUniform(const Shape &shape,
                              const TensorOptions &options = {});
  static Tensor glorotUniform(const Shape &shape,
                              const TensorOptions &options = {});
  /// Mean 0 and variance 2 / ((1 + a^2) k), which preserves the variance of a
  /// signal through leakyRelu(a). Throws ShapeError if k is symbolic.
  static Tensor kaimingUniform(const Shape &shape, double a = 0.01,
                               const TensorOptions &options = {});
  static Tensor kaimingNormal(const Shape &shape, double a = 0.01,
                              const TensorOptions &options = {});
  /// Inside a TrainingScope of this thread: 0 with probability \p p, else the
  /// element / (1 - p). Otherwise the values are unchanged.
  Tensor dropout(double p = 0.5) const;

  //===--------------------------------------------------------------------===//
  // Movement
  //===--------------------------------------------------------------------===//

  // If a shape or a list of axes is the only parameter, its numbers can also be
  // written as arguments: x.reshape(2, 3), x.permute(1, 0).

  /// At most one size may be -1: it is inferred.
  Tensor reshape(Shape shape) const;
  template <SizeLike... Sizes>
    requires(sizeof...(Sizes) > 1)
  Tensor reshape(Sizes... sizes) const {
    return reshape(Shape{SymInt(sizes)...});
  }
  Tensor view(Shape shape) const { return reshape(std::move(shape)); }
  template <SizeLike... Sizes>
    requires(sizeof...(Sizes) > 1)
  Tensor view(Sizes... sizes) const {
    return reshape(Shape{SymInt(sizes)...});
  }
  /// Broadcasts; -1 keeps the size of an axis.
  Tensor expand(Shape shape) const;
  template <SizeLike... Sizes>
    requires(sizeof...(Sizes) > 1)
  Tensor expand(Sizes... sizes) const {
    return expand(Shape{SymInt(sizes)...});
  }
  /// Axis i of the result is axis order[i] of this.
  Tensor permute(const Axes &order) const;
  template <detail::SymNumber... Axis>
    requires(sizeof...(Axis) > 1)
  Tensor permute(Axis... order) const {
    return permute(Axes{int64_t(order)...});
  }
  Tensor transpose(int64_t dim0 = 1, int64_t dim1 = 0) const;
  /// The axes in reverse order.
  Tensor T() const;
  Tensor flip(const Axes &axes) const;
  template <detail::SymNumber... Axis>
    requires(sizeof...(Axis) > 1)
  Tensor flip(Axis... axes) const {
    return flip(Axes{int64_t(axes)...});
  }
  /// A pair (before, after) for each axis, or a flat list of such pairs from
  /// the last axis on (see Padding). Negative amounts remove elements; throws
  /// ShapeError if there are fewer of them, whatever is added elsewhere.
  Tensor pad(const Padding &amounts, Scalar value = 0) const;
  /// The same with elements of the tensor, see PadMode; \p value is for
  /// Constant. The other modes remove elements after the positive amounts have
  /// been added. Throws ShapeError if Reflect adds as many elements as the axis
  /// has, Circular more than that, or Replicate any to an empty axis. As in
  /// tinygrad and PyTorch, but for any axes.
  Tensor pad(const Padding &amounts, PadMode mode, Scalar value = 0) const;
  /// The part [from, to) of each axis; all of one for which `{}` or None is
  /// given.
  Tensor shrink(const Parts &parts) const;
  /// Pads each axis with zeros at its end, or truncates it, to the given size;
  /// -1 keeps the size of an axis.
  Tensor padTo(const Shape &shape) const;
  template <SizeLike... Sizes>
    requires(sizeof...(Sizes) > 1)
  Tensor padTo(Sizes... sizes) const {
    return padTo(Shape{SymInt(sizes)...});
  }
  Tensor shrinkTo(const Shape &shape) const;
  template <SizeLike... Sizes>
    requires(sizeof...(Sizes) > 1)
  Tensor shrinkTo(Sizes... sizes) const {
    return shrinkTo(Shape{SymInt(sizes)...});
  }
  /// Without the axes of size 1, or without \p dim if its size is 1.
  Tensor squeeze() const;
  Tensor squeeze(int64_t dim) const;
  Tensor unsqueeze(int64_t dim) const;
  Tensor flatten(int64_t startDim = 0, int64_t endDim = -1) const;
  Tensor unflatten(int64_t dim, const Shape &sizes) const;
  /// Axes by name, as in einops: "b (h w) c -> b c h w" with {{"h", 2}}. Names
  /// in parentheses form one axis, 1 is an axis of that size, "..." stands for
  /// all axes that are not named. Throws ShapeError.
  Tensor rearrange(std::string_view formula,
                   const NamedSizes &sizes = {}) const;
  /// Parts of \p size each, the last perhaps smaller, or of the given sizes.
  std::vector<Tensor> split(int64_t size, int64_t dim = 0) const;
  std::vector<Tensor> split(const Shape &sizes, int64_t dim = 0) const;
  /// A symbolic size has to divide the axis into a known number of parts.
  template <std::derived_from<SymInt> S>
  std::vector<Tensor> split(S size, int64_t dim = 0) const {
    return splitEvenly(size, dim);
  }
  /// At most \p chunks parts of equal size, the last perhaps smaller.
  std::vector<Tensor> chunk(int64_t chunks, int64_t dim = 0) const;
  /// The parts of size 1 along \p dim, without that axis.
  std::vector<Tensor> unbind(int64_t dim = 0) const;
  /// The windows of \p size along an axis, \p step apart: that axis counts the
  /// windows, a new last axis is the position in a window. As in PyTorch,
  /// except that windows do not share elements with the tensor.
  Tensor unfold(int64_t dim, int64_t size, int64_t step) const;
  /// The elements [.., i, .., i + offset, ..] of two axes as a new last axis,
  /// as in PyTorch; a view.
  Tensor diagonal(int64_t offset = 0, int64_t dim0 = 0, int64_t dim1 = 1) const;
  /// A square matrix with this row on a diagonal and zeros elsewhere; of a
  /// matrix, that diagonal.
  Tensor diag(int64_t offset = 0) const;
  static Tensor cat(const std::vector<Tensor> &tensors, int64_t dim = 0);
  static Tensor stack(const std::vector<Tensor> &tensors, int64_t dim = 0);
  /// For each row (or number), its values along one axis of a grid, repeated
  /// along the others. The axis is its position in the list; XY swaps the first
  /// two axes.
  static std::vector<Tensor> meshgrid(const std::vector<Tensor> &rows,
                                      GridIndexing indexing = GridIndexing::IJ);
  /// Copies along each axis; there may be more axes than the tensor has.
  Tensor repeat(const Shape &repeats) const;
  template <SizeLike... Numbers>
    requires(sizeof...(Numbers) > 1)
  Tensor repeat(Numbers... repeats) const {
    return repeat(Shape{SymInt(repeats)...});
  }
  /// Each element, or each part of size 1 along \p dim, \p repeats times in a
  /// row. Without an axis the tensor is flattened first.
  Tensor repeatInterleave(SymInt repeats,
                          std::optional<int64_t> dim = {}) const;
  /// The same with a tensor of integers, one for each part or one for all.
  /// Their sum is a size: \p repeats is computed at once.
  Tensor repeatInterleave(
      const Tensor &repeats, std::optional<int64_t> dim = {},
      std::source_location where = std::source_location::current()) const;
  Tensor roll(SymInt shift, int64_t dim) const;
  Tensor roll(const Shape &shifts, const Axes &dims) const;

  //===--------------------------------------------------------------------===//
  // Indexing
  //===--------------------------------------------------------------------===//

  /// NumPy's indexing, except that integers are applied before tensors.
  /// Positions in tensors that are out of range give zeros. A tensor of bools
  /// is a mask over as many axes as it has and selects the elements where it is
  /// true: their number depends on the mask, which is computed as soon as
  /// anything about the result is needed, even its shape. An assignment to the
  /// expression, `x.index({0, rows}) = y`, writes to x; through a mask alone it
  /// stays lazy.
  IndexedTensor index(const std::vector<Index> &entries) const;
  IndexedTensor operator[](const Index &entry) const;
  /// index(entries) = value. With tensors of positions among \p entries, only
  /// the selected elements are written; of several values for one element the
  /// last one wins. Returns *this.
  Tensor &setitem(const std::vector<Index> &entries, const Operand &value);
  /// result[i][j][k] = (*this)[index[i][j][k]][j][k] for dim = 0, and so on.
  Tensor gather(int64_t dim, const Tensor &index) const;
  /// The rows of axis \p dim at the positions that \p index holds.
  Tensor indexSelect(int64_t dim, const Tensor &index) const;
  /// 1 at the position that each element holds, along a new last axis.
  Tensor oneHot(SymInt numClasses) const;
  /// \p value where the mask is true.
  Tensor maskedFill(const Tensor &mask, const Operand &value) const;
  /// The lower or upper triangle of the last two axes, zeros elsewhere.
  Tensor tril(int64_t diagonal = 0) const;
  Tensor triu(int64_t diagonal = 0) const;

  /// A copy with result[index[i][j][k]][j][k] = src[i][j][k] for dim = 0, and
  /// so on, or with \p reduction, combined with the previous value; one after
  /// the other in order of \p index, a tensor of integers. \p src is a number
  /// or has at least the shape of the index, which except along \p dim is at
  /// most that of this tensor. Negative positions count from the end; those out
  /// of range are ignored. Throws ShapeError, DTypeError.
  Tensor scatter(int64_t dim, const Tensor &index, const Operand &src,
                 std::optional<ScatterReduction> reduction = {}) const;
  /// The same for each kind of reduction; without \p includeSelf, the previous
  /// values of the elements that are written are ignored. A mean of integers is
  /// rounded towards negative infinity.
  Tensor scatterReduce(int64_t dim, const Tensor &index, const Operand &src,
                       ScatterReduction reduction,
                       bool includeSelf = true) const;
  /// The elements where the mask, broadcast, is true, in row-major order. Their
  /// number depends on the mask, which is computed at once.
  Tensor maskedSelect(
      const Tensor &mask,
      std::source_location where = std::source_location::current()) const;
  /// The positions of the elements that are not 0, as rows of one int32 (int64
  /// in large tensors) for each axis. Computes the tensor at once, like
  /// maskedSelect().
  Tensor
  nonzero(std::source_location where = std::source_location::current()) const;

  //===--------------------------------------------------------------------===//
  // Scans and sorts
  //===--------------------------------------------------------------------===//

  // A scalar is a row of one element: 0 and -1 are its axes.

  /// Sums, or products, of the elements up to each one. Element types are those
  /// of sum().
  Tensor cumsum(int64_t axis = 0) const;
  Tensor cumprod(int64_t axis = 0) const;
  /// The largest (smallest) of the elements up to each one, and the position
  /// (int32, int64 in axes of 2^31 elements or more) of its first occurrence. A
  /// NaN is larger (smaller) than all numbers.
  std::pair<Tensor, Tensor> cummax(int64_t axis = 0) const;
  std::pair<Tensor, Tensor> cummin(int64_t axis = 0) const;
  /// log(cumsum(exp(x))), without intermediate overflow.
  Tensor logcumsumexp(int64_t axis = 0) const;
  /// The elements in order, and their positions (as in argsort). The sort is
  /// stable; NaNs are larger than all numbers.
  std::pair<Tensor, Tensor> sort(int64_t dim = -1,
                                 bool descending = false) const;
  /// The positions (int32, int64 in axes of 2^31 elements or more) of the
  /// elements in sorted order.
  Tensor argsort(int64_t dim = -1, bool descending = false) const;
  /// The \p k largest, or smallest, elements and their positions, in order.
  /// Throws ShapeError if there are fewer.
  std::pair<Tensor, Tensor> topk(SymInt k, int64_t dim = -1,
                                 bool largest = true) const;

  /// Positions (int32) drawn with probabilities proportional to the elements,
  /// which must not be negative: \p numSamples for each row of one or two axes.
  /// Without \p replacement they differ, and those of probability 0 come last.
  /// Throws ShapeError for other axes, and if a row has too few elements.
  Tensor multinomial(int64_t numSamples = 1, bool replacement = false) const;

  //===--------------------------------------------------------------------===//
  // Elementwise, two operands
  //===--------------------------------------------------------------------===//

  // Operands are broadcast and promoted to one element type. For integers, NaN
  // and infinities, see the dialect's operations (docs/reference): integers
  // wrap around, and integer division never traps. Comparisons give bool.

  Tensor add(const Operand &other) const;
  Tensor sub(const Operand &other) const;
  Tensor mul(const Operand &other) const;
  /// True division, also for integers, in float32.
  Tensor div(const Operand &other) const;
  /// Division rounded towards negative infinity; for floats, the floor of the
  /// rounded quotient.
  Tensor floordiv(const Operand &other) const;
  /// Remainder of the division rounded towards negative infinity, with the sign
  /// of the divisor. Exact, for floats as long as the quotient is below 2^24
  /// (float64: 2^53); 0 for larger ones. Division of an integer by zero gives
  /// 0.
  Tensor mod(const Operand &other) const;
  /// Remainder of the division rounded towards zero, as C's fmod and %, with
  /// the sign of the dividend.
  Tensor fmod(const Operand &other) const;
  /// Exact for integers, modulo the type's size; integers to the power of a
  /// negative C++ number throw DTypeError.
  Tensor pow(const Operand &exponent) const;
  Tensor maximum(const Operand &other) const;
  Tensor minimum(const Operand &other) const;
  /// The magnitude of this with the sign of \p other, -0 included.
  Tensor copysign(const Operand &other) const;
  /// log(exp(this) + exp(other)), without intermediate overflow.
  Tensor logaddexp(const Operand &other) const;
  /// For integers and bool.
  Tensor bitwiseAnd(const Operand &other) const;
  Tensor bitwiseOr(const Operand &other) const;
  Tensor bitwiseXor(const Operand &other) const;
  /// For integers. The right shift of a signed integer keeps its sign.
  Tensor lshift(const Operand &amount) const;
  Tensor rshift(const Operand &amount) const;
  Tensor eq(const Operand &other) const;
  Tensor ne(const Operand &other) const;
  Tensor lt(const Operand &other) const;
  Tensor le(const Operand &other) const;
  Tensor gt(const Operand &other) const;
  Tensor ge(const Operand &other) const;
  /// |this - other| <= atol + rtol * |other|, or both the same infinity. The
  /// difference of integers is exact, whatever their types; their tolerance is
  /// computed in float64.
  Tensor isclose(const Operand &other, double rtol = 1e-5, double atol = 1e-8,
                 bool equalNan = false) const;
  /// Whether all elements are; computed at once.
  bool
  allclose(const Operand &other, double rtol = 1e-5, double atol = 1e-8,
           bool equalNan = false,
           std::source_location where = std::source_location::current()) const;
  /// this + (end - this) * weight.
  Tensor lerp(const Operand &end, const Operand &weight) const;
  /// \p x where this is true (not 0), else \p y.
  Tensor where(const Operand &x, const Operand &y) const;

  //===--------------------------------------------------------------------===//
  // Elementwise, one operand
  //===--------------------------------------------------------------------===//

  // Functions of real numbers convert integers to float32 and compute narrow
  // floats in float32. Undefined results are NaN, as in C.

  Tensor neg() const;
  Tensor abs() const;
  /// -1, 0 or 1 in the tensor's type; NaN stays.
  Tensor sign() const;
  Tensor reciprocal() const;
  Tensor square() const;
  Tensor sqrt() const;
  Tensor rsqrt() const;
  Tensor exp() const;
  Tensor exp2() const;
  Tensor log() const;
  Tensor log2() const;
  Tensor log10() const;
  Tensor sin() const;
  Tensor cos() const;
  Tensor tan() const;
  Tensor asin() const;
  Tensor acos() const;
  Tensor atan() const;
  Tensor sinh() const;
  Tensor cosh() const;
  Tensor tanh() const;
  Tensor asinh() const;
  Tensor acosh() const;
  Tensor atanh() const;
  Tensor erf() const;
  Tensor trunc() const;
  Tensor floor() const;
  Tensor ceil() const;
  /// To the nearest integer, ties to even.
  Tensor round() const;
  Tensor isnan() const;
  Tensor isinf(bool detectPositive = true, bool detectNegative = true) const;
  Tensor isfinite() const;
  /// Whether each element is 0.
  Tensor logicalNot() const;
  Tensor bitwiseNot() const;
  /// At least \p min and at most \p max; one of them may be omitted. Of an
  /// element that equals a bound, the gradient is that of the tensor.
  Tensor clamp(std::optional<Operand> min,
               std::optional<Operand> max = {}) const;

  Tensor relu() const;
  Tensor relu6() const;
  /// x, or slope * x where x is negative.
  Tensor leakyRelu(double slope = 0.01) const;
  Tensor sigmoid() const;
  Tensor logsigmoid() const;
  /// alpha * x + beta, between 0 and 1.
  Tensor hardsigmoid(double alpha = 1.0 / 6, double beta = 0.5) const;
  Tensor hardswish() const;
  Tensor hardtanh(double min = -1, double max = 1) const;
  /// The approximation through tanh.
  Tensor gelu() const;
  /// x * sigmoid(1.702 * x).
  Tensor quickGelu() const;
  /// x * sigmoid(x).
  Tensor silu() const;
  Tensor swish() const { return silu(); }
  /// x, or alpha * (exp(x) - 1) where x is negative; celu has exp(x / alpha)
  /// there, selu is all of it times gamma.
  Tensor elu(double alpha = 1) const;
  Tensor celu(double alpha = 1) const;
  Tensor selu(double alpha = 1.67326, double gamma = 1.0507) const;
  /// log(1 + exp(beta * x)) / beta.
  Tensor softplus(double beta = 1) const;
  /// x / (1 + |x|).
  Tensor softsign() const;
  /// x * tanh(softplus(x)).
  Tensor mish() const;

  //===--------------------------------------------------------------------===//
  // Reductions
  //===--------------------------------------------------------------------===//

  // With keepdim, the reduced axes are kept, with size 1. A scalar is reduced
  // as a row of one element: 0 and -1 are its axes.

  /// Float types narrower than float32 are summed in float32 and rounded at the
  /// end; bool and small integers give int32 or uint32.
  Tensor sum(const Axes &axes = {}, bool keepdim = false,
             std::optional<DType> dtype = {}) const;
  Tensor prod(const Axes &axes = {}, bool keepdim = false,
              std::optional<DType> dtype = {}) const;
  /// NaN if there is one. Throws ShapeError for an axis of no elements, as
  /// nothing is the greatest of them. For a symbolic size whose value is 0 the
  /// result is the lowest value of the type (min: the highest), which is an
  /// infinity if the type has one.
  Tensor max(const Axes &axes = {}, bool keepdim = false) const;
  Tensor min(const Axes &axes = {}, bool keepdim = false) const;
  /// max() along one axis, with the position of its first occurrence, as from
  /// argmax():
  /// `auto [values, indices] = x.maxWithIndices(1);`. Throws ShapeError for an
  /// axis of no elements.
  ValuesAndIndices maxWithIndices(int64_t axis, bool keepdim = false) const;
  ValuesAndIndices minWithIndices(int64_t axis, bool keepdim = false) const;
  /// NaN for no elements.
  Tensor mean(const Axes &axes = {}, bool keepdim = false) const;
  /// The sum of the squared differences from the mean, divided by n -
  /// correction, or by zero if that is negative. The rounding of the mean has
  /// no influence: for equal numbers the result is 0. It is NaN where n is not
  /// greater than the correction, as for one element, and so is its gradient.
  Tensor var(const Axes &axes = {}, bool keepdim = false,
             int64_t correction = 1) const;
  Tensor std(const Axes &axes = {}, bool keepdim = false,
             int64_t correction = 1) const;
  std::pair<Tensor, Tensor> varMean(const Axes &axes = {}, bool keepdim = false,
                                    int64_t correction = 1) const;
  std::pair<Tensor, Tensor> stdMean(const Axes &axes = {}, bool keepdim = false,
                                    int64_t correction = 1) const;
  /// Whether any element, or each, is not 0.
  Tensor any(const Axes &axes = {}, bool keepdim = false) const;
  Tensor all(const Axes &axes = {}, bool keepdim = false) const;
  /// Position of the first largest element, of the first NaN if there is one;
  /// in the flattened tensor if no axis is given. Of type int32, or int64 if
  /// there can be 2^31 positions or more. Throws ShapeError if there are, or if
  /// for a symbolic size there may be, no elements.
  Tensor argmax(std::optional<int64_t> axis = {}, bool keepdim = false) const;
  Tensor argmin(std::optional<int64_t> axis = {}, bool keepdim = false) const;
  /// log(sum(exp(x))), without intermediate overflow.
  Tensor logsumexp(const Axes &axes = {}, bool keepdim = false) const;
  Tensor softmax(int64_t axis = -1, std::optional<DType> dtype = {}) const;
  Tensor logSoftmax(int64_t axis = -1, std::optional<DType> dtype = {}) const;
  /// softmax(-this), as in PyTorch.
  Tensor softmin(int64_t axis = -1, std::optional<DType> dtype = {}) const;

  //===--------------------------------------------------------------------===//
  // Networks
  //===--------------------------------------------------------------------===//

  /// Matrix product of the last two axes; the others are broadcast. A vector is
  /// a row on the left and a column on the right. Accumulates as sum() does, in
  /// \p dtype if given, which is then also the result's.
  Tensor matmul(const Tensor &other, std::optional<DType> dtype = {}) const;
  Tensor dot(const Tensor &other, std::optional<DType> dtype = {}) const {
    return matmul(other, dtype);
  }
  /// Sums products of the operands, by a formula with a letter for each axis,
  /// as in NumPy: "ij,jk->ik" is matmul(). A letter twice in an operand is its
  /// diagonal, "..." stands for any further axes, which are broadcast, and so
  /// is an axis of size 1. Axes that are not in the result are summed,
  /// including those of "..." if only operands have it, as in PyTorch. Without
  /// "->", the result has the axes of "...", then the letters that occur once,
  /// capitals first. With more than two operands, the pair with the least work
  /// for its product comes first, a pair with a common letter before one
  /// without, and so on until one is left. Types are those of matmul(). Throws
  /// Error for an invalid formula, naming the character, and ShapeError for
  /// operands that do not fit it.
  static Tensor einsum(std::string_view formula,
                       const std::vector<Tensor> &operands,
                       std::optional<DType> dtype = {});
  /// this.matmul(weight) + bias, with weight of shape (in, out); this * weight
  /// if it is a vector.
  Tensor linear(const Tensor &weight, const OptionalTensor &bias = {}) const;
  /// (N, Cin, spatial...) and (Cout, Cin / groups, kernel...); any number of
  /// spatial axes.
  Tensor conv2d(const Tensor &weight, const OptionalTensor &bias = {},
                const Conv2dOptions &options = {}) const;
  template <OptionsFor<Conv2dOptions> O = Conv2dOptions>
  Tensor conv2d(const Tensor &weight, const O &options) const {
    return conv2d(weight, OptionalTensor(), options);
  }
  /// The transpose of conv2d() with this weight and these options:
  /// (N, Cin, spatial...) and (Cin, Cout / groups, kernel...) give axes of
  /// size (size - 1) * stride - before - after + dilation * (kernel -
  /// 1) + 1 + outputPadding. As in tinygrad and PyTorch; throws ShapeError for
  /// an output padding that is not less than stride or dilation.
  Tensor convTranspose2d(const Tensor &weight, const OptionalTensor &bias = {},
                         const ConvTranspose2dOptions &options = {}) const;
  template <OptionsFor<ConvTranspose2dOptions> O = ConvTranspose2dOptions>
  Tensor convTranspose2d(const Tensor &weight, const O &options) const {
    return convTranspose2d(weight, OptionalTensor(), options);
  }
  /// The mean, or the largest element, of each window of the last two axes, or
  /// of as many axes as \p kernelSize has numbers, if it has several.
  Tensor avgPool2d(const PerAxis &kernelSize = 2,
                   const Pool2dOptions &options = {}) const;
  Tensor maxPool2d(const PerAxis &kernelSize = 2,
                   const Pool2dOptions &options = {}) const;
  /// With the position of the first largest element of each window (of the
  /// first NaN) in the flattened spatial axes, without padding: int32, int64
  /// where these have 2^31 elements or more. As in PyTorch.
  ValuesAndIndices
  maxPool2dWithIndices(const PerAxis &kernelSize = 2,
                       const Pool2dOptions &options = {}) const;
  /// Zeros with the elements of this at \p indices, as returned by
  /// maxPool2dWithIndices(). Of several elements for one position the last one
  /// wins, as in PyTorch (tinygrad adds them); those for a position out of
  /// range are ignored.
  Tensor maxUnpool2d(const Tensor &indices, const PerAxis &kernelSize = 2,
                     const MaxUnpool2dOptions &options = {}) const;
  /// The last axes resized to \p size, as in tinygrad and PyTorch. Positions
  /// are exact, whatever the sizes. With \p alignCorners (Linear only), the
  /// centers of the outermost elements stay in place, otherwise their edges.
  /// Linear gives a float type, the other modes keep the element type.
  Tensor interpolate(const Shape &size,
                     InterpolateMode mode = InterpolateMode::Linear,
                     bool alignCorners = false) const;
  /// (this - mean) * invstd * weight + bias along \p axis. Weight and bias may
  /// be omitted: `{}`.
  Tensor batchnorm(const OptionalTensor &weight, const OptionalTensor &bias,
                   const Tensor &mean, const Tensor &invstd,
                   const Axes &axis = 1) const;
  /// (this - mean) / sqrt(variance + eps), the variance divided by n. The
  /// rounding of the mean has no influence.
  Tensor layernorm(const Axes &axes = -1, double eps = 1e-5) const;
  /// this / sqrt(mean of squares + eps).
  Tensor rmsnorm(int64_t axis = -1, double eps = 1e-6) const;
  /// this / max(norm, eps) along \p dim, as in PyTorch. The norm is
  /// sum(|x|^p)^(1/p): the number of elements that are not 0 for p = 0, the
  /// largest magnitude for infinity. Throws Error for a p that is negative or
  /// NaN.
  Tensor normalize(double p = 2, int64_t dim = 1, double eps = 1e-12) const;
  /// softmax(this * key^T / sqrt(d) + mask) * value. A bool mask selects the
  /// positions that may be attended to; no mask means all. The softmax is
  /// followed by dropout(\p dropoutP).
  Tensor scaledDotProductAttention(const Tensor &key, const Tensor &value,
                                   const OptionalTensor &mask = {},
                                   bool isCausal = false,
                                   double dropoutP = 0) const;

  /// Applies one function after the other: `x.sequential({&Tensor::relu, f})`.
  /// Throws Error, naming its position, if a function is empty.
  Tensor sequential(const std::vector<std::function<Tensor(const Tensor &)>>
                        &functions) const;

  //===--------------------------------------------------------------------===//
  // Factorizations of matrices
  //===--------------------------------------------------------------------===//

  // Of the last two axes, m rows and n columns, whose sizes are numbers; the
  // axes before them are batches. Integers and narrow floats are computed in
  // float32 and narrow floats rounded at the end. Throw ShapeError for fewer
  // than two axes. docs/networks.md has the measured accuracy.

  /// (q, r) with q.matmul(r) equal to this: q is orthogonal, m x m, and r upper
  /// triangular, m x n. By min(m, n) Householder reflections, as in tinygrad;
  /// the diagonal of r may be negative. Each reflection adds about 50
  /// operations to the graph, and all share their kernels.
  std::pair<Tensor, Tensor> qr() const;
  /// (u, s, v) with (u * s).matmul(v) equal to this, for the first k = min(m,
  /// n) columns of u and rows of v: u is orthogonal, m x m, v (already
  /// transposed) n x n, and s has the k singular values, the largest first.
  /// Without \p fullMatrices, u is m x k and v is k x n. One-sided Jacobi
  /// rotations of the triangle of qr(), as in tinygrad: 7 sweeps over all pairs
  /// of columns (10 in float64), each of k - 1 rounds. The graph grows by about
  /// 550 k operations (800 k), which share their kernels. Gradients of u and v
  /// are not defined where singular values are equal.
  std::tuple<Tensor, Tensor, Tensor> svd(bool fullMatrices = true) const;
  /// Approaches the orthogonal matrix next to this (u v of svd()): \p steps
  /// times x = c[0] x + c[1] (x x^T) x + c[2] (x x^T)^2 x + ..., from this /
  /// (its Frobenius norm + eps). A graph of 2 to 3 products for each step. The
  /// default coefficients are those of Muon (K. Jordan, "Muon: An optimizer for
  /// hidden layers in neural networks", 2024), which in 5 steps bring singular
  /// values from 0.002 to 1 into about [0.7, 1.2]; as in tinygrad. Throws Error
  /// for a negative number of steps or no coefficients.
  Tensor newtonSchulz(int64_t steps = 5,
                      const std::vector<double> &coefficients = {3.4445, -4.775,
                                                                 2.0315},
                      double eps = 1e-7) const;

  //===--------------------------------------------------------------------===//
  // Losses
  //===--------------------------------------------------------------------===//

  // The mean is that of all elements, or rows, unless stated otherwise. Narrow
  // floats are computed in float32 and rounded at the end, integers in float32.

  /// -sum(target * logSoftmax(this)) along the classes: axis 1, or 0 of a
  /// vector. Targets are probabilities in the shape of this or classes in that
  /// shape without the axis of classes. Smoothing distributes \p labelSmoothing
  /// of each target equally over all classes. Rows of the class \p ignoreIndex
  /// have no loss and do not count for the mean. As in tinygrad and PyTorch. A
  /// class that does not exist selects nothing: its row has no loss, but counts
  /// (PyTorch throws). Throws Error for an ignored class of targets that are
  /// probabilities.
  Tensor crossEntropy(const Tensor &target,
                      Reduction reduction = Reduction::Mean,
                      double labelSmoothing = 0,
                      std::optional<int64_t> ignoreIndex = {}) const;
  /// crossEntropy() with classes along the last axis. Rows of the class
  /// \p ignoreIndex have no loss and do not count for the mean. As in tinygrad.
  Tensor sparseCategoricalCrossentropy(
      const Tensor &labels, std::optional<int64_t> ignoreIndex = {},
      double labelSmoothing = 0, Reduction reduction = Reduction::Mean) const;
  /// -target * log(this) - (1 - target) * log(1 - this), with logarithms of
  /// -100 at least, as in PyTorch.
  Tensor binaryCrossentropy(const Tensor &target,
                            Reduction reduction = Reduction::Mean) const;
  /// The same of sigmoid(this), exact for large elements too; the first summand
  /// times \p posWeight, which is broadcast. As in tinygrad and PyTorch.
  Tensor binaryCrossentropyLogits(const Tensor &target,
                                  Reduction reduction = Reduction::Mean,
                                  const OptionalTensor &posWeight = {}) const;
  /// -this[n, label, ...] * weight[label] for logarithms of probabilities, with
  /// classes along axis 1 (0 of a vector). The mean is divided by the sum of
  /// the weights; rows of the class \p ignoreIndex have the weight 0. As in
  /// tinygrad and PyTorch.
  Tensor nllLoss(const Tensor &labels, const OptionalTensor &weight = {},
                 std::optional<int64_t> ignoreIndex = {},
                 Reduction reduction = Reduction::Mean) const;

  // The target of these has the shape of this; throws ShapeError otherwise: a
  // broadcast target is almost always a mistake. As in PyTorch.

  /// (this - target)^2.
  Tensor mseLoss(const Tensor &target,
                 Reduction reduction = Reduction::Mean) const;
  /// |this - target|.
  Tensor l1Loss(const Tensor &target,
                Reduction reduction = Reduction::Mean) const;
  /// d^2 / 2 where |d| <= \p delta, for d = this - target, and delta (|d| -
  /// delta / 2) elsewhere. Throws Error unless delta is positive.
  Tensor huberLoss(const Tensor &target, Reduction reduction = Reduction::Mean,
                   double delta = 1) const;
  /// huberLoss() / \p beta for a delta of beta; l1Loss() for a beta of 0.
  /// Throws Error for a negative beta.
  Tensor smoothL1Loss(const Tensor &target,
                      Reduction reduction = Reduction::Mean,
                      double beta = 1) const;
  /// target * (log(target) - this): the divergence of this, logarithms of
  /// probabilities, from the target, probabilities, or with \p isLogTarget
  /// also their logarithms. Probabilities of 0 add nothing. The mean is that of
  /// all elements; for that of a batch, divide the sum by its size.
  Tensor klDivLoss(const Tensor &target, Reduction reduction = Reduction::Mean,
                   bool isLogTarget = false) const;

  //===--------------------------------------------------------------------===//
  // Element type and place
  //===--------------------------------------------------------------------===//

  /// The values as another element type. Of integers, the lowest bits. Floats
  /// are rounded towards zero, those beyond a type of 32 or 64 bits to its
  /// nearest value, NaN to 0; narrower types have the lowest bits of what Int32
  /// has: -1 as UInt8 is 255. Each number but 0 is true.
  Tensor cast(DType dtype) const;
  /// `cast<float>()`
  template <ElementType E> Tensor cast() const { return cast(dtypeOf<E>()); }
  /// The same bits as another element type of the same size.
  Tensor bitcast(DType dtype) const;
  Tensor toFloat() const { return cast(DType::Float32); }
  Tensor toHalf() const { return cast(DType::Float16); }
  Tensor toBFloat16() const { return cast(DType::BFloat16); }
  Tensor toDouble() const { return cast(DType::Float64); }
  Tensor toInt() const { return cast(DType::Int32); }
  Tensor toLong() const { return cast(DType::Int64); }
  Tensor toShort() const { return cast(DType::Int16); }
  Tensor toBool() const { return cast(DType::Bool); }
  /// The same values in a buffer; ends fusion.
  Tensor contiguous() const;
  /// The same values with no gradient through them. No memory is shared.
  Tensor detach() const;
  /// The same values, which assignments to this do not change.
  Tensor clone() const;
  /// A new tensor with these initial values, a parameter: a value that training
  /// changes. It has memory of its own, computed before the first program that
  /// reads it, so that it is never identical to another tensor, whatever the
  /// values, and graphs with it do not depend on the initial values. If it is
  /// of floats, it requires a gradient unless \p requiresGrad is false.
  Tensor parameter(bool requiresGrad = true) const;
  /// The values on another device. Those of a tensor on several devices are put
  /// together on it.
  Tensor to(std::string_view device) const;
  /// The values on several devices: equal parts along \p axis, in the order of
  /// the devices, or a copy on each of them if there is no axis.
  ///
  /// Operations compute on each device what it has. Operands are on the same
  /// devices; where they are parts along different axes, the later ones move.
  /// Numbers, tensors of one element and what is computed of numbers are copied
  /// to all devices. A reduction along the axis is summed over the devices, and
  /// each of them gets the result. The gradient of a tensor is on its devices,
  /// that of copies is the sum of what each of them contributes. shrink() along
  /// the axis takes the part of one device, which all of them get then.
  ///
  /// Values, and methods that are not computed by operations, are those of the
  /// whole tensor on the first device. Throws Error if the tensor is on several
  /// devices already or the axis has no equal parts, IndexError for an axis
  /// that it does not have, and DeviceError for devices that there are not or
  /// that are named twice. Operations that would move elements between devices
  /// otherwise (a reshape() that splits parts, flip(), pad(), scans and sorts
  /// along the axis) throw ShapeError.
  Tensor shard(const std::vector<std::string> &devices,
               std::optional<int64_t> axis = {}) const;
  /// On the devices of another tensor, in parts along the same axis. Throws
  /// what shard() throws, unless that is where the tensor is.
  Tensor shardLike(const Tensor &other) const;
  /// cast(), as in PyTorch.
  Tensor to(DType dtype) const { return cast(dtype); }
  /// Overwrites the values, for all copies of this handle and all tensors that
  /// share elements with it: movement methods and indexing without tensors make
  /// views, in which assignments to the tensor are visible, and the other way.
  /// Of tensors in memory, also expand(), pad(), bitcast() and detach() do, but
  /// their results keep the old values if others are assigned to. Tensors
  /// computed from the old values keep them. A realized tensor keeps its memory
  /// if nothing else needs the old contents. An assignment at a position with a
  /// variable runs with the first tensor asked for that depends on it, or
  /// before an assignment with another value of the variable. \p value is
  /// broadcast and must be of the same element type, device and graph. Throws
  /// Error, outside of a NoGradScope, if it depends on a tensor that requires a
  /// gradient and this one does too. Returns *this.
  Tensor &assign(const Operand &value);
  // The same with the result of an operator: x.assignAdd(y) is x.assign(x + y).
  // PyTorch's copy_ and fill_ are assign, add_ is assignAdd, and zero_ is zero.
  // `x += y` makes the variable x refer to another tensor instead.
  Tensor &assignAdd(const Operand &value) { return assign(add(value)); }
  Tensor &assignSub(const Operand &value) { return assign(sub(value)); }
  Tensor &assignMul(const Operand &value) { return assign(mul(value)); }
  Tensor &assignDiv(const Operand &value) { return assign(div(value)); }
  Tensor &fill(Scalar value) { return assign(value); }
  Tensor &zero() { return assign(0); }
  /// Makes this handle, and its copies, refer to another value of any shape and
  /// type.
  Tensor &replace(const Tensor &value);

  //===--------------------------------------------------------------------===//
  // Gradients
  //===--------------------------------------------------------------------===//

  // docs/gradients.md has the rules. Gradients are tensors like others: lazy,
  // and differentiable again.

  /// The gradients of this by each of \p wrt, of its shape and element type:
  /// the sum over the elements of this, each times the one of \p cotangent
  /// (one, if this has a single element), of the derivative by each element.
  /// They flow through all operations since the tensors; none may have been
  /// realized if these do not require a gradient. Throws ShapeError if this has
  /// several elements and no cotangent of its shape is given, DTypeError unless
  /// all are floats of 16 bits or more, and Error, naming the tensor, for a
  /// constant, if this does not depend on it (zero with \p allowUnused), or
  /// only through memory that was computed unasked; and for an operation
  /// without a derivative, with the path from it to the tensor.
  std::vector<Tensor> gradient(const std::vector<Tensor> &wrt,
                               const OptionalTensor &cotangent = {},
                               bool allowUnused = false) const;
  /// gradient() by all tensors that this depends on and that require one; adds
  /// each to the tensor's grad(). Throws what gradient() does, and Error if
  /// there is no such tensor, if one of them was assigned to after this was
  /// computed, or if a value between it and this was realized.
  void backward(const OptionalTensor &cotangent = {}) const;
  /// Whether backward() of a tensor that depends on this computes its gradient.
  bool requiresGrad() const;
  /// Makes this a tensor whose gradient backward() computes: a leaf, from which
  /// no gradient flows on to what it was computed from, now or in an
  /// assignment. A tensor that is not a parameter() becomes one, and what was
  /// computed from it before is not affected. Throws DTypeError for elements
  /// other than floats of 16 bits or more, and Error for a view. Returns *this.
  Tensor &setRequiresGrad(bool requiresGrad = true);
  /// The sum of the gradients from backward() since the last setGrad();
  /// undefined before the first.
  Tensor grad() const;
  /// Replaces grad(), by nothing if \p gradient is undefined. Throws ShapeError
  /// or DTypeError for a tensor of another shape or element type.
  void setGrad(const OptionalTensor &gradient);
  /// setGrad({})
  void zeroGrad() { setGrad({}); }
  /// The same values with another gradient: that by each of \p inputs is what
  /// \p gradient returns for the gradient of this tensor, and none flows on to
  /// anything else that this was computed from. \p gradient returns a tensor of
  /// the shape and element type of each input, or an undefined one for zero.
  Tensor withGradient(
      const std::vector<Tensor> &inputs,
      std::function<std::vector<Tensor>(const Tensor &)> gradient) const;
  /// The same values, whose gradient is computed into a buffer: ends fusion
  /// there.
  Tensor contiguousBackward() const;

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  /// Computes the values and keeps them. Throws ShapeError when a variable has
  /// no value or two, CompileError when a kernel cannot be compiled,
  /// OutOfMemoryError, DeviceError. DEBUG=2 shows where it was called, as for
  /// all methods that realize.
  const Tensor &
  realize(std::source_location where = std::source_location::current()) const;
  /// Computes the values along with the next program that shares work with
  /// them, or when they are asked for: for statistics of a batch, which would
  /// otherwise keep all earlier batches in the graph.
  void realizeAlong() const;
  /// The memory that holds the values, row-major with the strides of the
  /// largest sizes. Realizes.
  Buffer
  buffer(std::source_location where = std::source_location::current()) const;
  /// The only element. E must be the type that stores dtype(), else DTypeError.
  template <ElementType E>
  E item(std::source_location where = std::source_location::current()) const {
    E value;
    readItem(&value, dtypeOf<E>(), where);
    return value;
  }
  /// All elements, row-major.
  template <ElementType E>
  TensorData<E>
  data(std::source_location where = std::source_location::current()) const {
    // Realized first, for its error if a size has no value.
    Buffer values = hostBuffer(dtypeOf<E>(), "data", where);
    return TensorData<E>(std::move(values), numel().value());
  }
  template <ElementType E>
  std::vector<E>
  tolist(std::source_location where = std::source_location::current()) const {
    Buffer memory = hostBuffer(dtypeOf<E>(), "tolist", where);
    TensorData<E> values(std::move(memory), numel().value());
    return std::vector<E>(values.begin(), values.end());
  }
  /// A copy in host memory, for file writers.
  HostArray
  toHost(std::source_location where = std::source_location::current()) const;

  /// The values as text, nested as in NumPy; the middle of large tensors is
  /// omitted. Realizes. `std::ostream << tensor` prints the same.
  std::string
  str(std::source_location where = std::source_location::current()) const;
  /// The operations that realize() would run, as MLIR.
  std::string graph() const;

  explicit Tensor(std::shared_ptr<detail::TensorImpl> impl)
      : impl_(std::move(impl)) {}
  /// Throws Error if this is undefined.
  detail::TensorImpl &impl() const;

private:
  std::vector<Tensor> splitEvenly(SymInt size, int64_t dim) const;
  Buffer hostBuffer(DType wanted, const char *method,
                    const std::source_location &where) const;
  void readItem(void *value, DType wanted,
                const std::source_location &where) const;
  static Tensor fromScalars(const std::vector<Scalar> &data, const Shape &shape,
                            const TensorOptions &options);
  static Tensor fromFlat(const void *data, int64_t count, const Shape &shape,
                         DType dtype, const TensorOptions &options);

  std::shared_ptr<detail::TensorImpl> impl_;
};

/// Computes several tensors in one program; common parts are computed once.
void realize(const std::vector<Tensor> &tensors,
             std::source_location where = std::source_location::current());

/// Elements, and the positions along an axis that they come from.
struct ValuesAndIndices {
  Tensor values, indices;
};

inline OptionalTensor::OptionalTensor(const Tensor &tensor)
    : tensor_(tensor.defined() ? &tensor : nullptr) {}

/// A tensor that is printed, and where: operators have no default arguments.
struct PrintedTensor {
  PrintedTensor(const Tensor &tensor,
                std::source_location where = std::source_location::current())
      : tensor(tensor), where(where) {}
  const Tensor &tensor;
  const std::source_location where;
};

std::ostream &operator<<(std::ostream &stream, const PrintedTensor &printed);

/// Writes the values to a .npy file, as writeNpy of Runtime/Npy.h does with
/// host memory. Realizes. Throws what realize() throws, and IoError.
void writeNpy(const std::string &path, const Tensor &tensor,
              std::source_location where = std::source_location::current());

} // namespace tinygrad

#include "TinyGrad/Tensor/Format.h"
#include "TinyGrad/Tensor/IndexedTensor.h"
#include "TinyGrad/Tensor/Operators.h"

#endif // TINYGRAD_TENSOR_TENSOR_H
