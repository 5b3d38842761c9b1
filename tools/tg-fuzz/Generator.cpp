//===- Generator.cpp - random tensor graphs -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Adds one random operation after another. Every operation is evaluated as
/// soon as it is built; one whose result would not be comparable is taken out
/// again.
///
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "Tracker.h"

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "support/ToolSupport.h"

using namespace mlir;
using namespace mlir::tg;
using tinygrad::DType;

namespace {
/// Which element types an operand may have.
enum class Class { Float, Int, IntOrBool, Num, Arith, Element, Bool, U64 };

class Generator {
public:
  Generator(MLIRContext *context, uint64_t seed,
            const GeneratorOptions &options);

  OwningOpRef<ModuleOp> generate();

private:
  // Types.
  Type randomElementType(Class wanted);
  static bool isIn(Type elementType, Class wanted);
  SmallVector<int64_t> randomShape();
  RankedTensorType tensorType(ArrayRef<int64_t> shape, Type elementType) {
    return RankedTensorType::get(shape, elementType);
  }

  // Values. A null value means: not this time.
  Value leaf(RankedTensorType type);
  Value pick(Class wanted);
  Value similar(Value like, Type elementType);
  Value broadcastLeaf(RankedTensorType type);
  /// Builds an operation and keeps it if its result is comparable.
  template <typename OpTy, typename... Args> Value emit(Args &&...args);

  // Operations.
  bool addOp();
  Value unary();
  Value binary();
  Value compare();
  Value ternary();
  Value cast();
  Value bitcast();
  Value threefry();
  Value movement(Value x, bool isTarget);
  Value reduce();
  Value assign();
  Value identity();
  Value reshape(Value x);
  // What programs are made of, several operations at once.
  Value composite();
  Value matmul();
  Value softmax(Value x);
  Value normalize(Value x);
  Value slidingSum(Value x);
  Value sumAlong(ReduceKind kind, Value x, int64_t axis);
  void finish();

  MLIRContext *context;
  Random random;
  GeneratorOptions options;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  OpBuilder builder;
  Location loc;
  Tracker tracker;
  /// Values that operands are taken from, oldest first.
  SmallVector<Value> pool;
  int64_t maxElements;
};
} // namespace

