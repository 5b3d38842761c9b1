//===- ToolSupport.h - code shared by the tools -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reading modules and arrays, generating inputs, printing tensors: code shared
/// by the programs that execute or compile a `.mlir` file. Functions that fail
/// have printed the reason to stderr.
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
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace mlir::tg {

/// Makes the program exit with a message and status 1 when memory runs out.
/// Must be called after llvm::InitLLVM, whose handler reports a crash.
void installOutOfMemoryHandler();

/// Prints `error: message` and returns failure.
LogicalResult reportError(const Twine &message);

/// The exit status of main: 1 if the tool failed or its output could not be
/// written, which is reported here; otherwise LLVM would abort the program.
int getExitStatus(LogicalResult result);

/// The bytes of a file, of a pipe, or of standard input ("-"). Null after an
/// error, which is printed.
std::unique_ptr<llvm::MemoryBuffer> readInput(StringRef path);

/// Parses and verifies a module, text or bytecode. It is added to `sources`, so
/// that diagnostics can show the source lines.
OwningOpRef<ModuleOp> loadModule(std::unique_ptr<llvm::MemoryBuffer> input,
                                 MLIRContext &context,
                                 llvm::SourceMgr &sources);
/// The same for a file, see `readInput`.
OwningOpRef<ModuleOp> loadModule(StringRef path, MLIRContext &context,
                                 llvm::SourceMgr &sources);
/// Uses a diagnostic handler of its own, for errors in the text only.
OwningOpRef<ModuleOp> loadModule(StringRef path, MLIRContext &context);

/// The device named by `--device`, else by DEV, else the best device present.
/// Throws DeviceError.
tinygrad::Device &getDevice(StringRef name);

/// The function `name` of a module. The error for a wrong name lists the
/// functions of the module.
FailureOr<func::FuncOp> findEntry(ModuleOp module, StringRef name);

/// The type of the array for an argument or result: a flat buffer (level 2 or
/// 3) takes an array of one dimension.
Type getArrayType(Type type);

/// Reads a .npy file that must contain a tensor of `type`; `what` describes its
/// purpose in messages. An fp8 tensor is read from a uint8 array of its bits.
/// If `anyShape`, the array may have any shape of as many elements.
FailureOr<HostTensor> readTensor(StringRef path, RankedTensorType type,
                                 const Twine &what, bool anyShape = false);

/// Writes a .npy file; an fp8 tensor is written as a uint8 array of its bits.
LogicalResult writeTensor(StringRef path, const HostTensor &tensor);

/// Small random values: floats and fp8 in [-1, 1), integers in [-8, 8) or [0,
/// 16), any bool.
HostTensor makeRandomTensor(HostTensor tensor, std::mt19937_64 &random);

/// New memory that ends, but for what the alignment of its beginning leaves,
/// where a page does behind which each access is a fault. On devices that use
/// no host memory, and those that check accesses themselves, it is theirs.
tinygrad::Buffer allocateGuarded(tinygrad::Device &device, std::size_t bytes,
                                 std::optional<tinygrad::DType> dtype,
                                 std::size_t alignment);

/// Whether nothing was written to what lies between the end of such memory and
/// that page.
bool isEndIntact(const tinygrad::Buffer &buffer);

/// Copies tensors to a device, each into guarded memory for its largest shape,
/// as given by the type, or the first \p bytes of it; unused elements are
/// filled with ones. Throws what Buffer::fromHost throws.
std::vector<tinygrad::Buffer> toBuffers(tinygrad::Device &device,
                                        ArrayRef<HostTensor> tensors,
                                        TypeRange types,
                                        ArrayRef<std::size_t> bytes = {});

/// How many bytes each input of a program needs for the values of its
/// variables, in their order.
std::vector<std::size_t> getNeededBytes(const tinygrad::LaunchList &list,
                                        ArrayRef<int64_t> values);

/// Copies a tensor with these sizes from a buffer with memory for \p type.
HostTensor fromBuffer(const tinygrad::Buffer &buffer, RankedTensorType type,
                      ArrayRef<int64_t> shape);

/// The leading part of a tensor as a tensor of another shape of the same rank,
/// with zeros outside of the original.
HostTensor getLeadingPart(const HostTensor &tensor, ArrayRef<int64_t> shape);

/// Replaces the variables of a module by values. A `tg.input` value that has
/// the maximal shape of a symbolic argument is cut to the resulting shape.
void replaceVariablesAndInputs(ModuleOp module,
                               std::function<Dim(VarAttr)> getValue);

/// Binds variables by name, which specializes the program for one value of
/// each.
void bindProgram(ModuleOp module, const llvm::StringMap<int64_t> &values);

/// Reads values of variables given as `name=number`, one for each of the
/// variables. Emits errors.
FailureOr<llvm::StringMap<int64_t>> readValues(ArrayRef<VarAttr> variables,
                                               ArrayRef<std::string> values);

/// The values in the order in which a program expects them.
std::vector<int64_t> orderValues(ArrayRef<tinygrad::ProgramVariable> variables,
                                 const llvm::StringMap<int64_t> &values);

struct PrintOptions {
  /// Significant digits of a float; 0 for as many as identify it.
  unsigned precision = 0;
  /// Larger tensors are printed without their inner elements.
  int64_t maxElements = 1000;
};

/// Prints `tensor<2x2xf32> = [[1, 2], [3, 4]]`.
void printTensor(raw_ostream &os, const HostTensor &tensor,
                 const PrintOptions &options = {});

/// One value as a double; 64-bit integers may be rounded.
double getElementAsDouble(const HostTensor &tensor, int64_t i);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_SUPPORT_TOOLSUPPORT_H
