//===- EinsumTest.cpp - Einstein notation ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Einstein notation compared with loops over all letters.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"

#include <map>

using namespace tinygrad;
using namespace tinygrad::testing;

using Operands = std::vector<Tensor>;

/// The result of a formula and the shape of the result.
static std::vector<double> reference(const std::string &formula,
                                     const Operands &operands, Shape &shape) {
  std::vector<std::string> terms(1);
  for (char c : formula) {
    if (c == ',' || c == '>')
      terms.emplace_back();
    else if (c != '-')
      terms.back() += c;
  }
  std::map<char, int64_t> sizes, position;
  std::vector<std::vector<double>> elements;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    elements.push_back(values(operands[i]));
    for (std::size_t axis = 0; axis < terms[i].size(); ++axis) {
      int64_t &size = sizes[terms[i][axis]];
      size = std::max<int64_t>(size, operands[i].shape()[axis].value());
    }
  }
  shape = {};
  for (char c : terms.back())
    shape.push_back(sizes[c]);
  std::vector<double> result(std::size_t(numElements(shape)));
  for (const auto &[c, size] : sizes)
    position[c] = 0;
  for (bool isDone = false; !isDone;) {
    double product = 1;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      int64_t at = 0;
      for (std::size_t axis = 0; axis < terms[i].size(); ++axis) {
        const int64_t size = operands[i].shape()[axis].value();
        at = at * size + (size == 1 ? 0 : position[terms[i][axis]]);
      }
      product *= elements[i][at];
    }
    int64_t at = 0;
    for (char c : terms.back())
      at = at * sizes[c] + position[c];
    result[at] += product;
    isDone = true;
    for (auto it = position.begin(); it != position.end() && isDone; ++it) {
      isDone = ++it->second == sizes[it->first];
      if (isDone)
        it->second = 0;
    }
  }
  return result;
}

static int64_t kernelsOf(const Tensor &x) {
  GlobalCounters::reset();
  x.realize();
  return GlobalCounters::kernelCount;
}

TEST(Einsum, IsTheLoop) {
  struct Case {
    const char *formula;
    std::vector<Shape> shapes;
  };
  const Case cases[] = {
      {"ij,jk->ik", {{3, 4}, {4, 5}}},
      {"ij,jk->ki", {{3, 4}, {4, 5}}},
      {"ji,kj->ik", {{4, 3}, {5, 4}}},
      {"bij,bjk->bik", {{2, 3, 4}, {2, 4, 5}}},
      {"bqhd,bkhd->bhqk", {{2, 3, 4, 5}, {2, 6, 4, 5}}},
      {"ijk,jkl->li", {{3, 4, 2}, {4, 2, 5}}},
      {"i,j->ij", {{3}, {4}}},
      {"i,j->ji", {{3}, {4}}},
      {"i,i->", {{7}, {7}}},
      {"i,i->i", {{7}, {7}}},
      {"ij->ji", {{3, 4}}},
      {"ij->", {{3, 4}}},
      {"ij->i", {{3, 4}}},
      {"ijk->kji", {{2, 3, 4}}},
      // Diagonals and traces.
      {"ii->i", {{5, 5}}},
      {"ii->", {{5, 5}}},
      {"iji->j", {{3, 4, 3}}},
      {"iij->ji", {{3, 3, 4}}},
      {"jii->ij", {{4, 3, 3}}},
      {"iii->i", {{3, 3, 3}}},
      {"ijij->ij", {{2, 3, 2, 3}}},
      {"jiij->", {{2, 3, 3, 2}}},
      {"ii,ij->j", {{3, 3}, {3, 4}}},
      {"ii,jj->ij", {{3, 3}, {4, 4}}},
      // Letters of one operand that are summed.
      {"ij,k->k", {{3, 4}, {5}}},
      {"ij,kl->", {{3, 4}, {5, 2}}},
      {"ij,ik->k", {{3, 4}, {3, 5}}},
      // Axes of size 1 are broadcast.
      {"ij,jk->ik", {{3, 1}, {4, 5}}},
      {"ij,jk->ik", {{1, 4}, {4, 5}}},
      {"ij,ij->ij", {{3, 1}, {1, 4}}},
      {"ij,jk->jik", {{1, 1}, {1, 1}}},
      {"ii->i", {{1, 1}}},
      // More than two operands, and scalars.
      {"ij,jk,kl->il", {{3, 4}, {4, 5}, {5, 2}}},
      {"i,ij,j->", {{3}, {3, 4}, {4}}},
      {"ai,bi,ci->abc", {{2, 5}, {3, 5}, {4, 5}}},
      {"ijk,il,jm,kn->lmn", {{2, 3, 4}, {2, 5}, {3, 2}, {4, 3}}},
      {"a,b,c,d->dcba", {{2}, {3}, {4}, {5}}},
      {"ij,jk,ki->", {{3, 4}, {4, 5}, {5, 3}}},
      {",ij->ij", {{}, {2, 3}}},
      {",->", {{}, {}}},
      {"->", {{}}},
      {"iA,Aj,a->jia", {{2, 3}, {3, 4}, {2}}},
  };
  for (const Case &c : cases) {
    SCOPED_TRACE(c.formula);
    Operands operands;
    for (const Shape &shape : c.shapes)
      operands.push_back(noiseTensor(shape, unsigned(operands.size() + 1)));
    Shape shape;
    const std::vector<double> expected = reference(c.formula, operands, shape);
    expectTensor(Tensor::einsum(c.formula, operands), shape, expected, 1e-5);
  }
}

