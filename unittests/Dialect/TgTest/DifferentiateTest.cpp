//===- DifferentiateTest.cpp - gradients against differences --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The gradients of every operation that has a derivative, in f64 by the
/// interpreter, compared with central differences; gradients of gradients; and
/// the errors.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/Differentiate.h"
#include "TgTest.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Interpreter/Interpreter.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "support/ToolSupport.h"

#include "gtest/gtest.h"
#include <cmath>
#include <limits>
#include <random>

using namespace mlir;
using namespace mlir::tg;

namespace {

using Numbers = std::vector<double>;

class DifferentiateTest : public ::testing::Test {
protected:
  DifferentiateTest() : context(MLIRContext::Threading::DISABLED) {
    tinygrad::prepareContext(context);
    context.loadDialect<tgtest::TgTestDialect>();
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return module;
  }

  /// The results of @main, for arguments with these elements.
  std::vector<Numbers> run(ModuleOp module,
                           const std::vector<Numbers> &arguments) {
    auto function = module.lookupSymbol<func::FuncOp>("main");
    std::vector<HostTensor> inputs;
    for (auto [argument, numbers] :
         llvm::zip_equal(function.getArguments(), arguments)) {
      auto type = cast<RankedTensorType>(argument.getType());
      SmallVector<Attribute> elements;
      for (double number : numbers)
        elements.push_back(getNumberAttr(type.getElementType(), number));
      inputs.push_back(*makeHostTensor(argument.getLoc(), type,
                                       DenseElementsAttr::get(type, elements)));
    }
    SmallVector<HostTensor> results;
    EXPECT_TRUE(succeeded(interpret(function, inputs, results)));
    std::vector<Numbers> numbers;
    for (const HostTensor &result : results) {
      numbers.emplace_back();
      for (int64_t i = 0; i < result.numElements(); ++i)
        numbers.back().push_back(getElementAsDouble(result, i));
    }
    return numbers;
  }

  /// @main(%seed, others) gives the gradients of its first result by the others
  /// instead.
  LogicalResult differentiateMain(ModuleOp module) {
    auto function = module.lookupSymbol<func::FuncOp>("main");
    Operation *end = function.getBody().front().getTerminator();
    OpBuilder builder(end);
    FailureOr<SmallVector<Value>> gradients =
        differentiate(builder, end->getOperand(0), function.getArgument(0),
                      function.getArguments().drop_front());
    if (failed(gradients))
      return failure();
    for (auto [i, gradient] : llvm::enumerate(*gradients))
      if (!gradient)
        gradient = createZeroGradient(builder, function.getArgument(i + 1));
    end->setOperands(*gradients);
    function.setFunctionType(builder.getFunctionType(
        function.getArgumentTypes(), ValueRange(*gradients).getTypes()));
    return verify(module);
  }

  /// Compares the gradients of @main(%seed, ...) by all arguments but the first
  /// with differences. Arguments are uniform from `low` to `high`.
  void check(const std::string &text, double low = -2, double high = 2,
             double tolerance = 1e-5) {
    SCOPED_TRACE(text);
    OwningOpRef<ModuleOp> module = parse(text);
    auto function = module->lookupSymbol<func::FuncOp>("main");
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> uniform(low, high);
    std::vector<Numbers> arguments;
    for (Type type : function.getArgumentTypes()) {
      arguments.emplace_back();
      for (int64_t i = 0; i < cast<RankedTensorType>(type).getNumElements();
           ++i)
        arguments.back().push_back(uniform(generator));
    }
    checkAt(*module, arguments, tolerance);
  }

