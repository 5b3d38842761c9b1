//===- Models.h - networks whose training is timed --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Training steps by name. rows.py lists the same networks, with the same
/// parameters in the same order; torch_peer.py, jax_peer.py and
/// tinygrad_peer.py implement them with the same initial values and data.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_BENCHMARKS_TRAINING_MODELS_H
#define TINYGRAD_BENCHMARKS_TRAINING_MODELS_H

#include "TinyGrad/Tensor/Tensor.h"

#include <memory>
#include <string>
#include <vector>

namespace tinygrad::benchmark {

/// A network, its optimizer, and a batch in memory.
class TrainingRow {
public:
  virtual ~TrainingRow();
  /// One step of training on the batch. Returns the loss before the update,
  /// realized. The first call compiles, the second one captures the step, later
  /// ones replay it.
  virtual Tensor step() = 0;
};

std::vector<std::string> trainingRows();
/// Null if there is no row of this name. Weights and data are in memory
/// afterwards.
std::unique_ptr<TrainingRow> makeTrainingRow(const std::string &name);

} // namespace tinygrad::benchmark

#endif // TINYGRAD_BENCHMARKS_TRAINING_MODELS_H
