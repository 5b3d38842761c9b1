//===- Program.cpp - random programs of the tensor API --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Chooses, shrinks and checks programs. Most sizes are small, and many axes of
/// a program have the same size: schedules tell axes apart by their sizes where
/// they should not.
///
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "Differences.h"
#include "GraphModule.h"
#include "Noise.h"
#include "ProgramBuilder.h"

#include "TinyGrad/Runtime/Error.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::fuzz;
using mlir::tg::CheckOptions;
using mlir::tg::Outcome;
using mlir::tg::Random;

const std::vector<Function> &tinygrad::fuzz::getFunctions() {
  static const std::vector<Function> functions = [] {
    std::vector<Function> all;
    for (llvm::ArrayRef<Function> table :
         {getElementwiseFunctions(), getMovementFunctions(),
          getIndexingFunctions(), getReductionFunctions(),
          getNetworkFunctions(), getLossFunctions()})
      all.insert(all.end(), table.begin(), table.end());
    return all;
  }();
  return functions;
}

unsigned tinygrad::fuzz::countFunctions() { return getFunctions().size(); }

/// How many percent of the programs have a gradient by a value between.
static constexpr int kBetween = 35;

/// Proportional to the weights.
static unsigned chooseFunction(Random &random) {
  static const std::vector<unsigned> choices = [] {
    std::vector<unsigned> list;
    for (auto [i, function] : llvm::enumerate(getFunctions()))
      list.insert(list.end(), function.weight, unsigned(i));
    return list;
  }();
  return random.pick(choices);
}

static Sizes chooseShape(Random &random) {
  static const int64_t common[] = {2, 2, 3, 3, 4, 4, 5, 8};
  static const int64_t any[] = {1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16};
  static const int64_t large[] = {8, 16, 17, 24, 31, 32, 33, 48};
  const int64_t rank = random.percent(60) ? 2 : random.between(1, 4);
  Sizes sizes;
  if (random.percent(8)) {
    // Vectors, tiles and remainders.
    for (int64_t i = 0; i < std::min<int64_t>(rank, 2); ++i)
      sizes.push_back(random.pick(large));
    return sizes;
  }
  const int64_t one = random.pick(common);
  const bool isEqual = random.percent(55);
  for (int64_t i = 0; i < rank; ++i)
    sizes.push_back(isEqual ? (rank == 4 ? std::min<int64_t>(one, 4) : one)
                    : random.percent(40) ? one
                                         : random.pick(any));
  int64_t count = 1;
  for (int64_t &size : sizes) {
    if (count * size > 1024)
      size = 2;
    count *= size;
  }
  return sizes;
}

Program tinygrad::fuzz::makeProgram(uint64_t seed,
                                    const ProgramOptions &options) {
  Random random(seed);
  Program program;
  program.seed = random.bits();
  program.isDouble = random.percent(85);
  program.shape = chooseShape(random);
  const int64_t count = random.between(1, options.maxSteps);
  for (int64_t i = 0; i < count; ++i) {
    Step step;
    step.function = chooseFunction(random);
    step.seed = random.bits();
    step.operand = unsigned(random.percent(85) ? i : random.below(i + 1));
    program.steps.push_back(step);
  }
  switch (random.below(5)) {
  case 0:
    program.outputs = {true, false, false};
    break;
  case 1:
    program.outputs = {true, true, false};
    break;
  case 2:
    program.outputs = {false, true, false};
    break;
  case 3:
    program.outputs = {false, false, true};
    break;
  default:
    program.outputs = {true, true, true};
  }
  program.withDifferences = program.isDouble && random.percent(50);
  program.isSymbolic = program.shape.front() > 1 && random.percent(6);
  if (count > 1 && !program.isSymbolic && random.percent(kBetween))
    program.between = unsigned(random.below(count - 1));
  return program;
}

//===----------------------------------------------------------------------===//
// Shrinking
//===----------------------------------------------------------------------===//

