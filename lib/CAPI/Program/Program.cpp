//===- Program.cpp - compilation and runs for C ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the C API of compiled programs.
///
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::capi;

/// The exported options.
struct TinyGradCompileOptions {
  CompileOptions options;
};

namespace {
/// An input or output.
struct Tensor {
  TinyGradTensorInfo info;
  std::vector<int64_t> shape;
  std::vector<Expression> sizes;
  Device *device;
};
} // namespace

/// The exported program.
struct TinyGradProgram {
  std::shared_ptr<CompiledProgram> program;
  std::vector<Tensor> inputs, outputs;
};

/// The exported artifact.
struct TinyGradArtifact {
  Artifact artifact;
};

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

TinyGradError *tinygradCompileOptionsCreate(TinyGradCompileOptions **options) {
  return catchErrors([&] {
    require(options, "the pointer to the options");
    *options = nullptr;
    *options = new TinyGradCompileOptions;
  });
}

TinyGradError *tinygradCompileOptionsSetEntry(TinyGradCompileOptions *options,
                                              const char *entry) {
  return catchErrors([&] {
    require(options, "the options object");
    require(entry, "the name of the function");
    options->options.entry = entry;
  });
}

void tinygradCompileOptionsSetNoOptimization(TinyGradCompileOptions *options,
                                             bool value) {
  if (options)
    options->options.noOptimization = value;
}

void tinygradCompileOptionsSetVerifyEach(TinyGradCompileOptions *options,
                                         bool value) {
  if (options)
    options->options.verifyEach = value;
}

void tinygradCompileOptionsSetCheckBounds(TinyGradCompileOptions *options,
                                          bool value) {
  if (options)
    options->options.checkBounds = value;
}

void tinygradCompileOptionsSetFlushSubnormals(TinyGradCompileOptions *options,
                                              bool value) {
  if (options)
    options->options.flushSubnormals = value;
}

/// The caller's pass as a function of the compiler.
static std::function<llvm::LogicalResult(mlir::ModuleOp)>
makePass(TinyGradModulePass pass, void *userData) {
  if (!pass)
    return nullptr;
  return [=](mlir::ModuleOp module) {
    return llvm::success(
        mlirLogicalResultIsSuccess(pass(wrap(module), userData)));
  };
}

void tinygradCompileOptionsSetAfterSchedule(TinyGradCompileOptions *options,
                                            TinyGradModulePass pass,
                                            void *userData) {
  if (options)
    options->options.afterSchedule = makePass(pass, userData);
}

void tinygradCompileOptionsSetAfterOptimize(TinyGradCompileOptions *options,
                                            TinyGradModulePass pass,
                                            void *userData) {
  if (options)
    options->options.afterOptimize = makePass(pass, userData);
}

void tinygradCompileOptionsDestroy(TinyGradCompileOptions *options) {
  delete options;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Describes arguments or results with the slots of their buffers.
static std::vector<Tensor> describe(const std::vector<TensorInfo> &infos,
                                    const std::vector<uint32_t> &slots,
                                    const CompiledProgram &program) {
  std::vector<Tensor> tensors;
  tensors.reserve(infos.size());
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const Slot &slot = program.list().slots[slots[i]];
    Tensor tensor;
    tensor.shape = infos[i].shape;
    tensor.sizes = infos[i].sizes;
    tensor.device = slot.device ? slot.device : &program.device();
    tensor.info = {fromDType(infos[i].dtype), intptr_t(infos[i].shape.size()),
                   nullptr, slot.bytes,
                   slot.kind == Slot::Kind::Input && slot.isWritten};
    tensors.push_back(std::move(tensor));
    tensors.back().info.shape = tensors.back().shape.data();
  }
  return tensors;
}

/// The exported handle of a program.
static TinyGradProgram *wrapProgram(std::shared_ptr<CompiledProgram> program) {
  auto result = std::make_unique<TinyGradProgram>();
  const LaunchList &list = program->list();
  result->inputs = describe(program->getArguments(), list.inputs, *program);
  result->outputs = describe(program->getResults(), list.outputs, *program);
  result->program = std::move(program);
  return result.release();
}

