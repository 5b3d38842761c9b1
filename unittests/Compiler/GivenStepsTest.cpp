//===- GivenStepsTest.cpp - given lists of steps on the simulated GPU -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels with lists of steps that no heuristic chooses run on the simulated
/// GPU, which reports wrong accesses, and give the interpreter's values.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Interpreter/Interpreter.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace mlir;
using ::testing::HasSubstr;

namespace {

class GivenSteps : public ::testing::Test {
protected:
  GivenSteps() : context(MLIRContext::Threading::DISABLED) {
    tinygrad::prepareContext(context);
  }

  /// Inputs with numbers from 1 on, of the types of the function's arguments.
  std::vector<tg::HostTensor> makeInputs(func::FuncOp function) {
    std::vector<tg::HostTensor> inputs;
    for (Type type : function.getArgumentTypes()) {
      FailureOr<tg::HostTensor> tensor =
          tg::makeHostTensor(function.getLoc(), type);
      EXPECT_TRUE(succeeded(tensor));
      const unsigned size = tg::getElementSize(tensor->elementType);
      for (int64_t i = 0; i < tensor->numElements(); ++i) {
        const int64_t number = i + 1;
        std::memcpy(tensor->bytes.data() + i * size, &number, size);
      }
      inputs.push_back(std::move(*tensor));
    }
    return inputs;
  }

  /// Runs `program` with the steps in each order of work items, and compares
  /// its only result with what the interpreter computes of `fixed`, the same
  /// function without variables.
  void check(StringRef program, StringRef fixed, StringRef steps,
             const std::vector<int64_t> &values = {}) {
    auto plain = parseSourceString<ModuleOp>(fixed, &context);
    ASSERT_TRUE(plain);
    auto function = *plain->getOps<func::FuncOp>().begin();
    std::vector<tg::HostTensor> inputs = makeInputs(function);
    SmallVector<tg::HostTensor> wanted;
    ASSERT_TRUE(succeeded(tg::interpret(function, inputs, wanted)));
    auto list = dyn_cast_or_null<ArrayAttr>(parseAttribute(steps, &context));
    ASSERT_TRUE(list);
    tinygrad::Device &device = tinygrad::Device::get("SIM");
    for (int64_t seed : {0, 1, 7}) {
      // Programs in memory would be found instead of compiled.
      tinygrad::Context settings({{"CACHELEVEL", 0}, {"SIMSEED", seed}});
      tinygrad::CompileOptions options;
      options.fallBack = false;
      options.prepareKernel = [&](tg::KernelOp kernel) {
        kernel.setScheduleAttr(list);
      };
      auto module = parseSourceString<ModuleOp>(program, &context);
      ASSERT_TRUE(module);
      auto compiled = tinygrad::compile(*module, device, options);
      // Memory for all values of variables.
      std::vector<tinygrad::Buffer> buffers;
      for (auto [info, input] :
           llvm::zip_equal(compiled->getArguments(), inputs)) {
        size_t size = tg::getElementSize(input.elementType);
        for (int64_t extent : info.shape)
          size *= extent;
        std::vector<char> bytes = input.bytes;
        bytes.resize(size);
        buffers.push_back(
            tinygrad::Buffer::fromHost(device, bytes.data(), size));
      }
      auto results = compiled->run(buffers, values);
      ASSERT_EQ(results.size(), 1u);
      std::vector<char> bytes(results.front().size());
      results.front().copyOut(bytes.data(), bytes.size());
      bytes.resize(wanted.front().bytes.size());
      EXPECT_EQ(bytes, wanted.front().bytes) << "SIMSEED=" << seed;
    }
  }
  void check(StringRef program, StringRef steps) {
    check(program, program, steps);
  }

  MLIRContext context;
};

/// Items read several elements of a tile at once only where the mask of none
/// excludes them.
TEST_F(GivenSteps, NeighborsUnderMasks) {
  check(R"(
    func.func @main(%x: tensor<26xi32>) -> tensor<26xi32> {
      %0 = tg.neg %x : tensor<26xi32>
      return %0 : tensor<26xi32>
    })",
        "[#tg.step<set_kind [0] as local>,"
        " #tg.step<stage load 0 [0] into [1]>,"
        " #tg.step<stage load 1 [0] by 8 into [2]>,"
        " #tg.step<split [2] by 8 into [3, 4]>,"
        " #tg.step<set_kind [4] as unroll>]");
}

