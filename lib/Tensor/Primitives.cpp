//===- Primitives.cpp - one function for each operation -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds operations of the dialect.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"
#include "Aliasing.h"
#include "GraphImpl.h"
#include "Recorder.h"
#include "Shards.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

namespace {
/// Locks the graph and holds the operands while an operation is built.
struct Maker {
  explicit Maker(const Tensor &like)
      : graph(*like.impl().graph), device(like.impl().device),
        lock(graph.mutex) {}
  Maker(const Graph &graph, Device &device)
      : graph(*graph.impl()), device(&device), lock(this->graph.mutex) {}

  Value operator()(const Tensor &x) const {
    return graph.operation(x.impl())->getResult(0);
  }

  template <typename OpTy, typename... Args> Tensor build(Args &&...args) {
    return graph.build<OpTy>(device, std::forward<Args>(args)...);
  }

  GraphImpl &graph;
  Device *device;
  std::lock_guard<GraphMutex> lock;
};
} // namespace

void tinygrad::detail::checkOperands(
    std::initializer_list<const Tensor *> operands) {
  if (isSharded(operands))
    return checkShards(operands);
  const TensorImpl *first = nullptr;
  for (const Tensor *operand : operands) {
    const TensorImpl &impl = operand->impl();
    if (!first) {
      first = &impl;
      continue;
    }
    if (impl.graph != first->graph)
      throw Error("operands are tensors of different graphs");
    if (impl.device != first->device)
      throw DeviceError("operands are on different devices: " +
                        first->device->name() + " and " + impl.device->name());
  }
}

/// Registers \p view, which \p movement derives from \p x, as a view of \p x.
static Tensor viewOf(const Tensor &x, Tensor view,
                     std::shared_ptr<const Movement> movement) {
  TensorImpl &source = x.impl();
  if (!source.storage)
    source.storage = std::make_shared<Storage>(*source.graph, source);
  Storage::add(source.storage, view.impl(), std::move(movement));
  return view;
}

static std::shared_ptr<Movement> movementOf(const Tensor &x,
                                            Movement::Kind kind) {
  return std::make_shared<Movement>(kind, x.shape());
}

static Tensor viewOf(const Tensor &x, std::shared_ptr<Movement> movement) {
  Maker b(x);
  Tensor view =
      b.graph.wrap(movement->apply(b.graph, b(x).getDefiningOp()), b.device);
  movement->previous = x.impl().movement;
  if (!movement->loose && movement->previous)
    movement->loose = movement->previous->loose;
  return viewOf(x, std::move(view), std::move(movement));
}

Tensor prim::alias(const Tensor &x) {
  if (isSharded(x))
    return shards::map(x, [&](const Tensor &part) { return alias(part); });
  Maker b(x);
  return b.graph.wrap(b(x).getDefiningOp(), b.device);
}

Tensor prim::wholeView(const Tensor &x) {
  if (isSharded(x))
    return shards::asView(
        shards::map(x, [&](const Tensor &part) { return wholeView(part); }), x);
  Maker b(x);
  return viewOf(x, alias(x), x.impl().movement);
}

Tensor prim::unary(UnaryOp op, const Tensor &x) {
  if (isSharded(x))
    return shards::map(x, [&](const Tensor &part) { return unary(op, part); });
  Maker b(x);
  switch (op) {
  case UnaryOp::Neg:
    return b.build<tg::NegOp>(b(x));
  case UnaryOp::Recip:
    return b.build<tg::RecipOp>(b(x));
  case UnaryOp::Sqrt:
    return b.build<tg::SqrtOp>(b(x));
  case UnaryOp::Exp2:
    return b.build<tg::Exp2Op>(b(x));
  case UnaryOp::Exp:
    return b.build<tg::ExpOp>(b(x));
  case UnaryOp::ExpM1:
    return b.build<tg::ExpM1Op>(b(x));
  case UnaryOp::Log2:
    return b.build<tg::Log2Op>(b(x));
  case UnaryOp::Log:
    return b.build<tg::LogOp>(b(x));
  case UnaryOp::Log1p:
    return b.build<tg::Log1pOp>(b(x));
  case UnaryOp::Sin:
    return b.build<tg::SinOp>(b(x));
  case UnaryOp::Cos:
    return b.build<tg::CosOp>(b(x));
  case UnaryOp::Tan:
    return b.build<tg::TanOp>(b(x));
  case UnaryOp::Asin:
    return b.build<tg::AsinOp>(b(x));
  case UnaryOp::Acos:
    return b.build<tg::AcosOp>(b(x));
  case UnaryOp::Atan:
    return b.build<tg::AtanOp>(b(x));
  case UnaryOp::Tanh:
    return b.build<tg::TanhOp>(b(x));
  case UnaryOp::Erf:
    return b.build<tg::ErfOp>(b(x));
  case UnaryOp::Trunc:
    break;
  }
  return b.build<tg::TruncOp>(b(x));
}

