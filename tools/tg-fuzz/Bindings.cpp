//===- Bindings.cpp - values of a graph's variables -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Static copies of operations are built in separate functions, one for each
/// binding.
///
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "Generator.h"

#include "mlir/IR/Verifier.h"
#include "support/ToolSupport.h"

using namespace mlir;
using namespace mlir::tg;

/// The number of values of a variable; saturates.
static int64_t countValues(VarAttr variable) {
  const uint64_t distance = static_cast<uint64_t>(variable.getMax()) -
                            static_cast<uint64_t>(variable.getMin());
  return static_cast<int64_t>(std::min<uint64_t>(distance, 1ull << 62)) + 1;
}

std::vector<Binding> mlir::tg::chooseBindings(ArrayRef<VarAttr> variables) {
  // Up to `maxAll` values are all tried, of larger ranges `maxSome` values.
  constexpr int64_t maxAll = 10, maxSome = 7;
  int64_t count = 1;
  uint64_t hash = 1;
  for (VarAttr variable : variables) {
    int64_t size = countValues(variable);
    count = count > maxAll || size > maxAll ? maxAll + 1 : count * size;
    hash = hash * 0x9E3779B97F4A7C15u + variable.getMin();
    hash = hash * 0x9E3779B97F4A7C15u + variable.getMax();
  }
  std::vector<Binding> bindings;
  // `choose` returns a value index for a variable with a given number of
  // values.
  auto add = [&](llvm::function_ref<int64_t(size_t, int64_t)> choose) {
    Binding binding;
    for (auto [i, variable] : llvm::enumerate(variables))
      binding[variable.getName().getValue()] =
          variable.getMin() + choose(i, countValues(variable));
    auto isSame = [&](const Binding &other) {
      return toString(other) == toString(binding);
    };
    if (llvm::none_of(bindings, isSame))
      bindings.push_back(std::move(binding));
  };
  if (count <= maxAll) {
    for (int64_t number = 0; number < count; ++number) {
      int64_t rest = number;
      add([&](size_t, int64_t size) {
        int64_t value = rest % size;
        rest /= size;
        return value;
      });
    }
    return bindings;
  }
  add([](size_t, int64_t size) { return size - 1; });
  add([](size_t, int64_t) { return 0; });
  // Each variable alone at its upper bound, then at its lower bound.
  for (size_t one = 0; variables.size() > 1 && one < variables.size(); ++one)
    add([&](size_t i, int64_t size) { return i == one ? size - 1 : 0; });
  Random random(hash);
  for (int64_t tries = 0;
       tries < 4 * maxSome && int64_t(bindings.size()) < maxSome; ++tries)
    add([&](size_t, int64_t size) {
      // Values near the bounds are preferred.
      int64_t value = random.below(size);
      return random.percent(25)   ? std::min<int64_t>(size - 1, value % 3)
             : random.percent(25) ? std::max<int64_t>(0, size - 1 - value % 3)
                                  : value;
    });
  return bindings;
}

std::string mlir::tg::toString(const Binding &binding) {
  SmallVector<StringRef> names(binding.keys());
  llvm::sort(names);
  std::string text;
  for (StringRef name : names)
    text += (text.empty() ? "" : ",") + name.str() + "=" +
            std::to_string(binding.lookup(name));
  return text;
}

OwningOpRef<ModuleOp> mlir::tg::bind(ModuleOp module, const Binding &binding) {
  OwningOpRef<ModuleOp> result = module.clone();
  if (!binding.empty())
    bindProgram(*result, binding);
  return result;
}

struct BoundTrackers::Bound {
  Bound(func::FuncOp original, const Binding &binding)
      : module(ModuleOp::create(original.getLoc())),
        builder(original.getContext()), isStatic(binding.empty()),
        replacer(getVariableReplacer([binding](VarAttr var) {
          return Dim(var.getContext(),
                     binding.lookup(var.getName().getValue()));
        })) {
    builder.setInsertionPointToEnd(module->getBody());
    function =
        func::FuncOp::create(builder, original.getLoc(), "main",
                             FunctionType::get(builder.getContext(), {}, {}));
    builder.setInsertionPointToEnd(function.addEntryBlock());
  }

  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  OpBuilder builder;
  bool isStatic;
  AttrTypeReplacer replacer;
  IRMapping mapping;
  Tracker tracker;
};

BoundTrackers::BoundTrackers(func::FuncOp function,
                             ArrayRef<Binding> bindings) {
  for (const Binding &binding : bindings)
    bounds.push_back(std::make_unique<Bound>(function, binding));
}

BoundTrackers::~BoundTrackers() = default;

void BoundTrackers::addArgument(BlockArgument argument,
                                const HostTensor &largest) {
  for (auto &bound : bounds) {
    auto type = cast<RankedTensorType>(
        bound->isStatic ? argument.getType()
                        : bound->replacer.replace(argument.getType()));
    Value value = bound->function.front().addArgument(type, argument.getLoc());
    bound->mapping.map(argument, value);
    bound->tracker.addArgument(
        value, TrackedTensor(getLeadingPart(largest, type.getShape())));
  }
}

bool BoundTrackers::execute(Operation *op) {
  if (broken)
    return false;
  bool isComparable = true;
  SmallVector<std::pair<Bound *, Operation *>> done;
  for (auto &bound : bounds) {
    Operation *copy = bound->builder.clone(*op, bound->mapping);
    done.push_back({bound.get(), copy});
    if (!bound->isStatic) {
      bound->replacer.replaceElementsIn(copy, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
      if (failed(verify(copy))) {
        broken = true;
        return true;
      }
    }
    isComparable = bound->tracker.execute(copy);
    if (!isComparable)
      break;
  }
  if (isComparable)
    return true;
  for (auto [bound, copy] : done) {
    bound->tracker.forget(copy->getResult(0));
    bound->mapping.erase(op->getResult(0));
    copy->erase();
  }
  return false;
}
