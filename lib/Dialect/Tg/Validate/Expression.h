//===- Expression.h - symbols that kernels compute ---------------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a kernel computes when the elements of its buffers are symbols. Equal
/// expressions are stored once, so that they are compared by number.
///
/// Positions are integers, so index arithmetic and masks become numbers. Where
/// an index is read from memory, it is a polynomial of degree one over symbols,
/// modulo the number of its values.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_VALIDATE_EXPRESSION_H
#define TINYGRAD_LIB_DIALECT_TG_VALIDATE_EXPRESSION_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <vector>

namespace mlir::tg {

/// 128 bits that stand for an expression, or for a multiset of expressions.
struct ExpressionHash {
  uint64_t low = 0, high = 0;

  bool operator==(const ExpressionHash &other) const {
    return low == other.low && high == other.high;
  }
  /// The multiset with the expression of this hash added.
  void add(const ExpressionHash &term) {
    low += term.low;
    high += term.high;
  }
};

/// The number of an expression in its pool.
using ExpressionId = uint32_t;

/// What a value of a kernel is at one position: an integer, or an expression.
struct SymbolicValue {
  static constexpr ExpressionId kNumber = ~ExpressionId(0);

  int64_t number = 0;
  ExpressionId id = kNumber;

  SymbolicValue() = default;
  static SymbolicValue ofNumber(int64_t number) {
    SymbolicValue value;
    value.number = number;
    return value;
  }
  static SymbolicValue ofExpression(ExpressionId id) {
    SymbolicValue value;
    value.id = id;
    return value;
  }

  bool isNumber() const { return id == kNumber; }
  bool isTrue() const { return isNumber() && number != 0; }
  bool isFalse() const { return isNumber() && number == 0; }
  bool operator==(const SymbolicValue &other) const {
    return id == other.id && number == other.number;
  }
  bool operator!=(const SymbolicValue &other) const {
    return !(*this == other);
  }
};

/// How the terms of a combination are combined: by a reduction, an update of
/// memory, or a scan. Their order is free, except in scans of different ranges.
enum class CombinationKind : uint8_t { add, mul, max, min, logaddexp };

/// The expressions of the kernels that are compared.
class ExpressionPool {
public:
  explicit ExpressionPool(MLIRContext *context) : context(context) {}

  /// An integer as an operand of an expression.
  ExpressionId getId(SymbolicValue value, Type type);
  /// A number that is no integer.
  ExpressionId getConstant(TypedAttr value);
  /// The constant as a value: integers, bools and indices are numbers.
  SymbolicValue getConstantValue(TypedAttr value);
  /// What an element of a buffer holds before the kernel runs.
  ExpressionId getElement(unsigned argument, int64_t index, Type type);
  /// The same where the index is read from memory.
  ExpressionId getElementAt(unsigned argument, ExpressionId index, Type type);

  /// An elementwise operation. Decided where the operands are integers;
  /// arithmetic of integers is exact; a condition that is decided selects.
  SymbolicValue apply(Operation *op, ArrayRef<SymbolicValue> operands);
  /// \p value where the condition holds, else \p other.
  SymbolicValue select(SymbolicValue condition, SymbolicValue value,
                       SymbolicValue other, Type type);
  SymbolicValue conjunction(SymbolicValue lhs, SymbolicValue rhs);

  /// Adds up the terms of a combination.
  class Combiner {
  public:
    Combiner(ExpressionPool &pool, CombinationKind kind, Type type,
             bool isScan = false);
    void add(SymbolicValue term);
    SymbolicValue get();

  private:
    void addId(ExpressionId id);

    ExpressionPool &pool;
    CombinationKind kind;
    bool isScan;
    Type type;
    SymbolicValue identity;
    bool areNumbersExact;
    /// What the terms that are integers come to.
    int64_t total;
    ExpressionHash hash;
    uint64_t count = 0;
    ExpressionId only = 0;
    SmallVector<ExpressionId, 8> terms;
  };

  /// Keeps the terms of combinations from now on, up to 64 MiB of them, for
  /// `describeDifference` and `assume`.
  void keepTerms() { keepsTerms = true; }
  /// Both expressions, and where they differ.
  std::string describe(SymbolicValue value, Type type, unsigned depth = 4);
  std::string describeDifference(SymbolicValue expected, SymbolicValue actual,
                                 Type type);