  void checkAt(ModuleOp module, std::vector<Numbers> arguments,
               double tolerance = 1e-5) {
    OwningOpRef<ModuleOp> gradients = module.clone();
    ASSERT_TRUE(succeeded(differentiateMain(*gradients)));
    std::vector<Numbers> got = run(*gradients, arguments);
    ASSERT_EQ(got.size(), arguments.size() - 1);
    auto getLoss = [&] {
      Numbers result = run(module, arguments)[0];
      double loss = 0;
      for (auto [seed, y] : llvm::zip_equal(arguments[0], result))
        loss += seed * y;
      return loss;
    };
    const double step = 1e-6;
    for (size_t i = 1; i < arguments.size(); ++i)
      for (size_t j = 0; j < arguments[i].size(); ++j) {
        const double x = arguments[i][j];
        arguments[i][j] = x + step;
        const double above = getLoss();
        arguments[i][j] = x - step;
        const double below = getLoss();
        arguments[i][j] = x;
        const double expected = (above - below) / (2 * step);
        EXPECT_NEAR(got[i - 1][j], expected,
                    tolerance * (1 + std::abs(expected)))
            << "argument " << i << ", element " << j << " at " << x;
      }
  }

  /// The gradients of @main at these arguments.
  std::vector<Numbers> getGradients(const std::string &text,
                                    const std::vector<Numbers> &arguments) {
    OwningOpRef<ModuleOp> module = parse(text);
    EXPECT_TRUE(succeeded(differentiateMain(*module)));
    return run(*module, arguments);
  }

  /// A function of %x and %y, tensors of 3x4, that gives %r of `type`.
  static std::string makeText(const std::string &body,
                              const std::string &type = "tensor<3x4xf64>") {
    return "func.func @main(%seed: " + type +
           ", %x: tensor<3x4xf64>, %y: tensor<3x4xf64>) -> " + type + " {\n" +
           body + "\nreturn %r : " + type + "\n}";
  }

  /// What is reported while @main is differentiated, a line for each.
  std::string getErrors(const std::string &text) {
    OwningOpRef<ModuleOp> module = parse(text);
    std::string errors;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      errors += diagnostic.str() + "\n";
      for (Diagnostic &note : diagnostic.getNotes())
        errors += "note: " + note.str() + "\n";
      return success();
    });
    EXPECT_TRUE(failed(differentiateMain(*module)));
    return errors;
  }

  MLIRContext context;
};

TEST_F(DifferentiateTest, FunctionsOfOneOperand) {
  for (const char *name : {"neg", "exp2", "exp", "expm1", "sin", "cos", "atan",
                           "tanh", "erf", "trunc"})
    check(makeText("%r = tg." + std::string(name) + " %x : tensor<3x4xf64>"));
  for (const char *name : {"recip", "sqrt", "log2", "log", "log1p"})
    check(makeText("%r = tg." + std::string(name) + " %x : tensor<3x4xf64>"),
          0.2, 3);
  for (const char *name : {"tan", "asin", "acos"})
    check(makeText("%r = tg." + std::string(name) + " %x : tensor<3x4xf64>"),
          -0.95, 0.95);
}

TEST_F(DifferentiateTest, FunctionsOfTwoOperands) {
  for (const char *name : {"add", "sub", "mul", "max"})
    check(
        makeText("%r = tg." + std::string(name) + " %x, %y : tensor<3x4xf64>"));
  for (const char *name : {"fdiv", "pow"})
    check(
        makeText("%r = tg." + std::string(name) + " %x, %y : tensor<3x4xf64>"),
        0.3, 3);
}

TEST_F(DifferentiateTest, FunctionsOfThreeOperands) {
  check(makeText("%z = tg.exp %x : tensor<3x4xf64>\n"
                 "%r = tg.mulacc %x, %y, %z : tensor<3x4xf64>"));
  check(makeText("%c = tg.cmplt %x, %y : tensor<3x4xf64>\n"
                 "%z = tg.mul %x, %x : tensor<3x4xf64>\n"
                 "%r = tg.where %c, %z, %y : tensor<3x4xf64>"));
}

TEST_F(DifferentiateTest, OneOperandTwice) {
  check(makeText("%z = tg.mul %x, %x : tensor<3x4xf64>\n"
                 "%w = tg.mul %z, %x : tensor<3x4xf64>\n"
                 "%v = tg.sub %w, %z : tensor<3x4xf64>\n"
                 "%r = tg.mul %v, %y : tensor<3x4xf64>"));
}

