//===- External.cpp - strided memory as tensors ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tensors from and as strided memory; the memory that a tensor is a view of.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/External.h"
#include "GraphImpl.h"
#include "MemoryView.h"
#include "Primitives.h"
#include "Recorder.h"
#include "Shards.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/Profile.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

std::optional<MemoryView> tinygrad::detail::findMemoryView(Operation *op) {
  SmallVector<Operation *> steps;
  while (!isa<tg::BufferOp>(op)) {
    if (!tg::isMovementOp(op) &&
        !isa<tg::StridedOp, tg::ContiguousOp, tg::DetachOp>(op))
      return std::nullopt;
    steps.push_back(op);
    op = op->getOperand(0).getDefiningOp();
  }
  auto buffer = cast<tg::BufferOp>(op);
  MemoryView view{buffer, tg::ViewChain(buffer.getType())};
  for (Operation *step : llvm::reverse(steps)) {
    if (isa<tg::ContiguousOp>(step)) {
      if (!view.chain.getContiguousOffset())
        return std::nullopt;
    } else if (!isa<tg::DetachOp>(step)) {
      view.chain.apply(step);
    }
  }
  return view;
}

//===----------------------------------------------------------------------===//
// From strided memory
//===----------------------------------------------------------------------===//

static std::string describe(const StridedView &view) {
  auto list = [](const std::vector<int64_t> &values) {
    std::string text = "[";
    for (std::size_t i = 0; i < values.size(); ++i)
      text += (i ? ", " : "") + std::to_string(values[i]);
    return text + "]";
  };
  return "shape " + list(view.shape) + ", strides " + list(view.strides) +
         ", offset " + std::to_string(view.offset);
}

/// The first and the last element of the buffer in the view.
static std::pair<int64_t, int64_t> getTouched(const StridedView &view) {
  const auto size = int64_t(itemSize(view.dtype));
  const int64_t count = int64_t(view.buffer.size()) / size;
  __int128 first = view.offset, last = view.offset;
  for (std::size_t axis = 0; axis < view.shape.size(); ++axis) {
    const __int128 reach = __int128(view.shape[axis] - 1) * view.strides[axis];
    (reach < 0 ? first : last) += reach;
    // Already out of range; further sums might not fit 128 bits.
    if (first < 0 || last >= count)
      break;
  }
  if (first < 0 || last >= count)
    throw IndexError("fromStrided: elements of a view of " + describe(view) +
                     " are not in the buffer, which has " +
                     std::to_string(view.buffer.size()) + " bytes, " +
                     std::to_string(count) + " elements of " +
                     name(view.dtype));
  return {int64_t(first), int64_t(last)};
}

static void checkView(const StridedView &view) {
  if (view.shape.size() != view.strides.size())
    throw ShapeError("fromStrided: as many strides as axes are needed, not " +
                     describe(view));
  checkedNumElements(Shape(view.shape.begin(), view.shape.end()), view.dtype,
                     "fromStrided");
  if (view.buffer.dtype() && *view.buffer.dtype() != view.dtype)
    throw DTypeError(std::string("fromStrided: a view of ") + name(view.dtype) +
                     " on a buffer of " + name(*view.buffer.dtype()));
  if (reinterpret_cast<uintptr_t>(view.buffer.address()) %
          itemSize(view.dtype) !=
      0)
    throw ShapeError(std::string("fromStrided: the buffer begins at an address "
                                 "that is not a multiple of the size of ") +
                     name(view.dtype));
}

Tensor tinygrad::fromStrided(const StridedView &view) {
  checkView(view);
  const std::size_t size = itemSize(view.dtype);
  Device &device = view.buffer.device();
  std::pair<int64_t, int64_t> touched{0, -1};
  if (!llvm::is_contained(view.shape, 0))
    touched = getTouched(view);
  const auto [first, last] = touched;
  const int64_t count = last - first + 1;
  const Buffer part = view.buffer.view(std::size_t(first) * size,
                                       std::size_t(count) * size, view.dtype);
  const Tensor memory =
      prim::buffer(Graph::current(), part, view.dtype, Shape{count});
  GraphImpl &graph = *memory.impl().graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  RankedTensorType type =
      RankedTensorType::get(view.shape, graph.elementType(view.dtype));
  Value base = graph.operation(memory.impl())->getResult(0);
  auto toDims = [&](ArrayRef<int64_t> values) {
    return llvm::map_to_vector<4>(values, [&](int64_t value) {
      return tg::Dim(&graph.context(), value);
    });
  };
  tg::View strides;
  strides.shape = toDims(view.shape);
  strides.strides = toDims(view.strides);
  strides.offset =
      tg::Dim(&graph.context(), count == 0 ? 0 : view.offset - first);
  strides.normalize();
  tg::ViewChain chain(cast<RankedTensorType>(base.getType()));
  chain.append(std::move(strides));
  // Contiguous memory is used without a copy.
  if (chain.getContiguousOffset())
    return graph.build<tg::ReshapeOp>(&device, type, base);
  return graph.build<tg::StridedOp>(&device, type, base, chain.getAttr());
}

//===----------------------------------------------------------------------===//
// As strided memory
//===----------------------------------------------------------------------===//

/// The strides and offset of a chain that is one view without padding.
static std::optional<StridedView> getStrides(const tg::ViewChain &chain) {
  std::optional<tg::View> memory = chain.getMemoryView();
  if (!memory || !memory->mask.empty())
    return std::nullopt;
  StridedView view;
  // Uses the sizes for the current values of the variables.
  auto getNumber = [](tg::Dim dim) {
    return dim
        .substitute([](tg::VarAttr var) {
          const std::optional<int64_t> value = findVariable(var).value;
          return value ? tg::Dim(var.getContext(), *value) : tg::Dim(var);
        })
        .getStatic();
  };
  auto add = [&](std::vector<int64_t> &values, tg::Dim dim) {
    std::optional<int64_t> number = getNumber(dim);
    values.push_back(number.value_or(0));
    return number.has_value();
  };
  for (auto [dim, stride] : llvm::zip(memory->shape, memory->strides))
    if (!add(view.shape, dim) || !add(view.strides, stride))
      return std::nullopt;
  std::optional<int64_t> offset = getNumber(memory->offset);
  if (!offset)
    return std::nullopt;
  view.offset = memory->isEmpty() ? 0 : *offset;
  return view;
}

StridedView tinygrad::toStrided(const Tensor &tensor,
                                std::source_location where) {
  const CallSite site(where.file_name(), where.line());
  TensorImpl &impl = tensor.impl();
  GraphImpl &graph = *impl.graph;
  Recorder::checkHostRead("toStrided");
  if (impl.shards)
    return toStrided(shards::gather(tensor, *impl.device), where);
  std::lock_guard<GraphMutex> lock(graph.mutex);
  if (!impl.device->information().hostVisible)
    throw DeviceError("toStrided: the host cannot read memory of the device " +
                      impl.device->name());
  auto find = [&]() -> std::optional<StridedView> {
    std::optional<MemoryView> found = findMemoryView(graph.operation(impl));
    if (!found)
      return std::nullopt;
    std::optional<StridedView> view = getStrides(found->chain);
    if (view) {
      view->buffer = graph.buffers.at(found->buffer.getId());
      view->dtype = impl.dtype;
    }
    return view;
  };
  computeParameters(graph, graph.operation(impl));
  if (std::optional<StridedView> view = find())
    return *view;
  tensor.buffer(std::source_location());
  return *find();
}
