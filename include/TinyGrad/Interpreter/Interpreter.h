//===- Interpreter.h - reference interpreter of tensor graphs ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates level 1 of the `tg` dialect directly: one operation after another,
/// each into memory of its own, without any optimization. It defines the
/// results that compiled code must have.
///
/// Function arguments and `tg.buffer` results name memory: an operation that
/// uses one reads what the memory held at the beginning. `tg.assign` writes
/// into the memory at the root of its target's chain of movement operations.
///
/// Unspecified details are decided as follows: a float sum is accumulated in
/// row-major order in double precision and rounded once, and so is a product;
/// transcendental functions are those of the C library in double precision,
/// rounded once (f16 and bf16 through f32).
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_INTERPRETER_INTERPRETER_H
#define TINYGRAD_INTERPRETER_INTERPRETER_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace mlir {
namespace func {
class FuncOp;
} // namespace func

namespace tg {

/// A dense tensor in host memory: row-major, bool one byte holding 0 or 1,
/// everything else in the host's byte order.
struct HostTensor {
  SmallVector<int64_t> shape;
  Type elementType;
  std::vector<char> bytes;

  int64_t numElements() const;
};

/// Bytes of one element of a level-1 element type; 0 for any other type.
unsigned getElementSize(Type elementType);

/// A tensor of zeros. Fails, with a diagnostic at `loc`, when the type is not
/// a tensor of static shape and level-1 element type or when the machine does
/// not have the memory.
FailureOr<HostTensor> makeHostTensor(Location loc, Type type);

/// The elements of a constant. Fails with a diagnostic like makeHostTensor, or
/// when `value` is of a kind that holds no readable elements.
FailureOr<HostTensor> makeHostTensor(Location loc, RankedTensorType type,
                                     TypedAttr value);

/// The elements as an attribute of the tensor's type.
DenseElementsAttr getDenseElements(const HostTensor &tensor);

struct InterpreterOptions {
  /// The memory that `tg.buffer` with this id names; null if there is none.
  std::function<HostTensor *(int64_t id)> buffer;
};

/// Runs `function` on `inputs`, one per argument, of exactly the arguments'
/// types. `tg.assign` changes them in place. On success `results` holds what
/// the function returns. On failure a diagnostic has been emitted.
LogicalResult interpret(func::FuncOp function,
                        MutableArrayRef<HostTensor> inputs,
                        SmallVectorImpl<HostTensor> &results,
                        const InterpreterOptions &options = {});

/// Evaluates one operation that has no memory behind it (all of level 1 but
/// `tg.buffer` and `tg.assign`). Operands must have the operation's types.
FailureOr<HostTensor> interpretOp(Operation *op,
                                  ArrayRef<const HostTensor *> operands);

/// Applies a movement operation to a tensor of the operand's
/// shape and any element type.
FailureOr<HostTensor> interpretMovement(Operation *op, const HostTensor &x);

/// For each element of `target`, the operand of a `tg.assign`, its position in
/// the memory that `target` views; that memory is the argument or `tg.buffer`
/// result stored into `root`.
FailureOr<std::vector<int64_t>> getViewedPositions(Value target, Value &root);

} // namespace tg
} // namespace mlir

#endif // TINYGRAD_INTERPRETER_INTERPRETER_H
