//===- LinearAlgebra.cpp - factorizations of matrices ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// QR by Householder reflections, the singular value decomposition by one-sided
/// Jacobi rotations, and Newton-Schulz iterations. All steps of an iteration
/// build the same operations: what differs between them, such as the number of
/// the column, is a tensor. So the steps share their kernels, and compilation
/// takes the same time for all sizes.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"
#include "SymExpr.h"
#include "TinyGrad/Runtime/Interrupt.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::detail;

namespace {
/// The sizes of the last two axes.
struct MatrixSize {
  int64_t rows, columns;
};

/// The matrices divided by \p scale: by a power of two next to their largest
/// magnitude, so that squares neither overflow nor vanish, and nothing is
/// rounded. Not part of the gradient, which does not depend on the scale.
struct Scaled {
  Tensor matrix, scale;
};
} // namespace

static MatrixSize matrixSize(const Tensor &x, const char *what) {
  if (x.ndim() < 2)
    throw ShapeError(std::string(what) + ": a tensor of shape " +
                     toString(x.shape()) +
                     " has no matrices: two or more axes are required");
  return {constantOf(x.shape()[x.ndim() - 2], what),
          constantOf(x.shape()[x.ndim() - 1], what)};
}

/// \p shape with other last two axes.
static Shape withMatrix(Shape shape, int64_t rows, int64_t columns) {
  shape[shape.size() - 2] = rows;
  shape[shape.size() - 1] = columns;
  return shape;
}

/// The identity, for each matrix of a batch of this shape.
static Tensor identity(const Tensor &like, int64_t size) {
  return Tensor::eye(size, {}, {like.dtype(), like.device()})
      .expand(withMatrix(like.shape(), size, size));
}

//===----------------------------------------------------------------------===//
// QR
//===----------------------------------------------------------------------===//

static Scaled scaledMatrix(const Tensor &x) {
  Tensor largest = maxOrLowest(x.abs(), {x.ndim() - 2, x.ndim() - 1}, true);
  Tensor isNumber = (largest > 0).bitwiseAnd(largest.isfinite());
  Tensor scale =
      isNumber.where(isNumber.where(largest, 1).log2().floor().exp2(), 1)
          .contiguous()
          .detach();
  return {x / scale, scale};
}

/// (q^T, r) of matrices of float32 or float64, all elements of which are at
/// most of the order of 1.
static std::pair<Tensor, Tensor> reflect(const Tensor &x, MatrixSize size) {
  const auto [rows, columns] = size;
  // What is done to the matrix is done to the identity beside it: its columns
  // become those of q^T.
  Tensor both = Tensor::cat({x, identity(x, rows)}, -1).contiguous();
  Tensor row = prim::iota(x, 0, DType::Int32, {rows}).reshape({rows, 1});
  // The number of the column, in memory: as a constant it would make each step
  // a different program.
  Tensor step = prim::constant(x, 0, DType::Int32, {1}).contiguous();
  for (int64_t i = 0; i < std::min(rows, columns); ++i) {
    Tensor column = both.indexSelect(-1, step);
    Tensor isFirst = row == step;
    Tensor rest = (row >= step).where(column, 0);
    Tensor squares = rest.square().sum(-2, true);
    Tensor isActive = squares != 0;
    Tensor norm = isActive.where(squares, 1).sqrt();
    Tensor first = isFirst.where(column, 0).sum(-2, true);
    Tensor sign = (first < 0).where(same(first, -1), 1);
    // I - factor v v^T with v = (0, .., 0, 1, rest / pivot).
    Tensor pivot = isActive.where(first + sign * norm, 1).contiguous();
    Tensor factor = isActive.where(sign * pivot / norm, 0).contiguous();
    Tensor v = isFirst.where(1, rest / pivot);
    Tensor products = (v * both).sum(-2, true).contiguous();
    both = (both - v * (factor * products)).contiguous();
    step = (step + 1).contiguous();
  }
  std::vector<Tensor> parts = both.split(Shape{columns, rows}, -1);
  return {parts[1], parts[0].triu()};
}

