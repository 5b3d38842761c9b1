//===- KernelValues.h - where values of a kernel come from ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which values in the LLVM IR of a kernel are its parameters, and which depend
/// on its data.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TARGET_CPU_KERNELVALUES_H
#define TINYGRAD_LIB_TARGET_CPU_KERNELVALUES_H

#include "TinyGrad/Target/Cpu/CodeCounts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace llvm {
class CallBase;
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace mlir::tg::cpu {

/// The parameters of a kernel that do not depend on its data.
struct Parameter {
  enum class Kind { Buffers, Variables, Begin, End, Variable } kind;
  unsigned index = 0; ///< Variable
};

/// Follows the values of a function back to the parameters of the kernel that
/// it belongs to.
class ParameterFinder {
public:
  /// The kernel whose code the function is: itself, or its only caller. Null
  /// if it is not a kernel's.
  ParameterFinder(const llvm::Function &function, const CodeCounter &counter);

  const llvm::Function *getKernel() const { return kernel; }
  std::optional<Parameter> find(const llvm::Value *value) const;

private:
  const llvm::Function *kernel = nullptr;
  const llvm::CallBase *call = nullptr;
};

/// Whether values depend on memory other than a kernel's parameters.
class DataDependence {
public:
  explicit DataDependence(const ParameterFinder &parameters)
      : parameters(parameters) {}
  bool isData(const llvm::Value *value);

private:
  const ParameterFinder &parameters;
  llvm::DenseMap<const llvm::Value *, bool> known;
};

/// The pointers that an operation loads from or stores to.
llvm::SmallVector<const llvm::Value *>
getAddresses(const llvm::Instruction &op);

} // namespace mlir::tg::cpu

#endif // TINYGRAD_LIB_TARGET_CPU_KERNELVALUES_H