TEST_F(DifferentiateTest, Reductions) {
  for (const char *kind : {"add", "mul", "max"})
    for (auto [axes, type] : {std::pair("[0]", "tensor<1x4xf64>"),
                              {"[1]", "tensor<3x1xf64>"},
                              {"[0, 1]", "tensor<1x1xf64>"},
                              {"[]", "tensor<3x4xf64>"}})
      check(makeText("%z = tg.mul %x, %y : tensor<3x4xf64>\n%r = tg.reduce " +
                         std::string(kind) + " %z axes " + axes +
                         " : tensor<3x4xf64> -> " + type,
                     type));
}

TEST_F(DifferentiateTest, ProductsWithZeros) {
  const std::string text =
      makeText("%r = tg.reduce mul %x axes [1] : tensor<3x4xf64> -> "
               "tensor<3x1xf64>",
               "tensor<3x1xf64>");
  OwningOpRef<ModuleOp> module = parse(text);
  checkAt(*module,
          {{1, 2, 3}, {1, 2, 3, 4, 0, 2, 3, 4, 0, 0, 3, 4}, Numbers(12)});
}

TEST_F(DifferentiateTest, TiesShareTheGradient) {
  EXPECT_EQ(getGradients(makeText("%r = tg.max %x, %y : tensor<3x4xf64>"),
                         {Numbers(12, 3), Numbers(12, 1), Numbers(12, 1)}),
            (std::vector<Numbers>{Numbers(12, 1.5), Numbers(12, 1.5)}));
  EXPECT_EQ(
      getGradients(
          makeText("%r = tg.reduce max %x axes [1] : tensor<3x4xf64> "
                   "-> tensor<3x1xf64>",
                   "tensor<3x1xf64>"),
          {{6, 6, 6}, {2, 1, 0, -1, 2, 2, 1, 2, 5, 5, 5, 5}, Numbers(12)})[0],
      (Numbers{6, 0, 0, 0, 2, 2, 0, 2, 1.5, 1.5, 1.5, 1.5}));
}

TEST_F(DifferentiateTest, PowersOfZero) {
  std::vector<Numbers> gradients =
      getGradients(makeText("%r = tg.pow %x, %y : tensor<3x4xf64>"),
                   {Numbers(12, 1),
                    {0, 0, 0, 0, -2, -2, -2, -2, 3, 3, 3, 3},
                    {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}});
  EXPECT_EQ(gradients[0], (Numbers{0, 1, 0, 0, 0, 1, -4, 12, 0, 1, 6, 27}));
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(gradients[1][i], 0);
}

TEST_F(DifferentiateTest, Scans) {
  for (const char *kind : {"add", "mul", "max", "logaddexp"})
    for (const char *axis : {"0", "1"})
      check(makeText("%z = tg.mul %x, %y : tensor<3x4xf64>\n%r = tg.scan " +
                     std::string(kind) + " %z axis " + axis +
                     " : tensor<3x4xf64>"));
}

TEST_F(DifferentiateTest, RunningProductsWithZeros) {
  OwningOpRef<ModuleOp> module =
      parse(makeText("%r = tg.scan mul %x axis 1 : tensor<3x4xf64>"));
  checkAt(*module, {{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3},
                    {2, 0, 3, 4, 0, 2, 0, 4, 1, 0, 0, 2},
                    Numbers(12)});
}

TEST_F(DifferentiateTest, RunningMaximaOfEqualElements) {
  EXPECT_EQ(
      getGradients(makeText("%r = tg.scan max %x axis 1 : tensor<3x4xf64>"),
                   {{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4},
                    {5, 5, 5, 5, 1, 2, 2, 1, -1, -1, 0, 0},
                    Numbers(12)})[0],
      (Numbers{10, 0, 0, 0, 1, 9, 0, 0, 3, 0, 7, 0}));
}

