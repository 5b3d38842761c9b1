//===- GraphEditTest.cpp - nodes from other builders ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Operations made by builders and patterns become nodes of a graph.
///
//===----------------------------------------------------------------------===//

#include "GraphEdit.h"
#include "TensorTest.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Tensor/PatternRewrite.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::testing;
using namespace mlir;
using ::testing::HasSubstr;
using ::testing::Not;
using tinygrad::detail::GraphEdit;
using tinygrad::detail::GraphImpl;

namespace {
/// Each test has a graph of its own.
struct GraphEditTest : ::testing::Test {
  GraphImpl &impl() { return *graph.impl(); }
  Operation *operation(const Tensor &x) { return impl().operation(x.impl()); }
  Value valueOf(const Tensor &x) { return operation(x)->getResult(0); }
  Device &device() { return Device::getDefault(); }
  Location location() { return impl().location; }

  /// Expects that the operations of the module are exactly the nodes, and that
  /// operands precede their users unless \p isInOrder is false.
  void expectConsistent(bool isInOrder = true) {
    std::size_t count = 0;
    for (Operation &op : *impl().module->getBody()) {
      EXPECT_TRUE(impl().isNode(&op));
      for (Operation *user : op.getUsers())
        EXPECT_TRUE(impl().isNode(user));
      for (Value operand : op.getOperands())
        EXPECT_TRUE(!isInOrder ||
                    operand.getDefiningOp()->isBeforeInBlock(&op));
      ++count;
    }
    EXPECT_EQ(count, graph.numOperations());
  }

  Graph graph;
  GraphScope scope{graph};
};

/// neg(neg(x)) -> x
struct DoubleNegation : OpRewritePattern<tg::NegOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tg::NegOp op,
                                PatternRewriter &rewriter) const final {
    auto inner = op.getX().getDefiningOp<tg::NegOp>();
    if (!inner)
      return failure();
    rewriter.replaceOp(op, inner.getX());
    return success();
  }
};

/// x + x -> x * 2
struct DoubledSum : OpRewritePattern<tg::AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tg::AddOp op,
                                PatternRewriter &rewriter) const final {
    if (op.getLhs() != op.getRhs())
      return failure();
    Value two = tg::ConstOp::create(rewriter, op.getLoc(), op.getType(),
                                    rewriter.getF32FloatAttr(2));
    rewriter.replaceOpWithNewOp<tg::MulOp>(op, op.getLhs(), two);
    return success();
  }
};
} // namespace

