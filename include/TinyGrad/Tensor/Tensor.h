//===- Tensor.h - lazy tensors ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The tensor API. Operations on tensors do no work: they add to a graph, which
/// is compiled and run when values are asked for.
///
/// Method names are tinygrad's, with snake_case turned into camelCase. Element
/// types of operands are brought together by promote(); shapes are broadcast.
/// Negative axes count from the last. Every method throws ShapeError,
/// DTypeError, IndexError or DeviceError for operands that it does not take,
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
#include <vector>

namespace tinygrad {

class IndexedTensor;
class Tensor;
struct ValuesAndIndices;
namespace detail {
struct TensorImpl;
} // namespace detail

/// A handle on a value of a graph. Copies of a handle are the same tensor:
/// assign() through one shows in the others. A default-constructed handle is
/// undefined; anything but defined(), assignment and destruction throws Error.
///
/// The methods stand in groups: facts, creation, random numbers, movement,
/// indexing, scans and sorts, elementwise (two operands, one), reductions,
/// networks, losses, element type and place, values. Structs of options and
/// the types of parameters are in Options.h, Shape.h, Operand.h and Index.h.
class Tensor {
public:
  Tensor() = default;
  /// A tensor of rank 0. Of a symbolic number too, which is then an operand
  /// that a program takes when it runs.
  explicit Tensor(Scalar value, const TensorOptions &options = {});

  Tensor(const Tensor &) = default;
  Tensor(Tensor &&) = default;
  /// Makes this variable another tensor. What is in an index expression can be
  /// assigned to as well, see IndexedTensor; any other temporary cannot: use
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

  /// Of symbolic sizes these are the expressions, whether they have a value or
  /// not.
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
  /// Size of an element and of all elements in bytes. The memory of a tensor of
  /// symbolic shape is larger: as large as its greatest sizes take.
  std::size_t itemsize() const;
  std::size_t nbytes() const;
  /// Canonical name of the device, such as "CPU".
  const std::string &device() const;
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
  /// Of numbers of several types, `{1, 2.5}`: int32 or float32, as if they were
  /// operands of a tensor.
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
  /// The elements row-major, in any shape that they fill.
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
  /// Takes over what a file reader made; without a copy on the CPU.
  static Tensor fromHost(const HostArray &array,
                         const TensorOptions &options = {});
  /// Uses \p buffer as it is. It must hold exactly the elements and begin at a
  /// multiple of their size; an element type of its own does not matter.
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
  /// ShapeError for a step of 0 and DTypeError for integers that are no values
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

  /// Seeds the random numbers of the current graph. The numbers are those of
  /// the Threefry-2x32 counter generator: the n-th tensor made after seeding
  /// holds the same values on every device.
  static void manualSeed(uint64_t seed);
  /// Uniform in [0, 1).
  static Tensor rand(const Shape &shape, const TensorOptions &options = {});
  /// Normal, mean 0 and variance 1.
  static Tensor randn(const Shape &shape, const TensorOptions &options = {});
  /// Integers in [low, high). Each is as likely as any other, to one part in
  /// 2^32 (2^64 for ranges of more than 2^32 numbers).
  static Tensor randint(const Shape &shape, int64_t low = 0, int64_t high = 10,
                        const TensorOptions &options = {});
  /// The numbers from 0 up to \p n, exclusive, in random order: int32, or
  /// another integer type.
  static Tensor randperm(SymInt n, const TensorOptions &options = {});
  /// Uniform in [low, high) as the element type holds these numbers; `high`
  /// itself comes only if both are equal. Throws Error unless both are finite
  /// in the type and low <= high.
  static Tensor uniform(const Shape &shape, double low = 0, double high = 1,
                        const TensorOptions &options = {});
  /// Throws Error unless mean and standard deviation are finite and the latter
  /// is not negative.
  static Tensor normal(const Shape &shape, double mean = 0, double std = 1,
                       const TensorOptions &options = {});
  /// Weights to begin with, as tinygrad has them. Of a weight of shape (out,
  /// in...) with n elements and k = n / out inputs for each output: uniform in
  /// [-1, 1) times n^-0.5, or times sqrt(6 / (out + k)).
  static Tensor scaledUniform(const Shape &shape,
                              const TensorOptions &options = {});
  static Tensor glorotUniform(const Shape &shape,
                              const TensorOptions &options = {});
  /// Of mean 0 and variance 2 / ((1 + a^2) k), which keeps that of a signal
  /// through leakyRelu(a). Throws ShapeError if k is symbolic.
  static Tensor kaimingUniform(const Shape &shape, double a = 0.01,
                               const TensorOptions &options = {});
  static Tensor kaimingNormal(const Shape &shape, double a = 0.01,
                              const TensorOptions &options = {});
  /// While this thread trains (see TrainingScope): 0 with probability \p p,
  /// else the element / (1 - p). The same values otherwise.
  Tensor dropout(double p = 0.5) const;