TEST_F(DifferentiateTest, RunningLogarithmsOfNothing) {
  // Elements of -inf have no influence, and none is NaN.
  const double none = -std::numeric_limits<double>::infinity();
  Numbers gradients = getGradients(
      makeText("%r = tg.scan logaddexp %x axis 1 : tensor<3x4xf64>"),
      {Numbers(12, 1),
       {none, none, 0, 0, none, none, none, none, 0, none, 0, none},
       Numbers(12)})[0];
  const Numbers expected = {0, 0, 1.5, 0.5, 0, 0, 0, 0, 3, 0, 1, 0};
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(gradients[i], expected[i], 1e-12) << i;
}

/// A scatter of %y into %x along `axis`, at positions that are out of range,
/// repeated, or not used.
static std::string makeScatter(const std::string &kind, int axis) {
  const std::string index = axis == 0 ? "tensor<4x2xi32>" : "tensor<3x5xi32>",
                    updates = axis == 0 ? "tensor<4x2xf64>" : "tensor<3x5xf64>",
                    base = axis == 0 ? "tensor<3x2xf64>" : "tensor<3x4xf64>",
                    positions = axis == 0
                                    ? "[[0, 2], [0, 1], [-1, 2], [2, 3]]"
                                    : "[[0, 3, 3, 4, 0], [1, 1, 1, 1, 1], "
                                      "[-1, 0, 2, 2, 7]]";
  return "func.func @main(%seed: " + base + ", %x: " + base +
         ", %y: " + updates + ") -> " + base + " {\n" + "%i = tg.const(dense<" +
         positions + "> : " + index + ") : " + index +
         "\n%z = tg.sin %x : " + base + "\n%r = tg.scatter " + kind +
         " %z[%i], %y axis " + std::to_string(axis) + " : " + base + ", " +
         index + ", " + updates + "\nreturn %r : " + base + "\n}";
}

TEST_F(DifferentiateTest, Scatters) {
  for (const char *kind : {"set", "add", "mul", "max", "min"})
    for (int axis : {0, 1})
      check(makeScatter(kind, axis));
}

TEST_F(DifferentiateTest, ScattersOfZerosAndEqualElements) {
  OwningOpRef<ModuleOp> module = parse(makeScatter("mul", 1));
  checkAt(*module, {{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3},
                    {0, 1, 1, 2, 1, 0, 1, 1, 1, 1, 0, 0},
                    {0, 2, 3, 1, 1, 2, 0, 0, 1, 1, 4, 0, 5, 6, 1}});
  // The base and two updates share an element.
  EXPECT_EQ(
      getGradients(
          "func.func @main(%seed: tensor<2xf64>, %x: tensor<2xf64>, "
          "%y: tensor<3xf64>) -> tensor<2xf64> {\n"
          "%i = tg.const(dense<[1, 1, 0]> : tensor<3xi32>) : tensor<3xi32>\n"
          "%r = tg.scatter max %x[%i], %y axis 0 : tensor<2xf64>, "
          "tensor<3xi32>, tensor<3xf64>\n"
          "return %r : tensor<2xf64>\n}",
          {{4, 6}, {1, 2}, {2, 2, 0}}),
      (std::vector<Numbers>{{4, 2}, {2, 2, 0}}));
}

TEST_F(DifferentiateTest, NarrowIndices) {
  // 300 elements are more than an i8 can address.
  check("func.func @main(%seed: tensor<300xf64>, %x: tensor<300xf64>, "
        "%y: tensor<3xf64>) -> tensor<300xf64> {\n"
        "%i = tg.const(dense<[5, 127, -3]> : tensor<3xi8>) : tensor<3xi8>\n"
        "%r = tg.scatter add %x[%i], %y axis 0 : tensor<300xf64>, "
        "tensor<3xi8>, tensor<3xf64>\n"
        "return %r : tensor<300xf64>\n}");
}

