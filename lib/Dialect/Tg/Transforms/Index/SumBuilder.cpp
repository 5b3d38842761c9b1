//===- SumBuilder.cpp - sums of index values as operations ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds sums, as operations or as the measure of these.
///
//===----------------------------------------------------------------------===//

#include "SumBuilder.h"

using namespace mlir;
using namespace mlir::tg;

using Terms = SmallVector<std::pair<Value, Dim>, 4>;

/// Sums of more terms are not searched for common factors of different size.
static constexpr size_t kMaxFactored = 32;

static Dim negate(Dim dim) { return dim * Dim(dim.getContext(), -1); }
static bool isNegative(Dim dim) { return dim.getMax() < 0; }
static Dim getMagnitude(Dim dim) { return isNegative(dim) ? negate(dim) : dim; }

namespace {
/// A sum, or what is added or subtracted in one: an operation, or its measure.
struct Part {
  Value value;
  uint64_t measure = 0;
  bool negative = false;
};

/// Makes operations at a location; without one, adds up what these would
/// measure.
class SumWriter {
public:
  SumWriter(IndexRewriter &rewriter, std::optional<Location> loc)
      : rewriter(rewriter), loc(loc) {}

  Part write(const LinearForm &form);

private:
  template <typename OpT, typename... Parts> Part make(Parts... operands) {
    if (loc)
      return {OpT::create(rewriter, *loc, operands.value...).getResult()};
    return {
        {},
        IndexMeasure::ofOperation(TypeID::get<OpT>(), {operands.measure...})};
  }
  Part dim(Dim dim) {
    if (!loc)
      return {{}, IndexMeasure::ofDim(dim)};
    Type type = rewriter.getIndexType();
    if (std::optional<int64_t> number = dim.getStatic())
      return {ConstOp::create(rewriter, *loc, type, *number)};
    return {DimOp::create(rewriter, *loc, type, dim.getAttr())};
  }
  SmallVector<Part, 4> getParts(ArrayRef<std::pair<Value, Dim>> terms);
  Part addUp(Terms terms);

  IndexRewriter &rewriter;
  std::optional<Location> loc;
};
} // namespace

/// The terms as sums of what they have in common: (i*5 + j)*8 for i*40 + j*8.
SmallVector<Part, 4>
SumWriter::getParts(ArrayRef<std::pair<Value, Dim>> terms) {
  SmallVector<Part, 4> parts;
  Terms scaled;
  for (auto [atom, coefficient] : terms) {
    if (getMagnitude(coefficient).is(1))
      parts.push_back({atom, loc ? 0 : rewriter.measure.get(atom),
                       isNegative(coefficient)});
    else
      scaled.emplace_back(atom, coefficient);
  }
  auto isSmaller = [](const auto &a, const auto &b) {
    return getMagnitude(a.second).getMax() < getMagnitude(b.second).getMax();
  };
  const bool isLarge = scaled.size() > kMaxFactored;
  if (isLarge) // equal factors side by side
    llvm::stable_sort(scaled, isSmaller);
  while (!scaled.empty()) {
    // The least divides as many others as possible.
    Dim factor = getMagnitude(
        (isLarge ? scaled.front() : *llvm::min_element(scaled, isSmaller))
            .second);
    Terms divided, others;
    for (auto [i, term] : llvm::enumerate(scaled)) {
      if (isLarge && getMagnitude(term.second) != factor) {
        others.append(scaled.begin() + i, scaled.end());
        break;
      }
      if (term.second == factor) // of any sign, with variables
        divided.emplace_back(term.first, Dim(factor.getContext(), 1));
      else if (std::optional<Dim> quotient = divideExactly(term.second, factor))
        divided.emplace_back(term.first, *quotient);
      else
        others.push_back(term);
    }
    Part sum = addUp(std::move(divided));
    parts.push_back(make<MulOp>(sum, dim(factor)));
    parts.back().negative = sum.negative;
    scaled = std::move(others);
  }
  llvm::stable_sort(parts, [](const auto &a, const auto &b) {
    return !a.negative && b.negative;
  });
  return parts;
}

/// The sum of some terms, to be subtracted if all of them are.
Part SumWriter::addUp(Terms terms) {
  SmallVector<Part, 4> parts = getParts(terms);
  Part sum = parts[0];
  const bool negative = sum.negative;
  for (const Part &part : ArrayRef(parts).drop_front())
    sum = part.negative != negative ? make<SubOp>(sum, part)
                                    : make<AddOp>(sum, part);
  sum.negative = negative;
  return sum;
}

Part SumWriter::write(const LinearForm &form) {
  if (form.isDim())
    return dim(form.constant);
  Part sum = addUp(Terms(form.terms));
  if (form.constant.is(0))
    return sum.negative ? make<NegOp>(sum) : sum;
  return sum.negative ? make<SubOp>(dim(form.constant), sum)
                      : make<AddOp>(sum, dim(form.constant));
}

Value mlir::tg::buildSum(IndexRewriter &rewriter, Location loc,
                         const LinearForm &form) {
  return SumWriter(rewriter, loc).write(form).value;
}

uint64_t mlir::tg::measureSum(IndexRewriter &rewriter, const LinearForm &form) {
  return SumWriter(rewriter, std::nullopt).write(form).measure;
}

SumComparison::SumComparison(const LinearForm &difference, bool isLess)
    : lhs(difference.getContext()), rhs(difference.getContext()) {
  // 0 < positive - negative + constant
  for (auto [atom, coefficient] : difference.terms) {
    if (isNegative(coefficient))
      lhs.terms.emplace_back(atom, negate(coefficient));
    else
      rhs.terms.emplace_back(atom, coefficient);
  }
  Dim constant = difference.constant;
  bool goesLeft = rhs.isDim() ? false : lhs.isDim() || isNegative(constant);
  if (goesLeft)
    lhs.constant = negate(constant);
  else
    rhs.constant = constant;
  // Numbers are the second operand of what is commutative.
  if (!isLess && lhs.isDim())
    std::swap(lhs, rhs);
}