  //===--------------------------------------------------------------------===//
  // Movement
  //===--------------------------------------------------------------------===//

  // Where a shape or a list of axes is all that a method takes, its numbers can
  // also be written as arguments: x.reshape(2, 3), x.permute(1, 0).

  /// At most one size may be -1: what is left.
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
  /// the last axis on (see Padding). Negative amounts cut elements off; it is a
  /// ShapeError if there are fewer than these, whatever is added elsewhere.
  Tensor pad(const Padding &amounts, Scalar value = 0) const;
  /// The same with elements of the tensor, see PadMode; \p value is for
  /// Constant. The other modes cut off after the positive amounts have been
  /// added. Throws ShapeError where Reflect adds as many elements as the axis
  /// has, Circular more than these, Replicate some to an empty axis. As in
  /// tinygrad and PyTorch, but for any axes.
  Tensor pad(const Padding &amounts, PadMode mode, Scalar value = 0) const;
  /// The part [from, to) of each axis; all of one for which `{}` or None is
  /// given.
  Tensor shrink(const Parts &parts) const;
  /// Zeros after, or only the first of, the elements of each axis, up to a
  /// size; -1 keeps the size of an axis.
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
  /// in parentheses make up one axis, 1 is an axis of that size, "..." stands
  /// for all axes that are not named. Throws ShapeError.
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
  /// The windows of \p size along an axis, \p step apart: that axis counts
  /// them, a new last axis is the position in one. As in PyTorch, but that
  /// windows do not share elements with the tensor.
  Tensor unfold(int64_t dim, int64_t size, int64_t step) const;
  /// The elements [.., i, .., i + offset, ..] of two axes as a new last axis,
  /// as in PyTorch; a view.
  Tensor diagonal(int64_t offset = 0, int64_t dim0 = 0, int64_t dim1 = 1) const;
  /// A square matrix with this row on a diagonal and zeros elsewhere; of a
  /// matrix, that diagonal.
  Tensor diag(int64_t offset = 0) const;
  static Tensor cat(const std::vector<Tensor> &tensors, int64_t dim = 0);
  static Tensor stack(const std::vector<Tensor> &tensors, int64_t dim = 0);
  /// For each row (or number) the tensor of all their combinations in which it
  /// runs along an axis of its own: its place in the list, where XY swaps the
  /// first two.
  static std::vector<Tensor> meshgrid(const std::vector<Tensor> &rows,
                                      GridIndexing indexing = GridIndexing::IJ);
  /// Copies along each axis, of which there may be more than the tensor has.
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
  /// The same as often as \p repeats says, which is of integers, a number for
  /// each part or one for all. Their sum is a size: they are computed at once.
  Tensor repeatInterleave(const Tensor &repeats,
                          std::optional<int64_t> dim = {}) const;
  Tensor roll(SymInt shift, int64_t dim) const;
  Tensor roll(const Shape &shifts, const Axes &dims) const;

  //===--------------------------------------------------------------------===//
  // Indexing
  //===--------------------------------------------------------------------===//

