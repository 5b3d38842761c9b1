//===- CompareKernels.cpp - whether two kernels store the same ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Chooses sizes and elements, and compares what kernels store there.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Validate/CompareKernels.h"
#include "SymbolicKernel.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "llvm/ADT/STLExtras.h"
#include <random>

using namespace mlir;
using namespace mlir::tg;

/// More combinations of sizes are not tried.
static constexpr size_t kMostInstances = 6;
/// Elements that are compared in any case, however many operations they take.
static constexpr size_t kLeastElements = 4;
/// Positions of updates whose element is read from memory.
static constexpr size_t kMostUpdates = 1 << 15;
/// A pool with more expressions is replaced by a new one.
static constexpr size_t kMostExpressions = size_t(1) << 22;

struct KernelComparison::Instance {
  llvm::StringMap<int64_t> sizes;
  std::string description; ///< of the sizes
  std::unique_ptr<ExpressionPool> pool;
  std::unique_ptr<SymbolicKernel> expected;
  SmallVector<BufferElement> elements;
  size_t elementCount = 0;
  bool isComplete = false;
  std::optional<std::vector<SymbolicUpdate>> updates;

  void reset(KernelOp kernel) {
    updates.reset();
    expected.reset();
    pool = std::make_unique<ExpressionPool>(kernel.getContext());
    expected = std::make_unique<SymbolicKernel>(kernel, *pool, sizes);
    // What owners update is compared under conditions.
    if (!expected->getSymbolicStores().empty())
      pool->keepTerms();
  }
};

KernelComparison::~KernelComparison() = default;

KernelComparison::KernelComparison(KernelOp expected, ArrayRef<int64_t> numbers)
    : expected(expected), boundaries(numbers) {
  llvm::erase_if(boundaries, [](int64_t number) { return number < 2; });
  llvm::sort(boundaries);
  boundaries.erase(llvm::unique(boundaries), boundaries.end());
  SmallVector<VarAttr> variables;
  if (FailureOr<SmallVector<VarAttr>> found = collectVariables(expected);
      succeeded(found))
    variables = *found;
  // All variables at their least, at their greatest and at other values, each
  // at another one.
  std::mt19937_64 random(17);
  SmallVector<llvm::StringMap<int64_t>> sizes;
  for (size_t i = 0; i < (variables.empty() ? 1 : kMostInstances); ++i) {
    llvm::StringMap<int64_t> values;
    for (VarAttr variable : variables) {
      const int64_t least = variable.getMin(), most = variable.getMax();
      int64_t value = i == 0 ? least : most;
      if (i >= 2) {
        // Small ones, those around what ranges are divided by, and any.
        SmallVector<int64_t> candidates = {least + 1, 1, 2, 3,
                                           least + (most - least) / 2};
        for (int64_t boundary : boundaries)
          llvm::append_range(candidates,
                             ArrayRef({boundary - 1, boundary, boundary + 1}));
        llvm::erase_if(candidates, [&](int64_t candidate) {
          return candidate < least || candidate > most;
        });
        if (!candidates.empty())
          value = candidates[random() % candidates.size()];
      }
      values[variable.getName().getValue()] = value;
    }
    if (!llvm::is_contained(sizes, values))
      sizes.push_back(values);
  }
  for (const llvm::StringMap<int64_t> &values : sizes) {
    auto instance = std::make_unique<Instance>();
    instance->sizes = values;
    for (VarAttr variable : variables) {
      instance->description += instance->description.empty() ? " where " : ", ";
      instance->description +=
          (variable.getName().getValue() + " = " +
           Twine(values.lookup(variable.getName().getValue())))
              .str();
    }
    instance->reset(expected);
    instances.push_back(std::move(instance));
  }
}

Verdict KernelComparison::compare(KernelOp actual, Effort effort) {
  Verdict verdict;
  for (const std::unique_ptr<Instance> &instance : instances) {
    Effort own = effort;
    own.operations /= instances.size();
    compare(*instance, actual, own, verdict);
    if (verdict.kind == Verdict::Kind::different)
      break;
  }
  return verdict;
}

