//===- Checked.cpp - compilation without exceptions -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions of Checked.h: no exception leaves them.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Compiler/Checked.h"
#include "CompileSteps.h"
#include "TinyGrad/Runtime/Environment.h"
#include <exception>

using namespace mlir;
using namespace tinygrad;

/// Calls `step`. An exception becomes an error at `location`.
template <typename Step>
static auto emitExceptions(Location location, Step step) noexcept
    -> decltype(step()) {
  try {
    return step();
  } catch (const std::exception &error) {
    return emitError(location) << error.what();
  } catch (...) {
    return emitError(location) << "an unknown exception";
  }
}

FailureOr<Device *> checked::getDevice(Location location,
                                       std::string_view name) noexcept {
  return emitExceptions(location, [&]() -> FailureOr<Device *> {
    checkSettings();
    return name.empty() ? &Device::getDefault() : &Device::get(name);
  });
}

FailureOr<const tg::Target *>
checked::getTarget(Location location, Device &device,
                   const CompileOptions &options) noexcept {
  return emitExceptions(location, [&]() -> FailureOr<const tg::Target *> {
    return &tinygrad::getTarget(device, options);
  });
}

LogicalResult checked::schedule(ModuleOp module, Device &device,
                                const CompileOptions &options) noexcept {
  return emitExceptions(module.getLoc(), [&]() -> LogicalResult {
    return detail::schedule(module, device, options);
  });
}

LogicalResult checked::optimize(ModuleOp module, Device &device,
                                const CompileOptions &options) noexcept {
  return emitExceptions(module.getLoc(), [&]() -> LogicalResult {
    return detail::optimize(module, device, options);
  });
}

FailureOr<std::vector<char>>
checked::generateCode(ModuleOp module, Device &device,
                      const CompileOptions &options,
                      tg::StageTexts *texts) noexcept {
  return emitExceptions(module.getLoc(), [&] {
    return detail::generateCode(module, device, options, texts);
  });
}

FailureOr<std::shared_ptr<CompiledProgram>>
checked::compile(ModuleOp module, Device &device,
                 const CompileOptions &options) noexcept {
  return emitExceptions(module.getLoc(), [&] {
    return detail::compile(module, device, options);
  });
}

FailureOr<Artifact>
checked::compileToArtifact(ModuleOp module, llvm::StringRef target,
                           const CompileOptions &options) noexcept {
  return emitExceptions(module.getLoc(), [&]() -> FailureOr<Artifact> {
    return detail::compileToArtifact(module, detail::findTarget(target),
                                     options);
  });
}

FailureOr<std::vector<Buffer>>
checked::run(Location location, CompiledProgram &program,
             const std::vector<Buffer> &inputs,
             const std::vector<int64_t> &values) noexcept {
  return emitExceptions(location, [&]() -> FailureOr<std::vector<Buffer>> {
    return program.run(inputs, values);
  });
}

FailureOr<Buffer> checked::allocate(Location location, Device &device,
                                    std::size_t bytes,
                                    std::optional<DType> dtype) noexcept {
  return emitExceptions(location, [&]() -> FailureOr<Buffer> {
    return Buffer::allocate(device, bytes, dtype);
  });
}

FailureOr<Buffer> checked::copyFromHost(Location location, Device &device,
                                        const void *data, std::size_t bytes,
                                        std::optional<DType> dtype) noexcept {
  return emitExceptions(location, [&]() -> FailureOr<Buffer> {
    return Buffer::fromHost(device, data, bytes, dtype);
  });
}

FailureOr<Buffer> checked::useHostMemory(Location location, Device &device,
                                         void *data, std::size_t bytes,
                                         std::function<void()> release,
                                         std::optional<DType> dtype) noexcept {
  return emitExceptions(location, [&]() -> FailureOr<Buffer> {
    return Buffer::external(device, data, bytes, std::move(release), dtype);
  });
}

LogicalResult checked::copyToHost(Location location, const Buffer &buffer,
                                  void *data, std::size_t bytes) noexcept {
  return emitExceptions(location, [&]() -> LogicalResult {
    buffer.copyOut(data, bytes);
    return success();
  });
}
