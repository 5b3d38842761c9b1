//===- CliffsTest.cpp - tests of performance cliffs -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decides with made-up times what a cliff is, and which programs are timed.
///
//===----------------------------------------------------------------------===//

#include "tg-fuzz/Cliffs.h"
#include "tg-fuzz/Shrinker.h"

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tg;

namespace {
class CliffsTest : public ::testing::Test {
protected:
  CliffsTest() : context(MLIRContext::Threading::DISABLED) {
    tinygrad::prepareContext(context);
  }
  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return text;
  }

  MLIRContext context;
};

/// Returns these times, one per call.
struct Measurements {
  std::vector<ProgramTimes> times;
  size_t count = 0;

  ProgramTimes operator()() { return times[count++]; }
};
} // namespace

TEST_F(CliffsTest, RatioAndDifferenceDecide) {
  EXPECT_TRUE(isCliff({0.31, 0.1}, 3));
  EXPECT_FALSE(isCliff({0.29, 0.1}, 3));
  EXPECT_TRUE(isCliff({0.29, 0.1}, 2));
  EXPECT_FALSE(isCliff({0.1, 0.3}, 3));
  // Microseconds are within the measurement error.
  EXPECT_FALSE(isCliff({5e-5, 1e-6}, 3));
  EXPECT_FALSE(isCliff({0, 0}, 3));
}

TEST_F(CliffsTest, IsMeasuredAgain) {
  // A single slow measurement is no cliff.
  Measurements once{{{0.5, 0.1}, {0.1, 0.1}}};
  ProgramTimes times = confirm(std::ref(once), 3);
  EXPECT_FALSE(isCliff(times, 3));
  EXPECT_EQ(once.count, 2u);
  // A cliff in every measurement; the smallest ratio is reported.
  Measurements always{{{0.5, 0.1}, {0.4, 0.1}, {0.6, 0.1}}};
  times = confirm(std::ref(always), 3);
  EXPECT_TRUE(isCliff(times, 3));
  EXPECT_EQ(times.asItIs, 0.4);
  // There is nothing to confirm.
  Measurements none{{{0.2, 0.1}}};
  EXPECT_FALSE(isCliff(confirm(std::ref(none), 3), 3));
  EXPECT_EQ(none.count, 1u);
}

TEST_F(CliffsTest, Text) {
  EXPECT_EQ(tg::toString(ProgramTimes{0.5, 0.125}),
            "4.0 times slower: 500.000 ms, 125.000 ms with every reduction "
            "stored");
}

TEST_F(CliffsTest, EveryReductionIsStored) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"(
    func.func @main(%x: tensor<4x4xf32>) -> (tensor<4x1xf32>, tensor<1x1xf32>) {
      %0 = tg.reduce add %x axes [1] : tensor<4x4xf32> -> tensor<4x1xf32>
      %1 = tg.neg %0 : tensor<4x1xf32>
      %2 = tg.reduce max %1 axes [0] : tensor<4x1xf32> -> tensor<1x1xf32>
      return %0, %2 : tensor<4x1xf32>, tensor<1x1xf32>
    })",
                                                             &context);
  ASSERT_TRUE(module);
  EXPECT_EQ(countPositions(*module), 4 + 4 + 1);
  storeReductions(*module);
  EXPECT_TRUE(succeeded(verify(*module)));
  int reductions = 0;
  module->walk([&](ReduceOp reduce) {
    ++reductions;
    ASSERT_TRUE(reduce->hasOneUse());
    EXPECT_TRUE(isa<ContiguousOp>(*reduce->user_begin()));
  });
  EXPECT_EQ(reductions, 2);
}

TEST_F(CliffsTest, ProgramsHaveNoValuesAndSomeAreLarge) {
  const GeneratorOptions options = getTimingOptions(12);
  int large = 0, withReduction = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    OwningOpRef<ModuleOp> module = generateGraph(&context, seed, options);
    ASSERT_TRUE(succeeded(verify(*module)));
    OwningOpRef<ModuleOp> again = generateGraph(&context, seed, options);
    EXPECT_EQ(print(*module), print(*again));
    auto function = module->lookupSymbol<func::FuncOp>("main");
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      EXPECT_FALSE(function.getArgAttr(i, inputAttrName));
      auto type = cast<RankedTensorType>(function.getArgument(i).getType());
      large += llvm::any_of(type.getShape(),
                            [](int64_t size) { return size >= 256; });
    }
    bool hasReduction = false;
    module->walk([&](ReduceOp) { hasReduction = true; });
    withReduction += hasReduction;
  }
  EXPECT_GT(large, 40);
  EXPECT_GT(withReduction, 20);
}

TEST_F(CliffsTest, ShrinksWithoutValues) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"(
    func.func @main(%x: tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<512x1xf32>) {
      %0 = tg.neg %x : tensor<512x512xf32>
      %1 = tg.exp2 %0 : tensor<512x512xf32>
      %2 = tg.reduce add %1 axes [1] : tensor<512x512xf32> -> tensor<512x1xf32>
      return %1, %2 : tensor<512x512xf32>, tensor<512x1xf32>
    })",
                                                             &context);
  ASSERT_TRUE(module);
  auto hasReduction = [](ModuleOp candidate) {
    bool found = false;
    candidate.walk([&](ReduceOp) { found = true; });
    return found;
  };
  OwningOpRef<ModuleOp> small =
      shrink(*module, hasReduction, 100, /*forTiming=*/true);
  int operations = 0;
  small->walk([&](Operation *op) {
    operations += op->getNumResults() == 1;
    if (auto reduce = dyn_cast<ReduceOp>(op))
      EXPECT_EQ(reduce.getX().getType().getShape(),
                ArrayRef<int64_t>({512, 512}));
  });
  EXPECT_EQ(operations, 1);
}