Tensor prim::binary(BinaryOp op, const Tensor &lhs, const Tensor &rhs) {
  if (isSharded({&lhs, &rhs}))
    return shards::combine({&lhs, &rhs}, [&](const std::vector<Tensor> &parts) {
      return binary(op, parts[0], parts[1]);
    });
  checkOperands({&lhs, &rhs});
  Maker b(lhs);
  switch (op) {
  case BinaryOp::Add:
    return b.build<tg::AddOp>(b(lhs), b(rhs));
  case BinaryOp::Sub:
    return b.build<tg::SubOp>(b(lhs), b(rhs));
  case BinaryOp::Mul:
    return b.build<tg::MulOp>(b(lhs), b(rhs));
  case BinaryOp::FDiv:
    return b.build<tg::FDivOp>(b(lhs), b(rhs));
  case BinaryOp::IDiv:
    return b.build<tg::IDivOp>(b(lhs), b(rhs));
  case BinaryOp::FloorDiv:
    return b.build<tg::FloorDivOp>(b(lhs), b(rhs));
  case BinaryOp::Mod:
    return b.build<tg::ModOp>(b(lhs), b(rhs));
  case BinaryOp::FloorMod:
    return b.build<tg::FloorModOp>(b(lhs), b(rhs));
  case BinaryOp::Max:
    return b.build<tg::MaxOp>(b(lhs), b(rhs));
  case BinaryOp::Pow:
    return b.build<tg::PowOp>(b(lhs), b(rhs));
  case BinaryOp::And:
    return b.build<tg::AndOp>(b(lhs), b(rhs));
  case BinaryOp::Or:
    return b.build<tg::OrOp>(b(lhs), b(rhs));
  case BinaryOp::Xor:
    return b.build<tg::XorOp>(b(lhs), b(rhs));
  case BinaryOp::Shl:
    return b.build<tg::ShlOp>(b(lhs), b(rhs));
  case BinaryOp::Shr:
    return b.build<tg::ShrOp>(b(lhs), b(rhs));
  case BinaryOp::CmpLt:
    return b.build<tg::CmpLtOp>(b(lhs), b(rhs));
  case BinaryOp::CmpEq:
    return b.build<tg::CmpEqOp>(b(lhs), b(rhs));
  case BinaryOp::CmpNe:
    return b.build<tg::CmpNeOp>(b(lhs), b(rhs));
  case BinaryOp::Threefry:
    break;
  }
  return b.build<tg::ThreefryOp>(b(lhs), b(rhs));
}

Tensor prim::where(const Tensor &condition, const Tensor &x, const Tensor &y) {
  if (isSharded({&condition, &x, &y}))
    return shards::combine({&condition, &x, &y},
                           [&](const std::vector<Tensor> &parts) {
                             return where(parts[0], parts[1], parts[2]);
                           });
  checkOperands({&condition, &x, &y});
  Maker b(x);
  return b.build<tg::WhereOp>(b(x).getType(), b(condition), b(x), b(y));
}

Tensor prim::mulacc(const Tensor &a, const Tensor &b, const Tensor &c) {
  if (isSharded({&a, &b, &c}))
    return shards::combine({&a, &b, &c}, [&](const std::vector<Tensor> &parts) {
      return mulacc(parts[0], parts[1], parts[2]);
    });
  checkOperands({&a, &b, &c});
  Maker m(a);
  return m.build<tg::MulAccOp>(m(a), m(b), m(c));
}

