//===- RewriteTest.cpp - canonicalization against the interpreter ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Canonicalization of random graphs terminates, does not change a bit of the
/// results, and leaves nothing for a second run to change.
///
//===----------------------------------------------------------------------===//

#include "RandomGraph.h"
#include "TinyGrad/Dialect/Tg/IR/TgPatterns.h"
#include "TinyGrad/Interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <map>
#include <set>

using namespace mlir;
using namespace mlir::tg;

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

namespace {
/// Records the rules that were applied.
struct RuleListener : RewriterBase::Listener {
  void notifyPatternEnd(const Pattern &pattern, LogicalResult status) override {
    if (succeeded(status))
      ++applied[pattern.getDebugName().str()];
  }
  std::map<std::string, unsigned> applied;
};
} // namespace

/// So many random graphs that every rule applies to one.
static constexpr unsigned kGraphsForEveryRule = 33000;

/// The number of graphs: TG_REWRITE_GRAPHS, or one that takes a few seconds.
static unsigned getGraphCount() {
  const char *text = std::getenv("TG_REWRITE_GRAPHS");
  return text ? std::atoi(text) : kGraphsForEveryRule;
}

TEST(RewriteTest, CanonicalGraphsGiveTheSameBits) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<TgDialect, func::FuncDialect>();
  RewritePatternSet set(&context);
  populateTgCanonicalizationPatterns(set);
  FrozenRewritePatternSet patterns(std::move(set));

  // The rules, except those for operations that these graphs do not contain.
  std::set<std::string> unused;
  for (const auto &[name, rules] : patterns.getOpSpecificNativePatterns())
    if (name.getStringRef() != "tg.copy" && name.getStringRef() != "tg.store")
      for (const RewritePattern *rule : rules)
        unused.insert(rule->getDebugName().str());
  RuleListener listener;
  GreedyRewriteConfig config;
  config.setListener(&listener);

  unsigned changedGraphs = 0, count = getGraphCount();
  for (unsigned seed = 0; seed < count; ++seed) {
    OwningOpRef<ModuleOp> original = makeRandomGraph(&context, seed);
    ASSERT_TRUE(succeeded(verify(*original))) << "seed " << seed;
    OwningOpRef<ModuleOp> rewritten(original->clone());
    bool changed = false;
    ASSERT_TRUE(succeeded(
        applyPatternsGreedily(*rewritten, patterns, config, &changed)))
        << "does not end: seed " << seed << '\n'
        << print(*original);
    changedGraphs += changed;
    ASSERT_TRUE(succeeded(verify(*rewritten))) << "seed " << seed << '\n'
                                               << print(*original);
    for (unsigned trial = 0; trial < 2; ++trial) {
      SmallVector<HostTensor> inputs =
          makeRandomInputs(*original, seed * 2 + trial);
      SmallVector<HostTensor> again = inputs, expected, actual;
      ASSERT_TRUE(succeeded(interpret(original->lookupSymbol<func::FuncOp>("f"),
                                      inputs, expected)));
      ASSERT_TRUE(succeeded(interpret(
          rewritten->lookupSymbol<func::FuncOp>("f"), again, actual)));
      ASSERT_EQ(expected.size(), actual.size());
      // Signs of zeros are compared unless they are unspecified, see
      // RandomGraph.cpp.
      for (auto [i, x] : llvm::enumerate(actual))
        ASSERT_EQ(findDifference(x, expected[i], ZeroSigns::same), "")
            << "seed " << seed << ", result " << i << '\n'
            << print(*original) << print(*rewritten);
    }
  }
  // Most graphs are rewritten, and every rule was applied.
  EXPECT_GT(changedGraphs, count * 9 / 10);
  if (count < kGraphsForEveryRule)
    return;
  for (const auto &[name, times] : listener.applied)
    unused.erase(name);
  EXPECT_THAT(unused, ::testing::IsEmpty());
}
