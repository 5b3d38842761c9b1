//===- Generator.cpp - random tensor graphs -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Types, operands, and the loop that adds random operations.
///
//===----------------------------------------------------------------------===//

#include "GraphGenerator.h"

#include "Derivatives.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "support/ToolSupport.h"

using namespace mlir;
using namespace mlir::tg;
using tinygrad::DType;

GraphGenerator::GraphGenerator(MLIRContext *context, uint64_t seed,
                               const GeneratorOptions &options)
    : context(context), random(seed), options(options),
      module(ModuleOp::create(UnknownLoc::get(context))), builder(context),
      loc(UnknownLoc::get(context)) {
  // Generators with adjacent seeds diverge only after a few steps.
  for (int i = 0; i < 16; ++i)
    random.bits();
  const bool hasVariables = random.percent(options.symbolicPercent);
  // Special cases of symbolic sizes need vectors and tiles.
  maxElements = random.percent(hasVariables ? 5 : 2) ? options.largeElements
                                                     : options.maxElements;
  if (hasVariables)
    addVariables();
  // Other graphs do not depend on the option.
  isDifferentiated =
      options.gradientsPercent > 0 && random.percent(options.gradientsPercent);
  isSmooth = isDifferentiated && random.percent(50);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool GraphGenerator::isIn(Type type, Class wanted) {
  bool isBool = type.isInteger(1);
  bool isInt = isa<IntegerType>(type) && !isBool;
  bool isFloat = isa<FloatType>(type) && type.getIntOrFloatBitWidth() > 8;
  switch (wanted) {
  case Class::Float:
    return isFloat;
  case Class::Int:
    return isInt;
  case Class::IntOrBool:
    return isInt || isBool;
  case Class::Num:
    return isInt || isFloat;
  case Class::Arith:
    return isInt || isFloat || isBool;
  case Class::Element:
    return true;
  case Class::Bool:
    return isBool;
  case Class::U64:
    return type.isUnsignedInteger(64);
  }
  return false;
}

Type GraphGenerator::commonFloat() {
  return isSmooth ? Type(builder.getF64Type()) : Type(builder.getF32Type());
}

Type GraphGenerator::randomElementType(Class wanted) {
  // Derivatives need floats.
  if (isDifferentiated && isIn(commonFloat(), wanted) &&
      random.percent(isSmooth ? 90 : 40))
    return commonFloat();
  while (true) {
    // Most programs consist mainly of float types and i32.
    DType dtype = random.percent(options.forTiming ? 85 : 25) ? DType::Float32
                  : random.percent(10)
                      ? DType::Int32
                      : DType(random.below(tinygrad::kNumDTypes));
    Type type = tinygrad::getElementType(context, dtype);
    if (isSmooth && isa<FloatType>(type))
      type = commonFloat();
    if (isIn(type, wanted))
      return type;
  }
}

SmallVector<Dim> GraphGenerator::randomShape() {
  static const int64_t sizes[] = {1, 1, 1, 2, 2,  3,  3,  4,  4,  5,
                                  6, 7, 8, 9, 15, 16, 17, 32, 33, 64};
  static const int64_t longSizes[] = {256, 300, 384, 500, 512, 1000, 1024};
  int64_t rank = random.below(6);
  SmallVector<Dim> shape;
  int64_t count = 1;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = random.percent(2) ? 0 : random.pick(sizes);
    if (maxElements > options.maxElements && random.percent(40))
      size = random.between(1, 300);
    if (options.forTiming && random.percent(60))
      size = random.pick(longSizes);
    Dim dim = number(size);
    if (isSymbolic() && random.percent(50))
      dim = randomDim(maxElements / count);
    if (count * dim.getMax() > maxElements)
      dim = number(1);
    count = std::max<int64_t>(1, count * dim.getMax());
    shape.push_back(dim);
  }
  return shape;
}

SmallVector<Dim> GraphGenerator::numbers(ArrayRef<int64_t> values) {
  return llvm::map_to_vector(values,
                             [&](int64_t value) { return number(value); });
}

