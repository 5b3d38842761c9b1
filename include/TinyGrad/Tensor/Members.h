//===- Members.h - tensors in structs and containers ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Visits the tensors of a module: a struct that names its members in one line,
/// or a container of modules.
///
/// \code
///   struct Net {
///     nn::Linear hidden{784, 128}, output{128, 10};
///     std::vector<Block> blocks;
///     TINYGRAD_MEMBERS(hidden, output, blocks)
///   };
///   forEachTensor(net, [](const std::string &name, Tensor &tensor) {
///     // "hidden.weight", "hidden.bias", "output.weight", .., "blocks.0.scale"
///   });
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_MEMBERS_H
#define TINYGRAD_TENSOR_MEMBERS_H

#include "TinyGrad/Tensor/Tensor.h"

#include <algorithm>
#include <concepts>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

/// Names the members of a struct that hold tensors, in a line of its public
/// section: tensors, modules, and containers of these. The names are part of
/// the keys of saved states, in snake_case as in PyTorch and tinygrad: a member
/// `runningMean` has the key "running_mean". A name with an underscore, or with
/// a capital at its beginning, is a key as it is: `A_log`.
#define TINYGRAD_MEMBERS(...)                                                  \
  template <typename Visitor> void visitMembers(Visitor &&visitor) {           \
    ::tinygrad::detail::visitNamed(visitor,                                    \
                                   #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__);   \
  }                                                                            \
  template <typename Visitor> void visitMembers(Visitor &&visitor) const {     \
    ::tinygrad::detail::visitNamed(visitor,                                    \
                                   #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__);   \
  }

namespace tinygrad {

namespace detail {

/// Removes the first name of a list of names separated by commas and spaces.
constexpr std::string_view takeName(std::string_view &names) {
  constexpr std::string_view separators = ", \t\n";
  names.remove_prefix(std::min(names.find_first_not_of(separators), //
                               names.size()));
  const std::string_view name =
      names.substr(0, names.find_first_of(separators));
  names.remove_prefix(name.size());
  return name;
}

/// The key of a member: "running_mean" for runningMean, "to_rgb" for toRGB,
/// "conv2d_first" for conv2dFirst.
inline std::string keyOf(std::string_view name) {
  auto isCapital = [&](std::size_t i) {
    return i < name.size() && name[i] >= 'A' && name[i] <= 'Z';
  };
  if (isCapital(0) || name.find('_') != std::string_view::npos)
    return std::string(name);
  std::string key;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!isCapital(i)) {
      key += name[i];
      continue;
    }
    // The first of several capitals, or the last one if a word follows.
    const bool isFollowed = i + 1 < name.size() && !isCapital(i + 1);
    if (!isCapital(i - 1) || isFollowed)
      key += '_';
    key += char(name[i] - 'A' + 'a');
  }
  return key;
}

template <typename Visitor, typename... Members>
void visitNamed(Visitor &visitor, std::string_view names, Members &...members) {
  // Braces evaluate from left to right.
  [[maybe_unused]] const int inOrder[] = {
      0, (visitor(keyOf(takeName(names)), members), 0)...};
}

struct IgnoreMembers {
  template <typename Member>
  void operator()(std::string_view /*name*/, Member & /*member*/) const {}
};

template <typename T>
concept HasMembers =
    requires(T &object) { object.visitMembers(IgnoreMembers()); };

template <typename T>
concept PointerLike = requires(T &object) {
  static_cast<bool>(object);
  *object;
};

template <typename T>
concept KeyedRange = std::ranges::range<T> &&
                     requires { typename std::remove_cvref_t<T>::mapped_type; };

template <typename T>
concept TupleLike =
    requires { std::tuple_size<std::remove_const_t<T>>::value; };

template <typename T> inline constexpr bool kAlwaysFalse = false;

inline std::string joinNames(const std::string &prefix, std::string_view name) {
  return prefix.empty() ? std::string(name) : prefix + "." + std::string(name);
}
inline std::string joinNames(const std::string &prefix, std::size_t position) {
  return joinNames(prefix, std::to_string(position));
}

/// In place of a name, for visits that need none.
struct NoName {};

template <typename Part> NoName joinNames(NoName /*prefix*/, const Part &) {
  return {};
}

template <typename T, typename Visit, typename Name>
void visitTensors(T &object, Visit &visit, const Name &name) {
  if constexpr (std::derived_from<std::remove_const_t<T>, Tensor>) {
    if (object.defined())
      visit(name, object);
  } else if constexpr (HasMembers<T>) {
    object.visitMembers([&](std::string_view member, auto &value) {
      visitTensors(value, visit, joinNames(name, member));
    });
  } else if constexpr (KeyedRange<T>) {
    for (auto &[key, value] : object)
      visitTensors(value, visit, joinNames(name, std::string_view(key)));
  } else if constexpr (std::ranges::range<T>) {
    std::size_t i = 0;
    for (auto &value : object)
      visitTensors(value, visit, joinNames(name, i++));
  } else if constexpr (TupleLike<T>) {
    std::apply(
        [&](auto &...values) {
          std::size_t i = 0;
          (visitTensors(values, visit, joinNames(name, i++)), ...);
        },
        object);
  } else if constexpr (PointerLike<T>) {
    if (object)
      visitTensors(*object, visit, name);
  } else {
    static_assert(
        kAlwaysFalse<T>,
        "a module is a tensor, a struct with TINYGRAD_MEMBERS(..), or "
        "a container, pointer or tuple of modules");
  }
}

} // namespace detail

/// Calls `visit(name, tensor)` for each defined tensor of a module, in the
/// order of the members. A module is a tensor, a struct with
/// `TINYGRAD_MEMBERS`, or a range, `std::map` with strings as keys, tuple,
/// `std::optional` or pointer of modules. A name is the path to the tensor,
/// with dots between members (in snake_case), keys and positions; \p prefix is
/// its first part.
template <typename Module, typename Visit>
void forEachTensor(Module &module, Visit &&visit,
                   const std::string &prefix = "") {
  detail::visitTensors(module, visit, prefix);
}

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_MEMBERS_H