TEST_F(DifferentiateTest, Memory) {
  // The result of an assignment is the value, not the old contents.
  check(makeText("%v = tg.exp %x : tensor<3x4xf64>\n"
                 "%a = tg.assign %y, %v : tensor<3x4xf64>\n"
                 "%n = tg.after %y[%a : tensor<3x4xf64>] : tensor<3x4xf64>\n"
                 "%o = tg.after %y : tensor<3x4xf64>\n"
                 "%s = tg.mul %a, %n : tensor<3x4xf64>\n"
                 "%r = tg.mul %s, %o : tensor<3x4xf64>"));
}

TEST_F(DifferentiateTest, Views) {
  auto checkView = [&](const std::string &views, const std::string &type) {
    check(makeText("%z = tg.mul %x, %y : tensor<3x4xf64>\n"
                   "%r = tg.strided %z [" +
                       views + "] : tensor<3x4xf64> -> " + type,
                   type));
  };
  // Windows along one axis and along both, with strides and dilation.
  checkView("#tg.view<[3, 3, 2] strides [4, 1, 1]>", "tensor<3x3x2xf64>");
  checkView("#tg.view<[2, 2, 3, 2] strides [4, 4, 1, 1]>",
            "tensor<2x2x3x2xf64>");
  checkView("#tg.view<[3, 2, 2] strides [4, 2, 1]>", "tensor<3x2x2xf64>");
  checkView("#tg.view<[3, 2, 2] strides [4, 1, 2]>", "tensor<3x2x2xf64>");
  checkView("#tg.view<[3, 2, 2, 2] strides [4, 1, 1, 1]>",
            "tensor<3x2x2x2xf64>");
  // Parts, repetitions, permutations and padding.
  checkView("#tg.view<[2, 3] strides [4, 1] offset 5>", "tensor<2x3xf64>");
  checkView("#tg.view<[5, 4, 3] strides [0, 1, 4]>", "tensor<5x4x3xf64>");
  checkView("#tg.view<[5, 4] strides [4, 1] offset -4 mask [1 to 4, 0 to 4]>",
            "tensor<5x4xf64>");
  // Across axes, backwards, and two views.
  checkView("#tg.view<[5, 3] strides [2, 1]>", "tensor<5x3xf64>");
  checkView("#tg.view<[3, 4] strides [4, -1] offset 3>", "tensor<3x4xf64>");
  checkView("#tg.view<[4, 3] strides [1, 4]>, #tg.view<[6, 2] strides [2, 1]>",
            "tensor<6x2xf64>");
}

TEST_F(DifferentiateTest, Tangents) {
  // The tangent of the scalar product of the result with %seed, along (u, v),
  // is the scalar product of the gradients with (u, v).
  for (const char *operation :
       {"tg.mul %x, %y : tensor<3x4xf64>", "tg.fdiv %x, %y : tensor<3x4xf64>",
        "tg.max %x, %y : tensor<3x4xf64>",
        "tg.scan mul %x axis 1 : "
        "tensor<3x4xf64>",
        "tg.scan logaddexp %y axis 0 : tensor<3x4xf64>",
        "tg.scan max %x axis 0 : tensor<3x4xf64>"}) {
    SCOPED_TRACE(operation);
    const std::string text = makeText("%r = " + std::string(operation));
    std::mt19937 generator(5);
    std::uniform_real_distribution<double> uniform(0.5, 2);
    std::vector<Numbers> arguments(5, Numbers(12));
    for (Numbers &numbers : arguments)
      for (double &number : numbers)
        number = uniform(generator);
    OwningOpRef<ModuleOp> module = parse(text);
    auto function = module->lookupSymbol<func::FuncOp>("main");
    SmallVector<Value> wrt(function.getArguments().drop_front()), tangents;
    for (Value value : wrt) {
      const unsigned number = function.getNumArguments();
      ASSERT_TRUE(succeeded(function.insertArgument(number, value.getType(), {},
                                                    value.getLoc())));
      tangents.push_back(function.getArgument(number));
    }
    Operation *end = function.getBody().front().getTerminator();
    OpBuilder builder(end);
    FailureOr<SmallVector<Value>> results =
        linearize(builder, end->getOperands(), wrt, tangents);
    ASSERT_TRUE(succeeded(results));
    end->setOperands(*results);
    const Numbers tangent = run(*module, arguments)[0];
    std::vector<Numbers> gradients =
        getGradients(text, {arguments[0], arguments[1], arguments[2]});
    double expected = 0, got = 0;
    for (size_t i = 0; i < 12; ++i) {
      got += arguments[0][i] * tangent[i];
      expected +=
          gradients[0][i] * arguments[3][i] + gradients[1][i] * arguments[4][i];
    }
    EXPECT_NEAR(got, expected, 1e-9 * std::abs(expected));
  }
}

