//===- GraphNodeTest.cpp - looking at graphs and programs -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Nodes of graphs, rewriting before a graph is scheduled, programs as text.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/GraphNode.h"
#include "TensorTest.h"
#include "TinyGrad/Runtime/BufferObserver.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Tensor/Inspect.h"
#include "TinyGrad/Tensor/RewriteScope.h"

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {
struct GraphNodeTest : ::testing::Test {
  Graph graph;
  GraphScope scope{graph};
};
using RewriteScopeTest = GraphNodeTest;
using InspectTest = GraphNodeTest;

/// Expects an exception of the type, with the text in its message.
template <typename E, typename Function>
void expectThrow(Function function, const std::string &text) {
  try {
    function();
    ADD_FAILURE() << "nothing is thrown, but an error with " << text;
  } catch (const E &error) {
    EXPECT_THAT(error.what(), HasSubstr(text));
  }
}

/// tg.mul in place of tg.add.
GraphNode multiply(const GraphNode &node) {
  return node.operation() == "tg.add"
             ? GraphNode::make("tg.mul", node.sources())
             : node;
}
} // namespace

TEST_F(GraphNodeTest, facts) {
  const Tensor x = Tensor::from({1.0f, 2.0f, 3.0f}).reshape({3, 1});
  const Tensor y = (x + x).sum(0, true);
  const GraphNode sum(y);
  EXPECT_EQ(sum.operation(), "tg.reduce");
  EXPECT_EQ(sum.shape(), Shape({1, 1}));
  EXPECT_EQ(sum.dtype(), DType::Float32);
  EXPECT_EQ(sum.device(), y.device());
  ASSERT_EQ(sum.arguments().size(), 2u);
  const GraphNode add = sum.sources().at(0);
  EXPECT_EQ(add.sources(),
            std::vector<GraphNode>({GraphNode(x), GraphNode(x)}));
  EXPECT_EQ(add.number(), GraphNode(x + x).number());
  EXPECT_NE(add.number(), sum.number());
  EXPECT_EQ(sum.order().back(), sum);
  EXPECT_EQ(sum.order().size(), 4u); // with the memory of x
  EXPECT_THAT(add.str(), HasSubstr("tg.add"));
}

TEST_F(GraphNodeTest, nodesOutliveTensors) {
  std::optional<GraphNode> sum;
  {
    const Tensor x = Tensor::from({1.0f, 2.0f});
    sum.emplace(x + x);
    (void)(x + x).realize();
  }
  EXPECT_EQ(sum->operation(), "tg.add");
  EXPECT_TRUE(sum->sources().at(0).isMemory());
  EXPECT_THAT(sum->tensor().tolist<float>(), ElementsAre(2, 4));
  sum.reset();
  EXPECT_EQ(graph.numOperations(), 0u);
}

TEST_F(GraphNodeTest, lookingChangesNoProgram) {
  auto countKernels = [](bool looks) {
    Tensor x = Tensor::from({1.0f, 2.0f}).realize();
    const Tensor y = x * 2;
    std::vector<GraphNode> nodes;
    if (looks)
      nodes = GraphNode(y + 1).order();
    GlobalCounters::reset();
    x.assign(x + 1);
    (void)x.realize();
    const int64_t count = GlobalCounters::kernelCount;
    for (const GraphNode &node : nodes)
      // y keeps the old contents.
      EXPECT_FALSE(node.isOverwritten());
    return count;
  };
  EXPECT_EQ(countKernels(false), countKernels(true));
}

TEST_F(GraphNodeTest, overwrittenMemory) {
  Tensor x = Tensor::from({1.0f, 2.0f}).realize();
  const GraphNode node(x + 1);
  EXPECT_FALSE(node.isOverwritten());
  x.assign(x * 3);
  (void)x.realize();
  EXPECT_TRUE(node.isOverwritten());
  expectThrow<Error>([&] { (void)node.tensor(); }, "other values");
  expectThrow<Error>([&] { (void)GraphNode::make("tg.neg", {node}); },
                     "other values");
}