/// \p x with the largest finite value of \p dtype, an fp8 type, for finite
/// numbers beyond it, as GPUs convert. Infinities and NaN stay.
static Tensor saturate(const Tensor &x, DType dtype) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto isLess = [](const Tensor &a, const Tensor &b) {
    return prim::binary(BinaryOp::CmpLt, a, b);
  };
  Tensor bounded = x;
  for (double sign : {1.0, -1.0}) {
    const auto number = [&](double value) {
      return prim::constant(x, sign * value, x.dtype(), x.shape());
    };
    const Tensor largest = number(largestFinite(dtype)), end = number(infinity);
    const Tensor isBeyond = prim::binary(
        BinaryOp::And, sign > 0 ? isLess(largest, x) : isLess(x, largest),
        sign > 0 ? isLess(x, end) : isLess(end, x));
    bounded = prim::where(isBeyond, largest, bounded);
  }
  return bounded;
}

Tensor prim::cast(const Tensor &x, DType dtype) {
  if (isSharded(x))
    return shards::map(x,
                       [&](const Tensor &part) { return cast(part, dtype); });
  if (x.dtype() == dtype)
    return alias(x);
  if (isFloat8(dtype) && x.dtype() != DType::Bool) {
    if (!isFloat(x.dtype()) || isFloat8(x.dtype()))
      return cast(cast(x, DType::Float32), dtype);
    const Tensor bounded = saturate(x, dtype);
    Maker b(bounded);
    return b.build<tg::CastOp>(b.graph.tensorType(dtype, x.shape()),
                               b(bounded));
  }
  Maker b(x);
  return b.build<tg::CastOp>(b.graph.tensorType(dtype, x.shape()), b(x));
}

Tensor prim::bitcast(const Tensor &x, DType dtype) {
  if (isSharded(x))
    return shards::map(
        x, [&](const Tensor &part) { return bitcast(part, dtype); });
  if (x.dtype() == dtype)
    return alias(x);
  Maker b(x);
  return b.build<tg::BitcastOp>(b.graph.tensorType(dtype, x.shape()), b(x));
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static TypedAttr makeNumber(Type type, Scalar value, DType dtype) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    double number = value.toDouble();
    // As cast() does.
    if (isFloat8(dtype) && std::isfinite(number))
      number = std::clamp(number, -largestFinite(dtype), largestFinite(dtype));
    return FloatAttr::get(floatType, number);
  }
  if (dtype == DType::Bool)
    return IntegerAttr::get(type, value.toDouble() != 0);
  return IntegerAttr::get(
      type, APInt(64, value.toBits()).trunc(type.getIntOrFloatBitWidth()));
}

Tensor prim::constant(const Graph &graph, Device &device, Scalar value,
                      DType dtype, const Shape &shape) {
  checkedNumElements(shape, dtype, "constant");
  checkFits(value, dtype, "constant");
  Maker b(graph, device);
  if (value.isSymbolic()) {
    const Shape number = {value.toSymInt()};
    checkVariables({&shape, &number});
    return cast(b.build<tg::DimOp>(b.graph.tensorType(DType::Int64, shape),
                                   b.graph.dimension(value.toSymInt())),
                dtype);
  }
  return b.graph.wrap(
      b.graph.constant(b.graph.tensorType(dtype, shape),
                       makeNumber(b.graph.elementType(dtype), value, dtype)),
      b.device);
}

Tensor prim::constant(const Tensor &like, Scalar value, DType dtype,
                      const Shape &shape) {
  if (isSharded(like)) {
    const Shards &shards = *like.impl().shards;
    const std::optional<int64_t> axis =
        shape == like.shape() ? shards.axis : std::nullopt;
    return shards::map(like, axis, [&](const Tensor &part) {
      return constant(part, value, dtype, axis ? part.shape() : shape);
    });
  }
  return constant(Graph(like.impl().graph), *like.impl().device, value, dtype,
                  shape);
}