/// A copy of a module to compile.
static mlir::OwningOpRef<mlir::ModuleOp> copyGraph(MlirModule module) {
  require(module.ptr, "the module");
  mlir::ModuleOp graph = ::unwrap(module);
  prepareContext(*graph.getContext());
  return graph.clone();
}

TinyGradError *tinygradProgramCompile(MlirModule module, TinyGradDevice *device,
                                      const TinyGradCompileOptions *options,
                                      TinyGradProgram **program) {
  return catchErrors([&] {
    require(program, "the pointer to the program");
    *program = nullptr;
    require(module.ptr, "the module");
    require(device, "the device");
    mlir::OwningOpRef<mlir::ModuleOp> copy = copyGraph(module);
    *program =
        wrapProgram(compile(*copy, *capi::unwrap(device),
                            options ? options->options : CompileOptions()));
  });
}

//===----------------------------------------------------------------------===//
// Artifacts
//===----------------------------------------------------------------------===//

TinyGradError *tinygradArtifactCompile(MlirModule module, const char *target,
                                       const TinyGradCompileOptions *options,
                                       TinyGradArtifact **artifact) {
  return catchErrors([&] {
    require(artifact, "the pointer to the artifact");
    *artifact = nullptr;
    require(module.ptr, "the module");
    require(target, "the target");
    mlir::OwningOpRef<mlir::ModuleOp> copy = copyGraph(module);
    *artifact = new TinyGradArtifact{compileToArtifact(
        *copy, target, options ? options->options : CompileOptions())};
  });
}

TinyGradError *tinygradArtifactSave(const TinyGradArtifact *artifact,
                                    const char *path) {
  return catchErrors([&] {
    require(artifact, "the artifact");
    require(path, "the path");
    artifact->artifact.save(std::string(path));
  });
}

TinyGradError *tinygradArtifactLoad(const char *path,
                                    TinyGradArtifact **artifact) {
  return catchErrors([&] {
    require(artifact, "the pointer to the artifact");
    *artifact = nullptr;
    require(path, "the path");
    *artifact = new TinyGradArtifact{Artifact::load(path)};
  });
}

TinyGradError *tinygradArtifactLoadFromBytes(const void *data, size_t bytes,
                                             TinyGradArtifact **artifact) {
  return catchErrors([&] {
    require(artifact, "the pointer to the artifact");
    *artifact = nullptr;
    require(data, "the memory");
    *artifact = new TinyGradArtifact{
        Artifact::fromBytes({static_cast<const char *>(data), bytes})};
  });
}

const char *tinygradArtifactGetTarget(const TinyGradArtifact *artifact) {
  return artifact ? artifact->artifact.target.c_str() : nullptr;
}

TinyGradError *tinygradArtifactLink(const TinyGradArtifact *artifact,
                                    TinyGradDevice *device,
                                    TinyGradProgram **program) {
  return catchErrors([&] {
    require(program, "the pointer to the program");
    *program = nullptr;
    require(artifact, "the artifact");
    require(device, "the device");
    *program = wrapProgram(artifact->artifact.link(*capi::unwrap(device)));
  });
}

void tinygradArtifactDestroy(TinyGradArtifact *artifact) { delete artifact; }

//===----------------------------------------------------------------------===//
// What programs take
//===----------------------------------------------------------------------===//

void tinygradProgramDestroy(TinyGradProgram *program) { delete program; }

intptr_t tinygradProgramGetNumInputs(const TinyGradProgram *program) {
  return program ? intptr_t(program->inputs.size()) : 0;
}

intptr_t tinygradProgramGetNumOutputs(const TinyGradProgram *program) {
  return program ? intptr_t(program->outputs.size()) : 0;
}

intptr_t tinygradProgramGetNumVariables(const TinyGradProgram *program) {
  return program ? intptr_t(program->program->variables().size()) : 0;
}

static bool isIndex(intptr_t index, std::size_t size) {
  return index >= 0 && std::size_t(index) < size;
}

bool tinygradProgramGetInput(const TinyGradProgram *program, intptr_t index,
                             TinyGradTensorInfo *info) {
  if (!program || !info || !isIndex(index, program->inputs.size()))
    return false;
  *info = program->inputs[std::size_t(index)].info;
  return true;
}

