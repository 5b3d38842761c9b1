//===- Rearrange.cpp - Tensor::rearrange ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tensor::rearrange as a reshape that splits axes, a permutation, and a
/// reshape that joins axes.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

using namespace tinygrad;
using namespace tinygrad::detail;

namespace {
/// A name in the formula and its position.
struct Name {
  std::string_view text;
  std::size_t place;
  /// The index among the axes that "..." represents.
  int64_t number = 0;

  bool isEllipsis() const { return text == "..."; }
  bool operator==(const Name &other) const {
    return text == other.text && number == other.number;
  }
};

/// One axis: the names that it consists of, and its position in the formula.
struct Group {
  std::vector<Name> names;
  std::size_t place;
  bool isInParentheses = false;
};

class Formula {
public:
  explicit Formula(std::string_view text);

  std::vector<Group> left, right;

  /// Throws a ShapeError that points at \p place.
  [[noreturn]] void fail(std::size_t place, const std::string &message) const {
    throw ShapeError("rearrange: " + message + "\n  " + std::string(text) +
                     "\n  " + std::string(place, ' ') + "^");
  }
  /// Replaces "..." by \p count axes.
  void resolveEllipsis(int64_t count);

private:
  std::vector<Group> parse(std::size_t begin, std::size_t end) const;

  const std::string_view text;
};
} // namespace

static std::string quote(const Name &name) {
  return "'" + std::string(name.text) + "'";
}

static std::vector<Name> namesOf(const std::vector<Group> &groups) {
  std::vector<Name> names;
  for (const Group &group : groups)
    names.insert(names.end(), group.names.begin(), group.names.end());
  return names;
}

static const Name *find(const std::vector<Name> &names, const Name &name) {
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? nullptr : &*it;
}

Formula::Formula(std::string_view text) : text(text) {
  const std::size_t arrow = text.find("->");
  if (arrow == std::string_view::npos)
    fail(text.size(), "a formula needs two sides, separated by ->");
  if (const std::size_t second = text.find("->", arrow + 2);
      second != std::string_view::npos)
    fail(second, "a formula has only one ->");
  left = parse(0, arrow);
  right = parse(arrow + 2, text.size());
  for (const Group &group : left)
    for (const Name &name : group.names)
      if (name.isEllipsis() && group.isInParentheses)
        fail(name.place, "... cannot be part of an axis on the left");
  // Both sides must have the same names, each once.
  const std::vector<Name> before = namesOf(left), after = namesOf(right);
  for (const std::vector<Name> *names : {&before, &after})
    for (const Name &name : *names)
      if (find(*names, name) != &name)
        fail(name.place, quote(name) + " appears twice");
  for (const Name &name : before)
    if (!find(after, name))
      fail(name.place, quote(name) + " is not on the right");
  for (const Name &name : after)
    if (!find(before, name))
      fail(name.place, quote(name) + " is not on the left");
}

std::vector<Group> Formula::parse(std::size_t begin, std::size_t end) const {
  auto isLetter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::vector<Group> groups;
  bool isOpen = false;
  for (std::size_t i = begin; i < end;) {
    const char c = text[i];
    if (c == ' ') {
      ++i;
    } else if (c == '(') {
      if (isOpen)
        fail(i, "parentheses within parentheses");
      isOpen = true;
      groups.push_back({{}, i++, true});
    } else if (c == ')') {
      if (!isOpen)
        fail(i, "unmatched closing parenthesis");
      isOpen = false;
      ++i;
    } else {
      Name name{text.substr(i, 3), i};
      if (!name.isEllipsis()) {
        std::size_t stop = i;
        while (stop < end && isLetter(text[stop]))
          ++stop;
        if (stop == i)
          fail(i, "expected a name, 1, ... or a parenthesis");
        name.text = text.substr(i, stop - i);
        if (std::isdigit(static_cast<unsigned char>(c)) && name.text != "1")
          fail(i, quote(name) + " is neither the name of an axis nor 1");
      }
      i += name.text.size();
      if (!isOpen)
        groups.push_back({{}, name.place});
      if (name.text != "1")
        groups.back().names.push_back(name);
    }
  }
  if (isOpen)
    fail(groups.back().place, "the parenthesis is not closed");
  return groups;
}