std::pair<Tensor, Tensor> Tensor::qr() const {
  const MethodScope method("qr");
  const MatrixSize size = matrixSize(*this, "qr");
  const DType result = promoteToFloat(dtype());
  const auto [scaled, scale] =
      scaledMatrix(cast(promote(result, DType::Float32)));
  const auto [q, r] = reflect(scaled, size);
  return {q.transpose(-2, -1).cast(result), (r * scale).cast(result)};
}

//===----------------------------------------------------------------------===//
// Singular values
//===----------------------------------------------------------------------===//

/// Rotates pairs of columns until the columns of the first \p size rows are
/// orthogonal (one-sided Jacobi method: Z. Drmac and K. Veselic, "New fast and
/// accurate Jacobi SVD algorithm", LAPACK working note 169). Column i is paired
/// with column i + half, after which all but the first column move on by one
/// place in a circle, so that each round is the same program and each pair of
/// columns meets once in `columns - 1` rounds.
static Tensor orthogonalizeColumns(Tensor x, int64_t size) {
  // On matrices of 128 columns, clustered and ill-conditioned ones included, 6
  // sweeps reach float32 and 9 float64.
  const int64_t sweeps = x.dtype() == DType::Float64 ? 10 : 7;
  const int64_t columns = size + size % 2, half = columns / 2;
  if (columns != size) {
    std::vector<PadAmount> amounts(x.ndim(), PadAmount(0, 0));
    amounts.back() = {0, 1};
    x = x.pad(amounts).contiguous();
  }
  auto columnsOf = [](const Tensor &x, int64_t from, int64_t to) {
    std::vector<Part> parts(x.ndim());
    parts.back() = {from, to};
    return x.shrink(parts);
  };
  auto rowsOf = [&](const Tensor &x) {
    std::vector<Part> parts(x.ndim());
    parts[x.ndim() - 2] = {0, size};
    return x.shrink(parts);
  };
  for (int64_t round = 0; round < sweeps * (columns - 1); ++round) {
    Tensor left = columnsOf(x, 0, half), right = columnsOf(x, half, columns);
    Tensor product = (rowsOf(left) * rowsOf(right)).sum(-2, true);
    Tensor leftSquares = rowsOf(left).square().sum(-2, true);
    Tensor rightSquares = rowsOf(right).square().sum(-2, true);
    // The tangent of the angle that makes the columns orthogonal: the smaller
    // root of t^2 + (difference / product) t = 1. Without a division by the
    // product, which may be 0, it has a derivative there.
    Tensor difference = rightSquares - leftSquares;
    Tensor squares = difference.square() + product.square() * 4;
    Tensor isActive = squares != 0;
    Tensor root = isActive.where(squares, 1).sqrt();
    Tensor sign = (difference < 0).where(same(difference, -1), 1);
    Tensor tangent =
        isActive.where(product * sign * 2 / (difference * sign + root), 0)
            .contiguous();
    // With the tangent of half the angle, a rotation adds a small multiple to
    // each column, whose rounding hardly changes the column's norm.
    Tensor halfTangent = (tangent / ((tangent.square() + 1).sqrt() + 1));
    Tensor sine = (halfTangent * 2 / (halfTangent.square() + 1)).contiguous();
    halfTangent = halfTangent.contiguous();
    Tensor first = left - sine * (right + halfTangent * left),
           second = right + sine * (left - halfTangent * right);
    if (half == 1)
      x = Tensor::cat({first, second}, -1).contiguous();
    else
      x = Tensor::cat({columnsOf(first, 0, 1), columnsOf(second, 0, 1),
                       columnsOf(first, 1, half - 1),
                       columnsOf(second, 1, half),
                       columnsOf(first, half - 1, half)},
                      -1)
              .contiguous();
  }
  return columnsOf(x, 0, size);
}