ArrayAttr GraphGenerator::dimArray(ArrayRef<Dim> dims) {
  return builder.getArrayAttr(
      llvm::map_to_vector(dims, [](Dim dim) { return dim.getAttr(); }));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value GraphGenerator::leaf(RankedTensorType type) {
  Type elementType = type.getElementType();
  if (options.forTiming) {
    unsigned index = function.getNumArguments();
    if (failed(function.insertArgument(index, type, {}, loc)))
      return {};
    pool.push_back(function.getArgument(index));
    return pool.back();
  }
  // The contents of arguments have their maximal shape.
  auto largest = RankedTensorType::get(getLargestShape(type), elementType);
  FailureOr<HostTensor> tensor = makeHostTensor(loc, largest);
  if (failed(tensor))
    return {};
  if (isIn(elementType, Class::Num) && type.getRank() > 0 && random.percent(8))
    return emit<IotaOp>(type, random.below(type.getRank()));
  if (isIn(elementType, Class::Num) && isSymbolic() && random.percent(6))
    return emit<DimOp>(type, randomDim(1 << 20).getAttr());
  fillRandom(*tensor, random, isSmooth);
  DenseElementsAttr elements = getDenseElements(*tensor);
  if (random.percent(20)) {
    // A splat attribute, or one with all elements listed.
    if (random.percent(60) && largest.getNumElements() > 0) {
      HostTensor first;
      first.elementType = elementType;
      first.bytes.assign(tensor->bytes.begin(),
                         tensor->bytes.begin() + getElementSize(elementType));
      auto value = getDenseElements(first).getSplatValue<TypedAttr>();
      return emit<ConstOp>(type, value);
    }
    if (type.hasStaticShape() && type.getNumElements() <= 64)
      return emit<ConstOp>(type, elements);
  }
  unsigned index = function.getNumArguments();
  if (failed(function.insertArgument(
          index, type,
          builder.getDictionaryAttr(
              builder.getNamedAttr(inputAttrName, elements)),
          loc)))
    return {};
  BlockArgument argument = function.getArgument(index);
  trackers->addArgument(argument, *tensor);
  pool.push_back(argument);
  return argument;
}

Value GraphGenerator::pick(Class wanted) {
  SmallVector<Value> fitting;
  for (Value value : pool)
    if (isIn(mlir::getElementTypeOrSelf(value.getType()), wanted))
      fitting.push_back(value);
  if (fitting.empty() || random.percent(15))
    return leaf(getTensorType(randomShape(), randomElementType(wanted)));
  // Prefers recent values: deep graphs are more interesting than wide ones.
  if (random.percent(50))
    return fitting[fitting.size() - 1 -
                   random.below(std::min<int64_t>(3, int64_t(fitting.size())))];
  return random.pick(fitting);
}

/// A tensor of `type` that repeats a smaller one along some axes.
Value GraphGenerator::broadcastLeaf(RankedTensorType type) {
  SmallVector<Dim> small = getDims(type);
  for (Dim &size : small)
    if (random.percent(60))
      size = number(1);
  auto smallType = getTensorType(small, type.getElementType());
  Value value = leaf(smallType);
  return value && smallType != type ? emit<ExpandOp>(type, value) : value;
}

/// A value with the shape of `like` and a random element type.
Value GraphGenerator::similar(Value like, Type elementType) {
  auto type = ::mlir::cast<RankedTensorType>(like.getType()).clone(elementType);
  SmallVector<Value> same, otherElements;
  for (Value value : pool) {
    auto other = ::mlir::cast<RankedTensorType>(value.getType());
    if (other == type)
      same.push_back(value);
    else if (getDims(other) == getDims(type))
      otherElements.push_back(value);
  }
  if (!same.empty() && random.percent(60))
    return random.pick(same);
  if (!otherElements.empty() && random.percent(50))
    if (Value value = emit<CastOp>(type, random.pick(otherElements)))
      return value;
  return random.percent(50) ? broadcastLeaf(type)
                            : leaf(::mlir::cast<RankedTensorType>(type));
}

bool GraphGenerator::addOp() {
  Value result;
  int64_t choice = random.below(100);
  int64_t composites = options.forTiming                   ? 35
                       : maxElements > options.maxElements ? 25
                       : isSymbolic()                      ? 12
                                                           : 4;
  if (options.forTiming && random.percent(25)) {
    result = movedReduction();
  } else if (random.percent(composites)) {
    result = composite();
  } else if (random.percent(8)) {
    result = random.percent(50) ? family() : update();
  } else if (choice < 24) {
    if (Value x = pick(Class::Element))
      result = choice < 3 ? strided(x) : movement(x, /*isTarget=*/false);
  } else if (choice < 36) {
    result = unary();
  } else if (choice < 58) {
    result = binary();
  } else if (choice < 64) {
    result = compare();
  } else if (choice < 71) {
    result = ternary();
  } else if (choice < 78) {
    result = cast();
  } else if (choice < 81) {
    result = isSmooth ? unary() : bitcast();
  } else if (choice < 88) {
    result = reduce();
  } else if (choice < 93) {
    const int64_t kind = random.below(5);
    result = kind < 2 ? scan() : kind < 4 ? scatter() : argsort();
  } else if (choice < 94) {
    result = threefry();
  } else if (choice < 97) {
    result = assign();
  } else {
    result = identity();
  }
  if (!result)
    return false;
  pool.push_back(result);
  return true;
}

/// Returns all unused values, and sometimes others.
void GraphGenerator::finish() {
  SmallVector<Value> unused, used;
  for (Operation &op : function.getBody().front())
    (op.use_empty() ? unused : used).push_back(op.getResult(0));
  SmallVector<Value> results;
  for (Value value : llvm::reverse(unused))
    if (results.size() < 6)
      results.push_back(value);
  if (!used.empty() && random.percent(40))
    results.push_back(random.pick(used));
  if (random.percent(10) && function.getNumArguments() > 0)
    results.push_back(
        function.getArgument(random.below(function.getNumArguments())));
  if (random.percent(3) && !results.empty())
    results.push_back(random.pick(results));
  func::ReturnOp::create(builder, loc, results);
  function.setType(FunctionType::get(context, function.getArgumentTypes(),
                                     ValueRange(results).getTypes()));
}

OwningOpRef<ModuleOp> GraphGenerator::generate() {
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, loc, "main",
                                  FunctionType::get(context, {}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  std::vector<Binding> bindings;
  if (!options.forTiming)
    bindings = chooseBindings(variables);
  trackers = std::make_unique<BoundTrackers>(function, bindings);
  int64_t count = random.between(1, options.maxOps);
  // Unsuccessful attempts are not counted, up to a limit.
  for (int64_t tries = 0;
       count > 0 && tries < 20 * options.maxOps && !trackers->isBroken();
       ++tries)
    count -= addOp();
  finish();
  if (isDifferentiated)
    function->setAttr(
        derivativesAttrName,
        builder.getI64IntegerAttr(static_cast<int64_t>(random.bits() >> 1)));
  return std::move(module);
}

OwningOpRef<ModuleOp> mlir::tg::generateGraph(MLIRContext *context,
                                              uint64_t seed,
                                              const GeneratorOptions &options) {
  return GraphGenerator(context, seed, options).generate();
}

FailureOr<std::vector<HostTensor>> mlir::tg::getInputs(func::FuncOp function) {
  std::vector<HostTensor> inputs;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    auto value = function.getArgAttrOfType<TypedAttr>(argument.getArgNumber(),
                                                      inputAttrName);
    if (!type || !value)
      return function.emitOpError("argument ")
             << argument.getArgNumber() << " has no " << inputAttrName;
    FailureOr<HostTensor> tensor =
        makeHostTensor(argument.getLoc(), type, value);
    if (failed(tensor))
      return failure();
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}
