//===- TgBuilderTest.cpp - graphs that TgBuilder builds -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The reference interpreter runs what TgBuilder builds, and plain loops
/// compute the same. Operands that do not fit are errors with a location.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Builder/TgBuilder.h"
#include "TinyGrad/Interpreter/Interpreter.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringExtras.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

using namespace mlir;
using namespace mlir::tg;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Numbers that differ from each other.
std::vector<float> makeNumbers(int64_t count, float scale = 1) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(scale * static_cast<float>((i * 7 + 3) % 19 - 9) / 4);
  return numbers;
}

class BuilderTest : public ::testing::Test {
protected:
  BuilderTest()
      : context(MLIRContext::Threading::DISABLED), ops(&context),
        handler(&context,
                [this](Diagnostic &diagnostic) {
                  auto file =
                      dyn_cast<FileLineColLoc>(diagnostic.getLocation());
                  EXPECT_TRUE(file && file.getLine() == 3);
                  errors.push_back(diagnostic.str());
                }),
        location((context.loadDialect<TgDialect>(),
                  FileLineColLoc::get(&context, "host.src", 3, 1))),
        module(ModuleOp::create(location)), b(ops, location) {
    f32 = ops.getF32Type();
  }

  Type type(ArrayRef<int64_t> shape, Type element = {}) {
    return RankedTensorType::get(shape, element ? element : f32);
  }

  using Body = std::function<FailureOr<Value>(ArrayRef<Value>)>;

  /// The result of a function with arguments of these types.
  FailureOr<func::FuncOp> build(ArrayRef<Type> types, const Body &body) {
    const std::string name = "f" + std::to_string(count++);
    FailureOr<func::FuncOp> function = b.beginFunction(*module, name, types);
    if (failed(function))
      return failure();
    FailureOr<Value> result =
        body(SmallVector<Value>(function->getArguments()));
    // A function without a result is what remains after an error.
    if (failed(b.endFunction(succeeded(result) ? ValueRange(*result)
                                               : ValueRange())) ||
        failed(result))
      return failure();
    return function;
  }

  /// What it computes; the type of the result goes to `result`.
  std::vector<float> run(ArrayRef<Type> types,
                         ArrayRef<std::vector<float>> inputs, const Body &body,
                         Type *result = nullptr) {
    FailureOr<func::FuncOp> function = build(types, body);
    EXPECT_THAT(errors, ElementsAre());
    if (failed(function))
      return {};
    SmallVector<HostTensor> tensors, results;
    for (auto [own, numbers] : llvm::zip_equal(types, inputs)) {
      FailureOr<HostTensor> tensor = makeHostTensor(location, own);
      EXPECT_EQ(tensor->bytes.size(), numbers.size() * sizeof(float));
      std::memcpy(tensor->bytes.data(), numbers.data(), tensor->bytes.size());
      tensors.push_back(std::move(*tensor));
    }
    EXPECT_TRUE(succeeded(interpret(*function, tensors, results)));
    EXPECT_THAT(errors, ElementsAre());
    if (results.empty())
      return {};
    if (result)
      *result = function->getResultTypes()[0];
    std::vector<float> numbers(results[0].bytes.size() / sizeof(float));
    std::memcpy(numbers.data(), results[0].bytes.data(),
                results[0].bytes.size());
    return numbers;
  }

  /// The errors of something that cannot be built.
  std::string errorOf(ArrayRef<Type> types, const Body &body) {
    EXPECT_TRUE(failed(build(types, body)));
    std::string text = llvm::join(errors, "\n");
    errors.clear();
    return text;
  }

  void expectNear(ArrayRef<float> actual, ArrayRef<float> expected,
                  float tolerance = 1e-5f) {
    ASSERT_EQ(actual.size(), expected.size());
    for (auto [a, e] : llvm::zip(actual, expected))
      EXPECT_NEAR(a, e, tolerance * std::max(1.0f, std::abs(e)));
  }