  size_t size() const { return nodes.size(); }

  /// For conditions that hold where a value is used: the expression with each
  /// of them replaced by true, and multiples of quotients by what they imply.
  SymbolicValue assume(SymbolicValue value, ArrayRef<ExpressionId> conditions);
  /// The conditions of which a condition is the conjunction.
  SmallVector<ExpressionId> getConjuncts(SymbolicValue condition);
  /// If the condition says that an integer has a remainder: the remainder of
  /// what, by what, and which.
  struct Remainder {
    ExpressionId dividend;
    int64_t divisor, remainder;
  };
  std::optional<Remainder> getRemainder(ExpressionId condition);

  /// A bool that is decided, or an integer's value wrapped to its type.
  static int64_t wrap(int64_t number, Type type);

private:
  friend class Combiner;

  enum class Kind : uint8_t {
    number,      ///< `number`
    constant,    ///< `tag` is the attribute
    element,     ///< element `number` of argument `argument`
    elementAt,   ///< element operand 0 of argument `argument`
    operation,   ///< `tag` is the name, `attributes` its attributes
    conjunction, ///< all of the operands, in the order of their ids
    sum,         ///< `number` + each operand times its factor, wrapped
    combination, ///< `number` terms whose hashes add up to `terms`
  };

  /// What is added to the argument of a combination that is a scan.
  static constexpr uint32_t kScan = 256;

  struct Node {
    Node(Kind kind, Type type, uint32_t argument = 0)
        : kind(kind), argument(argument), type(type) {}

    Kind kind;
    /// An argument, or a CombinationKind and whether it is a scan.
    uint32_t argument;
    const void *tag = nullptr, *attributes = nullptr;
    Type type;
    uint32_t first = 0, count = 0;
    int64_t number = 0;
    ExpressionHash hash, terms;
  };

  ExpressionId intern(Node node, ArrayRef<ExpressionId> operands,
                      ArrayRef<int64_t> factors = {});
  ArrayRef<ExpressionId> getOperands(const Node &node) const {
    return ArrayRef(operands).slice(node.first, node.count);
  }
  ArrayRef<int64_t> getFactors(const Node &node) const {
    return ArrayRef(factors).slice(node.argument, node.count);
  }
  ExpressionId getOperation(Operation *op, ArrayRef<ExpressionId> operands);
  bool isOperation(ExpressionId id, StringRef name) const;
  bool isZero(ExpressionId id) const;

  /// \p lhs + \p factor * \p rhs of integers.
  SymbolicValue addScaled(SymbolicValue lhs, SymbolicValue rhs, int64_t factor,
                          Type type);
  /// The sum of a number and terms, each an expression times a factor.
  SymbolicValue getSum(int64_t number,
                       SmallVectorImpl<std::pair<ExpressionId, int64_t>> &terms,
                       Type type);
  void appendTerms(SymbolicValue value, int64_t factor, int64_t &number,
                   SmallVectorImpl<std::pair<ExpressionId, int64_t>> &terms);
  /// Whether a condition holds wherever \p factor is infinite or no number: it
  /// says that the greatest magnitude of elements, this one among them, is at
  /// least infinity.
  bool coversInfinite(SymbolicValue condition, ExpressionId factor);
  std::optional<int64_t> fold(Operation *op, ArrayRef<SymbolicValue> operands);
  bool findDifference(ExpressionId expected, ExpressionId actual,
                      std::string &text, unsigned depth = 100);
  void print(raw_ostream &os, ExpressionId id, unsigned depth);
  SymbolicValue substitute(ExpressionId id, ArrayRef<ExpressionId> conditions,
                           llvm::DenseMap<ExpressionId, SymbolicValue> &done);

  MLIRContext *context;
  std::vector<Node> nodes;
  std::vector<ExpressionId> operands;
  std::vector<int64_t> factors;
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, ExpressionId> ids;
  llvm::DenseMap<ExpressionId, SmallVector<ExpressionId, 0>> keptTerms;
  bool keepsTerms = false;
  size_t numKeptTerms = 0;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_VALIDATE_EXPRESSION_H
