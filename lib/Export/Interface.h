//===- Interface.h - the functions that a library exports -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parts of making a library.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_EXPORT_INTERFACE_H
#define TINYGRAD_LIB_EXPORT_INTERFACE_H

#include "TinyGrad/Export/Library.h"
#include "TinyGrad/Target/Cpu/CpuTarget.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tinygrad::detail {

/// Code for one processor.
struct LibraryVariant {
  mlir::tg::CpuTargetOptions processor;
  /// What the names of its functions begin with: the function of the entry
  /// "main" is "net.x86-64-v3.main".
  std::string prefix;
};

/// What functions of a library return, as its header says.
enum class LibraryStatus : int32_t {
  Ok,
  ErrorNull,
  ErrorAlignment,
  ErrorSize,
  ErrorOverlap,
  ErrorProcessor,
  // Of load and save; StateFile.c has these numbers, too.
  ErrorFormat,
  ErrorNames,
  ErrorTensor,
  ErrorBuffer,
};

/// Where the members of the state are.
struct StateLayout {
  std::vector<std::size_t> offsets;
  std::size_t bytes = 0;
};
StateLayout getStateLayout(const std::vector<LibraryTensor> &state);

/// Adds the exported functions to \p module: they check what they are given and
/// call the function of the variant that this processor can run.
void addInterface(mlir::ModuleOp module, const Library &library,
                  llvm::ArrayRef<LibraryVariant> variants);

/// Adds a function to \p module that returns which variant the processor can
/// run, the last one of several: its number plus 1, or -1 if there is none. It
/// asks the processor in its first call.
mlir::LLVM::LLVMFuncOp
addProcessorCheck(mlir::ModuleOp module, llvm::StringRef name,
                  llvm::ArrayRef<LibraryVariant> variants);

/// Adds NAME_load and NAME_save, which call functions of the bitcode below.
void addStateFunctions(mlir::ModuleOp module, const Library &library);

/// The functions of StateFile.h, as bitcode for LLVM.
llvm::ArrayRef<char> getStateBitcode();

/// What a file with the state of a library begins with, up to the elements, and
/// the members in the order in which their elements follow.
std::string makeStateHeader(const std::vector<LibraryTensor> &state);
std::vector<std::size_t>
getStateFileOrder(const std::vector<LibraryTensor> &state);

/// Whether any processor of the architecture can run the variant.
bool runsAnywhere(const LibraryVariant &variant);

/// The parameters of a function as the header declares them: "const float *x".
std::vector<std::string> getParameters(const Library &library,
                                       const LibraryEntry &entry);

/// What functions of a library return, by number, without the library's name.
struct StatusText {
  const char *name, *meaning;
};
llvm::ArrayRef<StatusText> getStatusTexts(const Library &library);
/// What NAME_message says of any other number.
inline constexpr const char *kNoStatus = "no status";

/// The type of an element in C. Types that C has no name for are their bits.
const char *getCType(DType dtype);

/// The type, the sizes and the memory of a tensor: "float[n][8], n * 8
/// elements", "float[8][n], in memory of [8][64], 512 elements". Where sizes
/// are numbers, these are the elements.
std::string describeTensor(const LibraryTensor &tensor);

/// The text of the header for C++.
std::string makeCppHeader(const Library &library);

/// A source file with the parallel loop of a library on oneTBB.
std::string makeTbbSource(const Library &library);

/// The text of the header.
std::string makeHeader(const Library &library,
                       llvm::ArrayRef<LibraryVariant> variants);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_EXPORT_INTERFACE_H