TEST_F(GraphNodeTest, memory) {
  Tensor x = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}, {.device = "CPU"});
  const std::optional<Buffer> all = GraphNode(x).memory();
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 16u);
  const std::optional<Buffer> part =
      GraphNode(x.shrink({Part(1, 3)}).reshape({2, 1})).memory();
  ASSERT_TRUE(part);
  EXPECT_TRUE(part->sharesMemoryWith(*all));
  EXPECT_EQ(part->offset(), all->offset() + 4);
  EXPECT_EQ(part->size(), 8u);
  const std::optional<Buffer> bits =
      GraphNode(x.shrink({Part(2, 4)}).bitcast(DType::Int32)).memory();
  ASSERT_TRUE(bits);
  EXPECT_EQ(bits->offset(), all->offset() + 8);
  EXPECT_EQ(bits->dtype(), DType::Int32);
  EXPECT_FALSE(GraphNode(x.reshape({2, 2}).permute({1, 0})).memory());
  EXPECT_FALSE(GraphNode(x.reshape({2, 2}).shrink({Part(), Part(0, 1)}))
                   .memory()); // elements that lie apart
  EXPECT_FALSE(GraphNode(x + x).memory());
  EXPECT_FALSE(GraphNode(Tensor::zeros({3})).memory());
  // An assignment that has not run.
  x.assign(x * 2);
  const std::optional<Buffer> target = GraphNode(x).memory();
  ASSERT_TRUE(target);
  EXPECT_TRUE(target->sharesMemoryWith(*all));
}

TEST_F(GraphNodeTest, observedMemoryIsAssignedInPlace) {
  Tensor x = Tensor::from({1.0f, 2.0f}, {.device = "CPU"});
  const BufferObserver observer(GraphNode(x).memory().value());
  x.assign(x + 1);
  x.realize();
  EXPECT_EQ(GraphNode(x).memory()->address(), observer.buffer().address());
  // A handle keeps the old values.
  const Buffer handle = observer.buffer();
  x.assign(x + 1);
  x.realize();
  EXPECT_NE(GraphNode(x).memory()->address(), handle.address());
  float value = 0;
  handle.copyOut(&value, sizeof(value));
  EXPECT_EQ(value, 2.0f);
}

TEST_F(GraphNodeTest, errors) {
  const Tensor x = Tensor::from({1.0f, 2.0f});
  const GraphNode node(x);
  auto make = [&](const std::string &name, std::vector<GraphNode> sources,
                  std::vector<GraphArgument> arguments = {}) {
    (void)GraphNode::make(name, sources, arguments);
  };
  expectThrow<Error>([&] { make("tg.nosuch", {node}); }, "no operation");
  expectThrow<Error>([&] { make("tg.add", {node}); }, "has 2 sources, not 1");
  expectThrow<Error>([&] { make("tg.reduce", {node}); },
                     "needs the argument 'axes'");
  expectThrow<Error>([&] { make("tg.neg", {node}, {{"axis", Scalar(1)}}); },
                     "has no argument 'axis'");
  expectThrow<Error>(
      [&] {
        make("tg.reduce", {node},
             {{"kind", std::string("add")}, {"axes", Shape({3})}});
      },
      "(C1)");
  expectThrow<Error>(
      [&] { make("tg.add", {node, GraphNode(x.cast(DType::Int32))}); },
      "is not valid");
  const Graph other;
  const GraphScope inner(other);
  expectThrow<Error>(
      [&] { make("tg.add", {node, GraphNode(Tensor::from({1.0f, 2.0f}))}); },
      "different graphs");
}