template <typename... Patterns>
static void applyGreedily(func::FuncOp function, GraphEdit &edit) {
  RewritePatternSet patterns(function.getContext());
  patterns.add<Patterns...>(function.getContext());
  GreedyRewriteConfig config;
  config.setListener(&edit.listener());
  EXPECT_TRUE(
      succeeded(applyPatternsGreedily(function, std::move(patterns), config)));
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

TEST_F(GraphEditTest, OneOperation) {
  Tensor x = Tensor::from({1.0f, 2.0f});
  const std::size_t count = graph.numOperations();
  Tensor y;
  {
    GraphEdit edit(impl());
    Value neg =
        tg::NegOp::create(edit.rewriter(), location(), valueOf(x)).getResult();
    EXPECT_EQ(graph.numOperations(), count);
    y = edit.adopt(neg, device());
  }
  EXPECT_EQ(graph.numOperations(), count + 1);
  expectConsistent();
  // The same operation made by a method is the same node.
  Tensor z = -x;
  EXPECT_EQ(operation(z), operation(y));
  expectTensor(y + 1, {2}, {0, -1});
  y = z = Tensor();
  EXPECT_EQ(graph.numOperations(), count);
}

TEST_F(GraphEditTest, WhatIsThereAlready) {
  Tensor x = Tensor::from({1.0f, 2.0f}), y = -x;
  const std::size_t count = graph.numOperations();
  GraphEdit edit(impl());
  Value neg =
      tg::NegOp::create(edit.rewriter(), location(), valueOf(x)).getResult();
  EXPECT_EQ(operation(edit.adopt(neg, device())), operation(y));
  EXPECT_EQ(operation(edit.adopt(valueOf(y), device())), operation(y));
  EXPECT_EQ(graph.numOperations(), count);
  expectConsistent();
}

TEST_F(GraphEditTest, ChainsWithDuplicates) {
  Tensor x = Tensor::from({1.0f, 4.0f}), known = x.sqrt();
  const std::size_t count = graph.numOperations();
  std::vector<Tensor> results;
  {
    GraphEdit edit(impl());
    RewriterBase &builder = edit.rewriter();
    // The same chain twice; each step is equal only because the one before is.
    SmallVector<Value> ends;
    for (int i = 0; i < 2; ++i) {
      Value root = tg::SqrtOp::create(builder, location(), valueOf(x));
      Value sum = tg::AddOp::create(builder, location(), root, valueOf(x));
      ends.push_back(tg::NegOp::create(builder, location(), sum));
    }
    // An operation without uses.
    tg::NegOp::create(builder, location(), ends[0]);
    results = edit.adopt(ends, device());
  }
  EXPECT_EQ(graph.numOperations(), count + 2);
  EXPECT_EQ(operation(results[0]), operation(results[1]));
  expectConsistent();
  expectTensor(results[1], {2}, {-2, -6});
  EXPECT_TRUE(results[0].isRealized());
}

TEST_F(GraphEditTest, ResultsBehindOthers) {
  Tensor x = Tensor::from({1.0f, 4.0f});
  const std::size_t count = graph.numOperations();
  std::vector<Tensor> results;
  {
    GraphEdit edit(impl());
    Value root = tg::SqrtOp::create(edit.rewriter(), location(), valueOf(x));
    Value neg = tg::NegOp::create(edit.rewriter(), location(), root);
    results = edit.adopt({neg, root, neg}, device());
  }
  EXPECT_EQ(graph.numOperations(), count + 2);
  results[0] = results[2] = Tensor();
  EXPECT_EQ(graph.numOperations(), count + 1);
  expectTensor(results[1], {2}, {1, 2});
}

TEST_F(GraphEditTest, FoldedAndReplacedBeforeAdoption) {
  Tensor x = Tensor::from({1.0f, 4.0f});
  GraphEdit edit(impl());
  RewriterBase &rewriter = edit.rewriter();
  auto first = tg::NegOp::create(rewriter, location(), valueOf(x));
  auto second = tg::NegOp::create(rewriter, location(), first);
  Value sum = tg::AddOp::create(rewriter, location(), second, valueOf(x));
  rewriter.replaceOp(second, valueOf(x));
  rewriter.eraseOp(first);
  // A constant made by the folder.
  Value two = tg::ConstOp::create(rewriter, location(), sum.getType(),
                                  rewriter.getF32FloatAttr(2));
  Value four = rewriter.createOrFold<tg::AddOp>(location(), two, two);
  Value product = tg::MulOp::create(rewriter, location(), sum, four);
  Tensor y = edit.adopt(product, device());
  expectConsistent();
  EXPECT_EQ(operation(y), operation((x + x) * 4));
  EXPECT_EQ(valueOf(y).getDefiningOp()->getOperand(1),
            valueOf(Tensor::full({2}, 4.0f)));
}

TEST_F(GraphEditTest, InsertedNextToNodes) {
  Tensor x = Tensor::from({1.0f, 4.0f}), y = x.sqrt();
  const std::size_t count = graph.numOperations();
  Tensor z;
  {
    GraphEdit edit(impl());
    RewriterBase &rewriter = edit.rewriter();
    rewriter.setInsertionPoint(operation(y));
    Value neg = tg::NegOp::create(rewriter, location(), valueOf(y));
    rewriter.setInsertionPointAfter(operation(x));
    Value sum = tg::AddOp::create(rewriter, location(), neg, valueOf(x));
    tg::Exp2Op::create(rewriter, location(), sum);
    z = edit.adopt(sum, device());
  }
  EXPECT_EQ(graph.numOperations(), count + 2);
  expectConsistent();
  expectTensor(z, {2}, {0, 2});
}

TEST_F(GraphEditTest, NodesThatOnlyTheEditReads) {
  Tensor x = Tensor::from({1.0f, 4.0f});
  {
    GraphEdit edit(impl());
    tg::NegOp::create(edit.rewriter(), location(), valueOf(x.sqrt() + x));
    x = Tensor();
    EXPECT_GT(graph.numOperations(), 0u);
  }
  EXPECT_EQ(graph.numOperations(), 0u);
  expectConsistent();
}

TEST_F(GraphEditTest, ManyOperations) {
  // Visiting operations repeatedly would take too long for a test.
  constexpr int count = 100000;
  Tensor x = Tensor::from({1.0f, 4.0f});
  Tensor y;
  {
    GraphEdit edit(impl());
    Value chain = valueOf(x), other = chain;
    for (int i = 0; i < count; ++i) {
      chain = tg::AddOp::create(edit.rewriter(), location(), chain, chain);
      other = tg::AddOp::create(edit.rewriter(), location(), other, other);
    }
    Value sum = tg::SubOp::create(edit.rewriter(), location(), chain, other);
    y = edit.adopt(sum, device());
  }
  EXPECT_EQ(graph.numOperations(), std::size_t(count) + 2);
  expectConsistent();
  y = Tensor();
  EXPECT_EQ(graph.numOperations(), 1u);
}

TEST_F(GraphEditTest, Variables) {
  const SymInt n = Variable("n", 1, 8).bind(3);
  Tensor x = counting({8}).realize().shrink({{0, n}});
  Tensor y;
  {
    GraphEdit edit(impl());
    y = edit.adopt(
        tg::NegOp::create(edit.rewriter(), location(), valueOf(x)).getResult(),
        device());
  }
  EXPECT_EQ(y.shape(), x.shape());
  x = Tensor();
  EXPECT_EQ(values(y), (std::vector<double>{-0.0, -1, -2}));
  expectConsistent();
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(GraphEditTest, WhatIsNotAdopted) {
  Tensor x = Tensor::from({1.0f, 2.0f}), kept = x.exp();
  const std::string before = graph.str();
  impl().context().loadDialect<arith::ArithDialect>();
  auto expectRefused = [&](auto make, const char *text) {
    {
      GraphEdit edit(impl());
      Value good = tg::NegOp::create(edit.rewriter(), location(), valueOf(x));
      Value sum = make(edit.rewriter(), good);
      // Used by a valid operation.
      if (sum.getType() == good.getType())
        sum = tg::AddOp::create(edit.rewriter(), location(), good, sum);
      EXPECT_ERROR(edit.adopt({good, sum}, device()), Error, text);
    }
    expectConsistent();
  };
  expectRefused(
      [&](OpBuilder &b, Value value) -> Value {
        return arith::NegFOp::create(b, location(), value);
      },
      "'arith.negf' is not an operation of a tensor graph");
  expectRefused(
      [&](OpBuilder &b, Value value) -> Value {
        return tg::ConstOp::create(b, location(), b.getF32Type(),
                                   b.getF32FloatAttr(1));
      },
      "'tg.const' is not an operation of a tensor graph");
  expectRefused(
      [&](OpBuilder &b, Value value) -> Value {
        return tg::AssignOp::create(b, location(), valueOf(x), value);
      },
      "'tg.assign' is about memory");
  expectRefused(
      [&](OpBuilder &b, Value value) -> Value {
        return tg::BufferOp::create(b, location(), value.getType(), 0, "CPU");
      },
      "'tg.buffer' is about memory");
  expectRefused(
      [&](OpBuilder &b, Value value) -> Value {
        // The shape differs from that of the operands.
        OperationState state(location(), tg::NegOp::getOperationName());
        state.addOperands(value);
        state.addTypes(RankedTensorType::get({3}, b.getF32Type()));
        return b.create(state)->getResult(0);
      },
      "'tg.neg' is not valid");
  expectRefused(
      [&](OpBuilder &b, Value value) -> Value {
        auto op = tg::NegOp::create(b, location(), value);
        op->setOperand(0, op);
        return op;
      },
      "'tg.neg' depends on itself");
  EXPECT_EQ(graph.str(), before);
  // The rest of the edit can still be adopted.
  Tensor y;
  {
    GraphEdit edit(impl());
    Value good = tg::NegOp::create(edit.rewriter(), location(), valueOf(x));
    Value bad = arith::NegFOp::create(edit.rewriter(), location(), good);
    EXPECT_THROW(edit.adopt(bad, device()), Error);
    y = edit.adopt(good, device());
  }
  expectTensor(y, {2}, {-1, -2});
}

#if !defined(__has_feature)
#define __has_feature(x) 0
#endif

// Sanitizers need more address space than the limit leaves.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
TEST_F(GraphEditTest, EditsThatDoNotFitIntoMemoryThrow) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
  // Memory runs out either while operations are made or while they become
  // nodes.
  auto run = [&](rlim_t extra, int numMade) {
    Tensor x = Tensor::ones({8}).contiguous().realize();
    const std::size_t count = graph.numOperations();
    int numCaught = 0;
    bool isOk = true;
    for (int round = 0; round < 2; ++round) {
      {
        GraphEdit edit(impl());
        RewriterBase &builder = edit.rewriter();
        Value value = valueOf(x);
        auto grow = [&](int i) {
          Value number =
              tg::ConstOp::create(builder, location(), value.getType(),
                                  builder.getF32FloatAttr(float(i)));
          value = tg::AddOp::create(builder, location(), value, number);
        };
        for (int i = 0; i < numMade; ++i)
          grow(i);
        rlim_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlimit limit = {pages * 4096 + extra, RLIM_INFINITY};
        ::setrlimit(RLIMIT_AS, &limit);
        try {
          for (int i = 0; numMade == 0 && i < 20000000; ++i)
            grow(i);
          edit.adopt(value, device());
        } catch (const std::bad_alloc &) {
          ++numCaught;
        }
        ::setrlimit(RLIMIT_AS, &none);
      }
      isOk &= graph.numOperations() == count;
    }
    isOk &= numCaught > 0 && (x + 5).sum().item<float>() == 48;
    ::_exit(isOk ? 0 : 1);
  };
  for (rlim_t extra : {2, 8, 24})
    EXPECT_EXIT(run(extra << 20, 0), ::testing::ExitedWithCode(0), "") << extra;
  for (rlim_t extra : {1, 2, 4, 8})
    EXPECT_EXIT(run(extra << 19, 30000), ::testing::ExitedWithCode(0), "")
        << extra;
}
#endif

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

TEST_F(GraphEditTest, TensorsFollowWhatPatternsReplace) {
  Tensor x = Tensor::from({1.0f, 2.0f});
  Tensor y = x.exp2();
  // Methods would fold it, so the operation is built here.
  Tensor z, w, outside;
  {
    GraphEdit edit(impl());
    RewriterBase &b = edit.rewriter();
    Value inner = tg::NegOp::create(b, location(), valueOf(y));
    Value outer = tg::NegOp::create(b, location(), inner);
    Value sum = tg::AddOp::create(b, location(), outer, outer);
    std::vector<Tensor> made = edit.adopt(
        {outer, sum, tg::SqrtOp::create(b, location(), outer)}, device());
    z = made[0];
    w = made[1];
    outside = made[2];
  }
  const std::string text = outside.graph();
  tinygrad::detail::rewriteValues(impl(), operation(w),
                                  applyGreedily<DoubleNegation, DoubledSum>);
  expectConsistent();
  // The value itself, a tensor it depends on, and an independent one.
  EXPECT_EQ(operation(w), operation(y * 2));
  EXPECT_EQ(operation(z), operation(y));
  EXPECT_EQ(outside.graph(), text);
  expectTensor(w, {2}, {4, 8});
  expectTensor(z, {2}, {2, 4});
  expectTensor(outside * outside, {2}, {2, 4}, 1e-6);
}

TEST_F(GraphEditTest, PatternsThatDoNotMatchChangeNothing) {
  Tensor x = Tensor::from({1.0f, 2.0f}), y = (x.exp() + 1).sum();
  const std::string before = graph.str();
  tinygrad::detail::rewriteValues(impl(), operation(y),
                                  applyGreedily<DoubleNegation, DoubledSum>);
  EXPECT_EQ(graph.str(), before);
  tinygrad::detail::rewriteValues(impl(), operation(x),
                                  applyGreedily<DoubleNegation, DoubledSum>);
  EXPECT_EQ(graph.str(), before);
}

TEST_F(GraphEditTest, ExchangedValues) {
  // The result of one rewrite is the operation that another one replaces.
  Tensor x = Tensor::from({1.0f, 2.0f}), a = x.exp2(), b = x.sqrt();
  Tensor both = Tensor::stack({a, b});
  Operation *const opA = operation(a), *const opB = operation(b);
  tinygrad::detail::rewriteValues(
      impl(), {opA, opB}, [&](func::FuncOp function, GraphEdit &) {
        Operation *end = function.getBody().front().getTerminator();
        Value first = end->getOperand(0);
        end->setOperand(0, end->getOperand(1));
        end->setOperand(1, first);
      });
  EXPECT_EQ(operation(a), opB);
  EXPECT_EQ(operation(b), opA);
  expectConsistent();
  expectTensor(both.sum(0), {2}, {3, 4 + std::sqrt(2.0)}, 1e-6);
}

TEST_F(GraphEditTest, AssignedValuesAndViews) {
  Tensor x = Tensor::from({1.0f, 2.0f}), row = x[0];
  const void *address = x.buffer().address();
  x.assign(x + x);
  Tensor after = row * 3;
  tinygrad::detail::rewriteValues(impl(), operation(after),
                                  applyGreedily<DoubledSum>);
  expectConsistent(/*isInOrder=*/false);
  EXPECT_THAT(graph.str(), Not(HasSubstr("tg.add")));
  EXPECT_THAT(graph.str(), HasSubstr("tg.assign"));
  expectTensor(after, {}, {6});
  expectTensor(x, {2}, {2, 4});
  expectTensor(row, {}, {2});
  EXPECT_EQ(x.buffer().address(), address);
  x.assign(0);
  expectTensor(row, {}, {0});
}

TEST_F(GraphEditTest, RewritesThatFailChangeNothing) {
  Tensor x = Tensor::from({1.0f, 2.0f}), y = x.exp(), z = -y;
  const std::string before = graph.str();
  impl().context().loadDialect<arith::ArithDialect>();
  auto expectRefused = [&](auto change, const char *text) {
    EXPECT_ERROR(tinygrad::detail::rewriteValues(
                     impl(), operation(z),
                     [&](func::FuncOp function, GraphEdit &edit) {
                       Operation *end =
                           function.getBody().front().getTerminator();
                       edit.rewriter().setInsertionPoint(end);
                       change(function, end, edit.rewriter());
                     }),
                 Error, text);
    EXPECT_EQ(graph.str(), before);
  };
  expectRefused(
      [&](func::FuncOp, Operation *end, OpBuilder &b) {
        end->setOperand(
            1, arith::NegFOp::create(b, location(), end->getOperand(0)));
      },
      "'arith.negf' is not an operation of a tensor graph");
  expectRefused(
      [&](func::FuncOp, Operation *end, OpBuilder &) { end->eraseOperand(0); },
      "return");
  expectRefused(
      [&](func::FuncOp function, Operation *, OpBuilder &) {
        function.getBody().front().addArgument(valueOf(x).getType(),
                                               location());
      },
      "argument");
  expectRefused([&](func::FuncOp, Operation *,
                    OpBuilder &) { throw Error("by the caller"); },
                "by the caller");
  expectTensor(z * 0, {2}, {0, 0});
}

TEST_F(GraphEditTest, PatternsAsText) {
  const std::string doubleNegation = R"(
    pdl.pattern @double_negation : benefit(1) {
      %type = pdl.type
      %x = pdl.operand : %type
      %inner = pdl.operation "tg.neg"(%x : !pdl.value) -> (%type : !pdl.type)
      %value = pdl.result 0 of %inner
      %outer = pdl.operation "tg.neg"(%value : !pdl.value) -> (%type : !pdl.type)
      pdl.rewrite %outer {
        pdl.replace %outer with (%x : !pdl.value)
      }
    })";
  Tensor x = Tensor::from({1.0f, 2.0f}), y = x.exp2(), z;
  {
    GraphEdit edit(impl());
    OpBuilder &b = edit.rewriter();
    Value inner = tg::NegOp::create(b, location(), valueOf(y));
    z = edit.adopt(Value(tg::NegOp::create(b, location(), inner)), device());
  }
  EXPECT_NE(operation(z), operation(y));
  applyPatterns({z}, doubleNegation);
  expectConsistent();
  EXPECT_EQ(operation(z), operation(y));
  expectTensor(z, {2}, {2, 4});
  EXPECT_ERROR(applyPatterns({z}, "pdl.pattern : {", "rules"), CompileError,
               "patterns: rules:1:");
}
