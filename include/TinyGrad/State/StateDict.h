//===- StateDict.h - the tensors of a module by name ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The state of a module: its tensors by name. Modules are what
/// forEachTensor() visits: structs with TINYGRAD_MEMBERS, and containers.
///
/// \code
///   StateDict state = state::getStateDict(net);
///   state::safeSave("net.safetensors", state);
///   state::loadStateDict(net, state::safeLoad("net.safetensors"));
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_STATE_STATEDICT_H
#define TINYGRAD_STATE_STATEDICT_H

#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tinygrad::state {

/// Tensors by name, in the order in which they were added. The tensors are
/// handles: those of a module are the module's own. A StateDict is a module
/// itself.
class StateDict {
public:
  using value_type = std::pair<std::string, Tensor>;
  using const_iterator = std::vector<value_type>::const_iterator;
  /// Marks it as a module with keys, for forEachTensor().
  using mapped_type = Tensor;

  StateDict() = default;
  /// Throws like insert().
  StateDict(std::initializer_list<value_type> entries);

  /// Throws Error, naming \p name, if there is a tensor of that name or \p
  /// tensor is undefined.
  void insert(const std::string &name, const Tensor &tensor);
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// Throws Error if there is no such tensor, naming the most similar name.
  const Tensor &at(std::string_view name) const;
  const Tensor &operator[](std::string_view name) const { return at(name); }
  /// Null if there is no such tensor.
  const Tensor *find(std::string_view name) const;
  std::vector<std::string> names() const;

  std::size_t size() const { return entries.size(); }
  bool empty() const { return entries.empty(); }
  const_iterator begin() const { return entries.begin(); }
  const_iterator end() const { return entries.end(); }

private:
  std::vector<value_type> entries;
  std::map<std::string, std::size_t, std::less<>> positions;
};

/// The tensors of a module, in the order of its members; \p prefix is the first
/// part of their names. A tensor that the module has under several names (tied
/// weights) is there under each of them. Throws Error if two tensors have one
/// name.
template <typename Module>
StateDict getStateDict(Module &&module, const std::string &prefix = "") {
  StateDict state;
  forEachTensor(
      module,
      [&](const std::string &name, const Tensor &tensor) {
        state.insert(name, tensor);
      },
      prefix);
  return state;
}

/// The tensors of a module that require a gradient, each once, in the order of
/// its members: what an optimizer updates.
template <typename Module> std::vector<Tensor> getParameters(Module &&module) {
  std::vector<Tensor> parameters;
  std::set<const void *> seen;
  forEachTensor(module, [&](const std::string &, const auto &tensor) {
    if (tensor.requiresGrad() && seen.insert(&tensor.impl()).second)
      parameters.push_back(tensor);
  });
  return parameters;
}

} // namespace tinygrad::state

#endif // TINYGRAD_STATE_STATEDICT_H
