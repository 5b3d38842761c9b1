//===- MatrixUnits.cpp - sums on matrix units -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums of products of tiles, computed by the operations in which the lanes of
/// a subgroup multiply two small matrices. Each lane reads its fragments of
/// both factors, and holds its part of the result.
///
//===----------------------------------------------------------------------===//

#include "GPUEmitter.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;
using namespace mlir::tg::togpu;
using tinygrad::FragmentDigit;
using tinygrad::FragmentLayout;
using tinygrad::MatrixFamily;
using tinygrad::MatrixUnit;

/// The widest access of one instruction, and a row of the matrices that
/// ldmatrix reads, in bytes; rows of such a matrix; a register.
static constexpr int64_t kMaxAccess = 16, kMatrixRows = 8, kRegisterBytes = 4;

/// The most matrices that one ldmatrix reads.
static constexpr int64_t kMaxMatrices = 4;

Value GPUEmitter::permute(const GroupLayout::Memory &memory, Value index,
                          unsigned depth, Location loc) {
  if (memory.order.rowBits == 0)
    return index;
  Value flipped = getFlipped(memory, index, memory.order.chunkBits, depth, loc);
  return arith::XOrIOp::create(at(depth, loc), index, flipped);
}

Value GPUEmitter::getFlipped(const GroupLayout::Memory &memory, Value index,
                             std::optional<unsigned> shift, unsigned depth,
                             Location loc) {
  // Constants come first, so that one operation follows the other.
  Value rowBits = getIndexConstant(memory.order.rowBits, loc), by;
  if (shift)
    by = getIndexConstant(*shift, loc);
  Value rowMask = getIndexConstant(memory.order.rowMask, loc), farBits, farMask;
  if (memory.order.farMask != 0) {
    farBits = getIndexConstant(memory.order.rowBits + 1, loc);
    farMask = getIndexConstant(memory.order.farMask, loc);
  }
  B &b = at(depth, loc);
  auto getBits = [&](Value bits, Value mask) -> Value {
    return arith::AndIOp::create(b, arith::ShRUIOp::create(b, index, bits),
                                 mask);
  };
  Value row = getBits(rowBits, rowMask);
  if (farMask)
    row = arith::OrIOp::create(b, row, getBits(farBits, farMask));
  return by ? arith::ShLIOp::create(b, row, by) : row;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

struct GPUEmitter::Fragment {
  const MatrixUnit &unit;
  const FragmentLayout &layout;
  const Contraction::Factor &factor;
  const GroupLayout::Memory &memory;
  Value buffer;
  Value start; ///< of the tile in its memory, or null
  /// The index of the matrix's first element, and the distances of its
  /// neighbors in a column and in a row.
  IndexForm base;
  int64_t rowStride, columnStride;

  int64_t getBytes() const { return tinygrad::getBytes(unit.element); }
  int64_t getDistance(const FragmentDigit &digit) const {
    return digit.row * rowStride + digit.column * columnStride;
  }
  /// The distance of the element in a register.
  int64_t getDistance(int64_t number) const {
    auto [row, column] = layout.getElement(/*lane=*/0, number);
    return row * rowStride + column * columnStride;
  }
  /// What ldmatrix reads for it.
  int64_t getNumMatrices() const {
    return layout.getNumRegisters() / getPerRegister();
  }
  /// Elements of a lane that are neighbors in a register.
  int64_t getPerRegister() const {
    return std::max<int64_t>(kRegisterBytes / getBytes(), 1);
  }
};

GPUEmitter::Fragment GPUEmitter::getFragment(const Contraction &contraction,
                                             bool ofColumns, Value start) {
  const Contraction::Factor &factor =
      ofColumns ? contraction.columns : contraction.rows;
  const MatrixUnit &unit = *contraction.unit;
  // The position of the accumulator's first element, in the first lane.
  SmallVector<std::pair<unsigned, int64_t>> saved;
  auto setFirst = [&](RangeOp range) {
    const unsigned index = rangeIndex.lookup(range.getResult());
    saved.push_back({index, std::exchange(ranges[index].position, 0)});
  };
  // No loop binds the range of the depth: its position is 0.
  for (RangeOp range : factor.ranges)
    if (range.getKind() != RangeKind::local)
      setFirst(range);
  IndexForm base = getForm(factor.getIndex());
  for (auto [index, position] : saved)
    ranges[index].position = position;
  const IndexAtom lane(Contraction::getLanes(factor).front().getResult());
  for (auto [atom, coefficient] : IndexForm(base).terms)
    if (atom == lane)
      base.addTerm(atom, -coefficient);
  const auto *memory = llvm::find_if(
      layout.memories, [&](const auto &m) { return m.op == factor.tile; });
  return {unit,
          ofColumns ? unit.b : unit.a,
          factor,
          *memory,
          memories.lookup(factor.tile),
          start,
          base,
          ofColumns ? factor.depthStride : factor.stride,
          ofColumns ? factor.stride : factor.depthStride};
}

Value GPUEmitter::getDigits(Value number,
                            ArrayRef<std::pair<int64_t, int64_t>> digits,
                            Location loc) {
  Value sum;
  int64_t divisor = 1;
  for (auto [extent, distance] : digits) {
    if (extent > 1 && distance != 0) {
      Value quotient = number;
      if (divisor > 1) {
        Value by = getIndexConstant(divisor, loc);
        quotient = arith::DivUIOp::create(at(0, loc), number, by);
      }
      Value base = getIndexConstant(extent, loc),
            factor = getIndexConstant(distance, loc);
      B &b = at(0, loc);
      Value part = arith::MulIOp::create(
          b, arith::RemUIOp::create(b, quotient, base), factor);
      sum = sum ? Value(arith::AddIOp::create(b, sum, part)) : part;
    }
    divisor *= extent;
  }
  return sum ? sum : getIndexConstant(0, loc);
}

/// Elements of which both the first one and all distances are multiples.
static int64_t getCommonMultiple(const IndexForm &base,
                                 ArrayRef<std::pair<int64_t, int64_t>> digits) {
  int64_t divisor = base.getCommonDivisor(base.constant);
  for (auto [extent, distance] : digits)
    if (extent > 1)
      divisor = tg::getCommonDivisor(divisor, distance);
  return divisor;
}

Value GPUEmitter::getPlaceOfLane(const Fragment &fragment,
                                 ArrayRef<std::pair<int64_t, int64_t>> digits,
                                 Location loc) {
  Value lane = getItemNumber({layout.getRowAxis(), layout.getColumnAxis()},
                             /*depth=*/0, loc);
  Value place = getDigits(lane, digits, loc);
  Value base = getScalar(fragment.base, loc);
  if (fragment.start)
    base = arith::AddIOp::create(at(top(), loc), base, fragment.start);
  return arith::AddIOp::create(at(top(), loc), base, place);
}

/// By ldmatrix: each lane gives the place of a row of one of the matrices.
/// `count` fragments that are `distance` elements apart are read at once. Null
/// if rows are not in one piece.
Value GPUEmitter::readFragmentByMatrices(const Fragment &fragment,
                                         int64_t count, int64_t distance,
                                         Location loc) {
  const int64_t bytes = fragment.getBytes(), rowElements = kMaxAccess / bytes;
  const bool isTransposed = fragment.factor.depthStride != 1;
  if (fragment.unit.family != MatrixFamily::mma || bytes > kRegisterBytes ||
      (isTransposed && (bytes != 2 || fragment.factor.stride != 1)))
    return Value();
  const int64_t perRegister = fragment.getPerRegister();
  const int64_t tiles = count * fragment.getNumMatrices();
  const int64_t rowDistance =
      isTransposed ? fragment.factor.depthStride : fragment.factor.stride;
  // The numbers of a row and of a matrix are digits of that of the lane.
  SmallVector<std::pair<int64_t, int64_t>> digits{{kMatrixRows, rowDistance}};
  for (const FragmentDigit &digit :
       ArrayRef(fragment.layout.registers).drop_front())
    digits.push_back({digit.extent, fragment.getDistance(digit)});
  digits.push_back({count, distance});
  if (getCommonMultiple(fragment.base, digits) % rowElements != 0)
    return Value();
  Value place = getPlaceOfLane(fragment, digits, loc);
  place = permute(fragment.memory, place, top(), loc);
  auto element = cast<MemRefType>(fragment.buffer.getType()).getElementType();
  B &b = at(top(), loc);
  return nvgpu::LdMatrixOp::create(
      b, VectorType::get({tiles, perRegister}, element), fragment.buffer, place,
      isTransposed, static_cast<uint32_t>(tiles));
}

/// By reads that transpose, of a tile whose rows are along the result: of each
/// 16 lanes, as many as there are elements in a piece read pieces of a row side
/// by side, and the next ones of the next row. A lane gets what those of its
/// own column read, one element of each row. Null if rows are not read that
/// way.
Value GPUEmitter::readFragmentTransposed(const Fragment &fragment,
                                         Location loc) {
  const int64_t width = fragment.unit.getTransposedElements(),
                distance = fragment.factor.depthStride;
  if (width == 0 || fragment.factor.stride != 1 || distance == 1)
    return Value();
  const auto &[ofSide, ofDepth, none] = fragment.layout.lanes;
  const int64_t inRow = ofSide.extent / width;
  const std::pair<int64_t, int64_t> digits[] = {
      {inRow, width},
      {width, distance},
      {ofDepth.extent, fragment.getDistance(ofDepth)}};
  const int64_t count = fragment.layout.getNumRegisters();
  if (getCommonMultiple(fragment.base, digits) % width != 0 ||
      count % width != 0 ||
      (fragment.memory.order.rowBits != 0 &&
       fragment.memory.order.getChunk() % width != 0))
    return Value();
  Value base = getPlaceOfLane(fragment, digits, loc);
  auto element = cast<MemRefType>(fragment.buffer.getType()).getElementType();
  Value result;
  for (int64_t number = 0; number < count; number += width) {
    Value offset = getIndexConstant(number * distance, loc);
    Value place = arith::AddIOp::create(at(top(), loc), base, offset);
    place = permute(fragment.memory, place, top(), loc);
    B &b = at(top(), loc);
    Value piece = amdgpu::TransposeLoadOp::create(
        b, VectorType::get(width, element), fragment.buffer, place);
    result = result
                 ? vector::ShuffleOp::create(
                       b, result, piece,
                       llvm::to_vector(llvm::seq<int64_t>(0, number + width)))
                 : piece;
  }
  return result;
}

/// Rounds f32 to tf32, to nearest: matrix units cut off the lower bits. Other
/// fragments are as they were read.
static Value toFactor(B &b, const MatrixUnit &unit, Value fragment) {
  if (unit.element != tinygrad::MatrixElement::tf32)
    return fragment;
  auto type = cast<VectorType>(fragment.getType());
  for (int64_t row = 0; row < type.getDimSize(0); ++row)
    for (int64_t column = 0; column < type.getDimSize(1); ++column) {
      const int64_t place[] = {row, column};
      Value element = vector::ExtractOp::create(b, fragment, place);
      auto rounded = NVVM::ConvertFloatToTF32Op::create(
          b, b.getI32Type(), element, NVVM::FPRoundingMode::RNA);
      element = arith::BitcastOp::create(b, b.getF32Type(), rounded);
      fragment = vector::InsertOp::create(b, element, fragment, place);
    }
  return fragment;
}

/// Reads neighboring fragments along an unrolled range at once, as many as one
/// ldmatrix reads. False if there are none.
bool GPUEmitter::readNeighbors(const Contraction &contraction, bool ofColumns,
                               Value start, RangeSet tiles,
                               DenseMap<uint64_t, Value> &fragments,
                               Location loc) {
  Value index = (ofColumns ? contraction.columns : contraction.rows).getIndex();
  for (RangeSet rest = getDeps(index) & tiles; rest; rest &= rest - 1) {
    Range &range = ranges[llvm::countr_zero(rest)];
    const int64_t position = range.position;
    const llvm::scope_exit restore([&] { range.position = position; });
    range.position = 0;
    const Fragment fragment = getFragment(contraction, ofColumns, start);
    const int64_t count = kMaxMatrices / fragment.getNumMatrices();
    if (count < 2 || range.extent % count != 0)
      continue;
    // All are as far apart as the first two.
    int64_t distance = 0;
    bool isRegular = true;
    for (int64_t i = 1; i < range.extent && isRegular; ++i) {
      range.position = i;
      IndexForm form = getFragment(contraction, ofColumns, start).base;
      form.subtract(fragment.base);
      distance = i == 1 ? form.constant : distance;
      isRegular = form.isConstant() && form.constant == i * distance;
    }
    if (!isRegular)
      continue;
    const int64_t first = position / count * count;
    range.position = first;
    Value all = readFragmentByMatrices(
        getFragment(contraction, ofColumns, start), count, distance, loc);
    if (!all)
      return false;
    const auto type = cast<VectorType>(all.getType());
    const int64_t matrices = fragment.getNumMatrices();
    for (int64_t i = 0; i < count; ++i) {
      range.position = first + i;
      B &b = at(top(), loc);
      Value own = buildZero(b, VectorType::get({matrices, type.getDimSize(1)},
                                               type.getElementType()));
      for (int64_t j = 0; j < matrices; ++j)
        own = vector::InsertOp::create(
            b, vector::ExtractOp::create(b, all, i * matrices + j), own, j);
      fragments[getKey(index)] = toFactor(b, fragment.unit, own);
    }
    return true;
  }
  return false;
}

Value GPUEmitter::readFragment(const Fragment &fragment, Location loc) {
  if (Value read = readFragmentByMatrices(fragment, 1, 0, loc))
    return read;
  if (Value read = readFragmentTransposed(fragment, loc))
    return read;
  const FragmentLayout &layout = fragment.layout;
  const int64_t count = layout.getNumRegisters(), bytes = fragment.getBytes();
  SmallVector<std::pair<int64_t, int64_t>> digits;
  for (const FragmentDigit &digit : layout.lanes)
    digits.push_back({digit.extent, fragment.getDistance(digit)});
  // Elements that are read at once.
  int64_t width = 1;
  auto isRow = [&](int64_t elements) {
    for (int64_t number = 0; number < count; ++number)
      if (fragment.getDistance(number) -
              fragment.getDistance(number / elements * elements) !=
          number % elements)
        return false;
    return true;
  };
  int64_t alignment = getCommonMultiple(fragment.base, digits);
  for (int64_t number = 0; number < count; number += 2)
    if (fragment.getDistance(number) % 2 != 0)
      alignment = 1;
  while (width < count && 2 * width * bytes <= kMaxAccess &&
         alignment % (2 * width) == 0 && isRow(2 * width))
    width *= 2;
  Value base = getPlaceOfLane(fragment, digits, loc);
  auto element = cast<MemRefType>(fragment.buffer.getType()).getElementType();
  // The pieces, and the vectors of registers that they make.
  const bool isMma = fragment.unit.family == MatrixFamily::mma;
  const int64_t rowSize = isMma ? fragment.getPerRegister() : count;
  SmallVector<Value> elements, pieces;
  for (int64_t number = 0; number < count; number += width) {
    Value offset = getIndexConstant(fragment.getDistance(number), loc);
    Value place = arith::AddIOp::create(at(top(), loc), base, offset);
    place = permute(fragment.memory, place, top(), loc);
    B &b = at(top(), loc);
    if (width == 1) {
      elements.push_back(memref::LoadOp::create(b, fragment.buffer, place));
      continue;
    }
    pieces.push_back(vector::LoadOp::create(
        b, VectorType::get(width, element), fragment.buffer, place,
        /*nontemporal=*/false, llvm::MaybeAlign(uint64_t(width * bytes))));
    if (width != rowSize)
      for (int64_t i = 0; i < width; ++i)
        elements.push_back(vector::ExtractOp::create(b, pieces.back(), i));
  }
  B &b = at(top(), loc);
  if (!isMma && count == 1)
    return elements.front();
  if (width == 1 || width != rowSize) {
    pieces.clear();
    for (int64_t number = 0; number < count; number += rowSize)
      pieces.push_back(vector::FromElementsOp::create(
          b, VectorType::get(rowSize, element),
          ArrayRef(elements).slice(number, rowSize)));
  }
  if (!isMma)
    return pieces.front();
  Value result =
      buildZero(b, VectorType::get({int64_t(pieces.size()), rowSize}, element));
  for (auto [i, piece] : llvm::enumerate(pieces))
    result = vector::InsertOp::create(b, piece, result, int64_t(i));
  return result;
}

//===----------------------------------------------------------------------===//
// The sum
//===----------------------------------------------------------------------===//

/// The vector in which a lane holds its part of the result.
static VectorType getAccumulators(const MatrixUnit &unit, Type result) {
  Type element = result;
  if (isNarrowFloat(result))
    element = Float32Type::get(result.getContext());
  const int64_t count = unit.c.getNumRegisters();
  if (unit.family != MatrixFamily::mma)
    return VectorType::get(count, element);
  const int64_t columns = unit.c.registers[0].extent;
  return VectorType::get({count / columns, columns}, element);
}

static Value multiply(B &b, const MatrixUnit &unit, Value rows, Value columns,
                      Value sum) {
  switch (unit.family) {
  case MatrixFamily::mma:
    return nvgpu::MmaSyncOp::create(
        b, rows, columns, sum, ArrayRef<int64_t>{unit.m, unit.n, unit.k},
        /*tf32Enabled=*/unit.element == tinygrad::MatrixElement::tf32);
  case MatrixFamily::mfma:
    return amdgpu::MFMAOp::create(
        b, sum.getType(), uint32_t(unit.m), uint32_t(unit.n), uint32_t(unit.k),
        /*blocks=*/1, rows, columns, sum, /*cbsz=*/0, /*abid=*/0,
        amdgpu::MFMAPermB::none, /*reducePrecision=*/false, /*negateA=*/false,
        /*negateB=*/false, /*negateC=*/false);
  case MatrixFamily::wmma:
    return amdgpu::WMMAOp::create(
        b, sum.getType(), uint32_t(unit.m), uint32_t(unit.n), uint32_t(unit.k),
        rows, columns, sum, /*subwordOffset=*/0, /*unsignedA=*/false,
        /*unsignedB=*/false, /*clamp=*/false);
  case MatrixFamily::wgmma:
    break; // its factors are not in registers
  }
  llvm_unreachable("unknown family");
}

bool GPUEmitter::createContraction(RangedReduceOp op, unsigned depth) {
  const auto *found =
      llvm::find_if(layout.contractions, [&](const Contraction &contraction) {
        return contraction.op == op;
      });
  if (found == layout.contractions.end())
    return false;
  const Contraction &contraction = *found;
  const MatrixUnit &unit = *contraction.unit;
  const Location loc = op.getLoc();
  RangeOp vectorRange = Contraction::getVector(contraction.columns);
  auto indexOf = [&](RangeOp range) {
    return rangeIndex.lookup(range.getResult());
  };
  // One lane of a vector is taken from it.
  if (vectorRange)
    if (Range &lanes = ranges[indexOf(vectorRange)]; lanes.position >= 0) {
      const int64_t position = std::exchange(lanes.position, -1);
      Value vector = get(op.getResult());
      lanes.position = position;
      scopes[depth].values[{op.getResult(), getKey(op.getResult())}] =
          vector::ExtractOp::create(at(depth, loc), vector, position);
      return true;
    }

  RangeSet registers = 0;
  for (const Contraction::Factor *factor :
       {&contraction.rows, &contraction.columns})
    for (RangeOp range : factor->ranges)
      if (range.getKind() == RangeKind::unroll)
        registers |= setOf(indexOf(range));
  // The accumulators of an item, the steps between two barriers, and loops.
  const RangeSet tiles = getDeps(op.getResult()) & unrollSet & ~registers;
  RangeSet steps = 0;
  SmallVector<unsigned> loops;
  int64_t copies = 1;
  for (RangeOp range : llvm::map_range(op.getRanges(), [](Value value) {
         return value.getDefiningOp<RangeOp>();
       })) {
    const unsigned index = indexOf(range);
    if (range == contraction.depth)
      continue;
    if (loopSet & setOf(index))
      loops.push_back(index);
    else
      steps |= setOf(index);
  }
  llvm::sort(loops);
  for (RangeSet rest = tiles; rest; rest &= rest - 1)
    copies *= ranges[llvm::countr_zero(rest)].extent;

  const bool isWarpgroup = unit.readsMemory();
  Value zero = isWarpgroup
                   ? createWarpgroupZeros(unit, loc)
                   : buildZero(at(0, loc), getAccumulators(unit, op.getType()));
  SmallVector<Value> carried(copies, zero);
  // Adds the products of what is in both tiles.
  auto addProducts = [&](ArrayRef<Value> starts, SmallVectorImpl<Value> &sums) {
    if (isWarpgroup)
      return addWarpgroupProducts(contraction, tiles, steps, starts, sums, loc);
    forEachPosition(steps, [&] {
      // By the position of the tile.
      DenseMap<uint64_t, Value> fragments[2];
      Value *next = sums.begin();
      forEachPosition(tiles, [&] {
        Value factors[2];
        for (bool ofColumns : {false, true}) {
          const Contraction::Factor &factor =
              ofColumns ? contraction.columns : contraction.rows;
          DenseMap<uint64_t, Value> &known = fragments[ofColumns];
          const uint64_t key = getKey(factor.getIndex());
          const Value start = starts[ofColumns];
          if (!known.contains(key) &&
              !readNeighbors(contraction, ofColumns, start, tiles, known, loc))
            known[key] = toFactor(
                at(top(), loc), unit,
                readFragment(getFragment(contraction, ofColumns, start), loc));
          factors[ofColumns] = known[key];
        }
        *next = multiply(at(top(), loc), unit, factors[0], factors[1], *next);
        ++next;
      });
    });
  };
  if (isBoxTile(contraction.rows.tile) ||
      isFilledAhead(contraction.rows.tile, contraction.columns.tile, loops)) {
    emitFilledAhead({contraction.rows.tile, contraction.columns.tile},
                    loops.front(), carried, loc, addProducts);
  } else {
    emitLoops(loops, carried, loc, [&](SmallVectorImpl<Value> &sums) {
      // Both tiles are filled before they are read.
      for (const Contraction::Factor *factor :
           {&contraction.rows, &contraction.columns})
        getBuffer(factor->getBuffer());
      separateFromWrites(loc);
      addProducts({Value(), Value()}, sums);
    });
  }

  const Value *next = carried.begin();
  forEachPosition(tiles, [&] {
    const Value sum = *next++;
    SmallVector<Value> taken;
    if (isWarpgroup)
      taken = takeRegisters(unit, sum, loc);
    int64_t number = 0;
    forEachPosition(registers, [&] {
      B &b = at(depth, loc);
      Value value;
      if (isWarpgroup) {
        const int64_t count = vectorRange.getLargestExtent();
        value = vector::FromElementsOp::create(
            b, VectorType::get(count, taken.front().getType()),
            ArrayRef(taken).slice(getRegister(contraction), count));
      } else {
        value = vector::ExtractOp::create(b, sum, number++);
      }
      if (isNarrowFloat(op.getType()))
        value = arithmetic.buildNarrow(b, value, op.getType());
      scopes[depth].values[{op.getResult(), getKey(op.getResult())}] = value;
    });
  });
  return true;
}
