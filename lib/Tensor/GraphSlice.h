//===- GraphSlice.h - the part of a graph that values need ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The operations that some values depend on, in an order that is determined by
/// their structure alone: equal computations have equal slices, whichever
/// buffers they read and whenever they were built.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_GRAPHSLICE_H
#define TINYGRAD_LIB_TENSOR_GRAPHSLICE_H

#include "GraphImpl.h"
#include "ProgramCache.h"
#include "TinyGrad/Compiler/Compiler.h"

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace tinygrad::detail {

class GraphSlice {
public:
  /// The graph must be locked as long as the slice is used. With \p
  /// keepsProducts, matrix products and convolutions that a program stores as
  /// intermediate values are results as well if a tensor still refers to them,
  /// and so are sums that a result was chosen from by a maximum if they may be
  /// computed again: with other bits, the result would equal none of them.
  /// Throws ShapeError if two different variables have one name.
  GraphSlice(GraphImpl &graph, llvm::ArrayRef<mlir::Operation *> results,
             bool keepsProducts = false);

  /// The tg.buffer operations that are read or written.
  llvm::ArrayRef<mlir::Operation *> inputs() const {
    return inputList.getArrayRef();
  }
  /// The requested results, then the additional ones: products that are kept,
  /// assignments in place.
  llvm::ArrayRef<mlir::Operation *> results() const {
    return resultList.getArrayRef();
  }

  /// Whether it is a result that nobody asked for, kept for later.
  bool isKept(mlir::Operation *op) const { return kept.contains(op); }

  /// The tg.buffer operations whose contents an assignment overwrites.
  llvm::SmallVector<mlir::Operation *> overwritten() const;

  std::size_t numOperations() const { return ops.size(); }

  /// The variables, by name, with their values if they have any.
  const std::vector<SymVariable> &variables() const { return variableList; }

  /// The numbers that can be passed to a program at run time: those of
  /// tg.const, and the positions of parts.
  llvm::ArrayRef<SliceNumber> numbers() const { return numberList; }

  /// Identifies the structure and everything else that the code depends on, but
  /// not the values of variables or of numbers(). Valid within one process.
  Digest hash(const Device &device, const CompileOptions &options) const;
  /// A module with one function whose arguments are the buffers and whose
  /// variables have no values. Each of numbers() with an index i >= 0 in \p
  /// operandOf is replaced by the variable operandName(i).
  /// For readers, \p keepsGradientMarks keeps what stops gradients.
  mlir::OwningOpRef<mlir::ModuleOp>
  clone(mlir::Location location, llvm::ArrayRef<int> operandOf = {},
        bool keepsGradientMarks = false) const;
  std::string operandName(int operand) const;

  /// The operations that \p values depend on, these included, for which the
  /// function returns true, each after its operands.
  static llvm::SmallVector<mlir::Operation *>
  backwardSlice(llvm::ArrayRef<mlir::Operation *> values,
                llvm::function_ref<bool(mlir::Operation *)> isWanted);

private:
  /// Fills ops, structure and inputs. Returns false if reads cannot be ordered
  /// before the writes that depend on them; then assignments on the cycle were
  /// removed from inPlace.
  bool collect();
  /// Adds the products that are worth keeping to the results.
  void keepProducts();
  /// Adds the sums that results were chosen from.
  void keepCompared();
  /// Whether another reduction of the slice reads \p op through elementwise
  /// operations and movements only.
  bool isReducedAgain(mlir::Operation *op) const;
  /// Decides which assignments are done in place, and in which order.
  void collectAgain();
  /// Removes all from inPlace but the last assignment to each memory, if
  /// nothing else refers to that memory and its old contents are not returned.
  void checkAssigns();
  /// Removes those assignments from inPlace whose target's old contents are
  /// still needed when the results have been computed.
  void excludeNeededTargets();
  /// Whether a tensor that this slice does not compute depends on \p op. \p
  /// known caches the answers.
  bool isNeededLater(mlir::Operation *op,
                     llvm::DenseMap<mlir::Operation *, bool> &known) const;
  /// The operation that provides the value of \p op in this slice: for an
  /// assignment that is not done in place, that of the assigned value; for one
  /// with a given derivative, that of its value.
  mlir::Operation *resolve(mlir::Operation *op) const;
  /// Operations that read the memory that an assignment in place overwrites.
  llvm::SmallVector<mlir::Operation *, 0>
  readersBefore(mlir::Operation *assign);

  /// The operation whose value memory keeps outside the assigned part.
  mlir::Operation *getKeptContents(mlir::Operation *assign) const;
  /// For each number, the variable that replaces it; null for numbers that
  /// stay.
  llvm::SmallVector<mlir::tg::VarAttr>
  makeVariables(llvm::ArrayRef<int> operandOf) const;
  /// A copy of the operation with variables in place of numbers, or null if
  /// nothing is replaced. \p next is the index of its first number in
  /// numbers().
  mlir::Value cloneWithOperands(mlir::OpBuilder &builder, mlir::Operation *op,
                                mlir::IRMapping &mapping,
                                llvm::ArrayRef<mlir::tg::VarAttr> variables,
                                unsigned next) const;
  /// Appends a description of \p op to the structure; operands are given by
  /// their numbers.
  void appendStructure(mlir::Operation *op);
  unsigned numberOf(mlir::Operation *op) const {
    return graph.node(resolve(op)).number;
  }

  GraphImpl &graph;
  llvm::SmallVector<mlir::Operation *> ops; // without tg.buffer, in order
  llvm::SmallSetVector<mlir::Operation *, 8> inputList, resultList;
  llvm::SmallDenseSet<mlir::Operation *, 4> kept;
  /// Encodes all operations; the input of hash().
  std::vector<uint64_t> structure;
  std::vector<SymVariable> variableList;
  std::vector<SliceNumber> numberList;
  /// Assignments that overwrite their target's memory.
  llvm::SmallSetVector<mlir::Operation *, 4> inPlace;
  /// Whether anything but gradients needs an operation, so far as it was asked.
  llvm::DenseMap<mlir::Operation *, bool> isUsed;
  bool isFirstWalk = true;
  uint64_t walk = 0; // the id of the last one
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_GRAPHSLICE_H