void Formula::resolveEllipsis(int64_t count) {
  for (std::vector<Group> *side : {&left, &right}) {
    std::vector<Group> resolved;
    for (const Group &group : *side) {
      Group joined{{}, group.place, group.isInParentheses};
      for (const Name &name : group.names)
        for (int64_t i = 0; i < (name.isEllipsis() ? count : 1); ++i)
          joined.names.push_back({name.text, name.place, i});
      const bool isAxes = !group.isInParentheses && !group.names.empty() &&
                          group.names[0].isEllipsis();
      if (!isAxes)
        resolved.push_back(joined);
      else
        for (const Name &name : joined.names)
          resolved.push_back({{name}, group.place});
    }
    *side = std::move(resolved);
  }
}

/// The sizes of the names that an axis of \p size consists of.
static Shape sizesOf(const Formula &formula, const Group &group, SymInt size,
                     const NamedSizes &given) {
  Shape sizes, known;
  int64_t open = -1;
  for (const Name &name : group.names) {
    const auto it =
        std::find_if(given.begin(), given.end(), [&](const auto &entry) {
          return entry.first == name.text;
        });
    if (it == given.end() && open >= 0)
      formula.fail(name.place, "the size of " + quote(name) + " or of " +
                                   quote(group.names[open]) + " must be given");
    if (it == given.end())
      open = int64_t(sizes.size());
    else
      known.push_back(it->second);
    sizes.push_back(it == given.end() ? SymInt(1) : it->second);
  }
  const SymInt product = checkedNumElements(known, DType::Bool, "rearrange");
  if (open >= 0 && product.min() > 0)
    sizes[open] = size / product;
  const SymInt whole = open < 0 ? product : product * sizes[open];
  if (whole != size || (open >= 0 && product.min() <= 0))
    formula.fail(group.place, "an axis of size " + size.str() +
                                  " is not made up of " + toString(known) +
                                  (open < 0 ? "" : " and another size") +
                                  explainDifference(size, whole));
  return sizes;
}

Tensor Tensor::rearrange(std::string_view text, const NamedSizes &given) const {
  Formula formula(text);
  std::vector<Name> names = namesOf(formula.left);
  for (auto it = given.begin(); it != given.end(); ++it) {
    if (it->first == "..." || !find(names, {it->first, 0}))
      formula.fail(0, "a size is given for '" + it->first +
                          "', which is not an axis of the formula");
    if (std::find_if(given.begin(), it, [&](const auto &entry) {
          return entry.first == it->first;
        }) != it)
      formula.fail(find(names, {it->first, 0})->place,
                   "two sizes are given for '" + it->first + "'");
  }
  const bool hasEllipsis = find(names, {"...", 0});
  const int64_t more =
      ndim() - int64_t(formula.left.size()) + (hasEllipsis ? 1 : 0);
  if (more < 0 || (!hasEllipsis && more > 0))
    formula.fail(0, "the left side has " +
                        std::to_string(int64_t(formula.left.size()) -
                                       (hasEllipsis ? 1 : 0)) +
                        " axes, the tensor has shape " + toString(shape()));
  if (hasEllipsis)
    formula.resolveEllipsis(more);

  names = namesOf(formula.left);
  Shape split;
  for (int64_t axis = 0; axis < ndim(); ++axis) {
    const Shape sizes =
        sizesOf(formula, formula.left[axis], shape()[axis], given);
    split.insert(split.end(), sizes.begin(), sizes.end());
  }
  std::vector<int64_t> order;
  Shape joined;
  for (const Group &group : formula.right) {
    SymInt size = 1;
    for (const Name &name : group.names) {
      const int64_t axis = find(names, name) - names.data();
      order.push_back(axis);
      size *= split[axis];
    }
    joined.push_back(size);
  }
  return reshape(split).permute(order).reshape(joined);
}
