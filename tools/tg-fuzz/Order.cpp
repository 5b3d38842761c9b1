//===- Order.cpp - random scans, scatters and sorts -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Operations of random graphs whose results depend on an order.
///
//===----------------------------------------------------------------------===//

#include "GraphGenerator.h"

using namespace mlir;
using namespace mlir::tg;

Value GraphGenerator::scan() {
  Value x = pick(Class::Arith);
  auto type = x ? ::mlir::cast<RankedTensorType>(x.getType()) : nullptr;
  if (!type || type.getRank() == 0)
    return {};
  static const ScanKind kinds[] = {ScanKind::add, ScanKind::add, ScanKind::max,
                                   ScanKind::mul, ScanKind::logaddexp};
  ScanKind kind = random.pick(kinds);
  if (kind == ScanKind::logaddexp && !isa<FloatType>(type.getElementType()))
    kind = ScanKind::add;
  return emit<ScanOp>(kind, x,
                      static_cast<uint64_t>(random.below(type.getRank())));
}

Value GraphGenerator::scatter() {
  Value base = pick(Class::Arith);
  auto type = base ? ::mlir::cast<RankedTensorType>(base.getType()) : nullptr;
  if (!type || type.getRank() == 0)
    return {};
  const int64_t axis = random.below(type.getRank());
  static const int64_t sizes[] = {1, 2, 5, 9, 16, 40};
  SmallVector<Dim> dims = getDims(type);
  dims[axis] = randomSize(sizes, 60);
  if (getBufferSize(getTensorType(dims, type.getElementType())) >
      4 * maxElements)
    return {};
  const Type indexTypes[] = {builder.getI32Type(), builder.getI64Type(),
                             builder.getI8Type(),
                             builder.getIntegerType(8, /*isSigned=*/false)};
  Type indexType = random.pick(indexTypes);
  auto wanted = getTensorType(dims, indexType);
  Value index = random.percent(50) ? broadcastLeaf(wanted) : leaf(wanted);
  // Mostly valid positions.
  if (index && random.percent(80)) {
    Value length = emit<DimOp>(wanted, getDim(type, axis).getAttr());
    index = length ? emit<FloorModOp>(index, length) : Value();
  }
  auto updatesType = getTensorType(dims, type.getElementType());
  Value updates =
      random.percent(30) ? broadcastLeaf(updatesType) : leaf(updatesType);
  if (!index || !updates)
    return {};
  static const UpdateKind kinds[] = {UpdateKind::set, UpdateKind::add,
                                     UpdateKind::add, UpdateKind::mul,
                                     UpdateKind::max, UpdateKind::min};
  Value result = emit<ScatterOp>(type, random.pick(kinds), base, index, updates,
                                 static_cast<uint64_t>(axis));
  // Assigns to memory, where only the updates are written.
  if (result && ::mlir::isa<BlockArgument>(base) && random.percent(50))
    return emit<AssignOp>(base, result);
  return result;
}

Value GraphGenerator::argsort() {
  Value x = pick(Class::Arith);
  auto type = x ? ::mlir::cast<RankedTensorType>(x.getType()) : nullptr;
  if (!type || type.getRank() == 0)
    return {};
  Type element =
      random.percent(70) ? builder.getI32Type() : builder.getI64Type();
  SmallVector<Dim> dims = getDims(type);
  // Often only the first elements of each row.
  if (std::optional<int64_t> row = dims.back().getStatic();
      row.value_or(0) > 0 && random.percent(50))
    dims.back() = Dim(type.getContext(), random.between(1, *row));
  return emit<ArgsortOp>(getTensorType(dims, element), x, random.percent(50));
}

/// The sum of one-hot rows, or of rows selected by them.
Value GraphGenerator::histogram() {
  static const int64_t counts[] = {1, 3, 20, 60};
  static const int64_t classes[] = {4, 16, 17, 33};
  static const int64_t rows[] = {1, 1, 1, 3, 8};
  SmallVector<Dim> shape = {randomSize(counts, 100),
                            number(random.pick(classes)),
                            number(random.pick(rows))};
  Type element = randomElementType(Class::Num), i32 = builder.getI32Type();
  auto all = getTensorType(shape, element);
  if (getBufferSize(all) > 4 * maxElements)
    return {};
  auto spread = [&](Type type) -> Value {
    SmallVector<Dim> small = shape;
    small[1] = number(1);
    Value value = leaf(getTensorType(small, type));
    return value ? emit<ExpandOp>(getTensorType(shape, type), value) : Value();
  };
  Value index = spread(i32);
  Value position = emit<IotaOp>(getTensorType(shape, i32), 1);
  Value isChosen = index && position ? emit<CmpEqOp>(position, index) : Value();
  if (!isChosen)
    return {};
  if (random.percent(30))
    if (Value other = spread(builder.getI1Type()))
      isChosen = emit<AndOp>(isChosen, other);
  Value chosen;
  if (random.percent(50)) {
    chosen = isChosen ? emit<CastOp>(all, isChosen) : Value();
  } else {
    Value value = spread(element);
    Value zero = emit<ConstOp>(all, int64_t(0));
    chosen = isChosen && value && zero
                 ? emit<WhereOp>(all, isChosen, value, zero)
                 : Value();
  }
  return chosen ? emit<ReduceOp>(ReduceKind::add, chosen, ArrayRef<int64_t>(0))
                : Value();
}