static void setNotCovered(Verdict &verdict, const Twine &text) {
  verdict.isComplete = false;
  if (verdict.kind != Verdict::Kind::same)
    return;
  verdict.kind = Verdict::Kind::notCovered;
  verdict.text = text.str();
}

static void setDifferent(Verdict &verdict, const Twine &text) {
  verdict.kind = Verdict::Kind::different;
  verdict.text = text.str();
}

void KernelComparison::describeElement(Instance &instance, KernelOp actual,
                                       BufferElement element,
                                       Verdict &verdict) {
  // Once more, with the terms of all sums.
  ExpressionPool pool(expected.getContext());
  pool.keepTerms();
  SymbolicKernel one(expected, pool, instance.sizes),
      other(actual, pool, instance.sizes);
  const SymbolicValue wanted = one.getResult(element),
                      found = other.getResult(element);
  const Type type = one.getType(element);
  setDifferent(verdict, "element " + Twine(element.index) + " of argument " +
                            Twine(element.argument) + instance.description +
                            " would be " + pool.describe(found, type) +
                            " instead of " + pool.describe(wanted, type) +
                            "; it has to be " +
                            pool.describeDifference(wanted, found, type));
}

void KernelComparison::compare(Instance &instance, KernelOp kernel,
                               Effort effort, Verdict &verdict) {
  if (instance.pool->size() > kMostExpressions)
    instance.reset(this->expected);
  SymbolicKernel &expected = *instance.expected;
  SymbolicKernel actual(kernel, *instance.pool, instance.sizes);
  expected.setLimit(expected.getWork() + effort.limit);
  actual.setLimit(effort.limit);
  expected.clearError();
  const uint64_t begin = expected.getWork();
  // Whether something went wrong, and has been said.
  auto hasEnded = [&] {
    if (expected.getError().empty() && actual.getError().empty())
      return false;
    const bool ofActual = expected.getError().empty();
    const std::string &error =
        ofActual ? actual.getError() : expected.getError();
    if (ofActual && actual.isFault())
      setDifferent(verdict, Twine(error) + instance.description);
    else
      setNotCovered(verdict, error);
    return true;
  };

  bool isComplete = true;
  if (instance.elementCount < effort.elements && !instance.isComplete) {
    instance.elements = expected.sampleElements(effort.elements, boundaries,
                                                instance.isComplete);
    instance.elementCount = effort.elements;
  }
  isComplete &= instance.isComplete;
  SmallVector<BufferElement> elements = instance.elements;
  bool isCompleteActual = true;
  SmallVector<BufferElement> ofActual =
      actual.sampleElements(effort.elements, boundaries, isCompleteActual);
  isComplete &= isCompleteActual;
  if (hasEnded())
    return;
  // The first position of either kernel, the last one, then any: effort may end
  // before all of them.
  std::mt19937_64 random(5);
  const size_t own = elements.size();
  llvm::DenseSet<std::pair<unsigned, int64_t>> seen;
  for (const BufferElement &element : elements)
    seen.insert({element.argument, element.index});
  for (const BufferElement &element : ofActual)
    if (seen.insert({element.argument, element.index}).second)
      elements.push_back(element);
  SmallVector<size_t> order(elements.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  for (size_t first : {own, size_t(1), size_t(0)})
    if (first < order.size())
      std::rotate(order.begin(), llvm::find(order, first),
                  llvm::find(order, first) + 1);
  uint64_t compared = 0;
  for (size_t i : order) {
    if (compared >= kLeastElements &&
        expected.getWork() - begin + actual.getWork() > effort.operations) {
      isComplete = false;
      break;
    }
    const SymbolicValue wanted = expected.getResult(elements[i]);
    const SymbolicValue found =
        expected.getError().empty() ? actual.getResult(elements[i]) : wanted;
    if (hasEnded()) {
      verdict.elements += compared;
      return;
    }
    ++compared;
    if (wanted != found) {
      verdict.elements += compared;
      return describeElement(instance, kernel, elements[i], verdict);
    }
    if (!KernelOp(kernel).getInPlace())
      continue;
    if (std::optional<std::string> late = actual.findLateRead(elements[i]);
        late && !expected.findLateRead(elements[i])) {
      verdict.elements += compared;
      return setDifferent(verdict, *late + instance.description);
    }
  }
  verdict.elements += compared;
  verdict.isComplete &= isComplete;
  compareUpdates(instance, actual, effort, verdict);
}

//===----------------------------------------------------------------------===//
// Elements whose number is read from memory
//===----------------------------------------------------------------------===//

namespace {
/// An update as it is compared: under its mask, its operands are simplified.
struct Simplified {
  unsigned store;
  ExpressionId index, mask, value;

  auto getTuple() const { return std::tuple(store, index, mask, value); }
  bool operator<(const Simplified &other) const {
    return getTuple() < other.getTuple();
  }
  bool operator==(const Simplified &other) const {
    return getTuple() == other.getTuple();
  }
};
} // namespace

/// Conditions that the number of the element has a remainder by one of \p
/// divisors are left out of the mask.
static Simplified simplify(ExpressionPool &pool, const SymbolicUpdate &update,
                           Type type, ArrayRef<int64_t> divisors = {}) {
  SmallVector<ExpressionId> conditions = pool.getConjuncts(update.mask);
  SmallVector<int64_t> left(divisors);
  SymbolicValue mask = SymbolicValue::ofNumber(1);
  for (ExpressionId condition : conditions) {
    std::optional<ExpressionPool::Remainder> known =
        left.empty() ? std::nullopt : pool.getRemainder(condition);
    if (auto *it = known ? llvm::find(left, known->divisor) : left.end();
        it != left.end())
      left.erase(it);
    else
      mask = pool.conjunction(mask, SymbolicValue::ofExpression(condition));
  }
  MLIRContext *context = type.getContext();
  return {update.store,
          pool.getId(pool.assume(update.index, conditions),
                     IndexType::get(context)),
          pool.getId(mask, IntegerType::get(context, 1)),
          pool.getId(pool.assume(update.value, conditions), type)};
}

namespace {
/// Whether updates by owners of elements are those of a list: each owner makes
/// all of them under the condition that the number of the element has its
/// remainder. Owners may share the elements of an owner again.
class OwnedUpdates {
public:
  OwnedUpdates(ExpressionPool &pool, ArrayRef<SymbolicUpdate> wanted,
               bool isOrdered,
               function_ref<Type(const SymbolicUpdate &)> getType)
      : pool(pool), isOrdered(isOrdered), getType(getType),
        wanted(simplifyAll(wanted, {})) {}

  /// If not, `text` says why.
  bool matches(ArrayRef<SymbolicUpdate> updates,
               SmallVector<int64_t> divisors = {}) {
    if (simplifyAll(updates, divisors) == wanted)
      return true;
    constexpr size_t mostLevels = 4;
    if (divisors.size() == mostLevels)
      return false;
    llvm::SetVector<int64_t> candidates;
    for (const SymbolicUpdate &update : updates)
      for (const auto &[divisor, remainder] : getRemainders(update, divisors))
        candidates.insert(divisor);
    for (int64_t divisor : candidates) {
      llvm::MapVector<int64_t, std::vector<SymbolicUpdate>> owners;
      for (const SymbolicUpdate &update : updates) {
        int64_t owner = -1;
        for (const auto &[other, remainder] : getRemainders(update, divisors))
          if (other == divisor && owner < 0)
            owner = remainder;
        owners[owner].push_back(update);
      }
      SmallVector<int64_t> longer(divisors);
      longer.push_back(divisor);
      bool isSame = static_cast<int64_t>(owners.size()) == divisor;
      if (!isSame)
        text = std::to_string(owners.size()) + " owners instead of " +
               std::to_string(divisor) + " update elements";
      for (auto &[owner, list] : owners) {
        if (!isSame)
          break;
        isSame = owner >= 0 && owner < divisor && matches(list, longer);
        if (!isSame)
          text = "owner " + std::to_string(owner) + " of " +
                 std::to_string(divisor) +
                 " does not make the updates of its elements, in their order";
      }
      if (isSame)
        return true;
    }
    return false;
  }

  std::string text =
      "updates of elements whose number is read from memory differ";

private:
  std::vector<Simplified> simplifyAll(ArrayRef<SymbolicUpdate> updates,
                                      ArrayRef<int64_t> divisors) {
    std::vector<Simplified> list;
    list.reserve(updates.size());
    for (const SymbolicUpdate &update : updates)
      list.push_back(simplify(pool, update, getType(update), divisors));
    if (!isOrdered)
      llvm::sort(list);
    return list;
  }

  /// Divisors and remainders of the conditions that are in the mask, without
  /// one for each of \p divisors.
  SmallVector<std::pair<int64_t, int64_t>>
  getRemainders(const SymbolicUpdate &update, ArrayRef<int64_t> divisors) {
    SmallVector<std::pair<int64_t, int64_t>> remainders;
    SmallVector<int64_t> left(divisors);
    for (ExpressionId condition : pool.getConjuncts(update.mask)) {
      std::optional<ExpressionPool::Remainder> known =
          pool.getRemainder(condition);
      if (!known)
        continue;
      if (auto *it = llvm::find(left, known->divisor); it != left.end())
        left.erase(it);
      else
        remainders.emplace_back(known->divisor, known->remainder);
    }
    return remainders;
  }

  ExpressionPool &pool;
  bool isOrdered;
  function_ref<Type(const SymbolicUpdate &)> getType;
  std::vector<Simplified> wanted;
};
} // namespace

void KernelComparison::compareUpdates(Instance &instance,
                                      SymbolicKernel &actual, Effort effort,
                                      Verdict &verdict) {
  SymbolicKernel &expected = *instance.expected;
  const auto stores = expected.getSymbolicStores(),
             ofActual = actual.getSymbolicStores();
  if (stores != ofActual)
    return setDifferent(verdict, "other buffers are updated, or otherwise");
  if (stores.empty())
    return;
  const size_t most =
      effort.operations == Effort::whole().operations / instances.size()
          ? kMostUpdates
          : kMostUpdates / 8;
  if (!instance.updates)
    instance.updates = expected.getSymbolicUpdates(kMostUpdates);
  std::optional<std::vector<SymbolicUpdate>> found =
      instance.updates && instance.updates->size() <= most
          ? actual.getSymbolicUpdates(32 * most)
          : std::nullopt;
  if (!actual.getError().empty() && actual.isFault())
    return setDifferent(verdict,
                        Twine(actual.getError()) + instance.description);
  if (!found)
    return setNotCovered(verdict, "it has too many updates");
  ExpressionPool &pool = *instance.pool;
  // Only `set` depends on the order.
  const bool isOrdered = llvm::any_of(stores, [](const auto &store) {
    return store.second == UpdateKind::set;
  });
  auto getType = [&](const SymbolicUpdate &update) {
    return expected.getType({stores[update.store].first, 0});
  };
  OwnedUpdates updates(pool, *instance.updates, isOrdered, getType);
  verdict.elements += instance.updates->size();
  if (updates.matches(*found))
    return;
  auto isOfKnown = [](const SymbolicUpdate &update) {
    return update.index.isNumber();
  };
  if (llvm::any_of(*found, isOfKnown) &&
      llvm::none_of(*instance.updates, isOfKnown))
    setNotCovered(verdict, "each owner updates one element");
  else
    setDifferent(verdict, Twine(updates.text) + instance.description);
}
