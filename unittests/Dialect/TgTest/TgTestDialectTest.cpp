//===- TgTestDialectTest.cpp - operations of another dialect --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Graphs of operations of tg and of a dialect that implements its interfaces
/// are folded, interpreted and compiled, and give the results of plain loops.
///
//===----------------------------------------------------------------------===//

#include "TgTest.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Interpreter/Interpreter.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"
#include "mlir/Parser/Parser.h"
#include "support/ToolSupport.h"

#include "gtest/gtest.h"
#include <cmath>
#include <functional>

using namespace mlir;
using namespace mlir::tg;

namespace {

class TgTestDialectTest : public ::testing::Test {
protected:
  TgTestDialectTest() : context(MLIRContext::Threading::DISABLED) {
    tinygrad::prepareContext(context);
    context.loadDialect<tgtest::TgTestDialect>();
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return module;
  }

  static std::vector<double> getNumbers(const HostTensor &tensor) {
    std::vector<double> numbers;
    for (int64_t i = 0; i < tensor.numElements(); ++i)
      numbers.push_back(getElementAsDouble(tensor, i));
    return numbers;
  }

  /// Arguments with the elements 0.25 * i - 3.
  std::vector<HostTensor> makeInputs(func::FuncOp function) {
    std::vector<HostTensor> inputs;
    for (BlockArgument argument : function.getArguments()) {
      auto type = cast<RankedTensorType>(argument.getType());
      SmallVector<Attribute> elements;
      for (int64_t i = 0; i < type.getNumElements(); ++i)
        elements.push_back(getNumberAttr(type.getElementType(),
                                         0.25 * static_cast<double>(i) - 3));
      inputs.push_back(*makeHostTensor(argument.getLoc(), type,
                                       DenseElementsAttr::get(type, elements)));
    }
    return inputs;
  }

  /// The first result, or the first argument after the run if the function has
  /// no result.
  std::vector<double> interpretGraph(const std::string &text) {
    OwningOpRef<ModuleOp> module = parse(text);
    auto function = module->lookupSymbol<func::FuncOp>("main");
    std::vector<HostTensor> inputs = makeInputs(function);
    SmallVector<HostTensor> results;
    EXPECT_TRUE(succeeded(interpret(function, inputs, results)));
    return getNumbers(results[0]);
  }

  std::vector<double> runCompiled(const std::string &text, bool noOpt) {
    OwningOpRef<ModuleOp> module = parse(text);
    auto function = module->lookupSymbol<func::FuncOp>("main");
    std::vector<HostTensor> inputs = makeInputs(function);
    SmallVector<Type> inputTypes(function.getArgumentTypes());
    auto resultType = cast<RankedTensorType>(function.getResultTypes()[0]);
    tinygrad::Device &device = getDevice("CPU");
    tinygrad::CompileOptions options;
    options.noOptimization = noOpt;
    options.verifyEach = true;
    auto program = tinygrad::compile(*module, device, options);
    numKernels = 0;
    module->walk([&](KernelOp) { ++numKernels; });
    std::vector<tinygrad::Buffer> buffers =
        program->run(toBuffers(device, inputs, inputTypes));
    device.synchronize();
    return getNumbers(
        fromBuffer(buffers[0], resultType, resultType.getShape()));
  }

  /// Interprets and compiles the body of a function of %x that computes %r.
  void
  check(const std::string &type, const std::string &resultType,
        const std::string &body,
        const std::function<std::vector<double>(const std::vector<double> &)>
            &expected,
        double tolerance = 1e-6) {
    std::string text = "func.func @main(%x: " + type + ") -> " + resultType +
                       " {\n" + body + "\nreturn %r : " + resultType + "\n}";
    OwningOpRef<ModuleOp> module = parse(text);
    std::vector<double> input =
        getNumbers(makeInputs(module->lookupSymbol<func::FuncOp>("main"))[0]);
    std::vector<double> wanted = expected(input);
    for (const std::vector<double> &got :
         {interpretGraph(text), runCompiled(text, /*noOpt=*/true),
          runCompiled(text, /*noOpt=*/false)}) {
      ASSERT_EQ(got.size(), wanted.size());
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], wanted[i], tolerance * (1 + std::abs(wanted[i])))
            << i << " of\n"
            << text;
    }
  }

  MLIRContext context;
  /// The number of kernels of the program compiled last.
  int numKernels = 0;
};

double softsign(double x) { return x / (1 + std::abs(x)); }

