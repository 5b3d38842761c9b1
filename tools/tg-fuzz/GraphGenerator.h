//===- GraphGenerator.h - builds one random graph ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The class behind generateGraph(). Generator.cpp implements types, values and
/// the main loop, Variables.cpp symbolic sizes, Operations.cpp single
/// operations, Composites.cpp groups of operations.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_GRAPHGENERATOR_H
#define TINYGRAD_TOOLS_TGFUZZ_GRAPHGENERATOR_H

#include "Bindings.h"
#include "Generator.h"

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

#include <memory>

namespace mlir::tg {

/// The element types that an operand may have.
enum class Class { Float, Int, IntOrBool, Num, Arith, Element, Bool, U64 };

/// Builds one graph. Each operation is evaluated immediately, for some values
/// of the variables. An operation without a comparable result is removed.
class GraphGenerator {
public:
  GraphGenerator(MLIRContext *context, uint64_t seed,
                 const GeneratorOptions &options);

  OwningOpRef<ModuleOp> generate();

private:
  // Types.
  Type randomElementType(Class wanted);
  /// The type of most floats of a graph.
  Type commonFloat();
  static bool isIn(Type elementType, Class wanted);
  SmallVector<Dim> randomShape();
  Dim number(int64_t value) { return Dim(context, value); }
  SmallVector<Dim> numbers(ArrayRef<int64_t> values);
  ArrayAttr dimArray(ArrayRef<Dim> dims);

  // Variables and expressions over them.
  void addVariables();
  bool isSymbolic() const { return !variables.empty(); }
  /// An expression over the variables with values in [0, limit]; a number if
  /// none is found.
  Dim randomDim(int64_t limit);
  /// A position in [0, size] for all values of the variables.
  Dim randomPosition(Dim size);
  /// Whether bounds can prove that none is negative, which is not always
  /// possible for products of sizes.
  static bool areSizes(ArrayRef<Dim> dims) {
    return llvm::all_of(dims, [](Dim dim) { return dim.getMin() >= 0; });
  }
  /// A size of at most `limit`, sometimes symbolic.
  Dim randomSize(ArrayRef<int64_t> sizes, int64_t limit);

  // Values. The functions return null if they find none.
  Value leaf(RankedTensorType type);
  Value pick(Class wanted);
  Value similar(Value like, Type elementType);
  Value broadcastLeaf(RankedTensorType type);
  /// Builds an operation and keeps it if its result is comparable.
  template <typename OpTy, typename... Args> Value emit(Args &&...args);

  // Operations.
  bool addOp();
  Value unary();
  Value binary();
  Value compare();
  Value ternary();
  Value cast();
  Value bitcast();
  Value threefry();
  Value movement(Value x, bool isTarget);
  Value reduce();
  Value assign();
  Value identity();
  Value scan();
  Value scatter();
  Value argsort();
  Value reshape(Value x);
  Value strided(Value x);
  std::optional<View> randomView(Dim space);
  // Groups of operations.
  Value composite();
  Value matmul();
  Value softmax(Value x);
  Value normalize(Value x);
  Value slidingSum(Value x);
  Value join();
  Value gather();
  Value maskByPosition();
  Value histogram();
  Value growCache();
  Value family();
  Value update();
  Value movedReduction();
  Value sumAlong(ReduceKind kind, Value x, int64_t axis);
  void finish();

  MLIRContext *context;
  Random random;
  GeneratorOptions options;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  OpBuilder builder;
  Location loc;
  SmallVector<VarAttr> variables;
  std::unique_ptr<BoundTrackers> trackers;
  /// Candidates for operands, oldest first.
  SmallVector<Value> pool;
  int64_t maxElements;
  /// Whether derivatives are checked, and all floats are of type f64.
  bool isDifferentiated = false, isSmooth = false;
};

template <typename OpTy, typename... Args>
Value GraphGenerator::emit(Args &&...args) {
  auto op = OpTy::create(builder, loc, std::forward<Args>(args)...);
  // With variables, sizes may exceed provable limits.
  if ((isSymbolic() && failed(verify(op))) || !trackers->execute(op)) {
    op->erase();
    return {};
  }
  return op->getResult(0);
}

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_GRAPHGENERATOR_H
