//===- Checkpoint.h - the state of a training -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Everything that a training needs to go on in another process, in one file: a
/// model, its optimizer, the state of the random numbers, and numbers such as
/// the epoch.
///
/// \code
///   state::saveCheckpoint("run.safetensors", net, adam, {{"epoch", epoch}});
///   // In a new process:
///   epoch = int(state::loadCheckpoint("run.safetensors", net, adam)
///                   .at("epoch"));
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_STATE_CHECKPOINT_H
#define TINYGRAD_STATE_CHECKPOINT_H

#include "TinyGrad/State/StateDict.h"

#include <map>
#include <source_location>
#include <string>

namespace tinygrad::state {

/// Numbers by name; integers up to 2^53 are exact.
using CheckpointNumbers = std::map<std::string, double>;

namespace detail {
void writeCheckpoint(const std::string &path, const StateDict &tensors,
                     const CheckpointNumbers &numbers,
                     std::source_location where);
CheckpointNumbers readCheckpoint(const std::string &path,
                                 const StateDict &tensors);
/// The names of a checkpoint, "model.*" and "optimizer.*".
template <typename Model, typename Optimizer>
StateDict checkpointTensors(Model &model, Optimizer &optimizer) {
  StateDict tensors;
  auto insert = [&](const std::string &name, const Tensor &tensor) {
    tensors.insert(name, tensor);
  };
  forEachTensor(model, insert, "model");
  forEachTensor(optimizer, insert, "optimizer");
  return tensors;
}
} // namespace detail

/// Writes a safetensors file with the tensors of \p model and \p optimizer (any
/// modules), the state of the current graph's random numbers, and \p numbers. A
/// tensor under several names is stored once. Writes and throws as safeSave().
template <typename Model, typename Optimizer>
void saveCheckpoint(
    const std::string &path, Model &&model, Optimizer &&optimizer,
    const CheckpointNumbers &numbers = {},
    std::source_location where = std::source_location::current()) {
  detail::writeCheckpoint(path, detail::checkpointTensors(model, optimizer),
                          numbers, where);
}

/// Restores what saveCheckpoint() has written; returns the numbers. Computing
/// goes on with the same bits as in the process that wrote the file, on the
/// same device. Throws IoError if the file is not a checkpoint, StateError if
/// the tensors differ in name, shape or element type; nothing has been changed
/// then.
template <typename Model, typename Optimizer>
CheckpointNumbers loadCheckpoint(const std::string &path, Model &&model,
                                 Optimizer &&optimizer) {
  return detail::readCheckpoint(path,
                                detail::checkpointTensors(model, optimizer));
}

} // namespace tinygrad::state

#endif // TINYGRAD_STATE_CHECKPOINT_H