  MLIRContext context;
  OpBuilder ops;
  std::vector<std::string> errors;
  ScopedDiagnosticHandler handler;
  Location location;
  OwningOpRef<ModuleOp> module;
  TgBuilder b;
  Type f32;
  int count = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sizes, functions and constants
//===----------------------------------------------------------------------===//

TEST_F(BuilderTest, Functions) {
  FailureOr<Dim> n = b.getVariable("n", 1, 64);
  ASSERT_TRUE(succeeded(n));
  FailureOr<Dim> twice = b.compute(DimOpKind::mul, {*n, b.getSize(2)});
  ASSERT_TRUE(succeeded(twice));
  FailureOr<RankedTensorType> rows = b.getType({*twice, b.getSize(3)}, f32);
  ASSERT_TRUE(succeeded(rows));
  FailureOr<func::FuncOp> function = b.beginFunction(*module, "main", *rows);
  ASSERT_TRUE(succeeded(function));
  FailureOr<Value> result = b.softmax(function->getArgument(0), -1);
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->getType(), *rows);
  ASSERT_TRUE(succeeded(b.endFunction(*result)));
  EXPECT_EQ(function->getFunctionType(), ops.getFunctionType({*rows}, {*rows}));
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  EXPECT_THAT(text, HasSubstr("#n = #tg.var<\"n\", 1, 64>\n"));
  EXPECT_THAT(text, HasSubstr("tensor<?x3xf32, #tg.shape<#n * 2, 3>>"));
  EXPECT_THAT(errors, ElementsAre());
}

TEST_F(BuilderTest, FunctionErrors) {
  EXPECT_TRUE(failed(b.endFunction({})));
  FailureOr<func::FuncOp> first = b.beginFunction(*module, "f", type({2}));
  ASSERT_TRUE(succeeded(first));
  EXPECT_TRUE(failed(b.beginFunction(*module, "g", {})));
  EXPECT_TRUE(succeeded(b.endFunction(first->getArgument(0))));
  EXPECT_TRUE(failed(b.beginFunction(*module, "f", {})));
  ASSERT_TRUE(succeeded(b.beginFunction(*module, "g", {})));
  EXPECT_TRUE(failed(b.endFunction(first->getArgument(0))));
  EXPECT_TRUE(succeeded(b.endFunction({})));
  EXPECT_THAT(errors,
              ElementsAre("no function was begun",
                          "function '@g' begins in '@f', which has no end",
                          "the module has a '@f' already",
                          "result 0 is no value of '@g'"));
}

TEST_F(BuilderTest, SizeErrors) {
  EXPECT_TRUE(failed(b.getVariable("n", 3, 2)));
  FailureOr<Dim> n = b.getVariable("n", 0, int64_t(1) << 40);
  ASSERT_TRUE(succeeded(n));
  EXPECT_TRUE(failed(b.compute(DimOpKind::floordiv, {b.getSize(1), *n})));
  EXPECT_TRUE(failed(b.compute(DimOpKind::mul, {*n, *n})));
  EXPECT_TRUE(failed(b.getType({*n, *n}, f32)));
  EXPECT_TRUE(failed(b.getType(ArrayRef<int64_t>{-1}, f32)));
  EXPECT_TRUE(failed(b.getType(ArrayRef<int64_t>{1}, ops.getIndexType())));
  FailureOr<Dim> less = b.compute(DimOpKind::add, {*n, b.getSize(-1)});
  ASSERT_TRUE(succeeded(less));
  EXPECT_TRUE(failed(b.getType({*less}, f32)));
  ASSERT_EQ(errors.size(), 7u);
  EXPECT_THAT(errors[0], HasSubstr("variable 'n' has an empty range"));
  EXPECT_THAT(errors[1], HasSubstr("1 is divided by n, which may be 0"));
  EXPECT_THAT(errors[2], HasSubstr("does not fit into 64 bits"));
  EXPECT_THAT(errors[3], HasSubstr("elements"));
  EXPECT_THAT(errors[4], HasSubstr("the shape [-1] has a negative size"));
  EXPECT_THAT(errors[5], HasSubstr("'index' is not an element type"));
  EXPECT_THAT(errors[6], HasSubstr("can be negative: -1"));
}