TEST(Einsum, ImplicitResult) {
  Tensor x = noiseTensor({3, 4}), y = noiseTensor({4, 5}, 2),
         square = noiseTensor({4, 4}, 3);
  auto expectSame = [](const char *implicitly, const char *explicitly,
                       const Operands &operands) {
    SCOPED_TRACE(implicitly);
    Tensor expected = Tensor::einsum(explicitly, operands);
    expectTensor(Tensor::einsum(implicitly, operands), expected.shape(),
                 values(expected));
  };
  expectSame("ij,jk", "ij,jk->ik", {x, y});
  expectSame("ji", "ji->ij", {x});
  expectSame("ki,ij", "ki,ij->jk", {x, y});
  // Upper-case letters come first.
  expectSame("aB", "aB->Ba", {x});
  expectSame("ii", "ii->", {square});
  expectSame(" i j , jk -> i k ", "ij,jk->ik", {x, y});
}

TEST(Einsum, Ellipsis) {
  Tensor x = noiseTensor({2, 3, 4, 5}), y = noiseTensor({3, 5, 6}, 2);
  auto expectSame = [&](const char *formula, const char *letters,
                        const Operands &operands) {
    SCOPED_TRACE(formula);
    Shape shape;
    const std::vector<double> expected = reference(letters, operands, shape);
    expectTensor(Tensor::einsum(formula, operands), shape, expected, 1e-5);
  };
  expectSame("...ij,...jk->...ik", "abij,bjk->abik", {x, y});
  expectSame("...ij,...jk", "abij,bjk->abik", {x, y});
  expectSame("...ij,...jk->ik...", "abij,bjk->ikab", {x, y});
  expectSame("i...j->...ij", "iabj->abij", {x});
  expectSame("i...j", "iabj->abij", {x});
  // Axes of the ellipsis that only operands have are summed.
  expectSame("...ij->i", "abij->i", {x});
  // No axes, and axes of size 1.
  expectSame("...ab,...bc->...ac", "ab,bc->ac",
             {noiseTensor({2, 3}), noiseTensor({3, 4}, 2)});
  expectSame("...i,...i->...", "abi,abi->ab",
             {noiseTensor({1, 3, 4}), noiseTensor({2, 1, 4}, 2)});
  expectSame("...,...->...", "ab,b->ab",
             {noiseTensor({2, 3}), noiseTensor({3}, 2)});
}