/// Unused elements after the rows of a tile move what is aligned in others.
TEST_F(GivenSteps, VectorsOfPaddedRows) {
  check(R"(
    func.func @main(%x: tensor<1224xi16>) -> tensor<1224xi16> {
      %0 = tg.neg %x : tensor<1224xi16>
      return %0 : tensor<1224xi16>
    })",
        "[#tg.step<split [0] by 12 into [1, 2]>,"
        " #tg.step<set_kind [1] as local>,"
        " #tg.step<set_kind [2] as unroll>,"
        " #tg.step<split [1] by 4 into [3, 4]>,"
        " #tg.step<stage load 0 [3, 4, 2] into [5, 6, 7]>,"
        " #tg.step<set_kind [4] as thread>,"
        " #tg.step<move [2, 5]>]");
}

/// A tile along a range that has one position or none: without one, nothing is
/// in the tile, and nothing is read.
TEST_F(GivenSteps, TilesWithoutPositions) {
  const char *steps = "[#tg.step<split [1] by 64 into [2, 3]>,"
                      " #tg.step<set_kind [3] as local>,"
                      " #tg.step<set_kind [2] as global>,"
                      " #tg.step<stage neg 0 [0, 2, 3] into [4, 5, 6]>]";
  const char *program = R"(
    #n = #tg.var<"n", 0, 17>
    func.func @main(%x: tensor<?x?xi32, #tg.shape<#n, #n mod 3>>)
        -> tensor<?x?xi32, #tg.shape<#n, #n mod 3>> {
      %0 = tg.neg %x : tensor<?x?xi32, #tg.shape<#n, #n mod 3>>
      %1 = tg.xor %0, %x : tensor<?x?xi32, #tg.shape<#n, #n mod 3>>
      return %1 : tensor<?x?xi32, #tg.shape<#n, #n mod 3>>
    })";
  check(program, R"(
    func.func @main(%x: tensor<15x0xi32>) -> tensor<15x0xi32> {
      return %x : tensor<15x0xi32>
    })",
        steps, {15});
  check(program, R"(
    func.func @main(%x: tensor<17x2xi32>) -> tensor<17x2xi32> {
      %0 = tg.neg %x : tensor<17x2xi32>
      %1 = tg.xor %0, %x : tensor<17x2xi32>
      return %1 : tensor<17x2xi32>
    })",
        steps, {17});
}

/// Groups in bands, of which the last one is shorter.
TEST_F(GivenSteps, Bands) {
  check(R"(
    func.func @main(%x: tensor<10x6xi32>) -> tensor<6x10xi32> {
      %0 = tg.permute %x [1, 0] : tensor<10x6xi32> -> tensor<6x10xi32>
      return %0 : tensor<6x10xi32>
    })",
        "[#tg.step<split [1] by 5 into [2, 3]>,"
        " #tg.step<set_kind [2] as global>,"
        " #tg.step<set_kind [0] as global by 4>,"
        " #tg.step<set_kind [3] as local>]");
}

/// Several positions of items have updates under the mask.
TEST_F(GivenSteps, UpdatesUnderMasks) {
  check(R"(
    func.func @main(%x: tensor<6x10xi32>) -> tensor<6x1xi32> {
      %0 = tg.reduce add %x axes [1] : tensor<6x10xi32> -> tensor<6x1xi32>
      return %0 : tensor<6x1xi32>
    })",
        "[#tg.step<accumulate ranged_reduce 0 [1]>,"
        " #tg.step<split [0] by 4 into [2, 3]>,"
        " #tg.step<set_kind [2] as local>]");
}

/// What would be wrong is refused.
TEST_F(GivenSteps, CopiesOfGroupTiles) {
  try {
    check(R"(
      func.func @main(%x: tensor<10x7xi32>) -> tensor<10x7xi32> {
        %0 = tg.neg %x : tensor<10x7xi32>
        return %0 : tensor<10x7xi32>
      })",
          "[#tg.step<split [0] by 7 into [2, 3]>,"
          " #tg.step<set_kind [3] as local>,"
          " #tg.step<stage load 0 [3] into [4]>,"
          " #tg.step<set_kind [2] as unroll>]");
    ADD_FAILURE() << "compiles";
  } catch (const tinygrad::CompileError &error) {
    EXPECT_THAT(error.what(), HasSubstr("depends on unrolled range 2"));
  }
}

} // namespace