  /// NumPy's indexing, but that integers are applied before tensors. Positions
  /// in tensors that are out of range give zeros. A tensor of bools is a mask
  /// of as many axes as it has and selects where it holds: the number of
  /// elements is then known only when the mask is, which is computed as soon as
  /// the result is asked for anything, its shape included. An assignment to the
  /// expression, `x.index({0, rows}) = y`, writes to x; through a mask alone it
  /// stays lazy.
  IndexedTensor index(const std::vector<Index> &entries) const;
  IndexedTensor operator[](const Index &entry) const;
  /// index(entries) = value. With tensors of positions among \p entries the
  /// work is that of what is written; of several values for one element the
  /// last one stays. Returns *this.
  Tensor &setitem(const std::vector<Index> &entries, const Operand &value);
  /// result[i][j][k] = (*this)[index[i][j][k]][j][k] for dim = 0, and so on.
  Tensor gather(int64_t dim, const Tensor &index) const;
  /// The rows of axis \p dim at the positions that \p index holds.
  Tensor indexSelect(int64_t dim, const Tensor &index) const;
  /// 1 at the position that each element holds, along a new last axis.
  Tensor oneHot(SymInt numClasses) const;
  /// \p value where the mask holds.
  Tensor maskedFill(const Tensor &mask, const Operand &value) const;
  /// The lower or upper triangle of the last two axes, zeros elsewhere.
  Tensor tril(int64_t diagonal = 0) const;
  Tensor triu(int64_t diagonal = 0) const;

  /// A copy with result[index[i][j][k]][j][k] = src[i][j][k] for dim = 0, and
  /// so on, or with \p reduction, combined with what is there; one after the
  /// other in order of \p index, which is of integers. \p src is a number or
  /// has at least the shape of the index, which other than along \p dim is at
  /// most that of this tensor. Negative positions are from the end; those out
  /// of range are left out. Throws ShapeError, DTypeError.
  Tensor scatter(int64_t dim, const Tensor &index, const Operand &src,
                 std::optional<ScatterReduction> reduction = {}) const;
  /// The same for each kind of reduction; without \p includeSelf the elements
  /// that are written to begin without what they hold. A mean of integers is
  /// rounded towards negative infinity.
  Tensor scatterReduce(int64_t dim, const Tensor &index, const Operand &src,
                       ScatterReduction reduction,
                       bool includeSelf = true) const;
  /// The elements where the mask, broadcast, holds, in row-major order. Their
  /// number is data: the mask is computed at once.
  Tensor maskedSelect(const Tensor &mask) const;
  /// The positions of the elements that are not 0, as rows of one int32 (int64
  /// in large tensors) for each axis. Computes the tensor at once, as
  /// maskedSelect().
  Tensor nonzero() const;

  //===--------------------------------------------------------------------===//
  // Scans and sorts
  //===--------------------------------------------------------------------===//

  // A scalar is a row of one element: 0 and -1 are its axes.

  /// Sums, or products, of the elements up to each one. Element types are those
  /// of sum().
  Tensor cumsum(int64_t axis = 0) const;
  Tensor cumprod(int64_t axis = 0) const;
  /// The largest (least) of the elements up to each one, and the position
  /// (int32, int64 in axes of 2^31 elements or more) of the first that is it. A
  /// NaN is larger (less) than all numbers.
  std::pair<Tensor, Tensor> cummax(int64_t axis = 0) const;
  std::pair<Tensor, Tensor> cummin(int64_t axis = 0) const;
  /// log(cumsum(exp(x))), with no intermediate too large.
  Tensor logcumsumexp(int64_t axis = 0) const;
  /// The elements in order, and their positions (as of argsort). Equal ones
  /// stay in the order in which they are; NaNs are larger than all numbers.
  std::pair<Tensor, Tensor> sort(int64_t dim = -1,
                                 bool descending = false) const;
  /// The position (int32, int64 in axes of 2^31 elements or more) of the
  /// element that comes at each place when sorted.
  Tensor argsort(int64_t dim = -1, bool descending = false) const;
  /// The \p k largest, or least, elements and their positions, in order. Throws
  /// ShapeError if there are fewer.
  std::pair<Tensor, Tensor> topk(SymInt k, int64_t dim = -1,
                                 bool largest = true) const;

  /// Positions (int32) drawn with probabilities in proportion to the elements,
  /// which are not negative: \p numSamples for each row of one or two axes.
  /// Without \p replacement they differ, and those of probability 0 come last.
  /// Throws ShapeError for other axes, and if a row has too few elements.
  Tensor multinomial(int64_t numSamples = 1, bool replacement = false) const;

  //===--------------------------------------------------------------------===//
  // Elementwise, two operands
  //===--------------------------------------------------------------------===//