Tensor prim::iota(const Graph &graph, Device &device, int64_t axis, DType dtype,
                  const Shape &shape) {
  checkedNumElements(shape, dtype, "iota");
  Maker b(graph, device);
  return b.build<tg::IotaOp>(b.graph.tensorType(dtype, shape),
                             static_cast<uint64_t>(axis));
}

Tensor prim::iota(const Tensor &like, int64_t axis, DType dtype,
                  const Shape &shape) {
  if (isSharded(like))
    return shards::map(like, std::nullopt, [&](const Tensor &part) {
      return iota(part, axis, dtype, shape);
    });
  return iota(Graph(like.impl().graph), *like.impl().device, axis, dtype,
              shape);
}

Tensor prim::buffer(const Graph &graph, const Buffer &memory, DType dtype,
                    const Shape &shape) {
  Maker b(graph, memory.device());
  if (Recorder *recorder = Recorder::capturing())
    recorder->addFrozen(memory);
  return b.graph.wrap(
      b.graph.createBuffer(memory, b.graph.tensorType(dtype, shape)), b.device);
}

//===----------------------------------------------------------------------===//
// Reduce and movement
//===----------------------------------------------------------------------===//

Tensor prim::reduce(ReduceOp op, const Tensor &x,
                    const std::vector<int64_t> &axes) {
  if (isSharded(x))
    return shards::reduce(op, x, axes);
  if (axes.empty())
    return alias(x);
  Maker b(x);
  tg::ReduceKind kind = tg::ReduceKind::max;
  if (op == ReduceOp::Add)
    kind = tg::ReduceKind::add;
  else if (op == ReduceOp::Mul)
    kind = tg::ReduceKind::mul;
  return b.build<tg::ReduceOp>(kind, b(x), ArrayRef<int64_t>(axes));
}

Tensor prim::scan(ScanOp op, const Tensor &x, int64_t axis) {
  if (isSharded(x)) {
    return shards::map(shards::withWholeAxis(x, axis), [&](const Tensor &part) {
      return scan(op, part, axis);
    });
  }
  Maker b(x);
  auto getKind = [&] {
    switch (op) {
    case ScanOp::Add:
      return tg::ScanKind::add;
    case ScanOp::Mul:
      return tg::ScanKind::mul;
    case ScanOp::Max:
      return tg::ScanKind::max;
    case ScanOp::LogAddExp:
      return tg::ScanKind::logaddexp;
    }
    llvm_unreachable("unknown ScanOp");
  };
  return b.build<tg::ScanOp>(getKind(), b(x), static_cast<uint64_t>(axis));
}

Tensor prim::scatter(UpdateOp op, const Tensor &base, const Tensor &index,
                     const Tensor &updates, int64_t axis) {
  if (isSharded({&base, &index, &updates}))
    return shards::scatter(op, base, index, updates, axis);
  checkVariables({&base.shape(), &index.shape()});
  Maker b(base);
  auto getKind = [&] {
    switch (op) {
    case UpdateOp::Set:
      return tg::UpdateKind::set;
    case UpdateOp::Add:
      return tg::UpdateKind::add;
    case UpdateOp::Mul:
      return tg::UpdateKind::mul;
    case UpdateOp::Max:
      return tg::UpdateKind::max;
    case UpdateOp::Min:
      return tg::UpdateKind::min;
    }
    llvm_unreachable("unknown UpdateOp");
  };
  return b.build<tg::ScatterOp>(getKind(), b(base), b(index), b(updates),
                                static_cast<uint64_t>(axis));
}

Tensor prim::argsort(const Tensor &x, bool isDescending, DType positions,
                     SymInt count) {
  if (isSharded(x)) {
    return shards::map(shards::withWholeAxis(x, x.ndim() - 1),
                       [&](const Tensor &part) {
                         return argsort(part, isDescending, positions, count);
                       });
  }
  Maker b(x);
  Shape shape = x.shape();
  shape.back() = count;
  return b.build<tg::ArgsortOp>(b.graph.tensorType(positions, shape), b(x),
                                isDescending);
}