bool tinygradProgramGetOutput(const TinyGradProgram *program, intptr_t index,
                              TinyGradTensorInfo *info) {
  if (!program || !info || !isIndex(index, program->outputs.size()))
    return false;
  *info = program->outputs[std::size_t(index)].info;
  return true;
}

bool tinygradProgramGetVariable(const TinyGradProgram *program, intptr_t index,
                                TinyGradVariable *variable) {
  if (!program || !variable ||
      !isIndex(index, program->program->variables().size()))
    return false;
  const ProgramVariable &found =
      program->program->variables()[std::size_t(index)];
  *variable = {found.name.c_str(), found.min, found.max};
  return true;
}

/// Throws what a run throws for values that the program does not take.
static void checkValues(const CompiledProgram &program, intptr_t numValues,
                        const int64_t *values) {
  requireList(values, numValues, "values");
  const std::vector<ProgramVariable> &variables = program.variables();
  if (std::size_t(numValues) != variables.size())
    throw ShapeError("program takes " + std::to_string(variables.size()) +
                     " variable values, not " + std::to_string(numValues));
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (values[i] < variables[i].min || values[i] > variables[i].max)
      throw ShapeError("variable " + variables[i].name + " cannot be " +
                       std::to_string(values[i]) + ", which is not in [" +
                       std::to_string(variables[i].min) + ", " +
                       std::to_string(variables[i].max) + "]");
}

static TinyGradError *getShape(const TinyGradProgram *program,
                               std::vector<Tensor> TinyGradProgram::*tensors,
                               const char *what, intptr_t index,
                               intptr_t numValues, const int64_t *values,
                               int64_t *shape) {
  return catchErrors([&] {
    require(program, "the program");
    const std::vector<Tensor> &list = program->*tensors;
    if (!isIndex(index, list.size()))
      throw ArgumentError("the program has " + std::to_string(list.size()) +
                          " " + what + "s, but no " + what + " " +
                          std::to_string(index));
    checkValues(*program->program, numValues, values);
    const Tensor &tensor = list[std::size_t(index)];
    if (!tensor.sizes.empty())
      require(shape, "the memory for the shape");
    for (const Expression &size : tensor.sizes)
      *shape++ = size.evaluate(values);
  });
}

TinyGradError *tinygradProgramGetInputShape(const TinyGradProgram *program,
                                            intptr_t index, intptr_t numValues,
                                            const int64_t *values,
                                            int64_t *shape) {
  return getShape(program, &TinyGradProgram::inputs, "input", index, numValues,
                  values, shape);
}