  // Operands are broadcast and brought to one element type. What integers, NaN
  // and infinities give is said of the dialect's operations (docs/reference):
  // integers wrap around, and no division of them traps. Comparisons give bool.

  Tensor add(const Operand &other) const;
  Tensor sub(const Operand &other) const;
  Tensor mul(const Operand &other) const;
  /// True division: of integers too, in float32.
  Tensor div(const Operand &other) const;
  /// Division rounded towards negative infinity; of floats, the floor of the
  /// rounded quotient.
  Tensor floordiv(const Operand &other) const;
  /// Remainder of the division rounded towards negative infinity: of the sign
  /// of the divisor. Exact, of floats as long as the quotient is below 2^24 (of
  /// float64, 2^53); nothing is left of larger ones. Division of an integer by
  /// zero gives 0.
  Tensor mod(const Operand &other) const;
  /// Remainder of the division rounded towards zero, as C's fmod and %: of the
  /// sign of the dividend.
  Tensor fmod(const Operand &other) const;
  /// Of integers exact, modulo the type's size; integers to the power of a
  /// negative C++ number throw DTypeError.
  Tensor pow(const Operand &exponent) const;
  Tensor maximum(const Operand &other) const;
  Tensor minimum(const Operand &other) const;
  /// The magnitude of this with the sign of \p other, -0 included.
  Tensor copysign(const Operand &other) const;
  /// log(exp(this) + exp(other)), with no intermediate too large.
  Tensor logaddexp(const Operand &other) const;
  /// Of integers and bool.
  Tensor bitwiseAnd(const Operand &other) const;
  Tensor bitwiseOr(const Operand &other) const;
  Tensor bitwiseXor(const Operand &other) const;
  /// Of integers. A signed one shifted to the right keeps its sign.
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
  /// Whether all of them are, which is computed at once.
  bool
  allclose(const Operand &other, double rtol = 1e-5, double atol = 1e-8,
           bool equalNan = false,
           std::source_location where = std::source_location::current()) const;
  /// this + (end - this) * weight.
  Tensor lerp(const Operand &end, const Operand &weight) const;
  /// \p x where this holds (as anything but 0 does), else \p y.
  Tensor where(const Operand &x, const Operand &y) const;

  //===--------------------------------------------------------------------===//
  // Elementwise, one operand
  //===--------------------------------------------------------------------===//

  // Functions of real numbers take integers as float32 and compute narrow
  // floats in float32. What has no value is NaN, as in C.

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
  /// Whether it is 0.
  Tensor logicalNot() const;
  Tensor bitwiseNot() const;
  /// At least \p min and at most \p max; one of them may be left out.
  Tensor clamp(std::optional<Scalar> min, std::optional<Scalar> max = {}) const;

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

  // With keepdim the reduced axes stay, with size 1. A scalar is reduced as a
  // row of one element: 0 and -1 are its axes.