TEST_F(BuilderTest, Constants) {
  EXPECT_THAT(run({}, {},
                  [&](ArrayRef<Value>) {
                    return b.constant({b.getSize(2)}, f32, 1.5);
                  }),
              ElementsAre(1.5f, 1.5f));
  auto listed =
      DenseElementsAttr::get(cast<ShapedType>(type({3})), {1.0f, 2.0f, 4.0f});
  EXPECT_THAT(run({}, {}, [&](ArrayRef<Value>) { return b.constant(listed); }),
              ElementsAre(1, 2, 4));
  const Type i8 = ops.getI8Type(), ui8 = ops.getIntegerType(8, false);
  auto errorFor = [&](Type element, auto value) {
    return errorOf({}, [&](ArrayRef<Value>) {
      return b.constant(ArrayRef<Dim>(), element, value);
    });
  };
  EXPECT_EQ(errorFor(i8, int64_t(128)), "constant: 128 is not a value of 'i8'");
  EXPECT_EQ(errorFor(ui8, int64_t(-1)), "constant: -1 is not a value of 'ui8'");
  EXPECT_THAT(errorFor(i8, 0.5), HasSubstr("is not a value of 'i8'"));
  EXPECT_THAT(errorFor(i8, std::nan("")), HasSubstr("is not a value of 'i8'"));
  EXPECT_TRUE(succeeded(build({}, [&](ArrayRef<Value>) {
    return b.constant(ArrayRef<Dim>(), ui8, int64_t(255));
  })));
}

//===----------------------------------------------------------------------===//
// Elementwise and movement
//===----------------------------------------------------------------------===//

TEST_F(BuilderTest, Broadcasting) {
  Type result;
  EXPECT_THAT(
      run(
          {type({2, 1}), type({3})}, {{10, 20}, {1, 2, 3}},
          [&](ArrayRef<Value> x) { return b.combine<AddOp>(x[0], x[1]); },
          &result),
      ElementsAre(11, 12, 13, 21, 22, 23));
  EXPECT_EQ(result, type({2, 3}));
  EXPECT_EQ(
      errorOf({type({2, 3}), type({2})},
              [&](ArrayRef<Value> x) { return b.combine<AddOp>(x[0], x[1]); }),
      "shapes [2, 3], [2] cannot be broadcast together");
  EXPECT_EQ(
      errorOf({type({2}), type({2}, ops.getF16Type())},
              [&](ArrayRef<Value> x) { return b.combine<AddOp>(x[0], x[1]); }),
      "tg.add: operands with elements of types 'f32' and 'f16'; cast one "
      "of them");
  Dim n = *b.getVariable("n", 1, 8), m = *b.getVariable("m", 1, 8);
  EXPECT_EQ(
      errorOf({*b.getType({n}, f32), *b.getType({m}, f32)},
              [&](ArrayRef<Value> x) { return b.combine<AddOp>(x[0], x[1]); }),
      "shapes [n], [m] cannot be broadcast together; m and n differ for m "
      "= 8, n = 1, as 8 and 1");
  EXPECT_THAT(errorOf({type({2, 3})},
                      [&](ArrayRef<Value> x) {
                        return b.broadcastTo(x[0], {b.getSize(3)});
                      }),
              HasSubstr("a tensor of shape [2, 3] cannot be broadcast to [3]"));
  EXPECT_THAT(run({type({3}), type({3})}, {{1, -2, 3}, {0, 0, 0}},
                  [&](ArrayRef<Value> x) -> FailureOr<Value> {
                    FailureOr<Value> isLess = b.combine<CmpLtOp>(x[0], x[1]);
                    if (failed(isLess))
                      return failure();
                    return b.where(*isLess, x[1], x[0]);
                  }),
              ElementsAre(1, 0, 3));
}