TEST_F(DifferentiateTest, DeepGraphs) {
  // Neither the walk nor the gradients use the stack.
  std::string text;
  std::string last = "%x";
  for (int i = 0; i < 20000; ++i) {
    const std::string next = "%v" + std::to_string(i);
    text += next + " = tg.add " + last + ", %y : tensor<3x4xf64>\n";
    last = next;
  }
  text += "%r = tg.neg " + last + " : tensor<3x4xf64>";
  EXPECT_EQ(getGradients(makeText(text),
                         {Numbers(12, 1), Numbers(12, 0), Numbers(12, 0)}),
            (std::vector<Numbers>{Numbers(12, -1), Numbers(12, -20000)}));
}

TEST_F(DifferentiateTest, Movement) {
  for (auto [operation, type] :
       {std::pair("reshape %z", "tensor<2x6xf64>"),
        {"permute %z [1, 0]", "tensor<4x3xf64>"},
        {"pad %z low [1, 0] high [2, 3]", "tensor<6x7xf64>"},
        {"shrink %z from [1, 2] to [3, 3]", "tensor<2x1xf64>"},
        {"contiguous %z", ""},
        {"flip %z axes [1]", ""}}) {
    const bool isSame = std::string(type).empty();
    const std::string result = isSame ? "tensor<3x4xf64>" : type;
    check(makeText("%z = tg.mul %x, %y : tensor<3x4xf64>\n%r = tg." +
                       std::string(operation) + " : " +
                       (isSame ? "" : "tensor<3x4xf64> -> ") + result,
                   result));
  }
  check("func.func @main(%seed: tensor<3x4xf64>, %x: tensor<3x1xf64>) -> "
        "tensor<3x4xf64> {\n"
        "%r = tg.expand %x : tensor<3x1xf64> -> tensor<3x4xf64>\n"
        "return %r : tensor<3x4xf64>\n}");
}

TEST_F(DifferentiateTest, MatrixProduct) {
  check("func.func @main(%seed: tensor<2x3x1xf64>, %x: tensor<2x1x4xf64>, "
        "%y: tensor<1x3x4xf64>) -> tensor<2x3x1xf64> {\n"
        "%0 = tg.expand %x : tensor<2x1x4xf64> -> tensor<2x3x4xf64>\n"
        "%1 = tg.expand %y : tensor<1x3x4xf64> -> tensor<2x3x4xf64>\n"
        "%2 = tg.mul %0, %1 : tensor<2x3x4xf64>\n"
        "%r = tg.reduce add %2 axes [2] : tensor<2x3x4xf64> -> "
        "tensor<2x3x1xf64>\n"
        "return %r : tensor<2x3x1xf64>\n}");
}

TEST_F(DifferentiateTest, CastsAmongFloats) {
  check(makeText("%a = tg.cast %x : tensor<3x4xf64> -> tensor<3x4xf32>\n"
                 "%b = tg.cast %a : tensor<3x4xf32> -> tensor<3x4xf64>\n"
                 "%r = tg.mul %b, %y : tensor<3x4xf64>"),
        -2, 2, 0.1);
}