Program tinygrad::fuzz::shrinkProgram(
    Program program, llvm::function_ref<bool(const Program &)> stillFails,
    unsigned maxTries) {
  auto attempt = [&](llvm::function_ref<bool(Program &)> change) {
    Program candidate = program;
    if (maxTries == 0 || !change(candidate))
      return false;
    --maxTries;
    if (!stillFails(candidate))
      return false;
    program = std::move(candidate);
    return true;
  };
  auto dropOutputs = [&](Outputs outputs) {
    return attempt([&](Program &candidate) {
      Outputs &old = candidate.outputs;
      const int before = old.value + old.gradients + old.products,
                after = outputs.value + outputs.gradients + outputs.products;
      old = outputs;
      return after < before;
    });
  };
  bool changed = true;
  while (changed && maxTries > 0) {
    changed = dropOutputs({true, false, false}) ||
              dropOutputs({false, true, false}) ||
              dropOutputs({false, false, true});
    for (size_t i = program.steps.size(); i > 0; --i)
      changed |= attempt([&](Program &candidate) {
        Step &step = candidate.steps[i - 1];
        return !std::exchange(step.isRemoved, true);
      });
    changed |= attempt([](Program &candidate) {
      return std::exchange(candidate.isSymbolic, false);
    });
    changed |= attempt([](Program &candidate) {
      return std::exchange(candidate.between, std::nullopt).has_value();
    });
    for (size_t i = 0; i < program.shape.size(); ++i)
      changed |= attempt([&](Program &candidate) {
        candidate.shape.erase(candidate.shape.begin() + i);
        return !candidate.shape.empty();
      });
    for (size_t i = 0; i < program.shape.size(); ++i)
      for (int64_t size :
           {int64_t(1), int64_t(2), program.shape[i] / 2, program.shape[i] - 1})
        if (attempt([&](Program &candidate) {
              const bool isSmaller = size > 0 && size < candidate.shape[i];
              candidate.shape[i] = size;
              return isSmaller;
            })) {
          changed = true;
          break;
        }
  }
  return program;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

std::string tinygrad::fuzz::describe(const Program &program) {
  try {
    ProgramBuilder builder(program);
    if (isNone(builder.getResult()))
      return builder.getText();
    if (program.outputs.gradients || program.outputs.products)
      builder.differentiate(program.outputs.products);
    std::string names;
    for (const fuzz::Value &value : builder.getValues())
      for (const Tensor &input : builder.getInputs())
        if (&value.tensor.impl() == &input.impl())
          names += (names.empty() ? "" : ", ") + value.text;
    std::string targets = names;
    if (!isNone(builder.getBetween()))
      targets += ", " + builder.getBetween().text;
    std::string text = builder.getText();
    for (const auto &[mark, list] :
         {std::pair{"{inputs}", names}, std::pair{"{targets}", targets}})
      for (size_t at; (at = text.find(mark)) != std::string::npos;)
        text.replace(at, StringRef(mark).size(), "{" + list + "}");
    const Outputs &outputs = program.outputs;
    std::string wanted;
    if (outputs.value)
      wanted += builder.getResult().text;
    if (outputs.gradients)
      wanted += std::string(wanted.empty() ? "" : ", ") + "g";
    if (outputs.products)
      wanted += std::string(wanted.empty() ? "" : ", ") +
                (isNone(builder.getBetween()) ? "h" : "h, k");
    return text + "realize " + wanted + "\n";
  } catch (const Error &error) {
    return std::string(error.what()) + "\n";
  }
}

static func::FuncOp getMain(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main");
}

/// A sum and what the program says are its gradients by the inputs.
using SumAndGradients = std::pair<Tensor, std::vector<Tensor>>;

/// The sums and their gradients, whose directional derivatives are compared
/// with differences.
static OwningOpRef<ModuleOp>
makeDifferences(const std::vector<SumAndGradients> &functions,
                const std::vector<Tensor> &inputs) {
  std::vector<Tensor> wanted;
  for (const auto &[sum, gradients] : functions) {
    wanted.push_back(sum);
    wanted.insert(wanted.end(), gradients.begin(), gradients.end());
  }
  GraphModule made = makeModule(wanted, inputs, /*keepsProducts=*/false);
  if (!made.module)
    return {};
  OpBuilder attributes(made.module->getContext());
  SmallVector<Attribute> lists;
  size_t next = 0;
  for (const auto &function : functions) {
    SmallVector<int64_t> numbers = {made.results[next++]};
    for (size_t i = 0; i < function.second.size(); ++i) {
      const int64_t result = made.results[next++];
      if (result >= 0 && made.arguments[i] >= 0) {
        numbers.push_back(made.arguments[i]);
        numbers.push_back(result);
      }
    }
    if (numbers[0] >= 0 && numbers.size() > 1)
      lists.push_back(attributes.getDenseI64ArrayAttr(numbers));
  }
  if (lists.empty())
    return {};
  getMain(*made.module)
      ->setAttr(mlir::tg::differencesAttrName, attributes.getArrayAttr(lists));
  return std::move(made.module);
}

/// The sums of a program whose value between is an input, with the gradients by
/// that value of the program as it is.
static OwningOpRef<ModuleOp>
makeDifferencesBetween(const Program &program, const ProgramBuilder &builder,
                       const ProgramBuilder::Derivatives &derivatives) {
  if (derivatives.betweenGradients.empty())
    return {};
  ProgramBuilder rest(program, /*isCut=*/true);
  if (isNone(rest.getBetween()) || !rest.canUseDifferences())
    return {};
  const ProgramBuilder::Derivatives expected =
      rest.differentiate(!derivatives.betweenProducts.empty());
  std::vector<SumAndGradients> functions = {
      {expected.sum, derivatives.betweenGradients}};
  if (expected.productSum.defined())
    functions.push_back({expected.productSum, derivatives.betweenProducts});
  // Equal operations are one: the rest may use another value like this one,
  // whose uses count.
  for (const auto &[sum, gradients] : functions)
    if (dependsOn(sum, builder.getBetween().tensor))
      return {};
  return makeDifferences(functions, rest.getInputs());
}

/// Checks a module that was saved first.
static Outcome saveAndCheck(ModuleOp module, const CheckOptions &options,
                            llvm::function_ref<LogicalResult(ModuleOp)> save,
                            std::string &message) {
  if (failed(save(module)))
    return Outcome::Failed;
  message.clear();
  return mlir::tg::check(module, options, message);
}

Outcome tinygrad::fuzz::checkProgram(
    const Program &program, const CheckOptions &options,
    llvm::function_ref<LogicalResult(ModuleOp)> save, std::string &message) {
  try {
    message = "building the program";
    ProgramBuilder builder(program);
    if (isNone(builder.getResult()))
      return Outcome::Useless;
    const Outputs &outputs = program.outputs;
    std::vector<Tensor> wanted;
    ProgramBuilder::Derivatives derivatives;
    if (outputs.gradients || outputs.products || program.withDifferences)
      derivatives = builder.differentiate(outputs.products);
    if (outputs.value)
      wanted.push_back(builder.getResult().tensor);
    if (outputs.gradients)
      for (const auto *list :
           {&derivatives.gradients, &derivatives.betweenGradients})
        wanted.insert(wanted.end(), list->begin(), list->end());
    if (outputs.products)
      for (const auto *list :
           {&derivatives.products, &derivatives.betweenProducts})
        wanted.insert(wanted.end(), list->begin(), list->end());
    const bool keepsProducts = program.seed % 4 == 0;
    GraphModule made = makeModule(wanted, {}, keepsProducts);
    Outcome outcome = Outcome::Useless;
    if (made.module) {
      getMain(*made.module)
          ->setAttr(mlir::tg::noiseAttrName,
                    OpBuilder(made.module->getContext())
                        .getI64IntegerAttr(int64_t(program.seed >> 1)));
      outcome = saveAndCheck(*made.module, options, save, message);
      if (outcome != Outcome::Good && outcome != Outcome::Useless)
        return outcome;
    }
    if (!program.withDifferences)
      return outcome;
    auto checkNext = [&](OwningOpRef<ModuleOp> differences) {
      if (!differences)
        return;
      const Outcome next = saveAndCheck(*differences, options, save, message);
      if (next != Outcome::Useless)
        outcome = next;
    };
    checkNext(makeDifferencesBetween(program, builder, derivatives));
    if (outcome != Outcome::Good && outcome != Outcome::Useless)
      return outcome;
    if (builder.canUseDifferences()) {
      std::vector<SumAndGradients> functions = {
          {derivatives.sum, derivatives.gradients}};
      if (derivatives.productSum.defined())
        functions.push_back({derivatives.productSum, derivatives.products});
      checkNext(makeDifferences(functions, builder.getInputs()));
    }
    return outcome;
  } catch (const Error &error) {
    message += std::string(": ") + error.what();
    return Outcome::Failed;
  }
}
