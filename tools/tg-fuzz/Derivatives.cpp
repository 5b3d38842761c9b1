//===- Derivatives.cpp - gradients of random graphs -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Differentiates graphs and compares gradients with tangents and with central
/// differences.
///
/// Whether a function is smooth near a point is decided by the function alone,
/// so that a wrong gradient cannot hide. Along a direction w, with steps h and
/// h/2, let D be the central difference and S the difference between the
/// one-sided ones, summed over the results without cancellation. For a smooth
/// function, D changes by O(h^2), and S halves. At a kink S stays; at a jump it
/// doubles. Where an isolated point hides this, a comparison or another value
/// that is no float differs from those around it. So does a truncated value,
/// many jumps of which look like a slope.
///
//===----------------------------------------------------------------------===//

#include "Derivatives.h"
#include "Bindings.h"
#include "Generator.h"

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Transforms/Differentiate.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "support/ToolSupport.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::tg;

static func::FuncOp getMain(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main");
}

std::optional<uint64_t> mlir::tg::getDerivativesSeed(ModuleOp module) {
  func::FuncOp function = getMain(module);
  auto seed = function
                  ? function->getAttrOfType<IntegerAttr>(derivativesAttrName)
                  : nullptr;
  if (!seed)
    return std::nullopt;
  return static_cast<uint64_t>(seed.getInt());
}

//===----------------------------------------------------------------------===//
// Programs of derivatives
//===----------------------------------------------------------------------===//

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

static bool hasGradient(Value value) {
  return isFloat(value) && !isFp8(getElementTypeOrSelf(value));
}

/// Whether `op` has no derivative, so that differentiation would fail.
static bool hasNoDerivative(Operation *op) {
  // Movements and assignments keep the kind of their operand, and must remain
  // visible to an assignment's target.
  if (isa<MovementOpInterface, AssignOp>(op))
    return false;
  Value result = op->getResult(0);
  if (!isFloat(result) || llvm::none_of(op->getOperands(), isFloat))
    return false;
  if (isa<BitcastOp>(op) || !hasGradient(result))
    return true;
  auto after = dyn_cast<AfterOp>(op);
  if (!after || !after.getAssign())
    return false;
  auto assign = after.getAssign().getDefiningOp<AssignOp>();
  return !assign || assign.getTarget() != after.getTarget();
}

namespace {
/// A copy of a graph, ready to be differentiated.
struct Derivation {
  explicit Derivation(ModuleOp original)
      : module(original.clone()), function(getMain(*module)),
        builder(function.getBody().front().getTerminator()) {
    function->removeAttr(derivativesAttrName);
    detach();
    Operation *end = function.getBody().front().getTerminator();
    for (Value value : end->getOperands())
      if (hasGradient(value))
        outputs.push_back(value);
    for (BlockArgument argument : function.getArguments())
      if (hasGradient(argument))
        wrt.push_back(argument);
  }

  Value addArgument(Type type, const HostTensor &contents) {
    const unsigned index = function.getNumArguments();
    NamedAttribute input =
        builder.getNamedAttr(inputAttrName, getDenseElements(contents));
    // Cannot fail: the arguments of a func.func have any type.
    (void)function.insertArgument(index, type, builder.getDictionaryAttr(input),
                                  function.getLoc());
    return function.getArgument(index);
  }

  Value getOnes(Value like) {
    return ConstOp::create(builder, like.getLoc(), like.getType(),
                           getNumberAttr(getElementTypeOrSelf(like), 1.0));
  }

