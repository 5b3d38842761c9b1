//===- LoadState.h - giving a module other values ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Assigns the tensors of a StateDict to those of a module.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_STATE_LOADSTATE_H
#define TINYGRAD_STATE_LOADSTATE_H

#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/State/StateDict.h"

#include <string>
#include <vector>

namespace tinygrad::state {

/// Options of loadStateDict.
struct LoadOptions {
  /// Requires exactly the names of the module. Otherwise loads what fits.
  bool strict = true;
  /// Converts floats to the module's element type if the state has another
  /// float type. Otherwise, and for all other types, that is a mismatch.
  bool castFloats = false;
  /// The tensor `w` of the module is `prefix.w` in the state, and other names
  /// in the state are ignored.
  std::string prefix = "";
};

/// A tensor that cannot be loaded.
struct LoadMismatch {
  std::string name;
  /// What the module and the state have, such as "[2, 3] float32".
  std::string expected, found;

  bool operator==(const LoadMismatch &) const = default;
};

/// How a state differs from a module. Names are those in the state.
struct LoadReport {
  /// Tensors of the module that the state lacks. A tied tensor is missing only
  /// if the state has it under none of its names.
  std::vector<std::string> missing;
  /// Tensors of the state that the module lacks.
  std::vector<std::string> unexpected;
  /// Tensors of another shape or element type, and names of one tied tensor
  /// that have different values.
  std::vector<LoadMismatch> mismatched;

  bool operator==(const LoadReport &) const = default;
  bool isComplete() const {
    return missing.empty() && unexpected.empty() && mismatched.empty();
  }
  /// All differences as text, a line for each kind.
  std::string str() const;
};

/// A state does not fit a module.
class StateError : public Error {
public:
  /// \p file is where the state is from, for the message; none if empty.
  explicit StateError(LoadReport report, const std::string &file = "");
  ~StateError() override;

  const LoadReport &report() const { return differences; }

private:
  LoadReport differences;
};

namespace detail {
LoadReport loadTensors(const StateDict &targets, const StateDict &state,
                       const LoadOptions &options);
} // namespace detail

/// Assigns the values of \p state to the tensors of \p module, as by
/// Tensor::assign, and computes them. A realized tensor of the module keeps its
/// memory, so that optimizers and captured steps still refer to it, and its
/// device: values are copied there.
///
/// Throws StateError if \p options are strict and names, shapes or element
/// types differ. It lists all differences. Without `strict`, the report has
/// them, and the other tensors are loaded. Throws Error if the tensors are of
/// different graphs. In both cases nothing has been changed.
template <typename Module>
LoadReport loadStateDict(Module &&module, const StateDict &state,
                         const LoadOptions &options = {}) {
  return detail::loadTensors(getStateDict(module), state, options);
}

} // namespace tinygrad::state

#endif // TINYGRAD_STATE_LOADSTATE_H