TEST_F(RewriteScopeTest, rewrites) {
  const Tensor x = Tensor::from({2.0f, 3.0f});
  const Tensor y = x + x, later = y.neg();
  {
    const RewriteScope rules(multiply);
    EXPECT_THAT(y.tolist<float>(), ElementsAre(4, 9));
  }
  // What was built on y has its values.
  EXPECT_THAT(later.tolist<float>(), ElementsAre(-4, -9));
  EXPECT_THAT((x + x).tolist<float>(), ElementsAre(4, 6));
}

TEST_F(RewriteScopeTest, rewritesAssignedValues) {
  Tensor x = Tensor::from({2.0f, 3.0f}).realize();
  const RewriteScope rules(multiply);
  x.assign(x + x);
  EXPECT_THAT(x.tolist<float>(), ElementsAre(4, 9));
}

TEST_F(RewriteScopeTest, checksTypes) {
  const Tensor x = Tensor::from({2.0f, 3.0f});
  {
    const RewriteScope rules([](const GraphNode &node) {
      return GraphNode::make("tg.cast", {node}, {}, DType::Int32);
    });
    expectThrow<DTypeError>([&] { (void)(x + x).realize(); },
                            "tg.cast of [2] int32 in place of tg.add");
  }
  EXPECT_THAT((x + x).tolist<float>(), ElementsAre(4, 6));
}

TEST_F(InspectTest, steps) {
  const Tensor x = Tensor::arange(12).reshape({3, 4}).cast(DType::Float32);
  (void)x.realize();
  const Tensor y = (x * 2).sum(1);
  const std::vector<ProgramStep> steps = inspectProgram({y});
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].buffers.at(0).role, "output 0");
  EXPECT_EQ(steps[0].buffers.at(1).role, "input 0");
  EXPECT_EQ(steps[0].texts.at(0).first, "kernel");
  EXPECT_EQ(steps[0].texts.at(1).first, "scheduled");
  GlobalCounters::reset();
  (void)y.realize();
  EXPECT_EQ(GlobalCounters::globalOps, steps[0].operations);
  EXPECT_EQ(GlobalCounters::globalMem, steps[0].bytes);
  EXPECT_TRUE(inspectProgram({x, y}).empty());
  expectThrow<Error>([] { (void)inspectProgram({}); }, "no tensors");
}

TEST_F(InspectTest, text) {
  const Tensor x = Tensor::from({1.0f, 2.0f}).realize();
  const Tensor y = x + x;
  const std::string text = printProgram({y});
  EXPECT_THAT(text, HasSubstr("tg.add"));
  const std::vector<Tensor> again = fromMlir(text, {x});
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(GraphNode(again[0]), GraphNode(y));
  expectThrow<Error>([&] { (void)printProgram({y}, "nosuch"); },
                     "it is one of graph, kernels, scheduled");
  expectThrow<CompileError>(
      [&] { (void)fromMlir("module {", {x}, "main", "f"); }, "f:1:");
  expectThrow<ShapeError>([&] { (void)fromMlir(text, {x.reshape({2, 1})}); },
                          "argument 0 of '@main' is [2] float32");
}

TEST_F(InspectTest, passes) {
  const Tensor x = Tensor::from({1.0f, 2.0f}).realize();
  const std::string text = printProgram({x + x});
  // One more argument and result: the gradients of the result and of x.
  const std::vector<Tensor> results =
      fromMlir(text, {x, Tensor::from({1.0f, 10.0f})}, "main", "mlir",
               "builtin.module(tg-autodiff,canonicalize)");
  ASSERT_EQ(results.size(), 2u);
  expectTensor(results[0], {2}, {2, 4});
  expectTensor(results[1], {2}, {2, 20});
  auto run = [&](const char *pipeline) {
    return [&, pipeline] { (void)fromMlir(text, {x}, "main", "f", pipeline); };
  };
  expectThrow<CompileError>(run("builtin.module(nosuch)"),
                            "the pass pipeline 'builtin.module(nosuch)': ");
  expectThrow<CompileError>(run("func.func(cse)"), "has to be 'builtin.module");
  expectThrow<CompileError>(run("builtin.module(tg-schedule)"), "f:");
}