  /// Float types narrower than float32 are summed in float32 and rounded at the
  /// end; bool and small integers give int32 or uint32.
  Tensor sum(const Axes &axes = {}, bool keepdim = false,
             std::optional<DType> dtype = {}) const;
  Tensor prod(const Axes &axes = {}, bool keepdim = false,
              std::optional<DType> dtype = {}) const;
  /// NaN if there is one; of no elements the least value of the type (min: the
  /// greatest), which is an infinity if the type has one.
  Tensor max(const Axes &axes = {}, bool keepdim = false) const;
  Tensor min(const Axes &axes = {}, bool keepdim = false) const;
  /// max() along one axis, with the position of the first that is it, as
  /// argmax() gives it:
  /// `auto [values, indices] = x.maxWithIndices(1);`. Throws ShapeError for an
  /// axis of no elements.
  ValuesAndIndices maxWithIndices(int64_t axis, bool keepdim = false) const;
  ValuesAndIndices minWithIndices(int64_t axis, bool keepdim = false) const;
  Tensor mean(const Axes &axes = {}, bool keepdim = false) const;
  /// The sum of the squared differences from the mean, divided by n -
  /// correction, or by zero if that is negative. How the mean is rounded has no
  /// influence: of equal numbers it is 0.
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
  /// there can be 2^31 positions or more.
  Tensor argmax(std::optional<int64_t> axis = {}, bool keepdim = false) const;
  Tensor argmin(std::optional<int64_t> axis = {}, bool keepdim = false) const;
  /// log(sum(exp(x))), with no intermediate too large.
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
  /// Products of the operands, summed, by a formula with a letter for each
  /// axis, as in NumPy: "ij,jk->ik" is matmul(). A letter that an operand has
  /// twice is its diagonal, "..." stands for any further axes, which are
  /// broadcast, and so is an axis of size 1. What is not in the result is
  /// summed up, what only operands have in "..." as well, as in PyTorch.
  /// Without "->" the result has the axes of "...", then the letters that
  /// occur once, capitals first. Of more than two operands, the pair with the
  /// least work for its product comes first, one with a letter in common
  /// rather than one without, and so on until one is left. Types are those of
  /// matmul(). Throws Error for a formula that is none, naming the character,
  /// ShapeError for operands that do not fit it.
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
  /// What conv2d() of this weight and these options is to its input,
  /// transposed: (N, Cin, spatial...) and (Cin, Cout / groups, kernel...) give
  /// axes of size (size - 1) * stride - before - after + dilation * (kernel -
  /// 1) + 1 + outputPadding. As in tinygrad and PyTorch; throws ShapeError for
  /// an output padding that is not less than stride or dilation.
  Tensor convTranspose2d(const Tensor &weight, const OptionalTensor &bias = {},
                         const ConvTranspose2dOptions &options = {}) const;
  template <OptionsFor<ConvTranspose2dOptions> O = ConvTranspose2dOptions>
  Tensor convTranspose2d(const Tensor &weight, const O &options) const {
    return convTranspose2d(weight, OptionalTensor(), options);
  }
  /// The mean, or the largest element, of each window of the last two axes; of
  /// as many axes as \p kernelSize has numbers, if it has several.
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
  /// Zeros with the elements of this at \p indices, which
  /// maxPool2dWithIndices() gave. Of several elements for one position the last
  /// one stays, as in PyTorch (tinygrad adds them up); those for a position out
  /// of range are left out.
  Tensor maxUnpool2d(const Tensor &indices, const PerAxis &kernelSize = 2,
                     const MaxUnpool2dOptions &options = {}) const;
  /// The last axes brought to \p size, as in tinygrad and PyTorch. Positions
  /// are exact, whatever the sizes. With \p alignCorners, which is for Linear,
  /// the centres of the outermost elements stay in place, else their edges.
  /// Linear gives a float type, the other modes keep the element type.
  Tensor interpolate(const Shape &size,
                     InterpolateMode mode = InterpolateMode::Linear,
                     bool alignCorners = false) const;
  /// (this - mean) * invstd * weight + bias along \p axis. Weight and bias may
  /// be left out: `{}`.
  Tensor batchnorm(const OptionalTensor &weight, const OptionalTensor &bias,
                   const Tensor &mean, const Tensor &invstd,
                   const Axes &axis = 1) const;
  /// (this - mean) / sqrt(variance + eps), the variance divided by n. How the
  /// mean is rounded has no influence.
  Tensor layernorm(const Axes &axes = -1, double eps = 1e-5) const;
  /// this / sqrt(mean of squares + eps).
  Tensor rmsnorm(int64_t axis = -1, double eps = 1e-6) const;
  /// this / max(norm, eps) along \p dim, as in PyTorch. The norm is
  /// sum(|x|^p)^(1/p): the number of elements that are not 0 for p = 0, the
  /// largest magnitude for infinity. Throws Error for a p that is negative or
  /// NaN.
  Tensor normalize(double p = 2, int64_t dim = 1, double eps = 1e-12) const;
  /// softmax(this * key^T / sqrt(d) + mask) * value. A bool mask tells which
  /// positions may be attended to; none means all.
  Tensor scaledDotProductAttention(const Tensor &key, const Tensor &value,
                                   const OptionalTensor &mask = {},
                                   bool isCausal = false) const;

  /// Applies one function after the other: `x.sequential({&Tensor::relu, f})`.
  /// Throws Error, naming its place, for a function that is empty.
  Tensor sequential(const std::vector<std::function<Tensor(const Tensor &)>>
                        &functions) const;

  //===--------------------------------------------------------------------===//
  // Losses
  //===--------------------------------------------------------------------===//

