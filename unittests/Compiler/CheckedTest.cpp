//===- CheckedTest.cpp - compilation with diagnostics ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Levels of modules, errors as diagnostics and as exceptions, and the cache
/// policy. test/consumer/embed.cpp calls the same functions without exceptions.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Compiler/Checked.h"
#include "TinyGrad/Dialect/Tg/Utils/ModuleLevel.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Target/All/AllTargets.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <string>
#include <vector>

using namespace mlir;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace checked = tinygrad::checked;
using tinygrad::CacheLevel;
using tinygrad::CompileOptions;
using tinygrad::GlobalCounters;
using tinygrad::KernelCache;

namespace {
constexpr StringLiteral kGraph = R"(
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %0 = tg.exp2 %x : tensor<4x8xf32>
  %1 = tg.reduce add %0 axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  return %1 : tensor<4x1xf32>
}
)";

class Checked : public ::testing::Test {
protected:
  Checked()
      : context(MLIRContext::Threading::DISABLED),
        device(tinygrad::Device::get("CPU")),
        handler(&context, [this](Diagnostic &diagnostic) {
          std::string text;
          llvm::raw_string_ostream os(text);
          if (auto file =
                  diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
            os << file.getLine() << ": ";
          os << diagnostic;
          errors.push_back(text);
        }) {
    tinygrad::prepareContext(context);
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return module;
  }

  /// The only error since the last call.
  std::string takeError() {
    EXPECT_EQ(errors.size(), 1u);
    std::string error = errors.empty() ? "" : errors.front();
    errors.clear();
    return error;
  }

  std::vector<float> run(tinygrad::CompiledProgram &program) {
    const Location location = UnknownLoc::get(&context);
    const std::vector<float> ones(32, 1.0f);
    std::vector<float> values(4);
    FailureOr<tinygrad::Buffer> input = checked::copyFromHost(
        location, device, ones.data(), ones.size() * sizeof(float));
    EXPECT_TRUE(succeeded(input));
    FailureOr<std::vector<tinygrad::Buffer>> outputs =
        checked::run(location, program, {*input});
    EXPECT_TRUE(succeeded(outputs));
    EXPECT_TRUE(
        succeeded(checked::copyToHost(location, outputs->front(), values.data(),
                                      values.size() * sizeof(float))));
    return values;
  }

  MLIRContext context;
  tinygrad::Device &device;
  std::vector<std::string> errors;
  ScopedDiagnosticHandler handler;
};
} // namespace

TEST_F(Checked, CompilesAndRuns) {
  auto module = parse(kGraph);
  auto program = checked::compile(*module, device);
  ASSERT_TRUE(succeeded(program));
  EXPECT_THAT(run(**program), ElementsAre(16, 16, 16, 16));
  EXPECT_THAT(errors, ElementsAre());
}

/// Each function names the level of a module that it does not take, and leaves
/// the module as it is.
TEST_F(Checked, Levels) {
  auto module = parse(kGraph);
  auto print = [&] {
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    return text;
  };
  std::string before = print();
  EXPECT_TRUE(failed(checked::optimize(*module, device)));
  EXPECT_THAT(takeError(),
              HasSubstr("'@main' is a tensor graph (level 1), but kernels "
                        "without a schedule (level 2) are needed"));
  EXPECT_TRUE(failed(checked::generateCode(*module, device)));
  EXPECT_THAT(takeError(), HasSubstr("'@main' is a tensor graph (level 1), but "
                                     "kernels (level 2 or 3) are needed"));
  EXPECT_EQ(print(), before);

  ASSERT_TRUE(succeeded(checked::schedule(*module, device)));
  before = print();
  EXPECT_TRUE(failed(checked::schedule(*module, device)));
  EXPECT_THAT(takeError(),
              HasSubstr("is a kernel without a schedule (level 2), "
                        "but tensor graphs (level 1) are needed"));
  EXPECT_EQ(print(), before);

  ASSERT_TRUE(succeeded(checked::optimize(*module, device)));
  before = print();
  EXPECT_TRUE(failed(checked::schedule(*module, device)));
  EXPECT_THAT(takeError(), HasSubstr("is a scheduled kernel (level 3)"));
  EXPECT_TRUE(failed(checked::optimize(*module, device)));
  EXPECT_THAT(takeError(), HasSubstr("is a scheduled kernel (level 3)"));
  EXPECT_THROW(tinygrad::optimize(*module, device), tinygrad::CompileError);
  EXPECT_THROW(tinygrad::schedule(*module, device), tinygrad::CompileError);
  EXPECT_EQ(print(), before);
  // Code is made of the schedules that a module has.
  EXPECT_TRUE(succeeded(checked::generateCode(*module, device)));
  EXPECT_EQ(print(), before);
  EXPECT_THAT(errors, ElementsAre());
}