Tensor prim::reshape(const Tensor &x, const Shape &shape) {
  if (isSharded(x))
    return shards::reshape(x, shape, [](const Tensor &part, const Shape &to) {
      return reshape(part, to);
    });
  if (x.shape() == shape)
    return wholeView(x);
  checkedNumElements(shape, x.dtype(), "reshape");
  auto movement = movementOf(x, Movement::Kind::Reshape);
  movement->after = shape;
  return viewOf(x, std::move(movement));
}

Tensor prim::permute(const Tensor &x, const std::vector<int64_t> &order) {
  if (isSharded(x))
    return shards::permute(
        x, order, [&](const Tensor &part) { return permute(part, order); });
  auto movement = movementOf(x, Movement::Kind::Permute);
  movement->axes = order;
  return viewOf(x, std::move(movement));
}

Tensor prim::expand(const Tensor &x, const Shape &shape) {
  if (isSharded(x))
    return shards::expand(x, shape, [](const Tensor &part, const Shape &to) {
      return expand(part, to);
    });
  if (x.shape() == shape)
    return alias(x);
  Maker b(x);
  return b.build<tg::ExpandOp>(b.graph.tensorType(x.dtype(), shape), b(x));
}

Tensor prim::pad(const Tensor &x, const Shape &low, const Shape &high) {
  if (isSharded(x))
    return shards::pad(
        x, low, high, [&](const Tensor &part) { return pad(part, low, high); });
  checkVariables({&x.shape(), &low, &high});
  Maker b(x);
  return b.build<tg::PadOp>(b(x), b.graph.dimensions(low),
                            b.graph.dimensions(high));
}

/// Whether a tensor, or what it is a view of, is in memory, perhaps with new
/// values to be assigned.
static bool isInMemory(const Tensor &x) {
  TensorImpl &tensor = x.impl();
  std::lock_guard<GraphMutex> lock(tensor.graph->mutex);
  return isa<tg::BufferOp, tg::AssignOp>(tensor.storage
                                             ? tensor.storage->operation()
                                             : tensor.graph->operation(tensor));
}

Tensor prim::expandView(const Tensor &x, const Shape &shape) {
  if (isSharded(x) || x.shape() == shape || !isInMemory(x))
    return expand(x, shape);
  auto movement = movementOf(x, Movement::Kind::Expand);
  movement->after = shape;
  movement->loose = movement.get();
  return viewOf(x, std::move(movement));
}

Tensor prim::bitcastView(const Tensor &x, DType dtype) {
  if (isSharded(x) || x.dtype() == dtype || !isInMemory(x))
    return bitcast(x, dtype);
  auto movement = movementOf(x, Movement::Kind::Bitcast);
  movement->dtype = dtype;
  movement->loose = movement.get();
  return viewOf(x, std::move(movement));
}

Tensor prim::detachView(const Tensor &x) {
  if (isSharded(x))
    return shards::asView(
        shards::map(x, [](const Tensor &part) { return detachView(part); }), x);
  if (!isInMemory(x))
    return detach(x);
  auto movement = movementOf(x, Movement::Kind::Detach);
  movement->loose = movement.get();
  return viewOf(x, std::move(movement));
}

/// pad() as a view, see Movement for \p isLoose.
static Tensor padAsView(const Tensor &x, const Shape &low, const Shape &high,
                        bool isLoose) {
  checkVariables({&x.shape(), &low, &high});
  auto movement = movementOf(x, Movement::Kind::Pad);
  if (isLoose)
    movement->loose = movement.get();
  movement->low = low;
  movement->high = high;
  return viewOf(x, std::move(movement));
}

Tensor prim::paddedView(const Tensor &x, const Shape &low, const Shape &high) {
  if (isSharded(x) || !isInMemory(x))
    return pad(x, low, high);
  return padAsView(x, low, high, /*isLoose=*/true);
}

Tensor prim::padView(const Tensor &x, const Shape &low, const Shape &high) {
  if (isSharded(x))
    return shards::pad(x, low, high, [&](const Tensor &part) {
      return padView(part, low, high);
    });
  return padAsView(x, low, high, /*isLoose=*/false);
}

