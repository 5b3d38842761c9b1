//===- Shards.h - tensors on several devices --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A tensor on several devices is a list of tensors, one on each: parts along
/// an axis, or copies. The primitives make one operation of each part; what
/// moves between devices are copies in the graph, so gradients flow through
/// them. All other methods see one tensor: GraphImpl::operation() puts its
/// parts together on the first device.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_SHARDS_H
#define TINYGRAD_LIB_TENSOR_SHARDS_H

#include "Primitives.h"
#include "TensorImpl.h"

#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

namespace tinygrad::detail {

/// What a tensor on several devices consists of.
struct Shards {
  /// One on each device, all of one shape.
  std::vector<Tensor> parts;
  /// The axis along which they are parts; none if they are copies.
  std::optional<int64_t> axis;
  /// Whether they are copies of one device's part of a tensor, or movements of
  /// such copies: an assignment to them would not reach that tensor.
  bool isPicked = false;
  /// The parts on the first device, since the last call of operation().
  Handle gathered;
};

inline bool isSharded(const Tensor &x) { return x.impl().shards != nullptr; }
inline bool isSharded(std::initializer_list<const Tensor *> operands) {
  for (const Tensor *operand : operands)
    if (isSharded(*operand))
      return true;
  return false;
}

/// Throws DeviceError or Error unless the operands, one of which is on several
/// devices, can be combined.
void checkShards(std::initializer_list<const Tensor *> operands);

namespace shards {

/// A tensor of these parts, of which there are at least two.
Tensor make(std::vector<Tensor> parts, std::optional<int64_t> axis);
/// Copies, or parts along an axis, on the devices. Throws DeviceError or
/// ShapeError as Tensor::shard() does.
Tensor distribute(const Tensor &x, const std::vector<Device *> &devices,
                  std::optional<int64_t> axis);
/// The whole tensor on one device.
Tensor gather(const Tensor &x, Device &device);
/// The same elements in parts along another axis, or as copies.
Tensor withAxis(const Tensor &x, std::optional<int64_t> axis);

/// \p x, or copies of all of it if it is parts along \p axis.
Tensor withWholeAxis(const Tensor &x, int64_t axis);

/// The function of each part. Its results are parts along \p axis.
using Function = std::function<Tensor(const Tensor &part)>;
Tensor map(const Tensor &x, std::optional<int64_t> axis,
           const Function &function);
/// The same for a function whose result has the operand's axes.
Tensor map(const Tensor &x, const Function &function);
/// The result of a movement of \p x.
Tensor asView(Tensor view, const Tensor &x);
/// The function of the parts of several operands of one shape. Those that are
/// on one device must be computed of nothing but numbers, or have one element.
/// Throws DeviceError.
Tensor
combine(std::initializer_list<const Tensor *> operands,
        const std::function<Tensor(const std::vector<Tensor> &)> &function);
/// The same parts combined on each device, in the order of the devices.
Tensor reduce(ReduceOp op, const Tensor &x, const std::vector<int64_t> &axes);

/// The function gets a part and the shape of its result.
using Reshape = std::function<Tensor(const Tensor &part, const Shape &shape)>;
Tensor reshape(const Tensor &x, const Shape &shape, const Reshape &function);
Tensor expand(const Tensor &x, const Shape &shape, const Reshape &function);
Tensor permute(const Tensor &x, const std::vector<int64_t> &order,
               const Function &function);
/// The function gets a part and where it begins and ends.
using Range =
    std::function<Tensor(const Tensor &part, const Shape &a, const Shape &b)>;
Tensor shrink(const Tensor &x, const Shape &from, const Shape &to,
              const Range &function);
Tensor pad(const Tensor &x, const Shape &low, const Shape &high,
           const Function &function);
/// The function gets a part and the shape and strides of its result.
Tensor strided(const Tensor &x, const Shape &shape, const Shape &strides,
               const Range &function);
/// Updates along another axis than that of the parts.
Tensor scatter(UpdateOp op, const Tensor &base, const Tensor &index,
               const Tensor &updates, int64_t axis);
/// Throws ShapeError, naming \p what, if the parts are along \p axis.
void checkAxis(const Tensor &x, int64_t axis, const char *what);

/// A number on the first device whose gradients are those of \p x times \p
/// cotangent.
Tensor seed(const Tensor &x, const OptionalTensor &cotangent,
            const char *method);
/// The gradient of a tensor of which \p gradients are those of its parts,
/// undefined where there is none.
Tensor joinGradients(const Tensor &x, std::vector<Tensor> gradients);

/// The gradient of a tensor on several devices, with what backward() has added
/// to those of its parts.
Tensor takeGradient(const Tensor &x);
/// What the methods of Tensor do where one of the two is on several devices.
void assign(const Tensor &target, const Operand &value);
void replace(Tensor target, const Tensor &value);
std::vector<Tensor> gradient(const Tensor &output,
                             const std::vector<Tensor> &wrt,
                             const OptionalTensor &cotangent);

} // namespace shards
} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_SHARDS_H
