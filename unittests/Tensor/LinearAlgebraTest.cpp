//===- LinearAlgebraTest.cpp - factorizations of matrices -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// QR, singular values and Newton-Schulz iterations: the properties of their
/// factors, numbers of NumPy, special matrices, the number of kernels.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::testing;

static double largestMagnitude(const Tensor &x) {
  double result = 0;
  for (double value : values(x)) {
    if (std::isnan(value))
      return value;
    result = std::max(result, std::fabs(value));
  }
  return result;
}

/// Expects orthonormal columns.
static void expectOrthogonal(const Tensor &x, double tolerance) {
  Tensor gram = x.transpose(-2, -1).matmul(x);
  EXPECT_LE(
      largestMagnitude(gram - Tensor::eye(gram.size(-1), {}, {gram.dtype()})),
      tolerance);
}

static void expectTriangular(const Tensor &x) {
  EXPECT_EQ(values(x), values(x.triu()));
}

/// Relative to the largest element.
static double tolerance(const Tensor &x) {
  const double unit = x.dtype() == DType::Float64 ? 0x1p-52 : 0x1p-23;
  return unit * 8 *
         std::sqrt(double(
             std::max<int64_t>({1, x.size(-2).value(), x.size(-1).value()})));
}

static void expectQr(const Tensor &x) {
  auto [q, r] = x.qr();
  realize({q, r});
  const int64_t rows = x.size(-2);
  EXPECT_EQ(q.size(-1).value(), rows);
  EXPECT_EQ(q.size(-2).value(), rows);
  EXPECT_EQ(r.shape(), x.shape());
  EXPECT_EQ(q.dtype(), x.dtype());
  expectOrthogonal(q, tolerance(x));
  expectTriangular(r);
  EXPECT_LE(largestMagnitude(q.matmul(r) - x),
            tolerance(x) * largestMagnitude(x) *
                std::max<double>(1, std::sqrt(double(x.size(-1).value()))));
}

/// Returns the singular values.
static Tensor expectSvd(const Tensor &x) {
  Tensor s;
  for (bool full : {true, false}) {
    auto [u, values_, v] = x.svd(full);
    realize({u, values_, v});
    s = values_;
    const int64_t rows = x.size(-2), columns = x.size(-1),
                  count = std::min(rows, columns);
    EXPECT_EQ(u.size(-2).value(), rows);
    EXPECT_EQ(u.size(-1).value(), full ? rows : count);
    EXPECT_EQ(v.size(-2).value(), full ? columns : count);
    EXPECT_EQ(v.size(-1).value(), columns);
    EXPECT_EQ(s.size(-1).value(), count);
    expectOrthogonal(u, tolerance(x));
    expectOrthogonal(v.transpose(-2, -1), tolerance(x));
    const std::vector<double> found = values(s);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_GE(found[i], 0);
      if (i % std::size_t(count) != 0)
        EXPECT_LE(found[i], found[i - 1]);
    }
    auto part = [](const Tensor &x, int64_t axis, int64_t size) {
      std::vector<Part> parts(x.ndim());
      parts[x.ndim() + axis] = {0, size};
      return x.shrink(parts);
    };
    Tensor product =
        (part(u, -1, count) * s.unsqueeze(-2)).matmul(part(v, -2, count));
    const double largest = found.empty() ? 0 : *std::ranges::max_element(found);
    EXPECT_LE(largestMagnitude(product - x), tolerance(x) * largest);
  }
  return s;
}

/// The Hilbert matrix, whose singular values span many powers of ten.
static Tensor hilbert(int64_t size, DType dtype) {
  Tensor i = Tensor::arange(size, dtype);
  return 1.0 / (i.unsqueeze(0) + i.unsqueeze(1) + 1.0);
}

TEST(Qr, Factors) {
  for (DType dtype : {DType::Float32, DType::Float64})
    for (auto [rows, columns] :
         {std::pair{4, 3}, std::pair{3, 4}, std::pair{5, 5}, std::pair{1, 1},
          std::pair{1, 4}, std::pair{4, 1}, std::pair{33, 20}}) {
      SCOPED_TRACE(::testing::Message()
                   << name(dtype) << " " << rows << " x " << columns);
      expectQr(noiseTensor({rows, columns}).cast(dtype));
    }
  expectQr(noiseTensor({2, 3, 4, 3}));
}

