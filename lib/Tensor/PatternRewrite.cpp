//===- PatternRewrite.cpp - rewrite patterns as text ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Patterns of the dialect `pdl`, which MLIR compiles and runs, for graphs of
/// tensors.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/PatternRewrite.h"
#include "DiagnosticText.h"
#include "GraphEdit.h"
#include "Shards.h"

#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

static constexpr const char *kMethod = "patterns: ";

/// The patterns of a text, compiled to what MLIR interprets.
static FrozenRewritePatternSet parsePatterns(MLIRContext &context,
                                             const std::string &text,
                                             const std::string &name,
                                             DiagnosticText &errors) {
  context.loadDialect<pdl::PDLDialect, pdl_interp::PDLInterpDialect>();
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context), name);
  if (!module)
    errors.fail(kMethod);
  if (module->getBody()->empty())
    errors.fail(kMethod, module->getLoc(), "there is no 'pdl.pattern'");
  for (Operation &op : *module->getBody())
    if (!isa<pdl::PatternOp>(op))
      errors.fail(kMethod, op.getLoc(),
                  "'" + op.getName().getStringRef() + "' is no 'pdl.pattern'");
  // MLIR calls functions of C++ by their names without looking whether they are
  // registered.
  module->walk([&](Operation *op) {
    std::optional<StringRef> function;
    if (auto constraint = dyn_cast<pdl::ApplyNativeConstraintOp>(op))
      function = constraint.getName();
    else if (auto native = dyn_cast<pdl::ApplyNativeRewriteOp>(op))
      function = native.getName();
    else if (auto rewrite = dyn_cast<pdl::RewriteOp>(op))
      function = rewrite.getName();
    if (function)
      errors.fail(kMethod, op->getLoc(),
                  "'" + *function +
                      "' would be a function of C++, which patterns as text "
                      "cannot call");
  });
  FrozenRewritePatternSet patterns(PDLPatternModule(std::move(module)));
  if (!errors.empty())
    errors.fail(kMethod);
  return patterns;
}

void tinygrad::applyPatterns(const std::vector<Tensor> &tensors,
                             const std::string &text, const std::string &name) {
  std::vector<Tensor> all;
  for (const Tensor &tensor : tensors)
    for (const Tensor &part : tensor.shards())
      all.push_back(part);
  if (all.empty())
    return;
  GraphImpl &graph = *all.front().impl().graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  llvm::SmallSetVector<Operation *, 4> values;
  for (const Tensor &tensor : all) {
    if (tensor.impl().graph.get() != &graph)
      throw Error(std::string(kMethod) + "the tensors are of several graphs");
    values.insert(graph.operation(tensor.impl()));
  }
  DiagnosticText errors(&graph.context());
  const FrozenRewritePatternSet patterns =
      parsePatterns(graph.context(), text, name, errors);
  graph.addGarbage(100);
  rewriteValues(graph, values.getArrayRef(),
                [&](func::FuncOp function, GraphEdit &edit) {
                  GreedyRewriteConfig config;
                  // Nothing but the patterns changes the graph.
                  config.enableFolding(false).enableConstantCSE(false);
                  config.setRegionSimplificationLevel(
                      GreedySimplifyRegionLevel::Disabled);
                  // Nodes that none of the patterns has made need no more than
                  // one visit.
                  constexpr int64_t limit = 10'000;
                  config.setMaxNumRewrites(limit);
                  config.setListener(&edit.listener());
                  const LogicalResult ended =
                      applyPatternsGreedily(function, patterns, config);
                  if (!errors.empty() || failed(verify(function)))
                    errors.fail(kMethod);
                  if (failed(ended))
                    errors.fail(kMethod, function.getLoc(),
                                "there is no end of rewrites, or more than " +
                                    Twine(limit));
                });
}