TEST_F(BuilderTest, Movement) {
  EXPECT_THAT(run({type({2, 3})}, {{1, 2, 3, 4, 5, 6}},
                  [&](ArrayRef<Value> x) { return b.transpose(x[0], 0, -1); }),
              ElementsAre(1, 4, 2, 5, 3, 6));
  Type result;
  run(
      {type({2, 3})}, {{1, 2, 3, 4, 5, 6}},
      [&](ArrayRef<Value> x) { return b.unsqueeze(x[0], -1); }, &result);
  EXPECT_EQ(result, type({2, 3, 1}));
  run(
      {type({1, 3})}, {{1, 2, 3}},
      [&](ArrayRef<Value> x) { return b.squeeze(x[0], 0); }, &result);
  EXPECT_EQ(result, type({3}));
  EXPECT_EQ(errorOf({type({2, 3})},
                    [&](ArrayRef<Value> x) { return b.squeeze(x[0], 0); }),
            "squeeze: axis 0 of [2, 3] does not have size 1");
  EXPECT_EQ(errorOf({type({2, 3})},
                    [&](ArrayRef<Value> x) { return b.unsqueeze(x[0], 3); }),
            "unsqueeze: axis 3 is out of range for a tensor of shape [2, 3]");
  EXPECT_THAT(errorOf({type({2, 3})},
                      [&](ArrayRef<Value> x) {
                        return b.reshape(x[0], {b.getSize(5)});
                      }),
              HasSubstr("'tg.reshape' op"));
  EXPECT_THAT(run({type({2, 3})}, {{1, 2, 3, 4, 5, 6}},
                  [&](ArrayRef<Value> x) {
                    return b.reduce(ReduceKind::max, x[0], {-1});
                  }),
              ElementsAre(3, 6));
  EXPECT_THAT(run({type({2, 3})}, {{1, 2, 3, 4, 5, 6}},
                  [&](ArrayRef<Value> x) { return b.mean(x[0], {}); }),
              ElementsAre(3.5f));
  EXPECT_EQ(errorOf({type({2, 3})},
                    [&](ArrayRef<Value> x) {
                      return b.reduce(ReduceKind::add, x[0], {1, -1});
                    }),
            "reduce: axis 1 is given twice");
  EXPECT_THAT(errorOf({RankedTensorType::get({ShapedType::kDynamic}, f32)},
                      [&](ArrayRef<Value> x) { return b.mean(x[0], {}); }),
              HasSubstr("mean: the operand has the type 'tensor<?xf32>'"));
}

//===----------------------------------------------------------------------===//
// Networks
//===----------------------------------------------------------------------===//

TEST_F(BuilderTest, Matmul) {
  const std::vector<float> x = makeNumbers(2 * 3 * 4), y = makeNumbers(4 * 5);
  std::vector<float> expected;
  for (int row = 0; row < 6; ++row)
    for (int column = 0; column < 5; ++column) {
      float sum = 0;
      for (int k = 0; k < 4; ++k)
        sum += x[row * 4 + k] * y[k * 5 + column];
      expected.push_back(sum);
    }
  Type result;
  auto product = [&](ArrayRef<Value> v) { return b.matmul(v[0], v[1]); };
  expectNear(run({type({2, 3, 4}), type({4, 5})}, {x, y}, product, &result),
             expected);
  EXPECT_EQ(result, type({2, 3, 5}));
  // Rows and columns of one axis.
  EXPECT_THAT(run({type({2}), type({2})}, {{1, 2}, {3, 4}}, product, &result),
              ElementsAre(11));
  EXPECT_EQ(result, type({}));
  EXPECT_THAT(run({type({2}), type({2, 3})}, {{1, 2}, {1, 2, 3, 4, 5, 6}},
                  product, &result),
              ElementsAre(9, 12, 15));
  EXPECT_EQ(result, type({3}));
  EXPECT_THAT(
      run({type({2, 2}), type({2})}, {{1, 2, 3, 4}, {1, 1}}, product, &result),
      ElementsAre(3, 7));
  EXPECT_EQ(result, type({2}));
  // Narrow elements are added up in wide ones.
  const Type f16 = ops.getF16Type();
  FailureOr<func::FuncOp> narrow =
      build({type({2, 3}, f16), type({3, 2}, f16)}, product);
  ASSERT_TRUE(succeeded(narrow));
  EXPECT_EQ(narrow->getResultTypes()[0], type({2, 2}, f16));
  int wide = 0;
  narrow->walk([&](ReduceOp sum) { wide += getElementTypeOrSelf(sum) == f32; });
  EXPECT_EQ(wide, 1);
}