TEST_F(DifferentiateTest, NothingThroughIntegersAndDetach) {
  EXPECT_EQ(
      getGradients(
          makeText("%a = tg.cast %x : tensor<3x4xf64> -> tensor<3x4xi32>\n"
                   "%b = tg.cast %a : tensor<3x4xi32> -> tensor<3x4xf64>\n"
                   "%c = tg.detach %y : tensor<3x4xf64>\n"
                   "%d = tg.mul %c, %x : tensor<3x4xf64>\n"
                   "%r = tg.add %b, %d : tensor<3x4xf64>"),
          {Numbers(12, 1), Numbers(12, 2), Numbers(12, 5)}),
      (std::vector<Numbers>{Numbers(12, 5), Numbers(12, 0)}));
}

TEST_F(DifferentiateTest, NothingIsBuiltForOtherValues) {
  OwningOpRef<ModuleOp> module =
      parse("func.func @main(%seed: tensor<4xf64>, %x: tensor<4xf64>) -> "
            "tensor<4xf64> {\n"
            "%c = tg.const(dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>) : "
            "tensor<4xf64>\n"
            "%0 = tg.sin %c : tensor<4xf64>\n"
            "%r = tg.mul %0, %x : tensor<4xf64>\n"
            "return %r : tensor<4xf64>\n}");
  ASSERT_TRUE(succeeded(differentiateMain(*module)));
  int multiplications = 0, cosines = 0;
  module->walk([&](MulOp) { ++multiplications; });
  module->walk([&](CosOp) { ++cosines; });
  EXPECT_EQ(multiplications, 2);
  EXPECT_EQ(cosines, 0);
}

TEST_F(DifferentiateTest, GradientsOfGradients) {
  OwningOpRef<ModuleOp> module = parse(
      "func.func @main(%seed: tensor<3x1xf64>, %x: tensor<3x4xf64>) -> "
      "tensor<3x1xf64> {\n"
      "%0 = tg.exp %x : tensor<3x4xf64>\n"
      "%1 = tg.mul %0, %x : tensor<3x4xf64>\n"
      "%r = tg.reduce mul %1 axes [1] : tensor<3x4xf64> -> tensor<3x1xf64>\n"
      "return %r : tensor<3x1xf64>\n}");
  ASSERT_TRUE(succeeded(differentiateMain(*module)));
  // The gradient by %x, as a function of a seed of its own.
  auto function = module->lookupSymbol<func::FuncOp>("main");
  ASSERT_TRUE(succeeded(function.insertArgument(
      0, function.getArgument(1).getType(), {}, function.getLoc())));
  std::vector<Numbers> arguments = {
      {1, 2, -1, 0.5, 3, 1, 1, 2, -2, 1, 0.25, 1},
      {1, -2, 0.5},
      {0.5, -1, 0.75, 1, 1.5, 0.3, 0.2, -0.6, 0.9, -0.4, 0.8, 1.1}};
  checkAt(*module, arguments);
}

TEST_F(DifferentiateTest, OperationsOfOtherDialects) {
  check(makeText("%z = tg_test.softsign %x : tensor<3x4xf64>\n"
                 "%w = tg.mul %z, %x : tensor<3x4xf64>\n"
                 "%r = tg_test.swish %w : tensor<3x4xf64>"));
}

TEST_F(DifferentiateTest, SymbolicShapes) {
  const std::string type =
      "tensor<?x3xf64, #tg.shape<#tg.var<\"n\", 1, 8>, 3>>";
  OwningOpRef<ModuleOp> module =
      parse("func.func @main(%seed: tensor<1x3xf64>, %x: " + type +
            ", %y: tensor<1x3xf64>) -> tensor<1x3xf64> {\n%0 = tg.expand %y : "
            "tensor<1x3xf64> -> " +
            type + "\n%1 = tg.mul %x, %0 : " + type +
            "\n%r = tg.reduce mul %1 axes "
            "[0] : " +
            type +
            " -> tensor<1x3xf64>\n"
            "return %r : tensor<1x3xf64>\n}");
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(differentiateMain(*module)));
  auto function = module->lookupSymbol<func::FuncOp>("main");
  EXPECT_EQ(function.getResultTypes(),
            function.getArgumentTypes().drop_front());
}