TEST(Einsum, TypesAndNoElements) {
  Tensor a = Tensor::full({2, 300}, 100, DType::Int8),
         b = Tensor::full({300, 2}, 1, DType::Int8);
  EXPECT_EQ(Tensor::einsum("ij,jk", {a, b}).dtype(), DType::Int8);
  expectTensor(Tensor::einsum("ij,jk", {a, b}, DType::Int32), {2, 2},
               {30000, 30000, 30000, 30000});
  EXPECT_EQ(Tensor::einsum("ij,jk", {a, b.toHalf()}).dtype(), DType::Float16);
  // Intermediate results are not rounded to the narrow type.
  const auto half = [](float number) {
    return Tensor::full({2}, number, DType::Float16);
  };
  expectTensor(
      Tensor::einsum("i,i,i->i", {half(256), half(512), half(0x1p-10)}), {2},
      {128, 128});
  expectTensor(
      Tensor::einsum("ij,jk->ik", {Tensor::ones({2, 0}), Tensor::ones({0, 3})}),
      {2, 3}, std::vector<double>(6, 0));
  expectTensor(Tensor::einsum("ij->ji", {Tensor::ones({2, 0})}), {0, 2}, {});
}

/// The result does not share memory with its operand.
TEST(Einsum, IsNoView) {
  Tensor x = counting({2, 2}).realize();
  Tensor t = Tensor::einsum("ij->ji", {x});
  t.assign(Tensor::zeros({2, 2}));
  expectTensor(x, {2, 2}, {0, 1, 2, 3});
}

TEST(Einsum, SymbolicSizes) {
  Variable n("einsumN", 1, 9);
  Tensor x = noiseTensor({9, 4}).realize(),
         y = noiseTensor({4, 9}, 2).realize();
  for (int64_t size : {1, 4, 9}) {
    const SymInt bound = n.bind(size);
    Tensor rows = x.shrink({{0, bound}, {}}),
           columns = y.shrink({{}, {0, bound}});
    Tensor few = x.shrink({{0, size}, {}}), others = y.shrink({{}, {0, size}});
    for (const char *formula : {"ij,jk->ik", "ij,ji->", "ij,jk->ijk"}) {
      Shape shape;
      const auto expected = reference(formula, {few, others}, shape);
      Tensor result = Tensor::einsum(formula, {rows, columns});
      EXPECT_EQ(result.concreteShape(), shape);
      Tensor realized = result.sum();
      double total = 0;
      for (double value : expected)
        total += value;
      EXPECT_NEAR(values(realized)[0], total, 1e-4);
      EXPECT_EQ(values(result).size(), expected.size());
    }
    // The trace of a matrix of symbolic size.
    double trace = 0;
    for (int64_t i = 0; i < size; ++i)
      for (int j = 0; j < 4; ++j)
        trace += values(x)[i * 4 + j] * values(y)[j * 9 + i];
    EXPECT_NEAR(values(Tensor::einsum("ii", {rows.matmul(columns)}))[0], trace,
                1e-4);
  }
  EXPECT_ERROR(Tensor::einsum("ij,ik->jk", {x.shrink({{0, n.bind(2)}, {}}), x}),
               ShapeError, "differ for einsumN");
}

TEST(Einsum, Kernels) {
  Tensor x = noiseTensor({32, 64}).realize(),
         y = noiseTensor({64, 48}, 2).realize();
  for (const char *formula : {"ij,jk->ik", "ij,jk->ki"})
    EXPECT_EQ(kernelsOf(Tensor::einsum(formula, {x, y})), 1) << formula;
  EXPECT_EQ(kernelsOf(Tensor::einsum(
                "bqhd,bkhd->bhqk",
                {noiseTensor({2, 8, 4, 16}), noiseTensor({2, 8, 4, 16}, 2)})),
            1);
  EXPECT_EQ(kernelsOf(Tensor::einsum("ii->i", {noiseTensor({32, 32})})), 1);
  EXPECT_EQ(kernelsOf(Tensor::einsum("ij,jk,kl->il",
                                     {x, y, noiseTensor({48, 32}, 3)})),
            2);
}