  /// Makes the function return derivatives, zeros for those that are null, and
  /// removes unused operations.
  void setResults(ValueRange derivatives, ArrayRef<Value> like) {
    SmallVector<Value> results;
    for (auto [derivative, value] : llvm::zip_equal(derivatives, like))
      results.push_back(derivative ? derivative
                                   : createZeroGradient(builder, value));
    Block &body = function.getBody().front();
    body.getTerminator()->setOperands(results);
    function.setType(FunctionType::get(function.getContext(),
                                       function.getArgumentTypes(),
                                       ValueRange(results).getTypes()));
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  OpBuilder builder;
  SmallVector<Value> outputs, wrt;
  /// Whether a gradient ends before it reaches all arguments.
  bool isDetached = false;

private:
  /// Ends gradients at operations without a derivative, and gives those of
  /// `tg.copy` a device.
  void detach() {
    StringAttr device;
    for (Operation &op :
         llvm::make_early_inc_range(function.getBody().front())) {
      if (auto copy = dyn_cast<CopyOp>(op))
        device = copy.getDeviceAttr();
      if (op.getNumResults() != 1)
        continue;
      Value result = op.getResult(0);
      if (stopsGradient(&op) ||
          (isa<BitcastOp>(op) && isFloat(op.getOperand(0))))
        isDetached = true;
      if (!hasNoDerivative(&op))
        continue;
      isDetached = true;
      OpBuilder after(op.getContext());
      after.setInsertionPointAfter(&op);
      Value detached = DetachOp::create(after, op.getLoc(), result);
      result.replaceAllUsesExcept(detached, detached.getDefiningOp());
    }
    if (device)
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        function.setArgAttr(i, deviceAttrName, device);
  }
};
} // namespace

FailureOr<OwningOpRef<ModuleOp>>
mlir::tg::makeGradientProgram(ModuleOp module) {
  Random random(getDerivativesSeed(module).value_or(0));
  Derivation graph(module);
  if (graph.outputs.empty() || graph.wrt.empty())
    return OwningOpRef<ModuleOp>();
  SmallVector<Value> outputs = graph.outputs, seeds;
  if (random.percent(50)) {
    outputs = {random.pick(graph.outputs)};
    auto type = cast<RankedTensorType>(outputs[0].getType());
    FailureOr<HostTensor> cotangent = makeHostTensor(
        module.getLoc(),
        RankedTensorType::get(getLargestShape(type), type.getElementType()));
    if (failed(cotangent))
      return failure();
    fillRandom(*cotangent, random);
    seeds = {graph.addArgument(type, *cotangent)};
  } else {
    for (Value output : outputs)
      seeds.push_back(graph.getOnes(output));
  }
  FailureOr<SmallVector<Value>> gradients =
      differentiate(graph.builder, outputs, seeds, graph.wrt);
  if (failed(gradients))
    return failure();
  if (llvm::none_of(*gradients, [](Value value) { return bool(value); }))
    return OwningOpRef<ModuleOp>();
  graph.setResults(*gradients, graph.wrt);
  return std::move(graph.module);
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

namespace {
/// Results of a function in the interpreter.
struct Evaluation {
  std::vector<TrackedTensor> results;
  /// Whether the results have error bounds.
  bool isBounded = true;
  /// Whether all floats, of operations too, are of moderate size.
  bool isModerate = true;
};
} // namespace

/// Whether all floats are of a magnitude below `limit`.
static bool isBelow(const HostTensor &tensor, double limit) {
  if (!isa<FloatType>(tensor.elementType))
    return true;
  for (int64_t i = 0, e = tensor.numElements(); i < e; ++i)
    if (!(std::abs(getElementAsDouble(tensor, i)) < limit))
      return false;
  return true;
}

static bool isModerate(const HostTensor &tensor) {
  return isBelow(tensor, 1e50);
}

static std::optional<Evaluation> evaluate(func::FuncOp function) {
  FailureOr<std::vector<HostTensor>> inputs = getInputs(function);
  if (failed(inputs))
    return std::nullopt;
  Evaluation evaluation;
  Tracker tracker;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), *inputs)) {
    evaluation.isModerate &= isModerate(input);
    tracker.addArgument(argument, TrackedTensor(input));
  }
  for (Operation &op : function.getBody().front().without_terminator()) {
    evaluation.isBounded &= tracker.execute(&op);
    if (!evaluation.isBounded)
      break;
    evaluation.isModerate &= isModerate(tracker.get(op.getResult(0)).tensor);
  }
  if (evaluation.isBounded) {
    for (Value value :
         function.getBody().front().getTerminator()->getOperands())
      evaluation.results.push_back(tracker.get(value));
    return evaluation;
  }
  SmallVector<HostTensor> results;
  if (failed(interpret(function, *inputs, results)))
    return std::nullopt;
  for (HostTensor &result : results)
    evaluation.results.emplace_back(std::move(result));
  return evaluation;
}