TEST_F(DifferentiateTest, Errors) {
  std::string errors =
      getErrors(makeText("%0 = tg.exp %x : tensor<3x4xf64>\n"
                         "%1 = tg.copy %0 to \"NULL\" : tensor<3x4xf64>\n"
                         "%r = tg.mul %1, %y : tensor<3x4xf64>"));
  EXPECT_NE(errors.find("'tg.copy' op has no derivative"), std::string::npos)
      << errors;
  EXPECT_NE(errors.find("note: which depends on this operation, '"),
            std::string::npos)
      << errors;
  EXPECT_NE(errors.find("note: it is differentiated by this value of type "
                        "'tensor<3x4xf64>'"),
            std::string::npos)
      << errors;
  // The rule of an operation that has none with these operands.
  errors = getErrors(
      makeText("%0 = tg.exp %x : tensor<3x4xf64>\n"
               "%p = tg.shrink %y from [0, 0] to [1, 4] : tensor<3x4xf64> -> "
               "tensor<1x4xf64>\n"
               "%q = tg.shrink %0 from [0, 0] to [1, 4] : tensor<3x4xf64> -> "
               "tensor<1x4xf64>\n"
               "%a = tg.assign %p, %q : tensor<1x4xf64>\n"
               "%r = tg.after %y[%a : tensor<1x4xf64>] : tensor<3x4xf64>"));
  EXPECT_NE(errors.find("'tg.after' op has no derivative after an assignment "
                        "to a part of the memory"),
            std::string::npos)
      << errors;
  EXPECT_NE(errors.find("note: it is differentiated by this value"),
            std::string::npos)
      << errors;
  errors = getErrors(
      makeText("%a = tg.cast %x : tensor<3x4xf64> -> tensor<3x4xf8E5M2>\n"
               "%r = tg.cast %a : tensor<3x4xf8E5M2> -> tensor<3x4xf64>"));
  EXPECT_NE(errors.find("'tg.cast' op has a result of type "
                        "'tensor<3x4xf8E5M2>', which has no arithmetic"),
            std::string::npos)
      << errors;
  errors = getErrors(makeText("%r = tg_test.secret %x : tensor<3x4xf64>"));
  EXPECT_NE(errors.find("'tg_test.secret' op has no derivative"),
            std::string::npos)
      << errors;
  errors = getErrors("func.func @main(%seed: tensor<4xf64>, %x: tensor<4xi32>) "
                     "-> tensor<4xf64> {\n"
                     "%r = tg.cast %x : tensor<4xi32> -> tensor<4xf64>\n"
                     "return %r : tensor<4xf64>\n}");
  EXPECT_NE(errors.find("the gradient by a value of type 'tensor<4xi32>' was "
                        "requested; only floats of 16 bits or more have one"),
            std::string::npos)
      << errors;
  errors = getErrors("func.func @main(%seed: tensor<4xi32>, %x: tensor<4xf64>) "
                     "-> tensor<4xi32> {\n"
                     "%r = tg.cast %x : tensor<4xf64> -> tensor<4xi32>\n"
                     "return %r : tensor<4xi32>\n}");
  EXPECT_NE(errors.find("the gradient of a value of type 'tensor<4xi32>' was "
                        "requested; only floats of 16 bits or more have one"),
            std::string::npos)
      << errors;
  errors = getErrors("func.func @main(%seed: tensor<1xf64>, %x: tensor<4xf64>) "
                     "-> tensor<4xf64> {\n"
                     "%r = tg.exp %x : tensor<4xf64>\n"
                     "return %r : tensor<4xf64>\n}");
  EXPECT_NE(errors.find("the seed has type 'tensor<1xf64>'"), std::string::npos)
      << errors;
}

} // namespace
