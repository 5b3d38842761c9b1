//===- CodeCounts.cpp - sums of what machine code does --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Target/Cpu/CodeCounts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::tg;

CodeCounts &CodeCounts::operator+=(const CodeCounts &other) {
  instructions = llvm::SaturatingAdd(instructions, other.instructions);
  bytesRead = llvm::SaturatingAdd(bytesRead, other.bytesRead);
  bytesWritten = llvm::SaturatingAdd(bytesWritten, other.bytesWritten);
  return *this;
}

void CodeCounts::raise(const CodeCounts &other) {
  instructions = std::max(instructions, other.instructions);
  bytesRead = std::max(bytesRead, other.bytesRead);
  bytesWritten = std::max(bytesWritten, other.bytesWritten);
}

CodeCounts CodeCounts::operator*(uint64_t times) const {
  return {llvm::SaturatingMultiply(instructions, times),
          llvm::SaturatingMultiply(bytesRead, times),
          llvm::SaturatingMultiply(bytesWritten, times)};
}