namespace {
/// A sum of products, and its magnitude.
struct Product {
  double value = 0, magnitude = 0;

  void add(const TrackedTensor &x, const HostTensor &factor) {
    for (int64_t i = 0, e = factor.numElements(); i < e; ++i) {
      const double by = getElementAsDouble(factor, i);
      if (by == 0 && std::isfinite(getElementAsDouble(x.tensor, i)))
        continue;
      const double term = getElementAsDouble(x.tensor, i) * by;
      value += term;
      magnitude += std::abs(term);
    }
  }
};
} // namespace

static Product multiply(ArrayRef<TrackedTensor> values,
                        ArrayRef<HostTensor> factors) {
  Product product;
  for (auto [x, factor] : llvm::zip_equal(values, factors))
    product.add(x, factor);
  return product;
}

/// Random contents for values; none if their shapes are not static.
static std::optional<std::vector<HostTensor>> makeRandom(ArrayRef<Value> values,
                                                         Random &random) {
  std::vector<HostTensor> tensors;
  for (Value value : values) {
    FailureOr<HostTensor> tensor =
        makeHostTensor(value.getLoc(), value.getType());
    if (failed(tensor))
      return std::nullopt;
    fillRandom(*tensor, random, /*isModerate=*/true);
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Whether all floats have at least `bits` bits.
static bool hasOnlyFloatsOf(func::FuncOp function, unsigned bits) {
  auto isFine = [&](Value value) {
    return !isFloat(value) ||
           getElementTypeOrSelf(value).getIntOrFloatBitWidth() >= bits;
  };
  for (Operation &op : function.getBody().front())
    if (!llvm::all_of(op.getResults(), isFine))
      return false;
  return llvm::all_of(function.getArguments(), isFine);
}

/// Whether an infinite derivative is possible where all values are finite.
static bool hasSingularities(func::FuncOp function) {
  return llvm::any_of(function.getBody().front(), [](Operation &op) {
    return isa<SqrtOp, PowOp, AsinOp, AcosOp>(op);
  });
}

namespace {
/// The checks of a graph of static shapes.
class DerivativeChecker {
public:
  DerivativeChecker(ModuleOp module, uint64_t seed, std::string &message)
      : module(module), random(seed), message(message) {}

  Outcome run();

private:
  Outcome compareTangent();
  Outcome compareDifferences();
  Outcome compareDirection(const Twine &what);
  std::optional<std::vector<HostTensor>> evaluateAt(double step);
  /// Whether all decisions are those at the inputs themselves.
  bool hasSameDecisions(ArrayRef<HostTensor> evaluated) const;

  ModuleOp module;
  Random random;
  std::string &message;
  bool isOnlyDouble = false;
  /// Whether no float is too narrow or too large for a comparison.
  bool isAccurate = false;
  /// Whether finite derivatives are certain.
  bool isRegular = false;
  std::vector<HostTensor> inputs, cotangents;
  /// The numbers of the arguments and results with derivatives.
  SmallVector<unsigned> arguments, results;
  Evaluation values, gradients;
  /// A direction for each of `arguments`.
  std::vector<HostTensor> direction;
  /// The graph with further results: what is computed from floats and is no
  /// float, or truncated.
  OwningOpRef<ModuleOp> deciding;
  /// The results with derivatives, then the further ones.
  std::vector<HostTensor> original;
};
} // namespace

Outcome DerivativeChecker::run() {
  func::FuncOp function = getMain(module);
  FailureOr<std::vector<HostTensor>> contents = getInputs(function);
  std::optional<Evaluation> forward = evaluate(function);
  if (failed(contents) || !forward || !forward->isBounded)
    return Outcome::Useless;
  inputs = std::move(*contents);
  isOnlyDouble = hasOnlyFloatsOf(function, 64);
  isAccurate = hasOnlyFloatsOf(function, 32) && forward->isModerate;
  isRegular =
      isOnlyDouble && forward->isModerate && !hasSingularities(function);
  for (BlockArgument argument : function.getArguments())
    if (hasGradient(argument))
      arguments.push_back(argument.getArgNumber());
  Operation *end = function.getBody().front().getTerminator();
  for (OpOperand &operand : end->getOpOperands())
    if (hasGradient(operand.get())) {
      results.push_back(operand.getOperandNumber());
      values.results.push_back(
          std::move(forward->results[operand.getOperandNumber()]));
    }
  if (results.empty() || arguments.empty())
    return Outcome::Useless;

  Derivation graph(module);
  std::optional<std::vector<HostTensor>> chosen =
      makeRandom(graph.outputs, random);
  if (!chosen)
    return Outcome::Useless;
  cotangents = std::move(*chosen);
  // Infinite results have no derivative.
  if (isOnlyDouble)
    for (auto [value, cotangent] : llvm::zip_equal(values.results, cotangents))
      for (int64_t i = 0, e = cotangent.numElements(); i < e; ++i)
        if (!std::isfinite(getElementAsDouble(value.tensor, i)))
          std::memset(cotangent.bytes.data() + i * sizeof(double), 0,
                      sizeof(double));
  SmallVector<Value> seeds;
  for (auto [output, cotangent] : llvm::zip_equal(graph.outputs, cotangents))
    seeds.push_back(graph.addArgument(output.getType(), cotangent));
  FailureOr<SmallVector<Value>> built =
      differentiate(graph.builder, graph.outputs, seeds, graph.wrt);
  if (failed(built))
    return Outcome::Failed;
  graph.setResults(*built, graph.wrt);
  if (failed(verify(*graph.module)))
    return Outcome::Invalid;
  std::optional<Evaluation> evaluated = evaluate(graph.function);
  if (!evaluated)
    return Outcome::Failed;
  gradients = std::move(*evaluated);
  if (isRegular)
    for (auto [number, gradient] :
         llvm::zip_equal(arguments, gradients.results))
      if (!isBelow(gradient.tensor, std::numeric_limits<double>::infinity())) {
        llvm::raw_string_ostream(message)
            << "the gradient by argument " << number
            << " is not finite, though all values are";
        return Outcome::Mismatch;
      }
  Outcome outcome = compareTangent();
  if (outcome != Outcome::Good && outcome != Outcome::Useless)
    return outcome;
  if (!isOnlyDouble || graph.isDetached)
    return outcome;
  Outcome other = compareDifferences();
  return other == Outcome::Useless ? outcome : other;
}

/// Compares the tangent along a direction with the gradient.
Outcome DerivativeChecker::compareTangent() {
  Derivation graph(module);
  std::optional<std::vector<HostTensor>> along = makeRandom(graph.wrt, random);
  // linearize() seeds with a constant, which is on no device that the gradient
  // of a copy could go back to.
  const bool hasCopy =
      llvm::any_of(graph.function.getBody().front(), llvm::IsaPred<CopyOp>);
  if (!along || !isAccurate || hasCopy)
    return Outcome::Useless;
  SmallVector<Value> tangents;
  for (auto [value, tangent] : llvm::zip_equal(graph.wrt, *along))
    tangents.push_back(graph.addArgument(value.getType(), tangent));
  FailureOr<SmallVector<Value>> built =
      linearize(graph.builder, graph.outputs, graph.wrt, tangents);
  if (failed(built))
    return Outcome::Failed;
  graph.setResults(*built, graph.outputs);
  if (failed(verify(*graph.module)))
    return Outcome::Invalid;
  std::optional<Evaluation> evaluated = evaluate(graph.function);
  if (!evaluated)
    return Outcome::Failed;
  const Product forward = multiply(evaluated->results, cotangents);
  const Product backward = multiply(gradients.results, *along);
  if (!std::isfinite(backward.value) ||
      (!std::isfinite(forward.value) && !isRegular))
    return Outcome::Useless;
  const double magnitude = forward.magnitude + backward.magnitude;
  // Errors grow where operands nearly cancel.
  const double tolerance = (isOnlyDouble ? 1e-8 : 1e-3) * magnitude + 1e-30;
  if (std::abs(forward.value - backward.value) <= tolerance)
    return Outcome::Good;
  llvm::raw_string_ostream(message)
      << "tangents times cotangents are " << forward.value
      << ", gradients times directions " << backward.value << ", not within "
      << tolerance;
  return Outcome::Mismatch;
}

std::optional<std::vector<HostTensor>>
DerivativeChecker::evaluateAt(double step) {
  std::vector<HostTensor> moved = inputs;
  for (auto [number, along] : llvm::zip_equal(arguments, direction))
    for (int64_t i = 0, e = along.numElements(); i < e; ++i) {
      const double value = getElementAsDouble(inputs[number], i) +
                           step * getElementAsDouble(along, i);
      std::memcpy(moved[number].bytes.data() + i * sizeof(double), &value,
                  sizeof(double));
    }
  SmallVector<HostTensor> all;
  if (failed(interpret(getMain(*deciding), moved, all)))
    return std::nullopt;
  const unsigned count = getMain(module).getNumResults();
  std::vector<HostTensor> wanted;
  for (unsigned number : results)
    wanted.push_back(all[number]);
  for (size_t i = count; i < all.size(); ++i)
    wanted.push_back(std::move(all[i]));
  return wanted;
}

bool DerivativeChecker::hasSameDecisions(ArrayRef<HostTensor> evaluated) const {
  for (size_t i = results.size(); i < evaluated.size(); ++i)
    if (evaluated[i].bytes != original[i].bytes)
      return false;
  return true;
}

/// Compares the gradient with differences along `direction`.
Outcome DerivativeChecker::compareDirection(const Twine &what) {
  constexpr double kStep = 0x1p-13;
  std::optional<std::vector<HostTensor>> after = evaluateAt(kStep),
                                         before = evaluateAt(-kStep),
                                         halfAfter = evaluateAt(kStep / 2),
                                         halfBefore = evaluateAt(-kStep / 2);
  if (!after || !before || !halfAfter || !halfBefore ||
      !hasSameDecisions(*halfAfter) || !hasSameDecisions(*halfBefore))
    return Outcome::Useless;
  double difference = 0, magnitude = 0, change = 0, noise = 0, bend = 0,
         halfBend = 0;
  for (size_t k = 0; k < results.size(); ++k)
    for (int64_t i = 0, e = cotangents[k].numElements(); i < e; ++i) {
      const double by = getElementAsDouble(cotangents[k], i);
      if (by == 0)
        continue;
      const double value = getElementAsDouble(values.results[k].tensor, i),
                   up = getElementAsDouble((*after)[k], i),
                   down = getElementAsDouble((*before)[k], i),
                   halfUp = getElementAsDouble((*halfAfter)[k], i),
                   halfDown = getElementAsDouble((*halfBefore)[k], i),
                   whole = (up - down) / (2 * kStep),
                   half = (halfUp - halfDown) / kStep;
      difference += by * half;
      magnitude += std::abs(by * half);
      change += std::abs(by * (half - whole));
      bend += std::abs(by * (up - 2 * value + down)) / kStep;
      halfBend += std::abs(by * (halfUp - 2 * value + halfDown)) / (kStep / 2);
      noise += 4 * std::abs(by) *
               (values.results[k].error[i] + 0x1p-48 * std::abs(value)) / kStep;
    }
  // Not smooth, or too inaccurate.
  if (!std::isfinite(difference) || !std::isfinite(change) ||
      !std::isfinite(bend) || halfBend > 0.7 * bend + 4 * noise ||
      change > 1e-3 * magnitude + noise || noise > 1e-3 * (1 + magnitude))
    return Outcome::Useless;
  const Product product = multiply(gradients.results, direction);
  if (!std::isfinite(product.value))
    return Outcome::Useless;
  const double tolerance =
      3 * change + 4 * noise + 1e-6 * (magnitude + product.magnitude);
  if (std::abs(product.value - difference) <= tolerance)
    return Outcome::Good;
  llvm::raw_string_ostream(message)
      << what << ": the gradient gives " << product.value
      << ", the central difference is " << difference << " within "
      << tolerance;
  return Outcome::Mismatch;
}

Outcome DerivativeChecker::compareDifferences() {
  constexpr int kDirections = 3, kElements = 8;
  auto clear = [&] {
    direction.clear();
    for (unsigned number : arguments) {
      direction.push_back(inputs[number]);
      std::fill(direction.back().bytes.begin(), direction.back().bytes.end(),
                0);
    }
  };
  // Steps are in proportion to the elements.
  auto move = [&](size_t k, int64_t i) {
    const double value = getElementAsDouble(inputs[arguments[k]], i);
    const double step = (random.percent(50) ? 1 : -1) * (0.5 + random.unit()) *
                        std::max(std::abs(value), 0.0625);
    std::memcpy(direction[k].bytes.data() + i * sizeof(double), &step,
                sizeof(double));
  };
  deciding = module.clone();
  Block &body = getMain(*deciding).getBody().front();
  SmallVector<Value> returned(body.getTerminator()->getOperands());
  for (Operation &op : body.without_terminator())
    if (isa<TruncOp>(op) ||
        (!isFloat(op.getResult(0)) && llvm::any_of(op.getOperands(), isFloat)))
      returned.push_back(op.getResult(0));
  body.getTerminator()->setOperands(returned);
  getMain(*deciding).setType(FunctionType::get(
      deciding->getContext(), getMain(*deciding).getArgumentTypes(),
      ValueRange(returned).getTypes()));
  clear();
  std::optional<std::vector<HostTensor>> here = evaluateAt(0);
  if (!here)
    return Outcome::Useless;
  original = std::move(*here);
  Outcome outcome = Outcome::Useless;
  for (int number = 0; number < kDirections + kElements; ++number) {
    clear();
    std::string what = "along a random direction";
    if (number < kDirections) {
      for (size_t k = 0; k < direction.size(); ++k)
        for (int64_t i = 0, e = direction[k].numElements(); i < e; ++i)
          move(k, i);
    } else {
      const size_t k = random.below(static_cast<int64_t>(direction.size()));
      if (direction[k].numElements() == 0)
        continue;
      const int64_t i = random.below(direction[k].numElements());
      move(k, i);
      what = "by element " + std::to_string(i) + " of argument " +
             std::to_string(arguments[k]);
    }
    const Outcome one = compareDirection(what);
    if (one == Outcome::Mismatch)
      return one;
    if (one == Outcome::Good)
      outcome = one;
  }
  return outcome;
}

Outcome mlir::tg::checkDerivatives(ModuleOp module, const CheckOptions &options,
                                   std::string &message) {
  FailureOr<SmallVector<VarAttr>> variables = collectVariables(module);
  if (failed(variables))
    return Outcome::Invalid;
  Outcome outcome = Outcome::Useless;
  for (const Binding &binding : options.binding.empty()
                                    ? chooseBindings(*variables)
                                    : std::vector<Binding>{options.binding}) {
    OwningOpRef<ModuleOp> bound = bind(module, binding);
    std::string text;
    const Outcome one =
        DerivativeChecker(*bound, getDerivativesSeed(module).value_or(0), text)
            .run();
    if (one == Outcome::Good)
      outcome = one;
    if (one == Outcome::Good || one == Outcome::Useless)
      continue;
    const std::string place =
        binding.empty() ? "" : ", --var " + toString(binding);
    message.insert(0, "derivatives" + place + ": ");
    message += text;
    return one;
  }
  message.clear();
  return outcome;
}