/// What was done before is not done again, and gives the same values.
TEST_F(Checked, CompilesFromEachLevel) {
  for (int level = 1; level <= 3; ++level) {
    auto module = parse(kGraph);
    if (level >= 2)
      ASSERT_TRUE(succeeded(checked::schedule(*module, device)));
    if (level >= 3)
      ASSERT_TRUE(succeeded(checked::optimize(*module, device)));
    CompileOptions options;
    int numPrepared = 0;
    options.prepareKernel = [&](tg::KernelOp) { ++numPrepared; };
    auto program = checked::compile(*module, device, options);
    ASSERT_TRUE(succeeded(program)) << level;
    EXPECT_EQ(numPrepared, level < 3 ? 1 : 0);
    EXPECT_EQ((*program)->getArguments()[0].shape,
              level == 1 ? std::vector<int64_t>({4, 8})
                         : std::vector<int64_t>({32}));
    EXPECT_THAT(run(**program), ElementsAre(16, 16, 16, 16));
    // It is at level 3 now, and can be compiled once more.
    auto again = checked::compile(*module, device);
    ASSERT_TRUE(succeeded(again)) << level;
    EXPECT_THAT(run(**again), ElementsAre(16, 16, 16, 16));
  }
  EXPECT_THAT(errors, ElementsAre());
}

/// A graph and kernels of each level in one module.
TEST_F(Checked, CompilesMixedLevels) {
  auto module = parse(kGraph);
  ASSERT_TRUE(succeeded(checked::schedule(*module, device)));
  ASSERT_TRUE(succeeded(checked::optimize(*module, device)));
  auto other = parse(R"(
    func.func @graph(%x: tensor<4x8xf32>) -> tensor<1x8xf32> {
      %0 = tg.reduce add %x axes [0] : tensor<4x8xf32> -> tensor<1x8xf32>
      return %0 : tensor<1x8xf32>
    })");
  module->push_back(other->lookupSymbol("graph")->clone());
  CompileOptions options;
  for (const char *entry : {"main", "graph"}) {
    OwningOpRef<ModuleOp> copy = module->clone();
    options.entry = entry;
    auto program = checked::compile(*copy, device, options);
    ASSERT_TRUE(succeeded(program));
    const float expected = options.entry == "main" ? 16 : 4;
    EXPECT_THAT(run(**program),
                ElementsAre(expected, expected, expected, expected));
  }
  EXPECT_THAT(errors, ElementsAre());
}

/// Kernels that were converted are too far, and are named.
TEST_F(Checked, CompilesNoFunctionsOfKernels) {
  auto module = parse(R"(
    func.func @main(%x: memref<4xf32>) attributes {tg.outputs = 1 : i64,
        tg.parallel_extent = 1 : i64, tg.variables = []} {
      return
    })");
  EXPECT_TRUE(failed(checked::compile(*module, device)));
  EXPECT_THAT(takeError(), HasSubstr("'@main' is made of a kernel (level 4)"));
}

TEST_F(Checked, CompilesNoOtherBuffers) {
  EXPECT_TRUE(failed(checked::compile(
      *parse("func.func @main(%x: memref<2x4xf32>) { return }"), device)));
  EXPECT_THAT(takeError(),
              AllOf(HasSubstr("must be ranked tensors, not "
                              "'memref<2x4xf32>'"),
                    HasSubstr("are all flat buffers of static size")));
}

/// The host's passes see the module between two levels.
TEST_F(Checked, PassesOfTheHost) {
  std::string order;
  CompileOptions options;
  options.afterSchedule = [&](ModuleOp module) {
    order += "schedule ";
    EXPECT_TRUE(succeeded(tg::requireLevel(module, tg::ModuleLevel::Kernels)));
    // As a pass that computes something else: 2^x becomes -x.
    module.walk([](tg::Exp2Op op) {
      OpBuilder builder(op);
      op.replaceAllUsesWith(
          tg::NegOp::create(builder, op.getLoc(), op.getX()).getResult());
      op.erase();
    });
    return success();
  };
  options.afterOptimize = [&](ModuleOp module) {
    order += "optimize";
    EXPECT_TRUE(tg::isScheduled(module));
    return success();
  };
  auto program = checked::compile(*parse(kGraph), device, options);
  ASSERT_TRUE(succeeded(program));
  EXPECT_EQ(order, "schedule optimize");
  EXPECT_THAT(run(**program), ElementsAre(-8, -8, -8, -8));
  // Steps that were done before have no call.
  auto module = parse(kGraph);
  ASSERT_TRUE(succeeded(checked::schedule(*module, device)));
  order = "";
  ASSERT_TRUE(succeeded(checked::compile(*module, device, options)));
  EXPECT_EQ(order, "optimize");
  EXPECT_THAT(errors, ElementsAre());
}

