//===- Composites.cpp - random groups of operations -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Groups of operations: building blocks of programs, and forms of graphs that
/// scheduling treats specially.
///
//===----------------------------------------------------------------------===//

#include "GraphGenerator.h"

using namespace mlir;
using namespace mlir::tg;

/// A reduction along one axis, expanded to the operand's shape.
Value GraphGenerator::sumAlong(ReduceKind kind, Value x, int64_t axis) {
  Value sum = emit<ReduceOp>(kind, x, ArrayRef<int64_t>(axis));
  return sum && sum.getType() != x.getType()
             ? emit<ExpandOp>(::mlir::cast<RankedTensorType>(x.getType()), sum)
             : sum;
}

/// [batch, m, 1, k] times [batch, 1, n, k], summed over k.
Value GraphGenerator::matmul() {
  static const int64_t sizes[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 48};
  static const int64_t longSizes[] = {32, 64, 128, 256, 300, 384, 512};
  int64_t batch = random.percent(30) ? random.between(2, 3) : 1;
  const bool isLarge = maxElements > options.maxElements;
  // In large graphs, operands that are worth packing.
  auto size = [&]() {
    return options.forTiming                    ? number(random.pick(longSizes))
           : isSymbolic() && random.percent(50) ? randomDim(isLarge ? 400 : 100)
           : isLarge                            ? number(random.between(1, 200))
                                                : number(random.pick(sizes));
  };
  Dim m = size(), n = size(), k = size();
  auto work = [&]() { return batch * m.getMax() * n.getMax() * k.getMax(); };
  // Graphs with variables are evaluated several times, so large symbolic sizes
  // are replaced by numbers.
  const int64_t most = options.forTiming
                           ? 1 << 26
                           : std::min<int64_t>(20 * maxElements,
                                               isSymbolic() ? 250000 : 1500000);
  while (work() > most) {
    Dim &largest = m.getMax() > n.getMax()   ? m
                   : n.getMax() > k.getMax() ? n
                                             : k;
    largest = number(largest.getMax() / 2);
  }
  Type type =
      random.percent(60) ? commonFloat() : randomElementType(Class::Num);
  // The last two axes of each operand are stored in either order.
  auto operand = [&](Dim rows) -> Value {
    if (random.percent(50))
      return leaf(getTensorType({number(batch), rows, k}, type));
    Value stored = leaf(getTensorType({number(batch), k, rows}, type));
    return stored ? emit<PermuteOp>(stored, ArrayRef<int64_t>{0, 2, 1})
                  : Value();
  };
  auto spread = [&](Value x, ArrayRef<Dim> shape) -> Value {
    auto all = getTensorType({number(batch), m, n, k}, type);
    Value reshaped = emit<ReshapeOp>(getTensorType(shape, type), x);
    return reshaped && reshaped.getType() != all ? emit<ExpandOp>(all, reshaped)
                                                 : reshaped;
  };
  Value a = operand(m), b = operand(n);
  if (!a || !b)
    return {};
  if (random.percent(20))
    if (Value value = emit<AddOp>(a, a))
      a = value;
  a = spread(a, {number(batch), m, number(1), k});
  b = spread(b, {number(batch), number(1), n, k});
  Value product = a && b ? emit<MulOp>(a, b) : Value();
  Value sum =
      product ? emit<ReduceOp>(ReduceKind::add, product, ArrayRef<int64_t>(3))
              : Value();
  return sum ? emit<ReshapeOp>(getTensorType({number(batch), m, n}, type), sum)
             : Value();
}

