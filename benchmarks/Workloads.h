//===- Workloads.h - benchmark workloads ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tensor workloads by name. tinygrad_rows.py has the same ones with the same
/// data.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_BENCHMARKS_WORKLOADS_H
#define TINYGRAD_BENCHMARKS_WORKLOADS_H

#include "TinyGrad/Tensor/Tensor.h"

#include <functional>

namespace tinygrad::benchmark {

struct Workload {
  std::string name;
  std::vector<Shape> inputs;
  std::function<Tensor(const std::vector<Tensor> &)> build;
  /// Bytes that must be moved, for memory-bound workloads.
  double bytes = 0;
  /// Floating-point operations, for the others.
  double operations = 0;
  /// Whether it is a row of the table; others only measure first results.
  bool isTimed = true;
  /// All results, for workloads that have several; `build` returns the first.
  std::function<std::vector<Tensor>(const std::vector<Tensor> &)> buildAll = {};
  /// Element type of the inputs.
  DType dtype = DType::Float32;
};

const std::vector<Workload> &getWorkloads();
/// Null if there is none.
const Workload *findWorkload(const std::string &name);

/// Tensors of the workload's shapes, in memory of the default device, with
/// pseudo-random elements in [-0.5, 0.5) that are the same in every run.
std::vector<Tensor> makeInputs(const Workload &workload);

/// The number of operations that building the workload adds to the graph.
std::size_t countOperations(const Workload &workload,
                            const std::vector<Tensor> &inputs);

} // namespace tinygrad::benchmark

#endif // TINYGRAD_BENCHMARKS_WORKLOADS_H