TEST_F(BuilderTest, MatmulErrors) {
  auto errorFor = [&](Type lhs, Type rhs) {
    return errorOf({lhs, rhs},
                   [&](ArrayRef<Value> v) { return b.matmul(v[0], v[1]); });
  };
  EXPECT_EQ(
      errorFor(type({2, 4}), type({5, 3})),
      "matmul: shapes [2, 4] and [5, 3] do not fit: 4 columns and 5 rows");
  EXPECT_EQ(errorFor(type({}), type({5, 3})),
            "matmul: operands of shapes [] and [5, 3] must have at least one "
            "axis");
  EXPECT_EQ(errorFor(type({2, 2, 4}), type({3, 4, 3})),
            "matmul: the axes before the last two of [2, 2, 4] and [3, 4, 3] "
            "cannot be broadcast together");
  EXPECT_EQ(errorFor(type({2, 4}), type({4, 3}, ops.getI32Type())),
            "matmul: operands with elements of types 'f32' and 'i32'; cast one "
            "of them");
  Dim n = *b.getVariable("n", 1, 8);
  EXPECT_EQ(
      errorFor(*b.getType({b.getSize(2), n}, f32), type({4, 3})),
      "matmul: shapes [2, n] and [4, 3] do not fit: n columns and 4 rows; "
      "n and 4 differ for n = 1, as 1 and 4");
}

TEST_F(BuilderTest, Softmax) {
  const std::vector<float> x = {1, 2, 3, 1000, 1000, 1000, -kInfinity, 0, 0};
  std::vector<float> softmax, logs, sums;
  for (int row = 0; row < 3; ++row) {
    double largest = -INFINITY, sum = 0;
    for (int i = 0; i < 3; ++i)
      largest = std::max(largest, double(x[row * 3 + i]));
    for (int i = 0; i < 3; ++i)
      sum += std::exp(x[row * 3 + i] - largest);
    for (int i = 0; i < 3; ++i) {
      softmax.push_back(float(std::exp(x[row * 3 + i] - largest) / sum));
      logs.push_back(float(x[row * 3 + i] - largest - std::log(sum)));
    }
    sums.push_back(float(largest + std::log(sum)));
  }
  expectNear(run({type({3, 3})}, {x},
                 [&](ArrayRef<Value> v) { return b.softmax(v[0], 1); }),
             softmax);
  const std::vector<float> actual =
      run({type({3, 3})}, {x},
          [&](ArrayRef<Value> v) { return b.logSoftmax(v[0], -1); });
  ASSERT_EQ(actual.size(), 9u);
  EXPECT_EQ(actual[6], -kInfinity);
  for (int i : {0, 1, 2, 3, 4, 5, 7, 8})
    EXPECT_NEAR(actual[i], logs[i], 1e-4);
  Type result;
  expectNear(run(
                 {type({3, 3})}, {x},
                 [&](ArrayRef<Value> v) { return b.logSumExp(v[0], {1}); },
                 &result),
             sums);
  EXPECT_EQ(result, type({3}));
  // Of nothing but -inf.
  EXPECT_THAT(run({type({2})}, {{-kInfinity, -kInfinity}},
                  [&](ArrayRef<Value> v) {
                    return b.logSumExp(v[0], {}, /*keepAxes=*/true);
                  }),
              ElementsAre(-kInfinity));
  EXPECT_EQ(errorOf({type({2}, ops.getI32Type())},
                    [&](ArrayRef<Value> v) { return b.softmax(v[0], 0); }),
            "softmax: elements of type 'i32', not floats; cast them");
  EXPECT_EQ(errorOf({type({2})},
                    [&](ArrayRef<Value> v) { return b.softmax(v[0], 1); }),
            "softmax: axis 1 is out of range for a tensor of shape [2]");
}