Value GraphGenerator::softmax(Value x) {
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

/// Normalizes to mean 0 and variance 1 along an axis, like layernorm.
Value GraphGenerator::normalize(Value x) {
  auto type = ::mlir::cast<RankedTensorType>(x.getType());
  if (type.getRank() == 0)
    return {};
  int64_t axis =
      random.percent(70) ? type.getRank() - 1 : random.below(type.getRank());
  auto fill = [&](double value) {
    return emit<ConstOp>(type, getNumberAttr(type.getElementType(), value));
  };
  const Dim length = getDim(type, axis);
  auto mean = [&](Value value) -> Value {
    Value sum = sumAlong(ReduceKind::add, value, axis);
    if (!sum)
      return {};
    if (std::optional<int64_t> size = length.getStatic())
      return emit<MulOp>(sum, fill(1.0 / std::max<int64_t>(1, *size)));
    Value count = emit<DimOp>(type, length.getAttr());
    return count ? emit<FDivOp>(sum, count) : Value();
  };
  Value average = mean(x);
  Value centred = average ? emit<SubOp>(x, average) : Value();
  Value square = centred ? emit<MulOp>(centred, centred) : Value();
  Value variance = square ? mean(square) : Value();
  Value padded = variance ? emit<AddOp>(variance, fill(0.0625)) : Value();
  Value root = padded ? emit<SqrtOp>(padded) : Value();
  Value scale = root ? emit<RecipOp>(root) : Value();
  return scale ? emit<MulOp>(centred, scale) : Value();
}

/// The sum of shifted windows of a padded tensor: a convolution, or a pooling.
Value GraphGenerator::slidingSum(Value x) {
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
    SmallVector<Dim> to = getDims(type);
    from[axis] = i;
    to[axis] = to[axis] + number(i);
    Value window =
        emit<ShrinkOp>(padded, dimArray(numbers(from)), dimArray(to));
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

/// Concatenates two tensors along an axis as graphs do: each is padded to the
/// whole, and the results are selected by position or added.
Value GraphGenerator::join() {
  Value x = pick(Class::Num);
  auto type = x ? ::mlir::cast<RankedTensorType>(x.getType()) : nullptr;
  if (!type || type.getRank() == 0)
    return {};
  int64_t axis = random.below(type.getRank());
  SmallVector<Dim> dims = getDims(type), none(type.getRank(), number(0));
  const Dim first = dims[axis];
  static const int64_t sizes[] = {1, 2, 3, 8, 17};
  const Dim second = random.percent(options.forTiming ? 70 : 30)
                         ? first
                         : randomSize(sizes, 70);
  dims[axis] = second;
  if (getBufferSize(getTensorType(dims, type.getElementType())) > maxElements)
    return {};
  Value y = leaf(getTensorType(dims, type.getElementType()));
  if (!y)
    return {};
  if (!areSizes(first + second))
    return {};
  SmallVector<Dim> after = none, before = none;
  after[axis] = second;
  before[axis] = first;
  x = emit<PadOp>(x, dimArray(none), dimArray(after));
  y = emit<PadOp>(y, dimArray(before), dimArray(none));
  if (!x || !y || x.getType() != y.getType())
    return {};
  if (random.percent(30))
    return emit<AddOp>(x, y);
  auto whole = ::mlir::cast<RankedTensorType>(x.getType());
  Type i32 = builder.getI32Type();
  Value position = emit<IotaOp>(whole.clone(i32), axis);
  Value limit = emit<DimOp>(whole.clone(i32), first.getAttr());
  Value isFirst = position && limit ? emit<CmpLtOp>(position, limit) : Value();
  return isFirst ? emit<WhereOp>(whole, isFirst, x, y) : Value();
}

/// x[index] along an axis: the sum over all positions of x, with 0 where the
/// position differs from the index.
Value GraphGenerator::gather() {
  Value x = pick(Class::Num);
  auto type = x ? ::mlir::cast<RankedTensorType>(x.getType()) : nullptr;
  if (!type || type.getRank() == 0 || type.getRank() > 4)
    return {};
  Type element = type.getElementType(), i32 = builder.getI32Type();
  int64_t rank = type.getRank(), axis = random.below(rank);
  static const int64_t sizes[] = {1, 2, 5, 9, 16};
  Dim count = randomSize(sizes, 40);
  // [..., length, ..., 1] and [1, ..., 1, count] to [..., length, ..., count].
  SmallVector<Dim> column = getDims(type), row(rank, number(1));
  column.push_back(number(1));
  row.push_back(count);
  SmallVector<Dim> all(column);
  all.back() = count;
  if (getBufferSize(getTensorType(all, i32)) > 4 * maxElements)
    return {};
  auto spread = [&](Value value, ArrayRef<Dim> shape, Type to) -> Value {
    auto wanted = getTensorType(all, to);
    Value reshaped =
        value ? emit<ReshapeOp>(getTensorType(shape, to), value) : Value();
    return reshaped && reshaped.getType() != wanted
               ? emit<ExpandOp>(wanted, reshaped)
               : reshaped;
  };
  Value index = leaf(getTensorType({count}, i32));
  if (index && random.percent(50)) {
    // Mostly valid positions, computed from the length.
    Value length = emit<DimOp>(::mlir::cast<RankedTensorType>(index.getType()),
                               getDim(type, axis).getAttr());
    if (!length)
      return {};
    index = random.percent(50) ? emit<FloorModOp>(index, length)
                               : emit<SubOp>(length, index);
  }
  index = spread(index, row, i32);
  x = spread(x, column, element);
  Value position = emit<IotaOp>(getTensorType(all, i32), axis);
  Value isChosen = index && position ? emit<CmpEqOp>(position, index) : Value();
  Value zero = emit<ConstOp>(getTensorType(all, element), int64_t(0));
  Value chosen = isChosen && x && zero
                     ? emit<WhereOp>(x.getType(), isChosen, x, zero)
                     : Value();
  return chosen
             ? emit<ReduceOp>(ReduceKind::add, chosen, ArrayRef<int64_t>(axis))
             : Value();
}

/// Masks one side of a diagonal or of a position, like attention.
Value GraphGenerator::maskByPosition() {
  Value x = pick(Class::Num);
  auto type = x ? ::mlir::cast<RankedTensorType>(x.getType()) : nullptr;
  if (!type || type.getRank() == 0)
    return {};
  auto positions = type.clone(builder.getI32Type());
  Value a = emit<IotaOp>(positions, random.below(type.getRank()));
  Value b = random.percent(50)
                ? emit<IotaOp>(positions, random.below(type.getRank()))
                : emit<DimOp>(positions, randomDim(1 << 20).getAttr());
  if (a && b && random.percent(40)) {
    Value offset = emit<DimOp>(positions, randomDim(100).getAttr());
    if (!offset)
      return {};
    a = random.percent(50) ? emit<AddOp>(a, offset) : emit<SubOp>(offset, a);
  }
  Value isLess = a && b ? emit<CmpLtOp>(a, b) : Value();
  Value zero = emit<ConstOp>(
      type, getNumberAttr(type.getElementType(),
                          random.percent(50) ? int64_t(0) : int64_t(-3)));
  if (!isLess || !zero)
    return {};
  return random.percent(50) ? emit<WhereOp>(type, isLess, x, zero)
                            : emit<WhereOp>(type, isLess, zero, x);
}

/// Appends to the used part of a table, then reads this part, like a step with
/// cached keys and values.
Value GraphGenerator::growCache() {
  static const int64_t widths[] = {1, 3, 4, 8, 16, 20};
  const Dim used = randomDim(120);
  const Dim width = number(random.pick(widths));
  static const int64_t counts[] = {1, 1, 1, 2, 4};
  const Dim count = number(random.pick(counts));
  const Dim capacity = number((used + count).getMax() + random.below(3));
  Type element =
      random.percent(60) ? commonFloat() : randomElementType(Class::Num);
  // The table is an argument, not a constant or an iota.
  auto type = getTensorType({capacity, width}, element);
  Value table = leaf(type);
  if (!table || !isa<BlockArgument>(table))
    return table;
  const Dim zero = number(0);
  if (!areSizes({used + count, capacity - used - count}))
    return {};
  Value part = emit<ShrinkOp>(table, dimArray({used, zero}),
                              dimArray({used + count, width}));
  Value row = part ? similar(part, element) : Value();
  Value assign = row ? emit<AssignOp>(part, row) : Value();
  if (!assign)
    return {};
  Value after = emit<AfterOp>(type, table, assign);
  return after ? emit<ShrinkOp>(after, dimArray({zero, zero}),
                                dimArray({used + count, width}))
               : Value();
}

/// Several results from one operand, at the same positions or reduced along one
/// axis: candidates for kernels with several results.
Value GraphGenerator::family() {
  Value x = pick(Class::Num);
  if (!x)
    return {};
  auto type = ::mlir::cast<RankedTensorType>(x.getType());
  const bool isReduced = type.getRank() > 0 && random.percent(40);
  const int64_t axis = isReduced ? random.below(type.getRank()) : 0;
  Value last;
  for (int64_t i = random.between(2, 4); i > 0; --i) {
    Value value;
    if (isReduced && random.percent(75)) {
      value =
          emit<ReduceOp>(random.percent(50) ? ReduceKind::add : ReduceKind::max,
                         x, ArrayRef<int64_t>(axis));
    } else if (random.percent(30)) {
      value = emit<NegOp>(x);
    } else if (Value other = similar(x, ::mlir::getElementTypeOrSelf(x))) {
      value =
          random.percent(50) ? emit<AddOp>(x, other) : emit<MaxOp>(x, other);
    }
    if (!value)
      continue;
    if (last)
      pool.push_back(last);
    last = value;
  }
  return last;
}

/// Assigns to two tensors in memory, the second value depending on the old or
/// new contents of the first, like optimizers; or computes a stencil in place.
Value GraphGenerator::update() {
  SmallVector<Value> memory;
  for (Value value : pool)
    if (isa<BlockArgument>(value) &&
        isIn(::mlir::getElementTypeOrSelf(value), Class::Num))
      memory.push_back(value);
  if (memory.empty())
    return {};
  Value first = random.pick(memory), second;
  // A stencil in place, which reads neighbors that it also overwrites.
  if (random.percent(30)) {
    Value sum = slidingSum(first);
    if (sum && random.percent(40))
      sum = slidingSum(sum);
    if (sum && random.percent(30))
      sum = emit<AddOp>(sum, first);
    return sum && sum.getType() == first.getType() ? emit<AssignOp>(first, sum)
                                                   : Value();
  }
  for (Value value : memory)
    if (value != first && value.getType() == first.getType())
      second = value;
  if (!second)
    second = leaf(::mlir::cast<RankedTensorType>(first.getType()));
  Value change =
      second ? similar(first, ::mlir::getElementTypeOrSelf(first)) : Value();
  if (!change || !isa<BlockArgument>(second))
    return {};
  Value next = random.percent(50) ? emit<AddOp>(first, change)
                                  : emit<MaxOp>(first, change);
  if (!next)
    return {};
  auto assignNext = [&] {
    Value assign = emit<AssignOp>(first, next);
    if (assign)
      pool.push_back(assign);
    return assign;
  };
  const bool isFirst = random.percent(70);
  Value source = random.percent(50) ? next : first;
  if (isFirst)
    if (Value assign = assignNext(); assign && random.percent(40))
      source = assign;
  if (random.percent(15))
    if (Value moved = movement(source, /*isTarget=*/false);
        moved && moved.getType() == source.getType())
      source = moved;
  Value step = emit<AddOp>(second, source);
  Value assign = step ? emit<AssignOp>(second, step) : Value();
  if (!isFirst)
    assignNext();
  return assign;
}

/// A reduction whose result is moved afterwards.
Value GraphGenerator::movedReduction() {
  Value x = random.percent(70) ? matmul() : reduce();
  for (int64_t steps = random.between(1, 3); x && steps > 0; --steps) {
    auto type = ::mlir::cast<RankedTensorType>(x.getType());
    Value moved =
        random.percent(40)
            ? emit<ReshapeOp>(
                  getTensorType({getNumElements(context, getDims(type))},
                                type.getElementType()),
                  x)
            : movement(x, /*isTarget=*/false);
    if (moved)
      x = moved;
  }
  return x;
}

Value GraphGenerator::composite() {
  switch (random.below(isSymbolic() ? 9 : 8)) {
  case 0:
    return matmul();
  case 1:
    if (Value x = pick(Class::Float))
      return softmax(x);
    return {};
  case 2:
    if (Value x = pick(Class::Float))
      return normalize(x);
    return {};
  case 3:
    if (Value x = pick(Class::Num))
      return slidingSum(x);
    return {};
  case 4:
    return join();
  case 5:
    return gather();
  case 6:
    return maskByPosition();
  case 7:
    return histogram();
  default:
    return growCache();
  }
}
