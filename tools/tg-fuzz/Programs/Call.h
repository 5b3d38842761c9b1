//===- Call.h - one call of a random program --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a function of random programs is called with, and the tables of
/// functions. The functions know nothing about what they are checked against.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_CALL_H
#define TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_CALL_H

#include "../Generator.h"

#include "TinyGrad/Tensor/Tensor.h"
#include "llvm/ADT/ArrayRef.h"

#include <sstream>
#include <string>
#include <vector>

namespace tinygrad::fuzz {

using Sizes = std::vector<int64_t>;

/// A tensor and the C++ expression for it.
struct Value {
  Tensor tensor;
  std::string text;

  int64_t rank() const { return tensor.ndim(); }
  int64_t size(int64_t axis) const { return tensor.size(axis).value(); }
  Sizes sizes() const { return tensor.concreteShape(); }
  int64_t count() const { return tensor.numel().value(); }
};

/// C++ source for arguments.
inline std::string toText(int64_t value) { return std::to_string(value); }
inline std::string toText(int value) { return std::to_string(value); }
inline std::string toText(bool value) { return value ? "true" : "false"; }
inline std::string toText(double value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}
inline std::string toText(const char *code) { return code; }
inline std::string toText(const std::string &code) { return code; }
inline std::string toText(const Value &value) { return value.text; }
inline std::string toText(const Sizes &sizes) {
  std::string text = "{";
  for (size_t i = 0; i < sizes.size(); ++i)
    text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + "}";
}

template <typename... Arguments>
std::string toTexts(const Arguments &...arguments) {
  std::string text;
  ((text += (text.empty() ? "" : ", ") + toText(arguments)), ...);
  return text;
}

/// The result of `x.name(arguments)`.
template <typename... Arguments>
Value method(const Value &x, const char *name, Tensor result,
             const Arguments &...arguments) {
  return {std::move(result),
          x.text + "." + name + "(" + toTexts(arguments...) + ")"};
}

class ProgramBuilder;

/// The operand of a function, random numbers, and further operands.
class Call {
public:
  Call(ProgramBuilder &builder, Value x, uint64_t seed)
      : x(std::move(x)), random(seed), builder(builder) {}

  const Value x;
  mlir::tg::Random random;

  /// A random axis of a value, whose rank is at least 1.
  int64_t axis(const Value &value) { return random.below(value.rank()); }
  int64_t axis() { return axis(x); }
  /// Some of the axes of x: one, several, or all of them.
  Sizes axes();
  /// A value of this shape: an earlier one or a new input.
  Value other(const Sizes &sizes);
  /// A value whose shape can be broadcast to that of \p value.
  Value broadcast(const Value &value);
  Value broadcast() { return broadcast(x); }
  /// A new input: random numbers in [low, high). \p isConstant: there is no
  /// gradient by it.
  Value input(const Sizes &sizes, double low = -2, double high = 2,
              bool isConstant = false);
  /// A new input of integers in [low, high).
  Value integers(const Sizes &sizes, int64_t low, int64_t high);
  /// x with this number of axes, merged or added.
  Value withRank(const Value &value, int64_t rank);
  /// A function of \p value, or the value itself if that is sufficient, all of
  /// whose elements are in [low, high] and not close to the ends.
  Value within(const Value &value, double low, double high);
  /// A function of \p value of at least \p low.
  Value above(const Value &value, double low = 0.05);
  /// No larger than a sum of the next function may be.
  Value small(const Value &value) { return within(value, -4, 4); }
  /// A name for a value that is used several times.
  Value named(const Value &value);
  /// No gradient flows through a part of the call: differences of values say
  /// nothing about the gradient.
  void stopGradient();

private:
  ProgramBuilder &builder;
};

/// Whether nothing came of a call: the operand has an unsuitable shape.
inline bool isNone(const Value &value) { return !value.tensor.defined(); }

struct Function {
  const char *name;
  Value (*apply)(Call &call);
  /// How often it is chosen, 1 for most.
  int weight = 1;
};

llvm::ArrayRef<Function> getElementwiseFunctions();
llvm::ArrayRef<Function> getMovementFunctions();
llvm::ArrayRef<Function> getIndexingFunctions();
llvm::ArrayRef<Function> getReductionFunctions();
llvm::ArrayRef<Function> getNetworkFunctions();
llvm::ArrayRef<Function> getLossFunctions();

/// All functions of the tables.
const std::vector<Function> &getFunctions();

} // namespace tinygrad::fuzz

#endif // TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_CALL_H