TinyGradError *tinygradProgramGetOutputShape(const TinyGradProgram *program,
                                             intptr_t index, intptr_t numValues,
                                             const int64_t *values,
                                             int64_t *shape) {
  return getShape(program, &TinyGradProgram::outputs, "output", index,
                  numValues, values, shape);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static std::vector<int64_t> toVector(const int64_t *values, intptr_t count) {
  requireList(values, count, "values");
  return std::vector<int64_t>(values, values + count);
}

/// Throws ShapeError unless there are as many as the program has.
static void requireCount(intptr_t count, std::size_t expected,
                         const std::string &what) {
  if (std::size_t(count) != expected)
    throw ShapeError("program has " + std::to_string(expected) + " " + what +
                     ", not " + std::to_string(count));
}

TinyGradError *tinygradProgramRun(TinyGradProgram *program, intptr_t numInputs,
                                  TinyGradBuffer *const *inputs,
                                  intptr_t numValues, const int64_t *values,
                                  intptr_t numOutputs,
                                  TinyGradBuffer **outputs) {
  return catchErrors([&] {
    requireList(outputs, numOutputs, "outputs");
    for (intptr_t i = 0; i < numOutputs; ++i)
      outputs[i] = nullptr;
    require(program, "the program");
    requireList(inputs, numInputs, "inputs");
    requireCount(numInputs, program->inputs.size(), "inputs");
    requireCount(numOutputs, program->outputs.size(), "outputs");
    std::vector<Buffer> buffers;
    buffers.reserve(std::size_t(numInputs));
    for (intptr_t i = 0; i < numInputs; ++i) {
      require(inputs[i], ("input " + std::to_string(i)).c_str());
      buffers.push_back(inputs[i]->buffer);
    }
    std::vector<std::unique_ptr<TinyGradBuffer>> handles;
    for (intptr_t i = 0; i < numOutputs; ++i)
      handles.push_back(std::make_unique<TinyGradBuffer>());
    std::vector<Buffer> results =
        program->program->run(buffers, toVector(values, numValues));
    for (std::size_t i = 0; i < handles.size(); ++i) {
      handles[i]->buffer = std::move(results[i]);
      outputs[i] = handles[i].release();
    }
  });
}

/// Throws if an array does not fit an input or output.
static void checkArray(const TinyGradHostArray &array, const Tensor &tensor,
                       std::size_t needed, const std::vector<int64_t> &values,
                       const std::string &what) {
  if (array.bytes < needed || array.bytes > tensor.info.bytes)
    throw ShapeError(describeSize(
        what, array.bytes, tensor.info.bytes, toDType(tensor.info.dtype),
        needed == tensor.info.bytes ? std::vector<Expression>() : tensor.sizes,
        values));
  if (std::optional<DType> dtype = toDType(array.dtype);
      dtype && fromDType(dtype) != tensor.info.dtype)
    throw DTypeError(what + " is " + tinygradDTypeGetName(array.dtype) +
                     ", not " + tinygradDTypeGetName(tensor.info.dtype));
  if (array.bytes != 0)
    require(array.data, ("the memory of " + what).c_str());
}

TinyGradError *
tinygradProgramRunOnHost(TinyGradProgram *program, intptr_t numInputs,
                         const TinyGradHostArray *inputs, intptr_t numValues,
                         const int64_t *values, intptr_t numOutputs,
                         const TinyGradHostArray *outputs) {
  return catchErrors([&] {
    require(program, "the program");
    requireList(inputs, numInputs, "inputs");
    requireList(outputs, numOutputs, "outputs");
    requireCount(numInputs, program->inputs.size(), "inputs");
    requireCount(numOutputs, program->outputs.size(), "outputs");
    const std::vector<int64_t> all = toVector(values, numValues);
    program->program->checkValues(all);
    const LaunchList &list = program->program->list();
    for (std::size_t i = 0; i < program->inputs.size(); ++i)
      checkArray(inputs[i], program->inputs[i],
                 getNeededBytes(list.slots[list.inputs[i]], all.data()), all,
                 "input " + std::to_string(i));
    for (std::size_t i = 0; i < program->outputs.size(); ++i)
      checkArray(outputs[i], program->outputs[i],
                 getNeededBytes(program->program->getResults()[i], all.data()),
                 all, "output " + std::to_string(i));

    std::vector<Buffer> buffers;
    for (std::size_t i = 0; i < program->inputs.size(); ++i) {
      const Tensor &tensor = program->inputs[i];
      const TinyGradHostArray &array = inputs[i];
      const DType dtype = *toDType(tensor.info.dtype);
      const bool isHost = tensor.device->information().hostVisible;
      buffers.push_back(isHost ? Buffer::external(*tensor.device, array.data,
                                                  array.bytes, {}, dtype)
                               : Buffer::fromHost(*tensor.device, array.data,
                                                  array.bytes, dtype));
    }
    const std::vector<Buffer> results = program->program->run(buffers, all);
    for (std::size_t i = 0; i < program->inputs.size(); ++i) {
      const Tensor &tensor = program->inputs[i];
      if (tensor.device->information().hostVisible)
        tensor.device->synchronize(); // the memory is the caller's again
      else if (tensor.info.isWritten)
        buffers[i].copyOut(inputs[i].data, inputs[i].bytes);
    }
    for (std::size_t i = 0; i < program->outputs.size(); ++i)
      // It is there already if the function returns an input.
      if (results[i].address() != outputs[i].data)
        results[i].copyOut(outputs[i].data,
                           std::min(outputs[i].bytes, results[i].size()));
  });
}