TEST_F(BuilderTest, LayerNorm) {
  const std::vector<float> x = makeNumbers(2 * 5, 3), weight = {1, 2, 3, 4, 5},
                           bias = {5, 4, 3, 2, 1};
  std::vector<float> expected;
  for (int row = 0; row < 2; ++row) {
    double mean = 0, variance = 0;
    for (int i = 0; i < 5; ++i)
      mean += x[row * 5 + i] / 5;
    for (int i = 0; i < 5; ++i)
      variance += (x[row * 5 + i] - mean) * (x[row * 5 + i] - mean) / 5;
    for (int i = 0; i < 5; ++i)
      expected.push_back(float((x[row * 5 + i] - mean) /
                                   std::sqrt(variance + 1e-5) * weight[i] +
                               bias[i]));
  }
  expectNear(run({type({2, 5}), type({5}), type({5})}, {x, weight, bias},
                 [&](ArrayRef<Value> v) {
                   return b.layerNorm(v[0], {-1}, 1e-5, v[1], v[2]);
                 }),
             expected);
  EXPECT_EQ(errorOf({type({2, 5}), type({4})},
                    [&](ArrayRef<Value> v) {
                      return b.layerNorm(v[0], {-1}, 1e-5, v[1]);
                    }),
            "layerNorm: a weight of shape [4] does not fit a tensor of shape "
            "[2, 5]");
  EXPECT_EQ(errorOf({type({2, 1}), type({5})},
                    [&](ArrayRef<Value> v) {
                      return b.layerNorm(v[0], {-1}, 1e-5, {}, v[1]);
                    }),
            "layerNorm: a bias of shape [5] does not fit a tensor of shape [2, "
            "1]");
  // The number of elements may be symbolic.
  Dim n = *b.getVariable("n", 1, 8);
  EXPECT_TRUE(succeeded(
      build({*b.getType({b.getSize(2), n}, f32)},
            [&](ArrayRef<Value> v) { return b.layerNorm(v[0], {1}); })));
  EXPECT_THAT(errors, ElementsAre());
}

TEST_F(BuilderTest, Conv) {
  // Two groups, strides and dilations that differ, padding at both ends.
  const int batch = 2, in = 2, out = 3, height = 5, width = 6;
  const std::vector<float> x = makeNumbers(batch * 2 * in * height * width),
                           w = makeNumbers(2 * out * in * 2 * 3),
                           bias = makeNumbers(2 * out);
  WindowOptions options;
  options.stride = {2, 1};
  options.dilation = {1, 2};
  options.before = {1, 0};
  options.after = {0, 2};
  options.groups = 2;
  const int rows = (height + 1 - 2) / 2 + 1, columns = (width + 2 - 5) / 1 + 1;
  std::vector<float> expected;
  for (int image = 0; image < batch; ++image)
    for (int o = 0; o < 2 * out; ++o)
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
          float sum = bias[o];
          for (int i = 0; i < in; ++i)
            for (int a = 0; a < 2; ++a)
              for (int c = 0; c < 3; ++c) {
                const int y = row * 2 + a - 1, z = column + 2 * c;
                if (y < 0 || y >= height || z >= width)
                  continue;
                const int channel = o / out * in + i;
                sum +=
                    x[((image * 2 * in + channel) * height + y) * width + z] *
                    w[((o * in + i) * 2 + a) * 3 + c];
              }
          expected.push_back(sum);
        }
  Type result;
  expectNear(
      run(
          {type({batch, 2 * in, height, width}), type({2 * out, in, 2, 3}),
           type({2 * out})},
          {x, w, bias},
          [&](ArrayRef<Value> v) { return b.conv(v[0], v[1], v[2], options); },
          &result),
      expected);
  EXPECT_EQ(result, type({batch, 2 * out, rows, columns}));
  // Windows that tile the input, and a symbolic batch.
  Dim n = *b.getVariable("n", 1, 8);
  WindowOptions tiles;
  tiles.stride = {2};
  FailureOr<func::FuncOp> function =
      build({*b.getType({n, b.getSize(3), b.getSize(4)}, f32), type({5, 3, 2})},
            [&](ArrayRef<Value> v) { return b.conv(v[0], v[1], {}, tiles); });
  ASSERT_TRUE(succeeded(function));
  EXPECT_EQ(function->getResultTypes()[0],
            *b.getType({n, b.getSize(5), b.getSize(2)}, f32));
}

