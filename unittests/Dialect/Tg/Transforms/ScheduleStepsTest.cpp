//===- ScheduleStepsTest.cpp - tests of schedule steps --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checking, applying and enumerating steps. That steps preserve results is
/// tested by tg-fuzz (--random-schedules).
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/ScheduleSteps.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SmallSet.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tg;

namespace {

constexpr StringLiteral kMatmul = R"mlir(
tg.kernel @matmul(%out: memref<768xf32>, %a: memref<512xf32>, %b: memref<384xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 32
  %j = tg.range 1 loop 24
  %k = tg.range 2 loop 16
  %c16 = tg.const(16 : index) : index
  %c24 = tg.const(24 : index) : index
  %ai = tg.mul %i, %c16 : index
  %ak = tg.add %ai, %k : index
  %x = tg.load %a[%ak] : memref<512xf32>
  %bk = tg.mul %k, %c24 : index
  %bj = tg.add %bk, %j : index
  %y = tg.load %b[%bj] : memref<384xf32>
  %z = tg.mul %x, %y : f32
  %sum = tg.ranged_reduce add %z over %k : f32
  %oi = tg.mul %i, %c24 : index
  %oj = tg.add %oi, %j : index
  tg.store %sum, %out[%oj] : memref<768xf32>
}
)mlir";

class ScheduleStepsTest : public testing::Test {
protected:
  ScheduleStepsTest() {
    context.loadDialect<TgDialect>();
    module = parseSourceString<ModuleOp>(kMatmul, &context);
  }

  KernelOp getKernel() { return *module->getOps<KernelOp>().begin(); }

  StepAttr step(const std::string &text) {
    return cast<StepAttr>(parseAttribute("#tg.step<" + text + ">", &context));
  }

  std::string print() {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST_F(ScheduleStepsTest, SaysWhyAStepIsNotAdmitted) {
  std::string reason;
  EXPECT_TRUE(succeeded(canApply(getKernel(), step("split [1] by 8"), reason)));
  EXPECT_EQ(reason, "");
  const std::string before = print();
  EXPECT_TRUE(
      failed(canApply(getKernel(), step("set_kind [1] as upcast"), reason)));
  EXPECT_EQ(reason, "a vector has a power of two of lanes up to 256, not 24");
  EXPECT_TRUE(failed(
      canApply(getKernel(), step("split [1] by 8 into [2, 3]"), reason)));
  EXPECT_EQ(reason, "the kernel has a range 2 already");
  EXPECT_EQ(print(), before) << "asking changes nothing";
}

TEST_F(ScheduleStepsTest, ListsWhatIsApplied) {
  ASSERT_TRUE(succeeded(applySteps(
      getKernel(), {step("split [1] by 8"), step("set_kind [4] as upcast")})));
  EXPECT_TRUE(succeeded(verify(*module)));
  ASSERT_TRUE(
      succeeded(applySteps(getKernel(), step("set_kind [0] as thread"))));
  std::string text;
  llvm::raw_string_ostream os(text);
  os << getKernel().getScheduledAttr();
  EXPECT_EQ(text, "[#tg.step<split [1] by 8 into [3, 4]>, "
                  "#tg.step<set_kind [4] as upcast>, "
                  "#tg.step<set_kind [0] as thread>]");
}

TEST_F(ScheduleStepsTest, AListIsAppliedAsAWholeOrNotAtAll) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  const std::string before = print();
  EXPECT_TRUE(failed(applySteps(
      getKernel(), {step("split [1] by 8 into [3, 4]"), step("move [3, 0]"),
                    step("stage load 1 [2, 4] into [5, 6]"),
                    step("set_kind [9] as unroll")})));
  EXPECT_NE(message.find("does not admit the step #tg.step<set_kind [9] as "
                         "unroll>: the kernel has no range 9"),
            std::string::npos)
      << message;
  EXPECT_EQ(print(), before);
}

TEST_F(ScheduleStepsTest, AListMakesTheSameKernelAgain) {
  ASSERT_TRUE(succeeded(applySteps(
      getKernel(),
      {step("split [1] by 8"), step("set_kind [4] as upcast"),
       step("move [3, 0]"), step("stage load 1 [2, 4]"), step("split [0] by 4"),
       step("set_kind [8] as unroll"), step("set_kind [3] as thread"),
       step("prefetch load 0 by 16")})));
  EXPECT_TRUE(succeeded(verify(*module)));
  const std::string once = print();
  auto list =
      llvm::to_vector(getKernel().getScheduledAttr().getAsRange<StepAttr>());
  module = parseSourceString<ModuleOp>(kMatmul, &context);
  ASSERT_TRUE(succeeded(applySteps(getKernel(), list)));
  EXPECT_EQ(print(), once);
}

TEST_F(ScheduleStepsTest, EveryStepThatIsEnumeratedIsAdmitted) {
  SmallVector<StepList> proposals = enumerateSteps(getKernel());
  llvm::SmallSet<StepKind, 16> kinds;
  for (const StepList &steps : proposals) {
    kinds.insert(steps.front().getKind());
    module = parseSourceString<ModuleOp>(kMatmul, &context);
    std::string reason;
    EXPECT_TRUE(succeeded(canApply(getKernel(), steps.front(), reason)))
        << reason;
    EXPECT_TRUE(succeeded(applySteps(getKernel(), steps)));
    EXPECT_TRUE(succeeded(verify(*module)));
  }
  for (StepKind kind :
       {StepKind::split, StepKind::move, StepKind::reverse, StepKind::set_kind,
        StepKind::unshare, StepKind::accumulate, StepKind::stage,
        StepKind::merge, StepKind::prefetch, StepKind::nontemporal})
    EXPECT_TRUE(kinds.contains(kind)) << stringifyStepKind(kind).str();
  auto isProposed = [&](const std::string &text) {
    return llvm::is_contained(proposals, StepList{step(text)});
  };
  // The 24 columns cannot be lanes without a split.
  EXPECT_FALSE(isProposed("set_kind [1] as upcast"));
  EXPECT_TRUE(isProposed("split [1] by 8"));
  EXPECT_TRUE(isProposed("split [1] by 3"));
  EXPECT_TRUE(isProposed("split [1] by 32"));
  EXPECT_TRUE(isProposed("stage load 1 [2, 1]"));
  EXPECT_TRUE(isProposed("stage load 0 [0, 2]"));
  EXPECT_TRUE(llvm::is_contained(
      proposals, StepList({step("stage load 0 [2] by 3 into [3]"),
                           step("split [3] by 3")})));
  // Of one kind.
  for (const StepList &steps : enumerateSteps(getKernel(), StepKind::move))
    EXPECT_EQ(steps.front().getKind(), StepKind::move);
}