Tensor prim::shrink(const Tensor &x, const Shape &from, const Shape &to) {
  if (isSharded(x))
    return shards::shrink(
        x, from, to,
        [](const Tensor &part, const Shape &begin, const Shape &end) {
          return shrink(part, begin, end);
        });
  checkVariables({&x.shape(), &from, &to});
  auto movement = movementOf(x, Movement::Kind::Shrink);
  movement->from = from;
  movement->to = to;
  return viewOf(x, std::move(movement));
}

Tensor prim::flip(const Tensor &x, const std::vector<int64_t> &axes) {
  if (isSharded(x)) {
    for (int64_t axis : axes)
      shards::checkAxis(x, axis, "flip");
    return shards::asView(
        shards::map(x, [&](const Tensor &part) { return flip(part, axes); }),
        x);
  }
  if (axes.empty())
    return wholeView(x);
  auto movement = movementOf(x, Movement::Kind::Flip);
  movement->axes = axes;
  return viewOf(x, std::move(movement));
}

//===----------------------------------------------------------------------===//
// Chains of movements without intermediate tensors
//===----------------------------------------------------------------------===//

prim::Movements::Movements(const Tensor &x)
    : graph(x.impl().graph), device(x.impl().device), dtype(x.dtype()),
      lock(graph->mutex), now(x.shape()) {
  if (isSharded(x)) {
    sharded = x;
    return;
  }
  handle.op = graph->operation(x.impl());
  // What movements of a chain undo is left out, unlike what undoes a tensor's.
  handle.isInternal = true;
  graph->link(handle);
}

prim::Movements::~Movements() { graph->release(handle); }

template <typename OpTy, typename... Args>
void prim::Movements::move(Shape shape, const Args &...args) {
  Value x = handle.op->getResult(0);
  // Uses a known result type, so that symbolic sizes are not inferred again.
  constexpr bool isInferred = !std::is_same_v<OpTy, tg::ReshapeOp> &&
                              !std::is_same_v<OpTy, tg::ExpandOp> &&
                              !std::is_same_v<OpTy, tg::StridedOp>;
  Operation *op = nullptr;
  if constexpr (isInferred)
    if (isSymbolic(shape))
      op = graph->make<OpTy>(x, args...);
  if (!op)
    op = graph->make<OpTy>(graph->tensorType(dtype, shape), x, args...);
  // If the operation folded to an earlier one, the operand is released.
  graph->rebind(handle, op);
  now = std::move(shape);
}

prim::Movements &prim::Movements::reshape(const Shape &shape) {
  if (shape == now)
    return *this;
  if (sharded.defined()) {
    sharded = shards::reshape(sharded, shape,
                              [](const Tensor &part, const Shape &to) {
                                return Movements(part).reshape(to).tensor();
                              });
    now = sharded.shape();
    return *this;
  }
  checkedNumElements(shape, dtype, "reshape");
  move<tg::ReshapeOp>(shape);
  return *this;
}

prim::Movements &prim::Movements::permute(const std::vector<int64_t> &order) {
  if (llvm::is_sorted(order))
    return *this;
  if (sharded.defined()) {
    sharded = shards::permute(sharded, order, [&](const Tensor &part) {
      return Movements(part).permute(order).tensor();
    });
    now = sharded.shape();
    return *this;
  }
  Shape shape;
  for (int64_t axis : order)
    shape.push_back(now[axis]);
  move<tg::PermuteOp>(std::move(shape), ArrayRef<int64_t>(order));
  return *this;
}

prim::Movements &prim::Movements::expand(const Shape &shape) {
  if (shape == now)
    return *this;
  if (sharded.defined()) {
    sharded =
        shards::expand(sharded, shape, [](const Tensor &part, const Shape &to) {
          return Movements(part).expand(to).tensor();
        });
    now = sharded.shape();
    return *this;
  }
  checkedNumElements(shape, dtype, "expand");
  move<tg::ExpandOp>(shape);
  return *this;
}

