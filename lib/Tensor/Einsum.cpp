//===- Einsum.cpp - sums of products by formula ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Einstein's notation. Two operands at a time become one product of broadcast
/// views with one sum over it, which is what a matrix product is to the
/// scheduler.
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
/// An axis of the formula: a letter, or the negative number of an axis of the
/// ellipsis, the last of which is -1.
using Label = int;

/// What stands between commas, or after the arrow.
struct Term {
  std::vector<Label> letters;
  /// Where each letter, and the term, is in the formula.
  std::vector<std::size_t> places;
  std::size_t place;
  /// How many letters come before the ellipsis, if there is one.
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

/// A tensor whose axes have labels, all different.
struct Factor {
  Tensor tensor;
  std::vector<Label> labels;

  bool has(Label label) const {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  }
};

/// Greatest sizes of the axes that labels stand for.
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

/// The axes of each operand, and their common sizes. Throws ShapeError unless
/// operands fit the formula.
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

/// The axes of the result.
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

/// The elements of two axes at equal positions, along the first one.
static Tensor diagonalOf(const Tensor &x, int64_t first, int64_t second) {
  std::vector<int64_t> order;
  for (int64_t axis = 0; axis < x.ndim(); ++axis)
    if (axis != first && axis != second)
      order.push_back(axis);
  std::vector<int64_t> back(order.size() + 1);
  order.insert(order.end(), {first, second});
  // A step of size + 1 in the flattened matrix, as rows of that length.
  const SymInt size = x.shape()[first];
  Tensor rows = x.permute(order).flatten(-2);
  std::vector<PadAmount> amounts(std::size_t(rows.ndim()));
  amounts.back() = {0, size};
  rows = rows.pad(amounts).unflatten(-1, {size, size + 1});
  Parts part{std::size_t(rows.ndim())};
  part.back() = {0, 1};
  Tensor diagonal = rows.shrink(part).squeeze(-1);
  // From the end to where the first axis was.
  for (int64_t axis = 0; axis < diagonal.ndim(); ++axis)
    back[axis] = axis < first    ? axis
                 : axis == first ? diagonal.ndim() - 1
                                 : axis - 1;
  return diagonal.permute(back);
}

/// An operand with one axis for each label, none of size 1.
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

/// A view with one axis for each of \p labels, of size 1 for those that the
/// factor does not have.
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

/// The product of two factors, summed over all labels but \p kept.
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

/// The labels of two factors that the result or another factor has: what both
/// have, what the first one has, what the second one has.
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
  // What only one factor has does not belong into a product.
  if (factors.size() > 1)
    for (std::size_t i = 0; i < factors.size(); ++i)
      factors[i] = sumOver(factors[i], keptLabels(factors, i, i, result));
  while (factors.size() > 1) {
    // Greedily: two factors with a label in common rather than two without, for
    // the least work, then for the smallest product.
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
    // The last product has its axes in the order of the result.
    Factor product = multiply(factors[first], factors[second],
                              factors.size() == 2 ? result : best);
    factors.erase(factors.begin() + int64_t(second));
    factors[first] = std::move(product);
  }
  const Factor whole = sumOver(factors[0], result);
  return prim::alias(align(whole, result).cast(dtype.value_or(common)));
}
