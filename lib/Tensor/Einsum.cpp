//===- Einsum.cpp - sums of products by formula ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Einstein notation. Two operands at a time become one product of broadcast
/// views and one sum, the form that the scheduler recognizes as a matrix
/// product.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

using namespace tinygrad;
using namespace tinygrad::detail;

namespace {
/// An axis of the formula: a letter, or a negative number for an axis of the
/// ellipsis, whose last axis is -1.
using Label = int;

/// The letters of one operand or of the result.
struct Term {
  std::vector<Label> letters;
  /// Positions of the letters and of the term in the formula, for messages.
  std::vector<std::size_t> places;
  std::size_t place;
  /// The number of letters before the ellipsis, if there is one.
  std::optional<std::size_t> ellipsis;
};

struct Formula {
  std::string text;
  std::vector<Term> operands;
  std::optional<Term> result;

  explicit Formula(std::string_view text);

  std::string quote(std::size_t place) const {
    return "character " + std::to_string(place + 1) + " of \"" + text + "\"";
  }
  [[noreturn]] void fail(std::size_t place, const std::string &what) const {
    throw Error("einsum: " + what + ": " + quote(place));
  }
};

/// A tensor whose axes are labeled; the labels are distinct.
struct Factor {
  Tensor tensor;
  std::vector<Label> labels;

  bool has(Label label) const {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  }
};

/// The size of the axes with each label.
using Sizes = std::map<Label, SymInt>;
} // namespace

Formula::Formula(std::string_view given) : text(given) {
  std::vector<Term> terms(1);
  terms[0].place = 0;
  bool isResult = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = text[i];
    Term &term = terms.back();
    if (c == ' ')
      continue;
    if (std::isalpha(c)) {
      if (isResult && std::find(term.letters.begin(), term.letters.end(),
                                Label(c)) != term.letters.end())
        fail(i, std::string("the result has '") + char(c) + "' twice");
      term.letters.push_back(c);
      term.places.push_back(i);
    } else if (c == ',' && !isResult) {
      terms.emplace_back().place = i + 1;
    } else if (text.compare(i, 3, "...") == 0) {
      if (term.ellipsis)
        fail(i, "an operand, or the result, has a second ellipsis");
      term.ellipsis = term.letters.size();
      i += 2;
    } else if (text.compare(i, 2, "->") == 0 && !isResult) {
      isResult = true;
      terms.emplace_back().place = i + 2;
      ++i;
    } else {
      fail(i, std::string("unexpected '") + char(c) +
                  "', where a letter, ',', '...' or one '->' is expected");
    }
  }
  if (isResult) {
    result = std::move(terms.back());
    terms.pop_back();
  }
  operands = std::move(terms);
}

static std::string nameOf(Label label) {
  return label < 0 ? "axis " + std::to_string(label) + " of the ellipsis"
                   : std::string("'") + char(label) + "'";
}

static std::string describeAll(const std::vector<Tensor> &operands) {
  std::string text;
  for (const Tensor &operand : operands)
    text += (text.empty() ? "" : ", ") + toString(operand.shape());
  return text;
}

/// The labels of a term whose ellipsis stands for \p count axes.
static std::vector<Label> labelsOf(const Term &term, int64_t count) {
  std::vector<Label> labels = term.letters;
  std::vector<Label> inner;
  for (int64_t i = count; i > 0; --i)
    inner.push_back(Label(-i));
  if (term.ellipsis)
    labels.insert(labels.begin() + int64_t(*term.ellipsis), inner.begin(),
                  inner.end());
  return labels;
}

/// Determines the size of each label. Throws ShapeError unless the operands
/// match the formula.
static Sizes checkSizes(const Formula &formula,
                        const std::vector<Tensor> &operands,
                        std::vector<std::vector<Label>> &labels) {
  Sizes sizes;
  std::map<Label, std::size_t> source;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Term &term = formula.operands[i];
    const Shape &shape = operands[i].shape();
    const int64_t count = int64_t(shape.size()) - int64_t(term.letters.size());
    if (count < 0 || (count > 0 && !term.ellipsis))
      throw ShapeError(
          "einsum: operand " + std::to_string(i) + " of shape " +
          toString(shape) + " has " + std::to_string(shape.size()) +
          " axes, not " + std::to_string(term.letters.size()) +
          (term.ellipsis ? " or more" : "") + ": " + formula.quote(term.place));
    labels.push_back(labelsOf(term, count));
    std::map<Label, SymInt> own;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const Label label = labels[i][axis];
      const SymInt size = shape[axis];
      const auto fail = [&](std::size_t other, SymInt otherSize) {
        std::size_t place = term.place;
        for (std::size_t k = 0; k < term.letters.size(); ++k)
          if (term.letters[k] == label)
            place = term.places[k];
        throw ShapeError("einsum: " + nameOf(label) + " is " + otherSize.str() +
                         " in operand " + std::to_string(other) + " of shape " +
                         toString(operands[other].shape()) + " and " +
                         size.str() + " in operand " + std::to_string(i) +
                         " of shape " + toString(shape) +
                         explainDifference(otherSize, size) + ": " +
                         formula.quote(place));
      };
      if (const auto it = own.find(label);
          it != own.end() && it->second != size)
        fail(i, it->second);
      own[label] = size;
      const auto [it, isNew] = sizes.emplace(label, size);
      if (isNew || it->second == 1) {
        it->second = size;
        source[label] = i;
      } else if (size != 1 && size != it->second) {
        fail(source[label], it->second);
      }
    }
  }
  return sizes;
}