/// Sizes determine the order of products, and letters of only one operand are
/// summed first.
TEST(Einsum, DoesNoNeedlessWork) {
  const auto operations = [](const char *formula, const Operands &operands) {
    for (const Tensor &operand : operands)
      operand.realize();
    GlobalCounters::reset();
    Tensor::einsum(formula, operands).realize();
    return GlobalCounters::globalOps.load();
  };
  Tensor x = noiseTensor({64, 128}), y = noiseTensor({128, 128}, 2),
         column = noiseTensor({128, 1}, 3), row = noiseTensor({1, 64}, 4);
  // Two products of a matrix and a column: 2 * (128 * 128 + 64 * 128)
  // operations.
  EXPECT_LE(operations("ij,jk,kl->il", {x, y, column}), 60000);
  EXPECT_LE(operations("ai,ij,jk->ak", {row, x, y}), 60000);
  EXPECT_LE(operations("jk,kl,ij->il", {y, column, x}), 60000);
  EXPECT_LE(operations("ij,kl->", {x, y}), 60000);
  EXPECT_LE(operations("ij,jk->k", {x, y}), 60000);
}

TEST(Einsum, Errors) {
  Tensor x = counting({2, 3}), y = counting({4, 5});
  EXPECT_ERROR(Tensor::einsum("ij,jk->ik", {x, y}), ShapeError,
               "einsum: 'j' is 3 in operand 0 of shape [2, 3] and 4 in operand "
               "1 of shape [4, 5]: character 4 of \"ij,jk->ik\"");
  EXPECT_ERROR(Tensor::einsum("ii", {x}), ShapeError,
               "'i' is 2 in operand 0 of shape [2, 3] and 3 in operand 0");
  EXPECT_ERROR(Tensor::einsum("ij->ik", {x}), Error,
               "'k' is in no operand, of shapes [2, 3]: character 6");
  EXPECT_ERROR(Tensor::einsum("ij->ii", {x}), Error,
               "the result has 'i' twice: character 6");
  EXPECT_ERROR(Tensor::einsum("ijk", {x}), ShapeError,
               "operand 0 of shape [2, 3] has 2 axes, not 3: character 1");
  EXPECT_ERROR(Tensor::einsum("ij,i", {x, y}), ShapeError,
               "operand 1 of shape [4, 5] has 2 axes, not 1: character 4");
  EXPECT_ERROR(Tensor::einsum("i...jk", {x}), ShapeError, "not 3 or more");
  EXPECT_ERROR(Tensor::einsum("ij,jk", {x}), ShapeError,
               "is of 2 operands; there are 1, of shapes [2, 3]");
  EXPECT_ERROR(Tensor::einsum("", {}), ShapeError, "there are 0");
  EXPECT_ERROR(Tensor::einsum("i1", {x}), Error,
               "unexpected '1', where a letter");
  EXPECT_ERROR(Tensor::einsum("ij->i->j", {x}), Error, "character 6");
  EXPECT_ERROR(Tensor::einsum("ij->i,j", {x}), Error, "unexpected ','");
  EXPECT_ERROR(Tensor::einsum("..ij", {x}), Error, "unexpected '.'");
  EXPECT_ERROR(Tensor::einsum("...i...", {x}), Error,
               "second ellipsis: character 5");
  EXPECT_ERROR(Tensor::einsum("i...,...j", {counting({2, 3}), y}), ShapeError,
               "axis -1 of the ellipsis is 3 in operand 0");
  EXPECT_ERROR(Tensor::einsum("i,j,k->ijk", {Tensor::zeros(int64_t(1) << 31),
                                             Tensor::zeros(int64_t(1) << 31),
                                             Tensor::zeros(int64_t(1) << 31)}),
               ShapeError, "einsum");
}
