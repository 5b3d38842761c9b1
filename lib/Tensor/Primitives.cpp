//===- Primitives.cpp - the operations all others consist of --------------===//
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
#include "GraphImpl.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

namespace {
/// What building an operation takes: the graph, locked, and the operands.
struct Maker {
  explicit Maker(const Tensor &like)
      : graph(*like.impl().graph), device(like.impl().device),
        lock(graph.mutex) {}
  Maker(const Graph &graph, Device &device)
      : graph(*graph.impl()), device(&device), lock(this->graph.mutex) {}

  Value operator()(const Tensor &x) const { return x.impl().op->getResult(0); }

  template <typename OpTy, typename... Args> Tensor build(Args &&...args) {
    return graph.build<OpTy>(device, std::forward<Args>(args)...);
  }

  GraphImpl &graph;
  Device *device;
  std::lock_guard<std::recursive_mutex> lock;
};
} // namespace

void tinygrad::detail::checkOperands(
    std::initializer_list<const Tensor *> operands) {
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

/// Whether the tensor is a view, not computed yet, of one that is still there.
static bool isView(const TensorImpl &x) {
  if (!tg::isMovementOp(x.op))
    return false;
  for (Origin *origin = x.origin.get(); origin; origin = origin->next.get())
    if (!origin->tensor.expired())
      return true;
  return false;
}

Tensor prim::viewOf(const Tensor &x, Tensor view) {
  // Handles on handles on handles: nobody asks for more.
  constexpr unsigned deepest = 8;
  TensorImpl &source = x.impl();
  std::lock_guard<std::recursive_mutex> lock(source.graph->mutex);
  if (isView(source)) {
    view.impl().origin = source.origin;
    return view;
  }
  auto origin = std::make_shared<Origin>();
  origin->tensor = source.weak_from_this();
  origin->op = source.op;
  if (source.origin && source.origin->depth < deepest) {
    origin->next = source.origin;
    origin->depth = source.origin->depth + 1;
  }
  view.impl().origin = std::move(origin);
  return view;
}

Tensor prim::alias(const Tensor &x) {
  Maker b(x);
  return b.graph.wrap(x.impl().op, b.device);
}

Tensor prim::wholeView(const Tensor &x) { return viewOf(x, alias(x)); }

Tensor prim::unary(UnaryOp op, const Tensor &x) {
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
  case UnaryOp::Log2:
    return b.build<tg::Log2Op>(b(x));
  case UnaryOp::Sin:
    return b.build<tg::SinOp>(b(x));
  case UnaryOp::Trunc:
    break;
  }
  return b.build<tg::TruncOp>(b(x));
}

Tensor prim::binary(BinaryOp op, const Tensor &lhs, const Tensor &rhs) {
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
  checkOperands({&condition, &x, &y});
  Maker b(x);
  return b.build<tg::WhereOp>(b(x).getType(), b(condition), b(x), b(y));
}

Tensor prim::mulacc(const Tensor &a, const Tensor &b, const Tensor &c) {
  checkOperands({&a, &b, &c});
  Maker m(a);
  return m.build<tg::MulAccOp>(m(a), m(b), m(c));
}

Tensor prim::cast(const Tensor &x, DType dtype) {
  if (x.dtype() == dtype)
    return alias(x);
  Maker b(x);
  return b.build<tg::CastOp>(b.graph.tensorType(dtype, x.shape()), b(x));
}

Tensor prim::bitcast(const Tensor &x, DType dtype) {
  if (x.dtype() == dtype)
    return alias(x);
  Maker b(x);
  return b.build<tg::BitcastOp>(b.graph.tensorType(dtype, x.shape()), b(x));
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static TypedAttr makeNumber(Type type, Scalar value, DType dtype) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(floatType, value.toDouble());
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
  return iota(Graph(like.impl().graph), *like.impl().device, axis, dtype,
              shape);
}

Tensor prim::buffer(const Graph &graph, const Buffer &memory, DType dtype,
                    const Shape &shape) {
  Maker b(graph, memory.device());
  return b.graph.wrap(
      b.graph.createBuffer(memory, b.graph.tensorType(dtype, shape)), b.device);
}

//===----------------------------------------------------------------------===//
// Reduce and movement
//===----------------------------------------------------------------------===//

Tensor prim::reduce(ReduceOp op, const Tensor &x,
                    const std::vector<int64_t> &axes) {
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

Tensor prim::reshape(const Tensor &x, const Shape &shape) {
  if (x.shape() == shape)
    return wholeView(x);
  Maker b(x);
  return viewOf(
      x, b.build<tg::ReshapeOp>(b.graph.tensorType(x.dtype(), shape), b(x)));
}

Tensor prim::permute(const Tensor &x, const std::vector<int64_t> &order) {
  Maker b(x);
  return viewOf(x, b.build<tg::PermuteOp>(b(x), ArrayRef<int64_t>(order)));
}

Tensor prim::expand(const Tensor &x, const Shape &shape) {
  if (x.shape() == shape)
    return alias(x);
  Maker b(x);
  return b.build<tg::ExpandOp>(b.graph.tensorType(x.dtype(), shape), b(x));
}

Tensor prim::pad(const Tensor &x, const Shape &low, const Shape &high) {
  checkVariables({&x.shape(), &low, &high});
  Maker b(x);
  return b.build<tg::PadOp>(b(x), b.graph.dimensions(low),
                            b.graph.dimensions(high));
}

Tensor prim::shrink(const Tensor &x, const Shape &from, const Shape &to) {
  checkVariables({&x.shape(), &from, &to});
  Maker b(x);
  return viewOf(x, b.build<tg::ShrinkOp>(b(x), b.graph.dimensions(from),
                                         b.graph.dimensions(to)));
}

Tensor prim::flip(const Tensor &x, const std::vector<int64_t> &axes) {
  if (axes.empty())
    return wholeView(x);
  Maker b(x);
  return viewOf(x, b.build<tg::FlipOp>(b(x), ArrayRef<int64_t>(axes)));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Tensor prim::contiguous(const Tensor &x) {
  Maker b(x);
  return b.build<tg::ContiguousOp>(b(x));
}

Tensor prim::detach(const Tensor &x) {
  Maker b(x);
  return b.build<tg::DetachOp>(b(x));
}

Tensor prim::copy(const Tensor &x, Device &device) {
  Maker b(x);
  return b.graph.build<tg::CopyOp>(&device, b(x), device.name());
}
