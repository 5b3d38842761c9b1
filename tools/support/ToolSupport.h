//===- ToolSupport.h - what the tools share ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reading modules and arrays, making up inputs, printing tensors: what the
/// programs that execute or compile a `.mlir` file have in common. Functions
/// that fail have told the user why on stderr.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_SUPPORT_TOOLSUPPORT_H
#define TINYGRAD_TOOLS_SUPPORT_TOOLSUPPORT_H

#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Interpreter/Interpreter.h"
#include "TinyGrad/Runtime/Buffer.h"
#include "TinyGrad/Runtime/LaunchList.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <random>
#include <vector>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace mlir::tg {

/// Lets a program that runs out of memory end with a message and status 1.
/// Comes after llvm::InitLLVM, which takes it for a crash.
void installOutOfMemoryHandler();

/// Prints `error: message` and returns failure.
LogicalResult reportError(const Twine &message);

/// What main returns: 1 if the tool failed, or if what it printed could not be
/// written, which is reported. Otherwise LLVM would end the program as if it
/// had a mistake.
int getExitStatus(LogicalResult result);

/// Parses and verifies a `.mlir` file; "-" is standard input. Its text goes to
/// `sources`, of which the context's diagnostic handler shows lines.
OwningOpRef<ModuleOp> loadModule(StringRef path, MLIRContext &context,
                                 llvm::SourceMgr &sources);
/// The same with a handler for errors in the text alone.
OwningOpRef<ModuleOp> loadModule(StringRef path, MLIRContext &context);

/// The device named by `--device`, else by DEV, else the best one there is.
/// Throws DeviceError.
tinygrad::Device &getDevice(StringRef name);

/// The function `name` of a module; the message for a wrong name lists those
/// that are there.
FailureOr<func::FuncOp> findEntry(ModuleOp module, StringRef name);

/// Reads a .npy file that has to hold a tensor of `type`; `what` names its use
/// in messages. An fp8 tensor is read from an array of uint8 that holds its
/// bits.
FailureOr<HostTensor> readTensor(StringRef path, RankedTensorType type,
                                 const Twine &what);

/// Writes a .npy file; an fp8 tensor as the uint8 array of its bits.
LogicalResult writeTensor(StringRef path, const HostTensor &tensor);

/// Small random values: floats in [-1, 1), integers in [-8, 8) or [0, 16),
/// any bool, fp8 values like floats.
HostTensor makeRandomTensor(HostTensor tensor, std::mt19937_64 &random);

/// Copies tensors to a device, each as its largest shape, which the type says,
/// lies in memory; what is beside them is filled with ones. Throws what
/// Buffer::fromHost throws.
std::vector<tinygrad::Buffer> toBuffers(tinygrad::Device &device,
                                        ArrayRef<HostTensor> tensors,
                                        TypeRange types);

/// Copies a tensor from a buffer in which it lies as one of \p type does, with
/// these sizes.
HostTensor fromBuffer(const tinygrad::Buffer &buffer, RankedTensorType type,
                      ArrayRef<int64_t> shape);

/// The leading part of a tensor, in another shape of the same rank; zeros where
/// that reaches further.
HostTensor getLeadingPart(const HostTensor &tensor, ArrayRef<int64_t> shape);

/// Replaces the variables of a module. The `tg.input` value of an argument of
/// symbolic shape may have its largest shape: it is cut to what that is then.
void replaceVariablesAndInputs(ModuleOp module,
                               std::function<Dim(VarAttr)> getValue);

/// The same with values by name: makes the program for one value of each.
void bindProgram(ModuleOp module, const llvm::StringMap<int64_t> &values);

/// Reads values of variables given as `name=number`, one for each variable of
/// the module. What is wrong is reported.
FailureOr<llvm::StringMap<int64_t>> readValues(ModuleOp module,
                                               ArrayRef<std::string> values);

/// The values in the order in which a program takes them.
std::vector<int64_t> orderValues(ArrayRef<tinygrad::ProgramVariable> variables,
                                 const llvm::StringMap<int64_t> &values);

struct PrintOptions {
  /// Significant digits of a float; 0: as many as tell it from its neighbours.
  unsigned precision = 0;
  /// Tensors of more elements are printed with parts left out.
  int64_t maxElements = 1000;
};

/// Prints `tensor<2x2xf32> = [[1, 2], [3, 4]]`.
void printTensor(raw_ostream &os, const HostTensor &tensor,
                 const PrintOptions &options = {});

/// One value as a double; 64-bit integers may be rounded.
double getElementAsDouble(const HostTensor &tensor, int64_t i);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_SUPPORT_TOOLSUPPORT_H