std::tuple<Tensor, Tensor, Tensor> Tensor::svd(bool fullMatrices) const {
  const MethodScope method("svd");
  const auto [rows, columns] = matrixSize(*this, "svd");
  if (rows < columns) {
    auto [u, s, v] = transpose(-2, -1).svd(fullMatrices);
    return {v.transpose(-2, -1), s, u.transpose(-2, -1)};
  }
  const DType result = promoteToFloat(dtype());
  const auto [x, scale] = scaledMatrix(cast(promote(result, DType::Float32)));
  auto rowsOf = [&](const Tensor &x, int64_t from, int64_t to) {
    std::vector<Part> parts(x.ndim());
    parts[x.ndim() - 2] = {from, to};
    return x.shrink(parts);
  };
  // x = q1 r1 and r1^T = q2 r2, so x = q1 r2^T q2^T. The second factorization
  // saves sweeps: the columns of r2^T are closer to orthogonal ones than those
  // of r1.
  const MatrixSize square = {columns, columns};
  const auto [q1, r1] = reflect(x, {rows, columns});
  const auto [q2, r2] =
      reflect(rowsOf(r1, 0, columns).transpose(-2, -1), square);
  // The columns of r2^T become those of u times s, those of q2 are v.
  Tensor both = orthogonalizeColumns(
      Tensor::cat({r2.transpose(-2, -1), q2.transpose(-2, -1)}, -2)
          .contiguous(),
      columns);
  Tensor norms = rowsOf(both, 0, columns).square().sum(-2, true);
  both = both.gather(-1, norms.argsort(-1, true).expand(both.shape()))
             .contiguous();
  // The norms of columns are the singular values. Dividing by them would leave
  // no orthogonal columns where they are 0 or inexact; reflections do.
  const auto [q3, r3] = reflect(rowsOf(both, 0, columns), square);
  Tensor signedValues = r3.diagonal(0, -2, -1);
  Tensor signs =
      (signedValues < 0).where(same(signedValues, -1), 1).unsqueeze(-2);
  Tensor q = q1.transpose(-2, -1);
  std::vector<Tensor> parts = q.split(Shape{columns, rows - columns}, -1);
  Tensor u = parts[0].matmul(q3.transpose(-2, -1)) * signs;
  if (fullMatrices && rows != columns)
    u = Tensor::cat({u, parts[1]}, -1);
  // Nearly equal values may have changed places by rounding.
  Tensor s = signedValues.abs().sort(-1, true).first * scale.squeeze(-1);
  Tensor v = rowsOf(both, columns, 2 * columns).transpose(-2, -1);
  return {u.cast(result), s.cast(result), v.cast(result)};
}

//===----------------------------------------------------------------------===//
// Newton-Schulz
//===----------------------------------------------------------------------===//

Tensor Tensor::newtonSchulz(int64_t steps,
                            const std::vector<double> &coefficients,
                            double eps) const {
  const MethodScope method("newtonSchulz");
  if (ndim() < 2)
    throw ShapeError("newtonSchulz: a tensor of shape " + toString(shape()) +
                     " has no matrices: two or more axes are required");
  if (steps < 0)
    throw Error("newtonSchulz: " + std::to_string(steps) +
                " steps; at least 0 are required");
  if (coefficients.empty())
    throw Error("newtonSchulz: a polynomial without coefficients");
  // The smaller of x x^T and x^T x.
  const bool isTall = isAtMost(shape()[ndim() - 1], shape()[ndim() - 2]);
  return inFloat(isTall ? transpose(-2, -1) : *this, [&](const Tensor &wide) {
    Tensor squares = wide.square().sum({-2, -1}, true);
    // The norm of zeros has the gradient 0.
    Tensor norm = constantAtZero(
        squares, 0, [](const Tensor &square) { return square.sqrt(); });
    Tensor x = wide / (norm + eps);
    for (int64_t i = 0; i < steps; ++i) {
      checkInterrupt();
      // c[1] g + c[2] g^2 + ..., as g (c[1] + g (c[2] + ..)), times x.
      Tensor gram = x.matmul(x.transpose(-2, -1)), sum;
      for (std::size_t k = coefficients.size(); k-- > 1;)
        sum = sum.defined() ? gram * coefficients[k] + gram.matmul(sum)
                            : gram * coefficients[k];
      x = sum.defined() ? x * coefficients[0] + sum.matmul(x)
                        : x * coefficients[0];
    }
    return isTall ? x.transpose(-2, -1) : x;
  });
}
