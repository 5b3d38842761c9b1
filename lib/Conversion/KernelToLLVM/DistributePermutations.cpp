//===- DistributePermutations.cpp - permuted indices as sums --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-distribute-permutations pass.
///
/// With P(x) = x ^ flipped(x) for a Permutation, whose rows repeat after a
/// number of elements that is a power of two, the period:
///
/// - P(x + y) = P(x) + y if y is a multiple of the period.
/// - P(x + y) = P(x) ^ P(y) if x and y have no bit in common, since P is linear
///   over bits.
/// - x ^ y = x + y if x and y have no bit in common.
///
/// LLVM finds none of these: it knows neither that the sums have no carries,
/// nor the ranges of indices.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "TinyGrad/Dialect/Tg/Utils/Permutation.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGDISTRIBUTEPERMUTATIONS
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Sums with more terms are left alone. A value that is a term of several sums
/// counts for each of them: adding it up would take exponential time.
static constexpr unsigned kMaxTerms = 64;

namespace {
/// A sum of values times numbers, in the order in which a function first has
/// the values, so that equal sums become equal code.
struct Sum {
  uint64_t constant = 0;
  SmallVector<std::pair<Value, uint64_t>, 8> terms;
};

class Distributor {
public:
  explicit Distributor(FunctionOpInterface func) : func(func) {
    dataflow::loadBaselineAnalyses(solver);
    solver.load<dataflow::IntegerRangeAnalysis>();
  }

  void run();

private:
  /// The terms of a sum while it is taken apart.
  struct Terms {
    llvm::SmallMapVector<Value, uint64_t, 8> factors;
    uint64_t constant = 0;
    unsigned visited = 0;
  };
  /// Adds \p value times \p factor; false if there are too many terms.
  static bool add(Value value, uint64_t factor, Terms &terms);
  std::optional<Sum> split(Value index);
  /// The most that a value can be; none if it may be negative.
  std::optional<uint64_t> getMax(Value value);
  /// The bits that a sum of terms without its constant may have.
  uint64_t getBits(ArrayRef<std::pair<Value, uint64_t>> terms);
  void distribute(arith::XOrIOp op, const Permutation &permutation,
                  const Sum &sum);

  FunctionOpInterface func;
  DataFlowSolver solver;
  DenseMap<Value, unsigned> numbers;
};
} // namespace

bool Distributor::add(Value value, uint64_t factor, Terms &terms) {
  if (++terms.visited > kMaxTerms)
    return false;
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number))) {
    terms.constant += factor * number.getZExtValue();
    return true;
  }
  if (auto op = value.getDefiningOp<arith::AddIOp>())
    return add(op.getLhs(), factor, terms) && add(op.getRhs(), factor, terms);
  if (auto op = value.getDefiningOp<arith::MulIOp>();
      op && matchPattern(op.getRhs(), m_ConstantInt(&number)))
    return add(op.getLhs(), factor * number.getZExtValue(), terms);
  terms.factors[value] += factor;
  return true;
}

std::optional<Sum> Distributor::split(Value index) {
  Terms terms;
  if (!add(index, 1, terms))
    return std::nullopt;
  Sum sum;
  sum.constant = terms.constant;
  for (auto [value, factor] : terms.factors)
    if (factor != 0)
      sum.terms.push_back({value, factor});
  for (auto &term : sum.terms)
    numbers.try_emplace(term.first, numbers.size());
  llvm::sort(sum.terms, [&](const auto &a, const auto &b) {
    return numbers.lookup(a.first) < numbers.lookup(b.first);
  });
  return sum;
}

std::optional<uint64_t> Distributor::getMax(Value value) {
  const auto *state =
      solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  if (!state || state->getValue().isUninitialized())
    return std::nullopt;
  const ConstantIntRanges &range = state->getValue().getValue();
  if (range.smin().isNegative())
    return std::nullopt;
  return range.umax().getZExtValue();
}

uint64_t Distributor::getBits(ArrayRef<std::pair<Value, uint64_t>> terms) {
  uint64_t bits = 0;
  for (auto [value, factor] : terms) {
    const uint64_t least = uint64_t(1) << llvm::countr_zero(factor);
    const std::optional<uint64_t> max = getMax(value);
    bool overflows = true;
    const uint64_t greatest =
        max ? llvm::SaturatingMultiply(factor, *max, &overflows) : 0;
    // From the lowest bit of the factor to the highest one of the product.
    uint64_t own = ~(least - 1);
    if (!overflows)
      own &= greatest == 0 ? 0 : ~uint64_t(0) >> llvm::countl_zero(greatest);
    // Carries may reach any higher bit.
    if (bits & own)
      return ~(std::min(least, bits & -bits) - 1);
    bits |= own;
  }
  return bits;
}