prim::Movements &prim::Movements::pad(const Shape &low, const Shape &high) {
  Shape shape;
  for (auto [size, before, after] : llvm::zip_equal(now, low, high))
    shape.push_back(checkedSum(checkedSum(size, before, "pad"), after, "pad"));
  if (shape == now)
    return *this;
  if (sharded.defined()) {
    sharded = shards::pad(sharded, low, high, [&](const Tensor &part) {
      return Movements(part).pad(low, high).tensor();
    });
    now = sharded.shape();
    return *this;
  }
  checkedNumElements(shape, dtype, "pad");
  checkVariables({&now, &low, &high});
  move<tg::PadOp>(std::move(shape), graph->dimensions(low),
                  graph->dimensions(high));
  return *this;
}

prim::Movements &prim::Movements::shrink(const Shape &from, const Shape &to) {
  Shape shape;
  for (auto [begin, end] : llvm::zip_equal(from, to))
    shape.push_back(end - begin);
  if (shape == now)
    return *this;
  if (sharded.defined()) {
    sharded = shards::shrink(
        sharded, from, to,
        [](const Tensor &part, const Shape &begin, const Shape &end) {
          return Movements(part).shrink(begin, end).tensor();
        });
    now = sharded.shape();
    return *this;
  }
  checkVariables({&now, &from, &to});
  move<tg::ShrinkOp>(std::move(shape), graph->dimensions(from),
                     graph->dimensions(to));
  return *this;
}

prim::Movements &prim::Movements::strided(const Shape &shape,
                                          const Shape &strides) {
  checkedNumElements(shape, dtype, "windows");
  if (sharded.defined()) {
    sharded = shards::strided(
        sharded, shape, strides,
        [](const Tensor &part, const Shape &sizes, const Shape &steps) {
          return Movements(part).strided(sizes, steps).tensor();
        });
    now = sharded.shape();
    return *this;
  }
  checkVariables({&now, &shape, &strides});
  auto getAttrs = [&](const Shape &list) {
    return llvm::map_to_vector(
        list, [&](const SymInt &size) { return graph->dimension(size); });
  };
  Attribute view =
      tg::ViewAttr::get(&graph->context(), getAttrs(shape), getAttrs(strides),
                        graph->dimension(0), {}, {});
  move<tg::StridedOp>(shape, graph->builder.getArrayAttr(view));
  return *this;
}

Tensor prim::Movements::tensor() {
  return sharded.defined() ? sharded : graph->wrap(handle.op, device);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Tensor prim::contiguous(const Tensor &x) {
  if (isSharded(x))
    return shards::map(x, [&](const Tensor &part) { return contiguous(part); });
  Maker b(x);
  return b.build<tg::ContiguousOp>(b(x));
}

Tensor prim::detach(const Tensor &x) {
  if (isSharded(x))
    return shards::map(x, [&](const Tensor &part) { return detach(part); });
  Maker b(x);
  return b.build<tg::DetachOp>(b(x));
}

Tensor prim::withDerivative(const Tensor &value, const Tensor &x,
                            const std::function<Tensor()> &derivative,
                            bool isNeeded) {
  if (isSharded({&value, &x})) {
    const Tensor given = derivative();
    return shards::combine(
        {&value, &x, &given}, [&](const std::vector<Tensor> &parts) {
          return withDerivative(
              parts[0], parts[1], [&] { return parts[2]; }, isNeeded);
        });
  }
  {
    Maker b(x);
    Operation *op = b(x).getDefiningOp();
    const bool isConstant = op->getNumOperands() == 0 && !isa<tg::BufferOp>(op);
    if (NoGradScope::isActive() || isConstant ||
        !(isNeeded || b.graph.isTracked(op)))
      return value;
  }
  const Tensor given = derivative();
  Maker b(x);
  return b.build<tg::WithDerivativeOp>(b(value), b(x), b(given));
}

Tensor prim::copy(const Tensor &x, Device &device) {
  if (isSharded(x))
    return shards::gather(x, device);
  Maker b(x);
  return b.graph.build<tg::CopyOp>(&device, b(x), device.name());
}