  // The mean is that of all elements, or rows, unless said otherwise. Narrow
  // floats are computed in float32 and rounded at the end, integers in float32.

  /// -sum(target * logSoftmax(this)) along the classes: axis 1, or 0 of a
  /// vector. Targets are probabilities in the shape of this or classes in that
  /// shape without the axis of classes. Smoothing puts \p labelSmoothing of
  /// each target equally on all classes. As in tinygrad and PyTorch.
  Tensor crossEntropy(const Tensor &target,
                      Reduction reduction = Reduction::Mean,
                      double labelSmoothing = 0) const;
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

  //===--------------------------------------------------------------------===//
  // Element type and place
  //===--------------------------------------------------------------------===//

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
  /// A buffer will hold the values; ends fusion.
  Tensor contiguous() const;
  /// The same values with no gradient through them.
  Tensor detach() const;
  /// The same values in memory of their own.
  Tensor clone() const;
  /// The values on another device.
  Tensor to(std::string_view device) const;
  /// As PyTorch has it: cast.
  Tensor to(DType dtype) const { return cast(dtype); }
  /// Overwrites the values, for all copies of this handle, and what it shares
  /// elements with: movement methods other than expand and pad, and indexing
  /// without tensors, make views, and an assignment to a tensor or to a view of
  /// it shows in the tensor and in all of its views. Tensors computed from the
  /// old values keep them. A realized tensor keeps its memory when nothing else
  /// needs the old contents. An assignment to a place that has a variable is
  /// carried out with the first value that depends on it, or when there is one
  /// to a place with another value of the variable. \p value is broadcast and
  /// must be of the same element type, device and graph. Returns *this.
  Tensor &assign(const Operand &value);
  // The same with what an operator gives: x.assignAdd(y) is x.assign(x + y). So
  // what PyTorch calls copy_ and fill_ is assign, add_ is assignAdd, and zero_
  // is zero. `x += y` makes the variable x another tensor instead.
  Tensor &assignAdd(const Operand &value) { return assign(add(value)); }
  Tensor &assignSub(const Operand &value) { return assign(sub(value)); }
  Tensor &assignMul(const Operand &value) { return assign(mul(value)); }
  Tensor &assignDiv(const Operand &value) { return assign(div(value)); }
  Tensor &fill(Scalar value) { return assign(value); }
  Tensor &zero() { return assign(0); }
  /// Makes this handle, and its copies, another value; of any shape and type.
  Tensor &replace(const Tensor &value);

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  /// Computes the values and keeps them. Throws ShapeError when a variable has
  /// no value or two, CompileError when a kernel cannot be compiled,
  /// OutOfMemoryError, DeviceError. Where it was called is shown at DEBUG=2,
  /// as for all methods that realize.
  const Tensor &
  realize(std::source_location where = std::source_location::current()) const;
  /// The memory that holds the values, row-major with the strides of the
  /// greatest sizes. Realizes.
  Buffer buffer() const;
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
    // Realized first, which says what is wrong with a size.
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
  /// A copy in host memory that file writers take.
  HostArray
  toHost(std::source_location where = std::source_location::current()) const;

  /// The values as text, nested as NumPy does; the middle of large tensors is
  /// left out. Realizes. `std::ostream << tensor` prints the same.
  std::string str() const;
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

/// Computes several tensors in one go: what they share is computed once.
void realize(const std::vector<Tensor> &tensors,
             std::source_location where = std::source_location::current());

/// Elements, and the positions along an axis that they come from.
struct ValuesAndIndices {
  Tensor values, indices;
};

inline OptionalTensor::OptionalTensor(const Tensor &tensor)
    : tensor_(tensor.defined() ? &tensor : nullptr) {}

std::ostream &operator<<(std::ostream &stream, const Tensor &tensor);

/// Writes the values to a .npy file, as writeNpy of Runtime/Npy.h does with
/// host memory. Realizes. Throws what realize() throws, and IoError.
void writeNpy(const std::string &path, const Tensor &tensor);

} // namespace tinygrad

#include "TinyGrad/Tensor/Format.h"
#include "TinyGrad/Tensor/IndexedTensor.h"
#include "TinyGrad/Tensor/Operators.h"

#endif // TINYGRAD_TENSOR_TENSOR_H