void Distributor::distribute(arith::XOrIOp op, const Permutation &permutation,
                             const Sum &sum) {
  const uint64_t period = permutation.getPeriod();
  Sum inner, outer;
  bool mayOverflow = false;
  for (auto [value, factor] : sum.terms) {
    mayOverflow |= int64_t(factor) < 0 || !getMax(value);
    (factor % period == 0 ? outer : inner).terms.push_back({value, factor});
  }
  inner.constant = sum.constant % period;
  outer.constant = sum.constant - inner.constant;
  mayOverflow |= int64_t(outer.constant) < 0;
  const uint64_t bits = getBits(inner.terms);
  uint64_t flipped = 0;
  if ((bits & inner.constant) == 0) {
    const uint64_t permuted =
        inner.constant ^ permutation.getFlipped(inner.constant);
    const uint64_t permutedBits = bits | permutation.getFlipped(bits);
    flipped = permuted & permutedBits;
    outer.constant += permuted & ~permutedBits;
    inner.constant = 0;
  }

  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto number = [&](uint64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, int64_t(value));
  };
  using Flags = arith::IntegerOverflowFlags;
  auto build = [&](Value first, const Sum &part, Flags flags) -> Value {
    Value result = first;
    auto append = [&](Value term) {
      result = result ? arith::AddIOp::create(b, result, term, flags) : term;
    };
    for (auto [value, factor] : part.terms)
      append(factor == 1
                 ? value
                 : arith::MulIOp::create(b, value, number(factor), flags));
    if (part.constant != 0 || !result)
      append(number(part.constant));
    return result;
  };
  // Also where there is nothing to take out: another index may share it.
  Value original = build(Value(), inner, Flags::none);
  auto getRow = [&](unsigned bits, uint64_t mask) -> Value {
    Value row = arith::ShRUIOp::create(b, original, number(bits));
    return arith::AndIOp::create(b, row, number(mask));
  };
  Value row = getRow(permutation.rowBits, permutation.rowMask);
  if (permutation.farMask != 0)
    row = arith::OrIOp::create(
        b, row, getRow(permutation.rowBits + 1, permutation.farMask));
  Value permuted = arith::XOrIOp::create(
      b, original,
      arith::ShLIOp::create(b, row, number(permutation.chunkBits)));
  if (flipped != 0)
    permuted = arith::XOrIOp::create(b, permuted, number(flipped));
  // Nothing is negative, and no sum is more than the index. LLVM needs to know
  // to make the constant a part of the instruction.
  const Flags flags = mayOverflow ? Flags::none : Flags::nsw | Flags::nuw;
  op.replaceAllUsesWith(build(permuted, outer, flags));
}

void Distributor::run() {
  SmallVector<std::pair<arith::XOrIOp, PermutedIndex>> found;
  func->walk([&](arith::XOrIOp op) {
    if (std::optional<PermutedIndex> index = matchPermutation(op)) {
      const Permutation &p = index->permutation;
      // What is flipped does not say what to flip.
      const uint64_t flipped = p.rowMask | p.farMask;
      if (llvm::isMask_64(p.rowMask) && llvm::isMask_64(flipped) &&
          (p.rowMask & p.farMask) == 0 &&
          p.chunkBits + llvm::popcount(flipped) <= p.rowBits &&
          p.rowBits + llvm::popcount(flipped) < 62)
        found.push_back({op, *index});
    }
  });
  if (found.empty() || failed(solver.initializeAndRun(func)))
    return;
  // All of them are split before anything is replaced.
  SmallVector<std::optional<Sum>> sums;
  for (auto &[op, index] : found)
    sums.push_back(split(index.original->get()));
  for (auto &&[place, sum] : llvm::zip_equal(found, sums))
    if (sum)
      distribute(place.first, place.second.permutation, *sum);
  // Not before: one may be a term of another.
  for (auto &[op, index] : found)
    if (op.use_empty())
      op.erase();
}

void tg::distributePermutations(FunctionOpInterface func) {
  Distributor(func).run();
}

namespace {
struct TgDistributePermutationsPass
    : tg::impl::TgDistributePermutationsBase<TgDistributePermutationsPass> {
  void runOnOperation() override { distributePermutations(getOperation()); }
};
} // namespace