// abs(diag(numpy.linalg.qr(noise((4, 3)))[1]))
TEST(Qr, Values) {
  Tensor r = noiseTensor({4, 3}).qr().second;
  expectTensor(r.diagonal().abs(), {3}, {1.22787832, 0.62141045, 1.35070326},
               1e-6);
  // The first column of r is -sign(x[0]) times the norm, as in tinygrad.
  EXPECT_LT(noiseTensor({4, 3}).index({0, 0}).item<float>() *
                r.index({0, 0}).item<float>(),
            0);
}

TEST(Qr, SpecialMatrices) {
  expectQr(Tensor::eye(5));
  expectQr(Tensor::ones({4, 4}));
  expectQr(hilbert(12, DType::Float64));
  // Zeros, and a column of zeros.
  auto [q, r] = Tensor::zeros({3, 2}).qr();
  expectTensor(q, {3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  expectTensor(r, {3, 2}, std::vector<double>(6));
  expectQr(noiseTensor({4, 3}) * Tensor::from({1.0f, 0.0f, 1.0f}));
  // Squares that overflow or vanish in float32.
  expectQr(noiseTensor({4, 3}) * 1e30);
  Tensor tiny = noiseTensor({4, 3}) * 1e-30;
  auto [q2, r2] = tiny.qr();
  EXPECT_LE(largestMagnitude((q2.matmul(r2) - tiny) * 1e30), 1e-6);
  // Empty ones.
  EXPECT_EQ(Tensor::zeros({0, 3}).qr().second.shape(), Shape({0, 3}));
  auto [q3, r3] = Tensor::zeros({2, 0}).qr();
  expectTensor(q3, {2, 2}, {1, 0, 0, 1});
  EXPECT_EQ(Tensor::zeros({0, 2, 2}).qr().first.shape(), Shape({0, 2, 2}));
  EXPECT_TRUE(values(Tensor::zeros({0, 2, 2}).qr().first).empty());
}

TEST(Qr, ElementTypes) {
  for (DType dtype : {DType::Float16, DType::BFloat16}) {
    auto [q, r] = noiseTensor({4, 3}).cast(dtype).qr();
    EXPECT_EQ(q.dtype(), dtype);
    EXPECT_LE(largestMagnitude(q.toFloat().matmul(r.toFloat()) -
                               noiseTensor({4, 3}).cast(dtype).toFloat()),
              2e-2);
  }
  auto [q, r] = Tensor::from({{3, 0}, {4, 5}}).qr();
  expectTensor(r, {2, 2}, {-5, -4, 0, -3}, 1e-6);
}

/// All columns have the same kernels.
TEST(Qr, KernelsDoNotGrow) {
  auto compiled = [](int64_t size) {
    Tensor x = noiseTensor({size, size}).realize();
    const int64_t before = GlobalCounters::kernelsCompiled +
                           GlobalCounters::memoryCacheHits +
                           GlobalCounters::diskCacheHits;
    auto [q, r] = x.qr();
    realize({q, r});
    return GlobalCounters::kernelsCompiled + GlobalCounters::memoryCacheHits +
           GlobalCounters::diskCacheHits - before;
  };
  EXPECT_LE(compiled(24), 16);
}

TEST(Svd, Factors) {
  for (DType dtype : {DType::Float32, DType::Float64})
    for (auto [rows, columns] :
         {std::pair{4, 3}, std::pair{3, 5}, std::pair{2, 2}, std::pair{1, 1},
          std::pair{1, 3}, std::pair{3, 1}, std::pair{12, 12}}) {
      SCOPED_TRACE(::testing::Message()
                   << name(dtype) << " " << rows << " x " << columns);
      expectSvd(noiseTensor({rows, columns}).cast(dtype));
    }
}

// numpy.linalg.svd(noise((4, 3)))[1] and of noise((2, 3, 5), 7)
TEST(Svd, Values) {
  expectTensor(expectSvd(noiseTensor({4, 3})), {3},
               {1.48298085, 1.19114721, 0.58343549}, 1e-6);
  expectTensor(
      expectSvd(noiseTensor({2, 3, 5}, 7)), {2, 3},
      {1.84390572, 1.08128444, 0.40748112, 1.74577076, 1.10518433, 0.83166695},
      1e-6);
  expectTensor(expectSvd(Tensor::from({{3.0, 0.0}, {0.0, -4.0}})), {2}, {4, 3},
               1e-15);
}

TEST(Svd, SpecialMatrices) {
  expectTensor(expectSvd(Tensor::eye(6)), {6}, std::vector<double>(6, 1), 1e-6);
  // Of rank 1, and 0: u and v are orthogonal nevertheless.
  expectTensor(expectSvd(Tensor::ones({4, 3})), {3}, {std::sqrt(12.0), 0, 0},
               1e-6);
  expectTensor(expectSvd(Tensor::zeros({3, 4})), {3}, {0, 0, 0});
  // numpy.linalg.svd of the Hilbert matrix
  expectTensor(expectSvd(hilbert(5, DType::Float64)), {5},
               {1.56705069109823, 0.208534218611013, 0.0114074916234196,
                0.000305898040151193, 3.28792877217187e-06},
               1e-15);
  expectSvd(hilbert(20, DType::Float64));
  expectSvd(hilbert(20, DType::Float32));
  expectSvd(noiseTensor({4, 3}) * 1e30);
  auto [u, s, v] = Tensor::zeros({3, 0}).svd();
  expectTensor(u, {3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  EXPECT_EQ(s.shape(), Shape({0}));
  EXPECT_EQ(v.shape(), Shape({0, 0}));
}

TEST(Svd, ElementTypes) {
  auto [u, s, v] = noiseTensor({4, 3}).cast(DType::BFloat16).svd();
  EXPECT_EQ(u.dtype(), DType::BFloat16);
  EXPECT_EQ(s.dtype(), DType::BFloat16);
  expectTensor(s.toFloat(), {3}, {1.48298085, 1.19114721, 0.58343549}, 1e-2);
}

/// The polynomial on a diagonal matrix is that on its elements.
TEST(NewtonSchulz, Values) {
  const std::vector<double> coefficients = {3.4445, -4.775, 2.0315};
  const double norm = std::sqrt(9.0 + 1 + 0.25) + 1e-7;
  std::vector<double> diagonal = {3 / norm, 1 / norm, 0.5 / norm};
  for (int step = 0; step < 5; ++step)
    for (double &x : diagonal)
      x = 3.4445 * x - 4.775 * x * x * x + 2.0315 * x * x * x * x * x;
  Tensor x = Tensor::from({3.0, 1.0, 0.5}).diag();
  expectTensor(x.newtonSchulz().diagonal(), {3}, diagonal, 1e-12);
  EXPECT_EQ(values(x.newtonSchulz()), values(x.newtonSchulz(5, coefficients)));
  expectTensor(x.newtonSchulz(0), {3, 3}, values(x / norm), 1e-15);
  expectTensor(x.newtonSchulz(1, {2}), {3, 3}, values(x * (2 / norm)), 1e-15);
}

/// The iteration of Newton and Schulz proper approaches u v.
TEST(NewtonSchulz, ApproachesAnOrthogonalMatrix) {
  for (const Shape &shape : {Shape({4, 3}), Shape({3, 4}), Shape({2, 3, 3})}) {
    Tensor x = noiseTensor(shape).toDouble();
    auto [u, s, v] = x.svd(false);
    expectTensor(x.newtonSchulz(20, {1.5, -0.5}), shape, values(u.matmul(v)),
                 1e-10);
    // Muon's coefficients bring the singular values near 1.
    const std::vector<double> found =
        values(std::get<1>(x.newtonSchulz().svd()));
    for (double value : found) {
      EXPECT_GT(value, 0.65);
      EXPECT_LT(value, 1.25);
    }
  }
  EXPECT_EQ(noiseTensor({4, 3}).toHalf().newtonSchulz().dtype(),
            DType::Float16);
  EXPECT_TRUE(values(Tensor::zeros({0, 3}).newtonSchulz()).empty());
  // A zero matrix has no direction.
  expectTensor(Tensor::zeros({2, 2}).newtonSchulz(), {2, 2}, {0, 0, 0, 0});
}

TEST(LinearAlgebra, Errors) {
  Tensor row = Tensor::zeros({3});
  EXPECT_ERROR(row.qr(), ShapeError,
               "qr: a tensor of shape [3] has no matrices: two or more axes "
               "are required");
  EXPECT_ERROR(row.svd(), ShapeError, "svd: a tensor of shape [3]");
  EXPECT_ERROR(row.newtonSchulz(), ShapeError, "newtonSchulz: a tensor of");
  Tensor x = Tensor::eye(2);
  EXPECT_ERROR(x.newtonSchulz(-1), Error,
               "newtonSchulz: -1 steps; at least 0 are required");
  EXPECT_ERROR(x.newtonSchulz(1, {}), Error,
               "newtonSchulz: a polynomial without coefficients");
  Variable n("n", 1, 4);
  EXPECT_ERROR(Tensor::ones({n, 2}).qr(), ShapeError, "qr");
}
