//===- Inspect.h - programs of tensors as text ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The programs that compute tensors, as MLIR and machine code, without running
/// them, and tensors that are computed by MLIR.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_INSPECT_H
#define TINYGRAD_TENSOR_INSPECT_H

#include "TinyGrad/Tensor/Tensor.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad {

/// What realize() would compile for tensors of one device, as MLIR or as a
/// later text: "graph" (level 1), "kernels" (2), "scheduled" (3), or a stage of
/// the device's code generator, such as "llvm" or "asm". Its arguments are the
/// memory that is read; symbolic sizes have no values.
///
/// Throws Error for another stage, naming those that there are, for tensors on
/// several devices or of several graphs, and what compilation throws.
std::string printProgram(const std::vector<Tensor> &tensors,
                         const std::string &stage = "graph");

/// The results of a function over tensors, a graph of the `tg` dialect (level
/// 1) as text, for inputs that become its arguments. Functions that it calls
/// are inlined. Variables are those of the inputs of the same name.
///
/// \p passPipeline is run over the module first, in the form that
/// `--pass-pipeline` of `tg-opt` has:
/// "builtin.module(canonicalize,tg-autodiff)". It can name the passes of the
/// dialect and MLIR's general ones (`canonicalize`, `cse`, `inline`, ...); the
/// result has to be a graph again. The default runs none.
///
/// Throws CompileError, with the line and column in \p text (called \p name),
/// for what cannot be parsed, is not a graph, or has no function \p entry, and
/// for operations that a tensor graph cannot have; for a pipeline that cannot
/// be parsed, and passes that fail or whose result is not a graph; ShapeError
/// or DTypeError for inputs that do not fit the arguments.
std::vector<Tensor> fromMlir(const std::string &text,
                             const std::vector<Tensor> &inputs,
                             const std::string &entry = "main",
                             const std::string &name = "mlir",
                             const std::string &passPipeline = "");

/// A buffer that a step of a program reads or writes.
struct StepBuffer {
  /// "input 0", "output 0": of the program; "scratch": memory for this program;
  /// "constant": with contents that are part of the program.
  std::string role;
  /// Elements, and their number.
  DType dtype = DType::UInt8;
  int64_t count = 0;
  bool isWritten = false;
};

/// A step of a program: the launch of a kernel, a copy between devices, or a
/// sort.
struct ProgramStep {
  enum class Kind { Kernel, Copy, Sort };

  Kind kind = Kind::Kernel;
  /// Of a kernel: unique in its program. Else "copy" or "sort".
  std::string name;
  std::string device;
  std::vector<StepBuffer> buffers;
  /// What it computes: "[matmul, relu]".
  std::string description;
  /// Estimates, as in GlobalCounters; symbolic sizes without values count as
  /// their largest ones.
  int64_t operations = 0, bytes = 0;
  /// Its text at "kernel" (level 2), and of inspectProgram() with code, at
  /// "scheduled" (3) and the stages of the code generator, in this order.
  std::vector<std::pair<std::string, std::string>> texts;
  /// With code: the steps of its schedule, as MLIR, and the kind and extent of
  /// each range.
  std::vector<std::string> steps;
  std::string ranges;
  /// With code: work items that may run in parallel (CPUs), or groups, items of
  /// a group, and bytes of shared memory of the launch (GPUs).
  int64_t parallelExtent = 1;
  std::array<int64_t, 3> groups{1, 1, 1}, groupSize{1, 1, 1};
  int64_t sharedBytes = 0;
};

/// What realize() would run for tensors, in order; nothing for those that are
/// in memory, or are constants. \p withCode also schedules and compiles
/// kernels. Throws what printProgram() does.
std::vector<ProgramStep> inspectProgram(const std::vector<Tensor> &tensors,
                                        bool withCode = true);

namespace detail {
class JitCore;
} // namespace detail

/// What a replay of a captured step runs, in order; nothing if nothing was
/// captured. Inputs and outputs are those of each program of the step. Throws
/// what compilation throws.
std::vector<ProgramStep> inspectStep(const detail::JitCore &step,
                                     bool withCode = true);

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_INSPECT_H
