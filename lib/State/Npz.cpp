//===- Npz.cpp - tensors in archives of NumPy arrays ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// States in .npz files.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/State/Npz.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/Profile.h"

using namespace tinygrad;
using namespace tinygrad::state;

/// A tensor of an array. Its shape may be one that no tensor has.
static Tensor tensorOf(const HostArray &array, const std::string &device,
                       const std::string &path, const std::string &name) {
  try {
    return Tensor::fromHost(array, TensorOptions({.device = device}));
  } catch (const ShapeError &error) {
    throw IoError(path + ": array '" + name + "': " + error.what());
  }
}

StateDict state::npzLoad(const std::string &path, const std::string &device) {
  StateDict state;
  for (const auto &[name, array] : readNpz(path))
    state.insert(name, tensorOf(array, device, path, name));
  return state;
}

void state::npzSave(const std::string &path, const StateDict &state,
                    NpzCompression compression, std::source_location where) {
  const CallSite site(where.file_name(), where.line());
  std::vector<Tensor> tensors;
  for (const auto &[name, tensor] : state)
    tensors.push_back(tensor);
  realize(tensors);
  NamedArrays arrays;
  for (const auto &[name, tensor] : state)
    arrays.emplace(name, tensor.toHost());
  writeNpz(path, arrays, compression);
}