TEST_F(BuilderTest, ConvErrors) {
  auto errorFor = [&](Type x, Type w, Type bias = {},
                      const WindowOptions &options = {}) {
    SmallVector<Type> types{x, w};
    if (bias)
      types.push_back(bias);
    return errorOf(types, [&](ArrayRef<Value> v) {
      return b.conv(v[0], v[1], bias ? v[2] : Value(), options);
    });
  };
  EXPECT_EQ(errorFor(type({1, 3, 8}), type({4, 2, 3})),
            "conv: an input of shape [1, 3, 8] and a weight of shape [4, 2, 3] "
            "do not fit with 1 groups");
  EXPECT_EQ(errorFor(type({1, 2, 8}), type({4, 2, 3}), type({3})),
            "conv: a bias of shape [3] does not fit a weight of shape [4, 2, "
            "3]");
  EXPECT_EQ(
      errorFor(type({1, 2, 8}), type({4, 2, 9})),
      "conv: a kernel of extent 9 is larger than the padded input of size "
      "8 on axis 2 of [1, 2, 8]");
  WindowOptions options;
  options.stride = {1, 2};
  EXPECT_EQ(errorFor(type({1, 2, 8}), type({4, 2, 3}), {}, options),
            "conv: 2 numbers for the stride of 1 spatial axes");
  options.stride = {0};
  EXPECT_EQ(errorFor(type({1, 2, 8}), type({4, 2, 3}), {}, options),
            "conv: kernel, stride and dilation must be positive, padding not "
            "negative");
  options.stride = {1};
  options.after = {std::numeric_limits<int64_t>::max()};
  EXPECT_EQ(errorFor(type({1, 2, 8}), type({4, 2, 3}), {}, options),
            "conv: an axis of size 8 + 9223372036854775807 is too large");
  Dim n = *b.getVariable("n", 1, 8);
  EXPECT_EQ(errorFor(*b.getType({b.getSize(1), b.getSize(2), n}, f32),
                     type({4, 2, 3})),
            "conv: axis 2 of [1, 2, n] has to be a number");
}

TEST_F(BuilderTest, Pooling) {
  // Negative numbers: padding is not the maximum.
  EXPECT_THAT(run({type({1, 1, 4})}, {{-1, -2, -3, -4}},
                  [&](ArrayRef<Value> v) {
                    WindowOptions options;
                    options.before = {1};
                    options.stride = {1};
                    return b.maxPool(v[0], {3}, options);
                  }),
              ElementsAre(-1, -1, -2, -3));
  Type result;
  EXPECT_THAT(run(
                  {type({2, 4})}, {{1, 2, 3, 4, 5, 6, 7, 8}},
                  [&](ArrayRef<Value> v) { return b.maxPool(v[0], {2, 2}); },
                  &result),
              ElementsAre(6, 8));
  EXPECT_EQ(result, type({1, 2}));
  EXPECT_THAT(run({type({1, 4})}, {{1, 2, 3, 4}},
                  [&](ArrayRef<Value> v) {
                    WindowOptions options;
                    options.before = {1};
                    return b.avgPool(v[0], {2}, options);
                  }),
              ElementsAre(0.5f, 2.5f, 2.0f));
  EXPECT_EQ(errorOf({type({4})},
                    [&](ArrayRef<Value> v) { return b.maxPool(v[0], {2, 2}); }),
            "maxPool: a tensor of shape [4] and a kernel of 2 axes");
  EXPECT_EQ(errorOf({type({4}, ops.getI32Type())},
                    [&](ArrayRef<Value> v) { return b.avgPool(v[0], {2}); }),
            "avgPool: elements of type 'i32', not floats; cast them");
}