/// What is wrong with the host's passes is an error, with its diagnostics.
TEST_F(Checked, PassesOfTheHostFail) {
  CompileOptions options;
  options.afterSchedule = [](ModuleOp) { return failure(); };
  EXPECT_TRUE(failed(checked::compile(*parse(kGraph), device, options)));
  EXPECT_THAT(takeError(), HasSubstr("afterSchedule failed"));
  options.afterSchedule = [](ModuleOp module) -> LogicalResult {
    return (*module.getOps<tg::KernelOp>().begin()).emitError("not that one");
  };
  EXPECT_TRUE(failed(checked::compile(*parse(kGraph), device, options)));
  EXPECT_THAT(takeError(), HasSubstr("not that one"));
  EXPECT_THROW(tinygrad::compile(*parse(kGraph), device, options),
               tinygrad::CompileError);
  options.afterSchedule = nullptr;
  options.afterOptimize = [](ModuleOp module) {
    module.lookupSymbol("main")->erase();
    return success();
  };
  EXPECT_TRUE(failed(checked::compile(*parse(kGraph), device, options)));
  EXPECT_THAT(takeError(), HasSubstr("the module has no function 'main' after "
                                     "the passes of the host"));
  // A module that is not valid, or of another level.
  options.afterOptimize = [](ModuleOp module) {
    (*module.getOps<tg::KernelOp>().begin()).setOutputs(7);
    return success();
  };
  EXPECT_TRUE(failed(checked::compile(*parse(kGraph), device, options)));
  EXPECT_THAT(takeError(), HasSubstr("(C"));
  options.afterOptimize = [](ModuleOp module) {
    tg::KernelOp kernel = *module.getOps<tg::KernelOp>().begin();
    kernel.removeScheduledAttr();
    kernel.walk([](tg::RangeOp range) { range.setKind(tg::RangeKind::loop); });
    return success();
  };
  EXPECT_TRUE(failed(checked::compile(*parse(kGraph), device, options)));
  EXPECT_THAT(takeError(), HasSubstr("scheduled kernels (level 3) are needed"));
}

/// There is no code for another target than that of the schedules.
TEST_F(Checked, ScheduledForAnotherTarget) {
  auto module = parse(kGraph);
  ASSERT_TRUE(succeeded(checked::schedule(*module, device)));
  ASSERT_TRUE(succeeded(checked::optimize(*module, device)));
  CompileOptions options;
  std::string error;
  options.target = tg::lookupTarget("cuda:sm_90", error);
  ASSERT_TRUE(options.target) << error;
  EXPECT_TRUE(failed(checked::generateCode(*module, device, options)));
  EXPECT_THAT(takeError(), HasSubstr("the module is scheduled for the target "
                                     "'cpu', and there can be no code for "
                                     "'cuda:sm_90'"));
  EXPECT_TRUE(failed(checked::compile(*module, device, options)));
  EXPECT_THAT(takeError(), HasSubstr("the module is scheduled for the target"));
}

/// Errors of a module are at the operation at fault; those with exceptions have
/// the same text.
TEST_F(Checked, LocatedErrors) {
  constexpr StringLiteral text = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.neg %x : tensor<4xf32>
  %1 = tg.buffer 1 on "CPU" : tensor<4xf32>
  %2 = tg.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
})";
  auto module = parse(text);
  EXPECT_TRUE(failed(checked::compile(*module, device)));
  EXPECT_THAT(takeError(),
              AllOf(HasSubstr("4: "), HasSubstr("must become a function")));
  try {
    tinygrad::compile(*parse(text), device);
    ADD_FAILURE() << "compiles";
  } catch (const tinygrad::CompileError &error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr(":4:"), HasSubstr("must become a function")));
  }
  // Nothing went to the handler.
  EXPECT_THAT(errors, ElementsAre());
}

