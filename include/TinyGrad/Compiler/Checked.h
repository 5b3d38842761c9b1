//===- Checked.h - compiling without exceptions -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compilation and runs for a host compiler: an error is a diagnostic, which
/// goes to the handler of the MLIRContext, and a failed result. No exception
/// leaves these functions, so that they can be called from code that is
/// compiled with -fno-exceptions and -fno-rtti:
///
/// \code
///   tinygrad::prepareContext(context);
///   FailureOr<Device *> device = checked::getDevice(module.getLoc());
///   if (failed(device))
///     return failure();
///   auto program = checked::compile(module, **device);
///   if (failed(program))
///     return failure();
/// \endcode
///
/// A function that fails has emitted at least one error. What is wrong with a
/// module is located at the operation at fault; errors of the runtime (devices,
/// memory, settings) are at the location that is given, or that of the module.
/// After an error, a module may be in a state between two levels; everything
/// else is still usable.
///
/// The functions of Compiler.h with the same names throw instead.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_COMPILER_CHECKED_H
#define TINYGRAD_COMPILER_CHECKED_H

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Runtime/Buffer.h"
#include "TinyGrad/Runtime/DType.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace tinygrad::checked {

/// The device with that name, as Device::get; the default one if the name is
/// empty. Fails for an unknown device and for an environment variable whose
/// value is not valid (checkSettings()). Comes first: CompileOptions read the
/// environment, and do not throw once a device was opened.
mlir::FailureOr<Device *> getDevice(mlir::Location location,
                                    std::string_view name = {}) noexcept;

/// The target of kernels for a device.
mlir::FailureOr<const mlir::tg::Target *>
getTarget(mlir::Location location, Device &device,
          const CompileOptions &options = {}) noexcept;

/// Level 1 to level 2 and level 2 to level 3, as the functions of Compiler.h.
llvm::LogicalResult schedule(mlir::ModuleOp module, Device &device,
                             const CompileOptions &options = {}) noexcept;
llvm::LogicalResult optimize(mlir::ModuleOp module, Device &device,
                             const CompileOptions &options = {}) noexcept;

/// Level 2 or 3 to the code of all kernels.
mlir::FailureOr<std::vector<char>>
generateCode(mlir::ModuleOp module, Device &device,
             const CompileOptions &options = {},
             mlir::tg::StageTexts *texts = nullptr) noexcept;

/// Compiles `options.entry` of a module of level 1, 2 or 3, which is modified,
/// for the device: does what is still to be done.
mlir::FailureOr<std::shared_ptr<CompiledProgram>>
compile(mlir::ModuleOp module, Device &device,
        const CompileOptions &options = {}) noexcept;

/// The same to plain data, for a target by its name; needs no device.
mlir::FailureOr<Artifact>
compileToArtifact(mlir::ModuleOp module, llvm::StringRef target,
                  const CompileOptions &options = {}) noexcept;

/// Runs the program, as CompiledProgram::run: one flat buffer per argument, and
/// one value for each of its variables. Fails for a wrong number of either, for
/// wrong sizes, dtypes and devices of buffers, for values outside of the
/// variables' bounds, and if the device fails.
mlir::FailureOr<std::vector<Buffer>>
run(mlir::Location location, CompiledProgram &program,
    const std::vector<Buffer> &inputs,
    const std::vector<int64_t> &values = {}) noexcept;

/// Buffers: new memory, new memory with a copy of the host's, and the host's
/// memory as it is (`release` is called once, when the last handle is gone, and
/// not if this fails). See the functions of Buffer.
mlir::FailureOr<Buffer> allocate(mlir::Location location, Device &device,
                                 std::size_t bytes,
                                 std::optional<DType> dtype = {}) noexcept;
mlir::FailureOr<Buffer> copyFromHost(mlir::Location location, Device &device,
                                     const void *data, std::size_t bytes,
                                     std::optional<DType> dtype = {}) noexcept;
mlir::FailureOr<Buffer> useHostMemory(mlir::Location location, Device &device,
                                      void *data, std::size_t bytes,
                                      std::function<void()> release = {},
                                      std::optional<DType> dtype = {}) noexcept;

/// Copies the first \p bytes bytes of a buffer; waits until kernels that write
/// to it are done. Fails if the buffer has fewer.
llvm::LogicalResult copyToHost(mlir::Location location, const Buffer &buffer,
                               void *data, std::size_t bytes) noexcept;

} // namespace tinygrad::checked

#endif // TINYGRAD_COMPILER_CHECKED_H
