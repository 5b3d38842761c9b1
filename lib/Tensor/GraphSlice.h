//===- GraphSlice.h - the part of a graph behind values ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The operations that some values depend on, in an order that depends on their
/// structure alone: equal computations have equal slices, whatever buffers they
/// read and whenever they were built.
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
  /// The graph has to be locked as long as the slice is used. With
  /// \p keepsProducts, products of matrices and convolutions that a program
  /// stores on its way are results as well if a tensor still has them.
  /// Throws ShapeError for variables of one name that are not the same.
  GraphSlice(GraphImpl &graph, llvm::ArrayRef<mlir::Operation *> results,
             bool keepsProducts = false);

  /// The tg.buffer operations that are read or written.
  llvm::ArrayRef<mlir::Operation *> inputs() const {
    return inputList.getArrayRef();
  }
  /// The results asked for, then what comes with them: products that are kept,
  /// assignments in place.
  llvm::ArrayRef<mlir::Operation *> results() const {
    return resultList.getArrayRef();
  }

  std::size_t numOperations() const { return ops.size(); }

  /// The variables, by name, with their values if they have any.
  const std::vector<SymVariable> &variables() const { return variableList; }

  /// The numbers that a program can take when it runs: those of tg.const, and
  /// the positions of parts.
  llvm::ArrayRef<SliceNumber> numbers() const { return numberList; }

  /// Stands for the structure, and for what else the code depends on: not for
  /// the values of variables, nor for numbers(). Valid within one process.
  Digest hash(const Device &device, const CompileOptions &options) const;
  /// A module with one function: buffers become arguments, and variables have
  /// no values. Each of numbers() for which \p operandOf has an operand, not
  /// -1, is a variable, called operandName() of that.
  mlir::OwningOpRef<mlir::ModuleOp>
  clone(mlir::Location location, llvm::ArrayRef<int> operandOf = {}) const;
  std::string operandName(int operand) const;

  /// Some of the operations that values depend on, and of those that give them,
  /// each after those that it depends on itself.
  static llvm::SmallVector<mlir::Operation *>
  operationsBehind(llvm::ArrayRef<mlir::Operation *> values,
                   llvm::function_ref<bool(mlir::Operation *)> isWanted);

private:
  /// Fills ops, structure and inputs; false if an order of reads before writes
  /// was found to be impossible, and assignments were taken out of inPlace for
  /// it.
  bool collect();
  /// Adds the products that are worth keeping to the results.
  void keepProducts();
  /// Whether another reduction of the slice reads \p op, with nothing but
  /// elementwise operations and movements between.
  bool isReducedAgain(mlir::Operation *op) const;
  /// Settles which assignments are done in place, and their order.
  void collectAgain();
  /// Leaves those in inPlace that are the last for their memory, of which
  /// nobody else holds a part and nothing else is returned.
  void checkAssigns();
  /// Takes those out of inPlace whose target's old contents are needed once the
  /// results are there.
  void keepWhatStays();
  /// Whether some tensor depends on \p op that is not among what becomes a
  /// buffer: it will be computed later, if ever. \p known is a memory of this.
  bool stays(mlir::Operation *op,
             llvm::DenseMap<mlir::Operation *, bool> &known) const;
  /// The operation that gives the value of \p op in this slice: for an
  /// assignment not done in place, that of the assigned value.
  mlir::Operation *resolve(mlir::Operation *op) const;
  /// Operations that read the memory that an assignment in place overwrites.
  llvm::SmallVector<mlir::Operation *, 0>
  readersBefore(mlir::Operation *assign) const;

  /// What an assignment to a part of memory leaves in the rest of it.
  mlir::Operation *keptBy(mlir::Operation *assign) const;
  /// By number, the variable that it is; null for those that stay.
  llvm::SmallVector<mlir::tg::VarAttr>
  makeVariables(llvm::ArrayRef<int> operandOf) const;
  /// The operation with variables in the place of numbers, or null if it has
  /// none of these. \p next is the place of its first one in numbers().
  mlir::Value cloneWithOperands(mlir::OpBuilder &builder, mlir::Operation *op,
                                mlir::IRMapping &mapping,
                                llvm::ArrayRef<mlir::tg::VarAttr> variables,
                                unsigned next) const;
  /// What \p op is and where its operands come from, by their numbers.
  void appendStructure(mlir::Operation *op);
  unsigned numberOf(mlir::Operation *op) const {
    return graph.node(resolve(op)).number;
  }

  GraphImpl &graph;
  llvm::SmallVector<mlir::Operation *> ops; // without tg.buffer, in order
  llvm::SmallSetVector<mlir::Operation *, 8> inputList, resultList;
  /// Of all operations, in words that hash() condenses.
  std::vector<uint64_t> structure;
  std::vector<SymVariable> variableList;
  std::vector<SliceNumber> numberList;
  /// Assignments that overwrite their target's memory.
  llvm::SmallSetVector<mlir::Operation *, 4> inPlace;
  bool isFirstWalk = true;
  uint64_t walk = 0; // the number of the last one
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_GRAPHSLICE_H