TEST_F(Checked, WrongFunctions) {
  CompileOptions options;
  options.entry = "other";
  EXPECT_TRUE(failed(checked::compile(*parse(kGraph), device, options)));
  EXPECT_THAT(takeError(), HasSubstr("the module has no function 'other'"));
  EXPECT_TRUE(failed(checked::compile(
      *parse("func.func private @main(tensor<4xf32>)"), device)));
  EXPECT_THAT(takeError(), HasSubstr("the function 'main' has no body"));
  EXPECT_TRUE(failed(checked::compile(
      *parse("func.func @main(%x: tensor<*xf32>) { return }"), device)));
  EXPECT_THAT(takeError(),
              HasSubstr("must be ranked tensors, not 'tensor<*xf32>'"));
  EXPECT_TRUE(failed(checked::compile(
      *parse("func.func @main(%x: tensor<?xf32>) { return }"), device)));
  EXPECT_THAT(takeError(),
              HasSubstr("not 'tensor<?xf32>'; describe its sizes, such as "
                        "'tensor<?xf32, #tg.shape<#tg.var<\"n\", 1, 1024>>>'"));
  EXPECT_TRUE(failed(checked::compile(
      *parse("func.func @main(%x: tensor<4xi128>) { return }"), device)));
  EXPECT_THAT(takeError(),
              HasSubstr("the element type of 'tensor<4xi128>' is none"));
}

/// What the runtime throws is an error at the location that is given.
TEST_F(Checked, ErrorsOfTheRuntime) {
  const Location location = FileLineColLoc::get(&context, "host.mlir", 12, 1);
  EXPECT_TRUE(failed(checked::getDevice(location, "TOASTER")));
  EXPECT_THAT(takeError(), AllOf(HasSubstr("12: "), HasSubstr("TOASTER")));
  FailureOr<tinygrad::Device *> same = checked::getDevice(location, "CPU");
  ASSERT_TRUE(succeeded(same));
  EXPECT_EQ(*same, &device);

  auto program = checked::compile(*parse(kGraph), device);
  ASSERT_TRUE(succeeded(program));
  EXPECT_TRUE(failed(checked::run(location, **program, {})));
  EXPECT_THAT(takeError(), HasSubstr("12: "));
  FailureOr<tinygrad::Buffer> small = checked::allocate(location, device, 4);
  ASSERT_TRUE(succeeded(small));
  EXPECT_TRUE(failed(checked::run(location, **program, {*small})));
  EXPECT_THAT(takeError(), HasSubstr("12: "));
  float values[2];
  EXPECT_TRUE(failed(checked::copyToHost(location, *small, values, 8)));
  EXPECT_THAT(takeError(), HasSubstr("12: "));
  // The program is still usable.
  EXPECT_THAT(run(**program), ElementsAre(16, 16, 16, 16));
}

/// How often kernels are compiled with each policy.
TEST_F(Checked, CachePolicies) {
  // Tests may run with any setting; a policy comes first.
  tinygrad::Context settings({{"CACHELEVEL", 0}, {"DEBUG", 0}});
  SmallString<128> directory;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("kernels", directory));
  CompileOptions options;
  auto compiles = [&] {
    const int64_t before = GlobalCounters::kernelsCompiled;
    auto program = checked::compile(*parse(kGraph), device, options);
    EXPECT_TRUE(succeeded(program));
    EXPECT_THAT(run(**program), ElementsAre(16, 16, 16, 16));
    return GlobalCounters::kernelsCompiled - before;
  };
  options.cache.kernels = KernelCache::inDirectory("");
  EXPECT_EQ(compiles(), 1);
  EXPECT_EQ(compiles(), 1); // the setting
  options.cache.level = CacheLevel::Memory;
  EXPECT_EQ(compiles(), 1);
  EXPECT_EQ(compiles(), 0);
  options.cache.level = CacheLevel::None;
  EXPECT_EQ(compiles(), 1);
  // Level Memory writes no file, level Disk one that another cache finds.
  for (CacheLevel level : {CacheLevel::Memory, CacheLevel::Disk}) {
    options.cache.level = level;
    options.cache.kernels = KernelCache::inDirectory(std::string(directory));
    EXPECT_EQ(compiles(), 1);
    EXPECT_EQ(options.cache.kernels->numPrograms(), 1u);
  }
  options.cache.kernels = KernelCache::inDirectory(std::string(directory));
  EXPECT_EQ(compiles(), 0);
  EXPECT_FALSE(llvm::sys::fs::remove_directories(directory));
}
