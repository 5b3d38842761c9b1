//===- StateDict.cpp - the tensors of a module by name --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tensors by name.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/State/StateDict.h"
#include "TinyGrad/Runtime/Error.h"

#include <algorithm>
#include <numeric>

using namespace tinygrad;
using namespace tinygrad::state;

StateDict::StateDict(std::initializer_list<value_type> list) {
  for (const auto &[name, tensor] : list)
    insert(name, tensor);
}

void StateDict::insert(const std::string &name, const Tensor &tensor) {
  if (!tensor.defined())
    throw Error("the tensor '" + name + "' of a state is undefined");
  if (!positions.emplace(name, entries.size()).second)
    throw Error("two tensors of a state are named '" + name + "'");
  entries.emplace_back(name, tensor);
}

const Tensor *StateDict::find(std::string_view name) const {
  const auto it = positions.find(name);
  return it == positions.end() ? nullptr : &entries[it->second].second;
}

/// The number of characters to insert, delete or replace to make \p b of \p a.
static std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

const Tensor &StateDict::at(std::string_view name) const {
  if (const Tensor *tensor = find(name))
    return *tensor;
  std::string message = "the state has no tensor '" + std::string(name) + "'";
  const std::string *similar = nullptr;
  std::size_t least = name.size();
  for (const auto &[other, tensor] : entries)
    if (const std::size_t distance = editDistance(name, other);
        distance < least) {
      least = distance;
      similar = &other;
    }
  if (similar)
    message += "; the most similar name is '" + *similar + "'";
  else
    message += ", only " + std::to_string(size()) + " others";
  throw Error(message);
}

std::vector<std::string> StateDict::names() const {
  std::vector<std::string> result;
  for (const auto &[name, tensor] : entries)
    result.push_back(name);
  return result;
}