/// The labels of the result's axes.
static std::vector<Label> resultLabels(const Formula &formula,
                                       const std::vector<Tensor> &operands,
                                       const Sizes &sizes) {
  int64_t ellipsis = 0;
  for (const auto &[label, size] : sizes)
    ellipsis += label < 0;
  if (formula.result) {
    for (std::size_t i = 0; i < formula.result->letters.size(); ++i)
      if (!sizes.count(formula.result->letters[i]))
        formula.fail(formula.result->places[i],
                     nameOf(formula.result->letters[i]) +
                         " is in no operand, of shapes " +
                         describeAll(operands));
    return labelsOf(*formula.result, ellipsis);
  }
  std::map<Label, int> times;
  for (const Term &term : formula.operands)
    for (Label label : term.letters)
      ++times[label];
  Term result;
  result.ellipsis = 0;
  for (const auto &[label, count] : times)
    if (count == 1)
      result.letters.push_back(label);
  return labelsOf(result, ellipsis);
}

/// The diagonal of two axes of equal size, as the first of them.
static Tensor diagonalOf(const Tensor &x, int64_t first, int64_t second) {
  std::vector<int64_t> order;
  for (int64_t axis = 0; axis < x.ndim(); ++axis)
    if (axis != first && axis != second)
      order.push_back(axis);
  std::vector<int64_t> back(order.size() + 1);
  order.insert(order.end(), {first, second});
  // Diagonal elements are size + 1 apart in the flattened matrix: rows of that
  // length have them in the first column.
  const SymInt size = x.shape()[first];
  Tensor rows = x.permute(order).flatten(-2);
  std::vector<PadAmount> amounts(std::size_t(rows.ndim()));
  amounts.back() = {0, size};
  rows = rows.pad(amounts).unflatten(-1, {size, size + 1});
  Parts part{std::size_t(rows.ndim())};
  part.back() = {0, 1};
  Tensor diagonal = rows.shrink(part).squeeze(-1);
  // Moves the diagonal from the end to the position of the first axis.
  for (int64_t axis = 0; axis < diagonal.ndim(); ++axis)
    back[axis] = axis < first    ? axis
                 : axis == first ? diagonal.ndim() - 1
                                 : axis - 1;
  return diagonal.permute(back);
}

/// An operand with one axis for each label; axes of size 1 are dropped.
static Factor factorOf(Tensor x, std::vector<Label> labels) {
  for (std::size_t second = 0; second < labels.size();) {
    const auto it = std::find(labels.begin(), labels.begin() + int64_t(second),
                              labels[second]);
    const int64_t first = it - labels.begin();
    if (first == int64_t(second)) {
      ++second;
      continue;
    }
    x = diagonalOf(x, first, int64_t(second));
    labels.erase(labels.begin() + int64_t(second));
  }
  std::vector<Label> kept;
  for (std::size_t axis = 0; axis < labels.size(); ++axis)
    if (x.shape()[axis] != 1)
      kept.push_back(labels[axis]);
  return {x.squeeze(), std::move(kept)};
}

/// A view with one axis for each of \p labels, of size 1 where the factor does
/// not have the label.
static Tensor align(const Factor &factor, const std::vector<Label> &labels) {
  std::vector<int64_t> order;
  Shape shape;
  for (Label label : labels) {
    const auto it =
        std::find(factor.labels.begin(), factor.labels.end(), label);
    const int64_t axis = it - factor.labels.begin();
    if (it != factor.labels.end())
      order.push_back(axis);
    shape.push_back(it == factor.labels.end() ? 1
                                              : factor.tensor.shape()[axis]);
  }
  return factor.tensor.permute(order).reshape(shape);
}

static Factor sumOver(const Factor &factor, const std::vector<Label> &kept) {
  Factor result;
  std::vector<int64_t> summed;
  for (std::size_t axis = 0; axis < factor.labels.size(); ++axis) {
    const Label label = factor.labels[axis];
    if (std::find(kept.begin(), kept.end(), label) != kept.end())
      result.labels.push_back(label);
    else
      summed.push_back(int64_t(axis));
  }
  result.tensor = summed.empty()
                      ? factor.tensor
                      : factor.tensor.sum(summed, false, factor.tensor.dtype());
  return result;
}

