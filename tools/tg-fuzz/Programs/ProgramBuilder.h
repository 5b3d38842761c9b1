//===- ProgramBuilder.h - tensors of a random program -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes the tensors of a program, and the source text that goes with them.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_PROGRAMBUILDER_H
#define TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_PROGRAMBUILDER_H

#include "Call.h"
#include "Program.h"

namespace tinygrad::fuzz {

class ProgramBuilder {
public:
  /// Makes the values of all steps. Throws what the methods throw. With
  /// \p isCut, the value between becomes an input with its elements, the only
  /// one by which there are gradients: those of the rest of the program.
  explicit ProgramBuilder(const Program &program, bool isCut = false);

  Value input(const Sizes &sizes, mlir::tg::Random &random, double low,
              double high, bool isConstant);
  Value integers(const Sizes &sizes, mlir::tg::Random &random, int64_t low,
                 int64_t high);
  /// Values of earlier steps, which later ones may use.
  const std::vector<Value> &getValues() const { return values; }
  Value named(const Value &value);
  void stopGradient() { isSmooth = false; }

  /// The last value that is not an input; undefined if there is none.
  const Value &getResult() const { return result; }
  /// The inputs by which there are gradients, at most four.
  const std::vector<Tensor> &getInputs() const { return inputs; }
  /// The value by which there is a gradient too; undefined if there is none.
  const Value &getBetween() const { return between; }
  /// y, the gradients and the products, as far as they are asked for; the
  /// numbers of gradients and products are those of the inputs.
  struct Derivatives {
    /// sum(y * w) and sum(g * v)
    Tensor sum, productSum;
    std::vector<Tensor> gradients, products;
    /// Those by the value between, at most one each.
    std::vector<Tensor> betweenGradients, betweenProducts;
  };
  /// With products only if \p withProducts.
  Derivatives differentiate(bool withProducts);
  /// Whether differences of values say what the gradient is.
  bool canUseDifferences() const { return isSmooth; }
  const std::string &getText() const { return text; }

private:
  /// Replaces the value between by an input. Returns whether it can be.
  bool cut(Value &value);
  void statement(const std::string &name, const std::string &code);
  /// The first elements of a value, as many as a variable says.
  Value symbolic(const Value &value, mlir::tg::Random &random);

  DType dtype;
  std::vector<Value> values;
  std::vector<Tensor> inputs;
  Value result, between;
  std::string text;
  bool isSmooth = true, isSymbolic = false, isCut = false;
  unsigned numInputs = 0, numIntegers = 0, numNames = 0;
};

} // namespace tinygrad::fuzz

#endif // TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_PROGRAMBUILDER_H
