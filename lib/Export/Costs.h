//===- Costs.h - what functions of a library cost ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums of what is counted in the machine code of a library.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_EXPORT_COSTS_H
#define TINYGRAD_LIB_EXPORT_COSTS_H

#include "Interface.h"
#include "TinyGrad/Conversion/HostToLLVM/HostToLLVM.h"
#include "TinyGrad/Target/Cpu/CodeCounts.h"

namespace tinygrad::detail {

/// Counts in the code for one processor.
class CostCounter {
public:
  /// Says which calls of kernels the functions make, in the order of the
  /// entries, before there is code.
  void addCalls(llvm::ArrayRef<mlir::tg::HostFunction> hosts);
  /// For code generation.
  mlir::tg::CodeCounter *getCounter() { return &counter; }
  /// Adds the costs for this processor to each entry, once there is code.
  void addCosts(Library &library, const LibraryVariant &variant) const;

private:
  /// A kernel in a function: the numbers of its arguments in the counter, for
  /// each combination of sizes.
  struct Call {
    std::string kernel;
    std::vector<std::size_t> arguments;
  };
  struct Host {
    std::string name;
    std::vector<Call> calls;
    std::size_t numSizes = 1;
    bool coversAllSizes = true;
  };

  mlir::tg::CodeCounter counter;
  std::vector<Host> hosts;
};

/// Adds what the functions of the header do themselves.
void addInterfaceCosts(Library &library, const mlir::tg::CodeCounter &counter);

/// The text of the report.
std::string makeReport(const Library &library);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_EXPORT_COSTS_H