/// The product of two factors, summed over all labels except \p kept.
static Factor multiply(const Factor &a, const Factor &b,
                       const std::vector<Label> &kept) {
  std::vector<Label> all;
  for (Label label : kept)
    if (a.has(label) || b.has(label))
      all.push_back(label);
  Factor result;
  result.labels = all;
  for (const Factor *factor : {&a, &b})
    for (Label label : factor->labels)
      if (std::find(all.begin(), all.end(), label) == all.end())
        all.push_back(label);
  std::vector<int64_t> summed;
  for (std::size_t axis = result.labels.size(); axis < all.size(); ++axis)
    summed.push_back(int64_t(axis));
  Tensor product = align(a, all) * align(b, all);
  result.tensor =
      summed.empty() ? product : product.sum(summed, false, product.dtype());
  return result;
}

/// The labels of two factors that the result or another factor needs: first the
/// common ones, then those of the first factor, then those of the second.
static std::vector<Label> keptLabels(const std::vector<Factor> &factors,
                                     std::size_t a, std::size_t b,
                                     const std::vector<Label> &result) {
  std::vector<Label> kept[3];
  const auto isKept = [&](Label label) {
    if (std::find(result.begin(), result.end(), label) != result.end())
      return true;
    for (std::size_t i = 0; i < factors.size(); ++i)
      if (i != a && i != b && factors[i].has(label))
        return true;
    return false;
  };
  for (Label label : factors[a].labels)
    if (isKept(label))
      kept[factors[b].has(label) ? 0 : 1].push_back(label);
  for (Label label : factors[b].labels)
    if (isKept(label) && !factors[a].has(label))
      kept[2].push_back(label);
  for (int i : {1, 2})
    kept[0].insert(kept[0].end(), kept[i].begin(), kept[i].end());
  return kept[0];
}

Tensor Tensor::einsum(std::string_view text,
                      const std::vector<Tensor> &operands,
                      std::optional<DType> dtype) {
  const MethodScope method("einsum");
  const Formula formula(text);
  if (operands.size() != formula.operands.size() || operands.empty())
    throw ShapeError("einsum: \"" + formula.text + "\" is of " +
                     std::to_string(formula.operands.size()) +
                     " operands; there are " + std::to_string(operands.size()) +
                     (operands.empty() ? "" : ", of shapes ") +
                     describeAll(operands));
  DType common = operands[0].dtype();
  for (const Tensor &operand : operands) {
    checkOperands({&operands[0], &operand});
    common = promote(common, operand.dtype());
  }
  std::vector<std::vector<Label>> labels;
  const Sizes sizes = checkSizes(formula, operands, labels);
  const std::vector<Label> result = resultLabels(formula, operands, sizes);
  Shape shape;
  for (Label label : result)
    shape.push_back(sizes.at(label));
  const DType accumulate = sumAccumulationDType(dtype.value_or(common));
  checkedNumElements(shape, accumulate, "einsum");

  std::vector<Factor> factors;
  for (std::size_t i = 0; i < operands.size(); ++i)
    factors.push_back(factorOf(operands[i].cast(accumulate), labels[i]));
  const auto sizeOf = [&](const std::vector<Label> &axes) {
    double size = 1;
    for (Label label : axes)
      size *= double(sizes.at(label).max());
    return size;
  };
  // Labels of only one factor are summed before any product.
  if (factors.size() > 1)
    for (std::size_t i = 0; i < factors.size(); ++i)
      factors[i] = sumOver(factors[i], keptLabels(factors, i, i, result));
  while (factors.size() > 1) {
    // Greedy choice: pairs with a common label come first, then the least work
    // decides, then the smallest product.
    std::size_t first = 0, second = 0;
    std::vector<Label> best;
    std::tuple<bool, double, double> least;
    for (std::size_t a = 0; a < factors.size(); ++a)
      for (std::size_t b = a + 1; b < factors.size(); ++b) {
        std::vector<Label> all = factors[a].labels;
        for (Label label : factors[b].labels)
          if (!factors[a].has(label))
            all.push_back(label);
        const bool isOuter =
            all.size() == factors[a].labels.size() + factors[b].labels.size();
        std::vector<Label> kept = keptLabels(factors, a, b, result);
        const std::tuple cost{isOuter, sizeOf(all), sizeOf(kept)};
        if (second == 0 || cost < least) {
          first = a;
          second = b;
          least = cost;
          best = std::move(kept);
        }
      }
    // The axes of the last product are in the order of the result.
    Factor product = multiply(factors[first], factors[second],
                              factors.size() == 2 ? result : best);
    factors.erase(factors.begin() + int64_t(second));
    factors[first] = std::move(product);
  }
  const Factor whole = sumOver(factors[0], result);
  return prim::alias(align(whole, result).cast(dtype.value_or(common)));
}
