//===- GraphGenerator.h - builds one random graph ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The class behind generateGraph(). Its parts: Generator.cpp has types, values
/// and the whole, Variables.cpp symbolic sizes, Operations.cpp single
/// operations, Composites.cpp several at once.
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

/// Which element types an operand may have.
enum class Class { Float, Int, IntOrBool, Num, Arith, Element, Bool, U64 };

/// Builds one graph. Each operation is evaluated as soon as it is built, for
/// some values of the variables; one whose result would not be comparable is
/// taken out again.
class GraphGenerator {
public:
  GraphGenerator(MLIRContext *context, uint64_t seed,
                 const GeneratorOptions &options);

  OwningOpRef<ModuleOp> generate();

private:
  // Types.
  Type randomElementType(Class wanted);
  static bool isIn(Type elementType, Class wanted);
  SmallVector<Dim> randomShape();
  Dim number(int64_t value) { return Dim(context, value); }
  SmallVector<Dim> numbers(ArrayRef<int64_t> values);
  ArrayAttr dimArray(ArrayRef<Dim> dims);

  // Variables and what is made of them.
  void addVariables();
  bool isSymbolic() const { return !variables.empty(); }
  /// An expression over the variables with values in [0, limit]; a number if
  /// none is found.
  Dim randomDim(int64_t limit);
  /// A position in [0, size], whatever the variables' values.
  Dim randomPosition(Dim size);
  /// Whether none of them can be negative, by what bounds show of it: that of a
  /// product of sizes cannot always be seen.
  static bool areSizes(ArrayRef<Dim> dims) {
    return llvm::all_of(dims, [](Dim dim) { return dim.getMin() >= 0; });
  }
  /// A size of at most `limit`, symbolic now and then.
  Dim randomSize(ArrayRef<int64_t> sizes, int64_t limit);

  // Values. A null value means: not this time.
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
  // What programs are made of, several operations at once.
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
  /// Values that operands are taken from, oldest first.
  SmallVector<Value> pool;
  int64_t maxElements;
};

template <typename OpTy, typename... Args>
Value GraphGenerator::emit(Args &&...args) {
  auto op = OpTy::create(builder, loc, std::forward<Args>(args)...);
  // Sizes that cannot be shown to fit are possible with variables.
  if ((isSymbolic() && failed(verify(op))) || !trackers->execute(op)) {
    op->erase();
    return {};
  }
  return op->getResult(0);
}

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_GRAPHGENERATOR_H