Generator::Generator(MLIRContext *context, uint64_t seed,
                     const GeneratorOptions &options)
    : context(context), random(seed), options(options),
      module(ModuleOp::create(UnknownLoc::get(context))), builder(context),
      loc(UnknownLoc::get(context)) {
  // Neighbouring seeds give unrelated numbers after a few steps only.
  for (int i = 0; i < 16; ++i)
    random.bits();
  maxElements = random.percent(2) ? options.largeElements : options.maxElements;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool Generator::isIn(Type type, Class wanted) {
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

Type Generator::randomElementType(Class wanted) {
  while (true) {
    // Float types and i32 are what most programs are made of.
    DType dtype = random.percent(25) ? DType::Float32
                  : random.percent(10)
                      ? DType::Int32
                      : DType(random.below(tinygrad::numDTypes));
    Type type = tinygrad::getElementType(context, dtype);
    if (isIn(type, wanted))
      return type;
  }
}

SmallVector<int64_t> Generator::randomShape() {
  static const int64_t sizes[] = {1, 1, 1, 2, 2,  3,  3,  4,  4,  5,
                                  6, 7, 8, 9, 15, 16, 17, 32, 33, 64};
  int64_t rank = random.below(6);
  SmallVector<int64_t> shape;
  int64_t count = 1;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = random.percent(2) ? 0 : random.pick(sizes);
    if (maxElements > options.maxElements && random.percent(40))
      size =
          random.between(1, maxElements == options.hugeElements ? 3000 : 300);
    if (count * size > maxElements)
      size = 1;
    count = std::max<int64_t>(1, count * size);
    shape.push_back(size);
  }
  return shape;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

template <typename OpTy, typename... Args>
Value Generator::emit(Args &&...args) {
  auto op = OpTy::create(builder, loc, std::forward<Args>(args)...);
  if (!tracker.execute(op)) {
    op->erase();
    return {};
  }
  return op->getResult(0);
}

Value Generator::leaf(RankedTensorType type) {
  Type elementType = type.getElementType();
  FailureOr<HostTensor> tensor = makeHostTensor(loc, type);
  if (failed(tensor))
    return {};
  if (isIn(elementType, Class::Num) && type.getRank() > 0 && random.percent(8))
    return emit<IotaOp>(type, random.below(type.getRank()));
  fillRandom(*tensor, random);
  DenseElementsAttr elements = getDenseElements(*tensor);
  if (random.percent(20)) {
    // A splat in its short form, or every element.
    if (random.percent(60) && type.getNumElements() > 0) {
      HostTensor first;
      first.elementType = elementType;
      first.bytes.assign(tensor->bytes.begin(),
                         tensor->bytes.begin() + getElementSize(elementType));
      auto value = getDenseElements(first).getSplatValue<TypedAttr>();
      return emit<ConstOp>(type, value);
    }
    if (type.getNumElements() <= 64)
      return emit<ConstOp>(type, elements);
  }
  unsigned index = function.getNumArguments();
  if (failed(function.insertArgument(
          index, type,
          builder.getDictionaryAttr(
              builder.getNamedAttr(inputAttrName, elements)),
          loc)))
    return {};
  Value argument = function.getArgument(index);
  tracker.addArgument(argument, TrackedTensor(std::move(*tensor)));
  pool.push_back(argument);
  return argument;
}

Value Generator::pick(Class wanted) {
  SmallVector<Value> fitting;
  for (Value value : pool)
    if (isIn(mlir::getElementTypeOrSelf(value.getType()), wanted))
      fitting.push_back(value);
  if (fitting.empty() || random.percent(15))
    return leaf(tensorType(randomShape(), randomElementType(wanted)));
  // Young values more often: deep graphs are more interesting than wide ones.
  if (random.percent(50))
    return fitting[fitting.size() - 1 -
                   random.below(std::min<int64_t>(3, int64_t(fitting.size())))];
  return random.pick(fitting);
}

/// A tensor of `type` that repeats a smaller one along some axes.
Value Generator::broadcastLeaf(RankedTensorType type) {
  SmallVector<int64_t> small(type.getShape());
  for (int64_t &size : small)
    if (random.percent(60))
      size = 1;
  auto smallType = tensorType(small, type.getElementType());
  Value value = leaf(smallType);
  return value && smallType != type ? emit<ExpandOp>(type, value) : value;
}

/// A value of the shape of `like` and some element type.
Value Generator::similar(Value like, Type elementType) {
  auto type = ::mlir::cast<RankedTensorType>(like.getType()).clone(elementType);
  SmallVector<Value> same, otherElements;
  for (Value value : pool) {
    auto other = ::mlir::cast<RankedTensorType>(value.getType());
    if (other == type)
      same.push_back(value);
    else if (other.getShape() == type.getShape())
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

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

Value Generator::unary() {
  switch (random.below(8)) {
  case 0:
    if (Value x = pick(Class::Num))
      return emit<NegOp>(x);
    return {};
  case 1:
    if (Value x = pick(Class::Float))
      return emit<RecipOp>(x);
    return {};
  case 2:
    if (Value x = pick(Class::Float))
      return emit<SqrtOp>(x);
    return {};
  case 3:
    if (Value x = pick(Class::Float))
      return emit<Exp2Op>(x);
    return {};
  case 4:
    if (Value x = pick(Class::Float))
      return emit<Log2Op>(x);
    return {};
  case 5:
    if (Value x = pick(Class::Float))
      return emit<SinOp>(x);
    return {};
  case 6:
    if (Value x = pick(Class::Float))
      return emit<TruncOp>(x);
    return {};
  default:
    if (Value x = pick(Class::Num))
      return emit<NegOp>(x);
    return {};
  }
}

Value Generator::binary() {
  static const Class classes[] = {
      Class::Arith,     Class::Num,   Class::Arith,     Class::Float,
      Class::Int,       Class::Int,   Class::Int,       Class::Int,
      Class::Arith,     Class::Float, Class::IntOrBool, Class::IntOrBool,
      Class::IntOrBool, Class::Int,   Class::Int};
  int64_t kind = random.below(std::size(classes));
  Value a = pick(classes[kind]);
  Value b = a ? similar(a, elementOf(a)) : Value();
  if (!b)
    return {};
  if (random.percent(50))
    std::swap(a, b);
  switch (kind) {
  case 0:
    return emit<AddOp>(a, b);
  case 1:
    return emit<SubOp>(a, b);
  case 2:
    return emit<MulOp>(a, b);
  case 3:
    return emit<FDivOp>(a, b);
  case 4:
    return emit<IDivOp>(a, b);
  case 5:
    return emit<FloorDivOp>(a, b);
  case 6:
    return emit<ModOp>(a, b);
  case 7:
    return emit<FloorModOp>(a, b);
  case 8:
    return emit<MaxOp>(a, b);
  case 9:
    return emit<PowOp>(a, b);
  case 10:
    return emit<AndOp>(a, b);
  case 11:
    return emit<OrOp>(a, b);
  case 12:
    return emit<XorOp>(a, b);
  case 13:
    return emit<ShlOp>(a, b);
  default:
    return emit<ShrOp>(a, b);
  }
}

Value Generator::compare() {
  Value a = pick(Class::Arith);
  Value b = a ? similar(a, elementOf(a)) : Value();
  if (!b)
    return {};
  switch (random.below(3)) {
  case 0:
    return emit<CmpLtOp>(a, b);
  case 1:
    return emit<CmpEqOp>(a, b);
  default:
    return emit<CmpNeOp>(a, b);
  }
}

Value Generator::ternary() {
  bool isWhere = random.percent(60);
  Value a = pick(isWhere ? Class::Element : Class::Num);
  Value b = a ? similar(a, elementOf(a)) : Value();
  Value c = !b        ? Value()
            : isWhere ? similar(a, builder.getI1Type())
                      : similar(a, elementOf(a));
  if (!c)
    return {};
  if (isWhere)
    return emit<WhereOp>(a.getType(), c, a, b);
  return emit<MulAccOp>(a, b, c);
}

Value Generator::cast() {
  Value x = pick(Class::Element);
  if (!x)
    return {};
  auto type = ::mlir::cast<RankedTensorType>(x.getType());
  return emit<CastOp>(type.clone(randomElementType(Class::Element)), x);
}

Value Generator::bitcast() {
  Value x = pick(Class::Element);
  if (!x || elementOf(x).isInteger(1))
    return {};
  Type to = randomElementType(Class::Element);
  if (to.getIntOrFloatBitWidth() != elementOf(x).getIntOrFloatBitWidth())
    return {};
  return emit<BitcastOp>(::mlir::cast<RankedTensorType>(x.getType()).clone(to),
                         x);
}

Value Generator::threefry() {
  Value counter = pick(Class::U64);
  Value key = counter ? similar(counter, elementOf(counter)) : Value();
  return key ? emit<ThreefryOp>(counter, key) : Value();
}

Value Generator::reduce() {
  Value x = pick(Class::Arith);
  if (!x)
    return {};
  SmallVector<int64_t> axes;
  for (int64_t axis = 0,
               rank = ::mlir::cast<RankedTensorType>(x.getType()).getRank();
       axis < rank; ++axis)
    if (random.percent(50))
      axes.push_back(axis);
  static const ReduceKind kinds[] = {ReduceKind::add, ReduceKind::add,
                                     ReduceKind::max, ReduceKind::mul};
  return emit<ReduceOp>(random.pick(kinds), x, axes);
}

/// The same elements in a random other shape.
Value Generator::reshape(Value x) {
  auto type = ::mlir::cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t step = random.between(1, 4); step > 0; --step) {
    size_t rank = shape.size();
    size_t axis = rank > 0 ? random.below(rank) : 0;
    switch (random.below(4)) {
    case 0: // merge with the next axis
      if (axis + 1 < rank) {
        shape[axis] *= shape[axis + 1];
        shape.erase(shape.begin() + axis + 1);
      }
      break;
    case 1: // split
      if (rank > 0 && rank < 5 && shape[axis] > 1) {
        int64_t factor = random.between(2, std::min<int64_t>(shape[axis], 9));
        if (shape[axis] % factor == 0) {
          shape[axis] /= factor;
          shape.insert(shape.begin() + axis + random.below(2), factor);
        }
      }
      break;
    case 2: // an axis of size 1 more
      if (rank < 5)
        shape.insert(shape.begin() + random.below(rank + 1), 1);
      break;
    default: // or less
      if (rank > 0 && shape[axis] == 1)
        shape.erase(shape.begin() + axis);
      break;
    }
  }
  return emit<ReshapeOp>(tensorType(shape, type.getElementType()), x);
}

/// A random movement operation on x; of those that an assignment's target may
/// consist of when `isTarget`.
Value Generator::movement(Value x, bool isTarget) {
  auto type = ::mlir::cast<RankedTensorType>(x.getType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> first, second;
  switch (random.below(isTarget ? 4 : 6)) {
  case 0:
    return reshape(x);
  case 1: {
    for (int64_t axis = 0; axis < rank; ++axis)
      first.insert(first.begin() + random.below(axis + 1), axis);
    return emit<PermuteOp>(x, first);
  }
  case 2: {
    for (int64_t size : type.getShape()) {
      int64_t from = random.percent(50) ? 0 : random.between(0, size);
      int64_t to = random.percent(50) ? size : random.between(from, size);
      // Mostly leave something.
      if (from == to && random.percent(90)) {
        from = 0;
        to = size;
      }
      first.push_back(from);
      second.push_back(to);
    }
    return emit<ShrinkOp>(x, first, second);
  }
  case 3: {
    for (int64_t axis = 0; axis < rank; ++axis)
      if (random.percent(50))
        first.push_back(axis);
    return emit<FlipOp>(x, first);
  }
  case 4: {
    int64_t count = std::max<int64_t>(1, type.getNumElements());
    for (int64_t size : type.getShape()) {
      int64_t low = random.percent(50) ? 0 : random.below(4);
      int64_t high = random.percent(50) ? 0 : random.below(4);
      count *= size + low + high;
      first.push_back(low);
      second.push_back(high);
    }
    if (count > maxElements * std::max<int64_t>(1, type.getNumElements()))
      return {};
    return emit<PadOp>(x, first, second);
  }
  default: {
    int64_t count = std::max<int64_t>(1, type.getNumElements());
    for (int64_t size : type.getShape()) {
      int64_t to = size;
      if (size == 1 && random.percent(70))
        to = random.percent(4) ? 0 : random.between(1, 9);
      if (count * to > maxElements)
        to = size;
      count *= std::max<int64_t>(1, to / std::max<int64_t>(1, size));
      first.push_back(to);
    }
    return emit<ExpandOp>(tensorType(first, type.getElementType()), x);
  }
  }
}

Value Generator::assign() {
  // Memory: an argument, or what an assignment made of one.
  SmallVector<Value> memory;
  for (Value value : pool)
    if (isa<BlockArgument>(value) || value.getDefiningOp<AssignOp>())
      memory.push_back(value);
  if (memory.empty())
    return {};
  Value target = random.pick(memory);
  for (int64_t i = random.below(4); i > 0; --i) {
    Value view = movement(target, /*isTarget=*/true);
    if (view)
      target = view;
  }
  Value value = similar(target, elementOf(target));
  if (!value)
    return {};
  Value assign = emit<AssignOp>(target, value);
  if (!assign || !random.percent(40))
    return assign;
  // What all of the memory holds then.
  Value root = target;
  while (Operation *op = root.getDefiningOp())
    root = op->getOperand(0);
  return emit<AfterOp>(root.getType(), root, assign);
}

Value Generator::identity() {
  Value x = pick(Class::Element);
  if (!x)
    return {};
  switch (random.below(3)) {
  case 0:
    return emit<ContiguousOp>(x);
  case 1:
    return emit<DetachOp>(x);
  default:
    return emit<CopyOp>(x, builder.getStringAttr("CPU"));
  }
}

//===----------------------------------------------------------------------===//
// Composites: shapes of graphs that scheduling treats in ways of their own
//===----------------------------------------------------------------------===//

/// A reduction along one axis, expanded to the operand's shape again.
Value Generator::sumAlong(ReduceKind kind, Value x, int64_t axis) {
  Value sum = emit<ReduceOp>(kind, x, ArrayRef<int64_t>(axis));
  return sum && sum.getType() != x.getType()
             ? emit<ExpandOp>(::mlir::cast<RankedTensorType>(x.getType()), sum)
             : sum;
}

/// [batch, m, 1, k] times [batch, 1, n, k], summed over k.
Value Generator::matmul() {
  static const int64_t sizes[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 48};
  int64_t batch = random.percent(30) ? random.between(2, 3) : 1;
  int64_t m = random.pick(sizes), n = random.pick(sizes),
          k = random.pick(sizes);
  if (maxElements > options.maxElements) {
    // Operands that are worth packing.
    m = random.between(1, 140);
    n = random.between(1, 200);
    k = random.between(1, 200);
  }
  while (batch * m * n * k > std::min<int64_t>(20 * maxElements, 1500000))
    (m > n ? m : n > k ? n : k) /= 2;
  Type type = random.percent(60) ? Float32Type::get(context)
                                 : randomElementType(Class::Num);
  // Each operand is stored with its last two axes in either order.
  auto operand = [&](int64_t rows) -> Value {
    if (random.percent(50))
      return leaf(tensorType({batch, rows, k}, type));
    Value stored = leaf(tensorType({batch, k, rows}, type));
    return stored ? emit<PermuteOp>(stored, ArrayRef<int64_t>{0, 2, 1})
                  : Value();
  };
  auto spread = [&](Value x, ArrayRef<int64_t> shape) -> Value {
    auto all = tensorType({batch, m, n, k}, type);
    Value reshaped = emit<ReshapeOp>(tensorType(shape, type), x);
    return reshaped && reshaped.getType() != all ? emit<ExpandOp>(all, reshaped)
                                                 : reshaped;
  };
  Value a = operand(m), b = operand(n);
  if (!a || !b)
    return {};
  if (random.percent(20))
    if (Value value = emit<AddOp>(a, a))
      a = value;
  a = spread(a, {batch, m, 1, k});
  b = spread(b, {batch, 1, n, k});
  Value product = a && b ? emit<MulOp>(a, b) : Value();
  Value sum =
      product ? emit<ReduceOp>(ReduceKind::add, product, ArrayRef<int64_t>(3))
              : Value();
  return sum ? emit<ReshapeOp>(tensorType({batch, m, n}, type), sum) : Value();
}

Value Generator::softmax(Value x) {
  int64_t rank = ::mlir::cast<RankedTensorType>(x.getType()).getRank();
  if (rank == 0)
    return {};
  int64_t axis = random.percent(70) ? rank - 1 : random.below(rank);
  Value most = sumAlong(ReduceKind::max, x, axis);
  Value shifted = most ? emit<SubOp>(x, most) : Value();
  Value powers = shifted ? emit<Exp2Op>(shifted) : Value();
  Value sum = powers ? sumAlong(ReduceKind::add, powers, axis) : Value();
  return sum ? emit<FDivOp>(powers, sum) : Value();
}

/// Mean 0 and variance 1 along an axis, as layernorm does it.
Value Generator::normalize(Value x) {
  auto type = ::mlir::cast<RankedTensorType>(x.getType());
  if (type.getRank() == 0)
    return {};
  int64_t axis =
      random.percent(70) ? type.getRank() - 1 : random.below(type.getRank());
  auto number = [&](double value) {
    return emit<ConstOp>(type, getNumberAttr(type.getElementType(), value));
  };
  auto mean = [&](Value value) -> Value {
    Value sum = sumAlong(ReduceKind::add, value, axis);
    return sum ? emit<MulOp>(sum, number(1.0 / std::max<int64_t>(
                                                   1, type.getDimSize(axis))))
               : Value();
  };
  Value average = mean(x);
  Value centred = average ? emit<SubOp>(x, average) : Value();
  Value square = centred ? emit<MulOp>(centred, centred) : Value();
  Value variance = square ? mean(square) : Value();
  Value padded = variance ? emit<AddOp>(variance, number(0.0625)) : Value();
  Value root = padded ? emit<SqrtOp>(padded) : Value();
  Value scale = root ? emit<RecipOp>(root) : Value();
  return scale ? emit<MulOp>(centred, scale) : Value();
}

/// The sum of shifted windows of a padded tensor: a convolution, or a pooling.
Value Generator::slidingSum(Value x) {
  auto type = ::mlir::cast<RankedTensorType>(x.getType());
  int64_t rank = type.getRank();
  if (rank == 0)
    return {};
  int64_t axis = random.below(rank), width = random.between(2, 3);
  SmallVector<int64_t> low(rank, 0), high(rank, 0), from(rank, 0);
  low[axis] = random.below(width);
  high[axis] = width - 1 - low[axis];
  Value padded = emit<PadOp>(x, low, high);
  Value sum;
  for (int64_t i = 0; padded && i < width; ++i) {
    SmallVector<int64_t> to(type.getShape());
    from[axis] = i;
    to[axis] += i;
    Value window = emit<ShrinkOp>(padded, from, to);
    if (!window)
      return {};
    if (!sum)
      sum = window;
    else if (random.percent(70))
      sum = emit<AddOp>(sum, window);
    else
      sum = emit<MaxOp>(sum, window);
    if (!sum)
      return {};
  }
  return sum;
}

Value Generator::composite() {
  int64_t choice = random.below(4);
  if (choice == 0)
    return matmul();
  Value x = pick(choice == 3 ? Class::Num : Class::Float);
  if (!x)
    return {};
  return choice == 1 ? softmax(x) : choice == 2 ? normalize(x) : slidingSum(x);
}

bool Generator::addOp() {
  Value result;
  int64_t choice = random.below(100);
  if (random.percent(maxElements > options.maxElements ? 25 : 4)) {
    result = composite();
  } else if (choice < 24) {
    if (Value x = pick(Class::Element))
      result = movement(x, /*isTarget=*/false);
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
    result = bitcast();
  } else if (choice < 93) {
    result = reduce();
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

/// Returns what nobody uses, and sometimes more.
void Generator::finish() {
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

OwningOpRef<ModuleOp> Generator::generate() {
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, loc, "main",
                                  FunctionType::get(context, {}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  int64_t count = random.between(1, options.maxOps);
  if (maxElements == options.hugeElements)
    count = std::min<int64_t>(count, 4);
  // A choice that leads nowhere is not counted, within reason.
  for (int64_t tries = 0; count > 0 && tries < 20 * options.maxOps; ++tries)
    count -= addOp();
  finish();
  return std::move(module);
}

OwningOpRef<ModuleOp> mlir::tg::generateGraph(MLIRContext *context,
                                              uint64_t seed,
                                              const GeneratorOptions &options) {
  return Generator(context, seed, options).generate();
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
