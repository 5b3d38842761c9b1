//===- ReadElement.cpp - single elements of memory ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Where an element is follows from the movements between it and the memory,
/// in numbers. The compiler's views, which also describe symbolic positions and
/// whole ranges, take several microseconds.
///
//===----------------------------------------------------------------------===//

#include "ReadElement.h"
#include "GraphImpl.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"

#include <cstring>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

using Position = SmallVector<int64_t, 8>;

static int64_t linearize(ArrayRef<int64_t> shape, const Position &position) {
  int64_t number = 0;
  for (auto [size, i] : llvm::zip_equal(shape, position))
    number = number * size + i;
  return number;
}

/// Whether all are numbers.
static bool isStatic(ArrayAttr list) {
  return llvm::all_of(list,
                      [](Attribute attr) { return isa<IntegerAttr>(attr); });
}

static int64_t numberOf(Attribute attr) {
  return cast<IntegerAttr>(attr).getInt();
}

namespace {
enum class Found { Element, Padding, Nothing };
} // namespace

/// Makes \p position, one in the result of \p op, that in its operand. Nothing
/// is found for operations that are no movements, and for symbolic ones.
static Found moveToOperand(Operation *op, Position &position) {
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  if (!from || from.getEncoding() || to.getEncoding())
    return Found::Nothing;
  const ArrayRef<int64_t> before = from.getShape();
  if (isa<tg::ReshapeOp>(op)) {
    int64_t number = linearize(to.getShape(), position);
    position.assign(before.size(), 0);
    for (std::size_t i = before.size(); i-- > 0; number /= before[i])
      position[i] = number % before[i];
  } else if (auto permute = dyn_cast<tg::PermuteOp>(op)) {
    const Position old = position;
    for (auto [i, axis] : llvm::enumerate(permute.getOrder()))
      position[std::size_t(axis)] = old[i];
  } else if (auto shrink = dyn_cast<tg::ShrinkOp>(op)) {
    if (!isStatic(shrink.getFrom()))
      return Found::Nothing;
    for (auto [i, begin] : llvm::zip_equal(position, shrink.getFrom()))
      i += numberOf(begin);
  } else if (auto flip = dyn_cast<tg::FlipOp>(op)) {
    for (int64_t axis : flip.getAxes()) {
      const auto i = std::size_t(axis);
      position[i] = before[i] - 1 - position[i];
    }
  } else if (auto pad = dyn_cast<tg::PadOp>(op)) {
    if (!isStatic(pad.getLow()))
      return Found::Nothing;
    for (auto [i, low, size] :
         llvm::zip_equal(position, pad.getLow(), before)) {
      i -= numberOf(low);
      if (i < 0 || i >= size)
        return Found::Padding;
    }
  } else if (isa<tg::ExpandOp>(op)) {
    for (auto [i, size] : llvm::zip_equal(position, before))
      i = size == 1 ? 0 : i;
  } else if (!isa<tg::DetachOp>(op)) {
    return Found::Nothing;
  }
  return Found::Element;
}

bool tinygrad::detail::readElement(TensorImpl &tensor, void *value) {
  GraphImpl &graph = *tensor.graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  // Loops that read elements may make positions without end.
  graph.renewContext();
  const std::size_t size = itemSize(tensor.dtype);
  Position position(tensor.shape.size(), 0);
  Operation *op = graph.operation(tensor);
  for (; !isa<tg::BufferOp>(op); op = op->getOperand(0).getDefiningOp()) {
    if (op->getNumOperands() != 1)
      return false;
    switch (moveToOperand(op, position)) {
    case Found::Element:
      break;
    case Found::Padding:
      std::memset(value, 0, size);
      return true;
    case Found::Nothing:
      return false;
    }
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  const int64_t id = cast<tg::BufferOp>(op).getId();
  if (type.getEncoding() || graph.initialValues.contains(id))
    return false;
  const std::size_t offset =
      std::size_t(linearize(type.getShape(), position)) * size;
  const Buffer &buffer = graph.buffers.find(id)->second;
  buffer.device().synchronize();
  buffer.view(offset, size, tensor.dtype).copyOut(value, size);
  return true;
}
