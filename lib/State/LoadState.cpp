//===- LoadState.cpp - giving a module other values -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares a state with a module, then assigns.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/State/LoadState.h"
#include "TinyGrad/Tensor/Training.h"

#include <cstring>
#include <map>
#include <set>
#include <utility>

using namespace tinygrad;
using namespace tinygrad::state;

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static void addNames(std::string &text, const char *title,
                     const std::vector<std::string> &names) {
  if (names.empty())
    return;
  text += "\n  " + std::string(title) + ": ";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i ? ", " : "") + names[i];
}

std::string LoadReport::str() const {
  std::string text;
  addNames(text, "missing", missing);
  addNames(text, "unexpected", unexpected);
  std::vector<std::string> lines;
  for (const LoadMismatch &mismatch : mismatched)
    lines.push_back(mismatch.name + " (" + mismatch.expected + " expected, " +
                    mismatch.found + " found)");
  addNames(text, "mismatched", lines);
  return text.empty() ? text : text.substr(1);
}

StateError::StateError(LoadReport report, const std::string &file)
    : Error((file.empty() ? "" : file + ": ") +
            "the state does not fit the module:\n" + report.str()),
      differences(std::move(report)) {}

StateError::~StateError() = default;

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

namespace {
/// A tensor of the module and its new value.
struct Assignment {
  std::string name;
  Tensor target, value;
};
} // namespace

/// The same for all handles of a tensor.
static const void *identityOf(const Tensor &tensor) { return &tensor.impl(); }

static std::string describe(const Tensor &tensor) {
  return toString(tensor.shape()) + " " + name(tensor.dtype());
}

static bool haveSameBits(const Tensor &a, const Tensor &b) {
  if (identityOf(a) == identityOf(b))
    return true;
  if (a.dtype() != b.dtype() || a.shape() != b.shape())
    return false;
  const HostArray first = a.toHost(std::source_location()),
                  second = b.toHost(std::source_location());
  return std::memcmp(first.data.address(), second.data.address(),
                     std::size_t(first.numElements()) * itemSize(a.dtype())) ==
         0;
}

/// Whether a state's tensor can be loaded, after a conversion if need be.
static bool fits(const Tensor &target, const Tensor &value, bool castFloats) {
  const bool canCast =
      castFloats && isFloat(target.dtype()) && isFloat(value.dtype());
  return target.shape() == value.shape() &&
         (target.dtype() == value.dtype() || canCast);
}

/// The name in the state of a tensor of the module.
static std::string keyOf(const std::string &prefix, const std::string &name) {
  if (prefix.empty() || name.empty())
    return prefix + name;
  return prefix + "." + name;
}

static std::vector<Assignment> compare(const StateDict &targets,
                                       const StateDict &state,
                                       const LoadOptions &options,
                                       LoadReport &report) {
  std::vector<Assignment> assignments;
  // The first value that the state has for each tensor, by the position of its
  // assignment.
  std::map<const void *, std::size_t> found;
  std::vector<std::pair<std::string, const void *>> absent;
  std::set<std::string> keys;
  for (const auto &[name, target] : targets) {
    const std::string key = keyOf(options.prefix, name);
    keys.insert(key);
    const Tensor *value = state.find(key);
    if (!value) {
      absent.emplace_back(key, identityOf(target));
      continue;
    }
    const auto [it, isFirst] =
        found.emplace(identityOf(target), assignments.size());
    if (!fits(target, *value, options.castFloats)) {
      report.mismatched.push_back({key, describe(target), describe(*value)});
      if (isFirst)
        found.erase(it);
      continue;
    }
    if (isFirst) {
      assignments.push_back({key, target, *value});
      continue;
    }
    const Assignment &other = assignments[it->second];
    if (!haveSameBits(other.value, *value))
      report.mismatched.push_back(
          {key, "the values of " + other.name + ", which is the same tensor,",
           "other ones"});
  }
  for (const auto &[key, identity] : absent)
    if (!found.contains(identity))
      report.missing.push_back(key);
  const std::string start = options.prefix.empty() ? "" : options.prefix + ".";
  for (const auto &[key, value] : state)
    if (!keys.contains(key) &&
        (key.starts_with(start) || key == options.prefix))
      report.unexpected.push_back(key);
  return assignments;
}

//===----------------------------------------------------------------------===//
// Assignment
//===----------------------------------------------------------------------===//

LoadReport state::detail::loadTensors(const StateDict &targets,
                                      const StateDict &state,
                                      const LoadOptions &options) {
  // Values are numbers here, whatever they were computed from.
  const NoGradScope noGradients;
  LoadReport report;
  std::vector<Assignment> assignments =
      compare(targets, state, options, report);
  if (options.strict && !report.isComplete())
    throw StateError(std::move(report));
  // Whatever can fail comes before the first assignment.
  for (auto &[name, target, value] : assignments) {
    if (value.devices() != target.devices())
      value = value.to(target.device()).shardLike(target);
    if (value.dtype() != target.dtype())
      value = value.cast(target.dtype());
    // Operands of two graphs, or of different devices, are not accepted.
    (void)(target == value);
  }
  std::vector<Tensor> changed;
  for (auto &[name, target, value] : assignments)
    if (identityOf(target) != identityOf(value)) {
      target.assign(value);
      changed.push_back(target);
    }
  assignments.clear();
  // At once: the first step of a training would otherwise be a program of its
  // own, with these assignments.
  realize(changed);
  return report;
}