TEST_F(TgTestDialectTest, ElementwiseOperationsAreFused) {
  check("tensor<5x37xf32>", "tensor<5x37xf32>", R"(
    %0 = tg_test.softsign %x : tensor<5x37xf32>
    %1 = tg.mul %0, %x : tensor<5x37xf32>
    %r = tg_test.clamp %1 from 0.5 to 3.0 : tensor<5x37xf32>)",
        [](const std::vector<double> &x) {
          std::vector<double> result;
          for (double element : x)
            result.push_back(
                std::min(std::max(softsign(element) * element, 0.5), 3.0));
          return result;
        });
  EXPECT_EQ(numKernels, 1);
}

TEST_F(TgTestDialectTest, SmallFloatsAreRoundedAfterEachOperation) {
  check(
      "tensor<40xf16>", "tensor<40xf16>",
      "%r = tg_test.softsign %x : tensor<40xf16>",
      [](const std::vector<double> &x) {
        std::vector<double> result;
        for (double element : x)
          result.push_back(softsign(element));
        return result;
      },
      2e-3);
}

TEST_F(TgTestDialectTest, CompositionsOfCompositions) {
  check("tensor<24xf32>", "tensor<24xf32>",
        "%r = tg_test.swish %x : tensor<24xf32>",
        [](const std::vector<double> &x) {
          std::vector<double> result;
          for (double element : x)
            result.push_back(element / (1 + std::exp(-element)));
          return result;
        });
  EXPECT_EQ(numKernels, 1);
}

TEST_F(TgTestDialectTest, MovementIsIndexArithmetic) {
  // Reduced over a moved axis, next to an unmoved one.
  check("tensor<4x6xf32>", "tensor<4x1xf32>", R"(
    %0 = tg_test.rot180 %x : tensor<4x6xf32>
    %1 = tg_test.softsign %0 : tensor<4x6xf32>
    %2 = tg.mul %1, %x : tensor<4x6xf32>
    %r = tg.reduce add %2 axes [1] : tensor<4x6xf32> -> tensor<4x1xf32>)",
        [](const std::vector<double> &x) {
          std::vector<double> result(4);
          for (int i = 0; i < 24; ++i)
            result[i / 6] += softsign(x[23 - i]) * x[i];
          return result;
        });
  EXPECT_EQ(numKernels, 1);
}

TEST_F(TgTestDialectTest, MovementAddsZeros) {
  check("tensor<2x3xf32>", "tensor<4x5xf32>", R"(
    %0 = tg.permute %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    %1 = tg.permute %0 [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
    %2 = tg_test.frame %1 : tensor<2x3xf32> -> tensor<4x5xf32>
    %3 = tg_test.rot180 %2 : tensor<4x5xf32>
    %one = tg.const(1.0 : f32) : tensor<4x5xf32>
    %r = tg.add %3, %one : tensor<4x5xf32>)",
        [](const std::vector<double> &x) {
          std::vector<double> result(20, 1);
          for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 3; ++j)
              result[(2 - i) * 5 + 3 - j] += x[i * 3 + j];
          return result;
        });
  EXPECT_EQ(numKernels, 1);
}

TEST_F(TgTestDialectTest, AssignmentsWriteThroughMovement) {
  check("tensor<3x4xf32>", "tensor<3x4xf32>", R"(
    %0 = tg_test.rot180 %x : tensor<3x4xf32>
    %1 = tg_test.softsign %x : tensor<3x4xf32>
    %2 = tg.assign %0, %1 : tensor<3x4xf32>
    %r = tg.after %x[%2 : tensor<3x4xf32>] : tensor<3x4xf32>)",
        [](const std::vector<double> &x) {
          std::vector<double> result;
          for (int i = 0; i < 12; ++i)
            result.push_back(softsign(x[11 - i]));
          return result;
        });
}

TEST_F(TgTestDialectTest, AnOperationWithoutInterfacesIsAnError) {
  OwningOpRef<ModuleOp> module = parse(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tg.neg %x : tensor<4xf32>
      %1 = tg_test.opaque %0 : tensor<4xf32>
      return %1 : tensor<4xf32>
    })");
  try {
    tinygrad::compile(*module, getDevice("CPU"));
    FAIL() << "it was compiled";
  } catch (const tinygrad::CompileError &error) {
    EXPECT_NE(std::string(error.what()).find("tg::ElementwiseOpInterface"),
              std::string::npos)
        << error.what();
  }
}

} // namespace
