//===- TgTensorOps.td - tensor graph operations -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Operations that exist on tensors only: constants, reduce, movement, buffers.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGTENSOROPS_TD
#define TINYGRAD_DIALECT_TG_IR_TGTENSOROPS_TD

include "TinyGrad/Dialect/Tg/IR/TgBase.td"

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

def Tg_ConstOp : Tg_Op<"const", [Pure, ConstantLike]> {
  let summary = "a constant";
  let description = [{
    A scalar attribute fills the whole result; a dense attribute gives every
    element. Inside kernels the result is a scalar.

    C1: a scalar value has the element type of the result. C2: a dense value has
    exactly the type of the result, which then has a static shape.

    ```mlir
    %a = tg.const(1.0 : f32) : tensor<4x4xf32>
    %b = tg.const(dense<[1, 2]> : tensor<2xi32>) : tensor<2xi32>
    %c = tg.const(7 : index) : index
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Tg_ElementLike:$result);
  let assemblyFormat = "`(` $value `)` attr-dict `:` type($result)";
  let builders = [
    /// A tensor or scalar of `type` filled with the number `value`.
    OpBuilder<(ins "::mlir::Type":$type, "int64_t":$value)>
  ];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tg_IotaOp : Tg_Op<"iota", [Pure]> {
  let summary = "the position along one axis";
  let description = [{
    Element `[i0, ..., in]` of the result is `i_axis`, converted to the element
    type (integers wrap).

    C1: `0 <= axis < rank`.

    ```mlir
    %r = tg.iota 0 : tensor<5xi32>   // 0, 1, 2, 3, 4
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$axis);
  let results = (outs Tg_NumTensor:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

def Tg_ReduceOp : Tg_Op<"reduce", [Pure,
    InferTypeOpAdaptor]> {
  let summary = "reduction along axes";
  let description = [{
    Combines all elements along `axes` with `add`, `mul` or `max`. A reduced
    dimension stays, with size 1. Over no elements the result is the identity: 0,
    1, or the lowest value (`-inf`, the smallest integer, false). The order of
    combination is unspecified but fixed for a program and a device; `max`
    is NaN if any element is.

    C1: axes are in range, strictly increasing.

    ```mlir
    %r = tg.reduce add %x axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
    ```
  }];
  let arguments = (ins Tg_ReduceKindAttr:$kind, Tg_ArithTensor:$x,
                       DenseI64ArrayAttr:$axes);
  let results = (outs Tg_ArithTensor:$result);
  let assemblyFormat = [{
    `` $kind $x `axes` $axes attr-dict `:` type($x) `->` type($result)
  }];
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// A movement operation: the result holds elements of the operand (or zeros) at
/// other positions. It never copies by itself.
class Tg_MovementOp<string mnemonic, list<Trait> traits = []>
    : Tg_Op<mnemonic, !listconcat([Pure], traits)>;

class Tg_InferredMovementOp<string mnemonic> : Tg_MovementOp<mnemonic, [
    InferTypeOpAdaptor]>;

def Tg_ReshapeOp : Tg_MovementOp<"reshape"> {
  let summary = "the same elements in row-major order, in another shape";
  let description = [{
    C1: operand and result have the same number of elements and element type.

    ```mlir
    %r = tg.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$x);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tg_PermuteOp : Tg_InferredMovementOp<"permute"> {
  let summary = "reordering of the axes";
  let description = [{
    Axis `i` of the result is axis `order[i]` of the operand.

    C1: `order` is a permutation of the axes.

    ```mlir
    %r = tg.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$x, DenseI64ArrayAttr:$order);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = "$x $order attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
}

def Tg_ExpandOp : Tg_MovementOp<"expand"> {
  let summary = "repetition along axes of size 1";
  let description = [{
    C1: operand and result have the same rank and element type; where the sizes
    differ, the operand's is 1.

    ```mlir
    %r = tg.expand %x : tensor<4x1xf32> -> tensor<4x6xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$x);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tg_PadOp : Tg_InferredMovementOp<"pad"> {
  let summary = "zeros added before and after each axis";
  let description = [{
    Axis `i` of the result has `low[i]` zeros (false for bool), the operand, and
    `high[i]` zeros.

    C1: `low` and `high` have one entry per axis, none negative.

    ```mlir
    %r = tg.pad %x low [0, 1] high [0, 1] : tensor<4x6xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$x, Tg_DimArrayAttr:$low,
                       Tg_DimArrayAttr:$high);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = [{
    $x `low` $low `high` $high attr-dict `:` type($x) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x,
      "::mlir::ArrayRef<int64_t>":$low, "::mlir::ArrayRef<int64_t>":$high)>];
  let hasFolder = 1;
}

def Tg_ShrinkOp : Tg_InferredMovementOp<"shrink"> {
  let summary = "the part between two positions of each axis";
  let description = [{
    Axis `i` of the result holds positions `from[i]` (inclusive) to `to[i]`
    (exclusive) of the operand.

    C1: one entry per axis, `0 <= from[i] <= to[i] <= size[i]`.

    ```mlir
    %r = tg.shrink %x from [0, 2] to [4, 5] : tensor<4x6xf32> -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$x, Tg_DimArrayAttr:$from, Tg_DimArrayAttr:$to);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = [{
    $x `from` $from `to` $to attr-dict `:` type($x) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x,
      "::mlir::ArrayRef<int64_t>":$from, "::mlir::ArrayRef<int64_t>":$to)>];
  let hasFolder = 1;
}

def Tg_FlipOp : Tg_MovementOp<"flip", [SameOperandsAndResultType]> {
  let summary = "reversal along axes";
  let description = [{
    C1: axes are in range, strictly increasing.

    ```mlir
    %r = tg.flip %x axes [0] : tensor<4x6xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$x, DenseI64ArrayAttr:$axes);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = "$x `axes` $axes attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def Tg_BufferOp : Tg_Op<"buffer", [Pure]> {
  let summary = "the contents of a realized buffer";
  let description = [{
    Names memory that already holds values, row-major and contiguous. `id` is the
    number by which the owner of the graph knows the buffer; two operations with
    the same id are the same memory. In a `.mlir` file inputs are usually function
    arguments, which mean the same.

    ```mlir
    %x = tg.buffer 3 on "CPU" : tensor<4x4xf32>
    ```
  }];
  let arguments = (ins I64Attr:$id, StrAttr:$device);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = "$id `on` $device attr-dict `:` type($result)";
}

def Tg_CopyOp : Tg_Op<"copy", [Pure, SameOperandsAndResultType]> {
  let summary = "the tensor on a device";
  let description = [{
    The operand's values in memory of another device. A copy to the device that
    the operand is on is the operand itself.

    ```mlir
    %r = tg.copy %x to "CPU" : tensor<4x4xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$x, StrAttr:$device);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = "$x `to` $device attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tg_ContiguousOp : Tg_Op<"contiguous", [Pure, SameOperandsAndResultType]> {
  let summary = "the tensor in memory, row-major";
  let description = [{
    Asks for a buffer that holds the operand. It ends fusion at this point. A
    buffer, or a contiguous view of one, needs no kernel.

    ```mlir
    %r = tg.contiguous %x : tensor<4x4xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$x);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tg_DetachOp : Tg_Op<"detach", [Pure, SameOperandsAndResultType]> {
  let summary = "the tensor, with no gradient through it";
  let description = [{
    The identity for execution; differentiation stops here.

    ```mlir
    %r = tg.detach %x : tensor<4x4xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$x);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tg_AssignOp : Tg_Op<"assign", [SameOperandsAndResultType]> {
  let summary = "a buffer, or a view of one, overwritten";
  let description = [{
    Writes `value` into the memory that `target` views and gives the target's new
    contents. Reads of that memory written before the assignment in the block see
    the old contents, those after it the new; scheduling keeps this, with a
    copy where `value` itself reads other positions of the target. The result is
    a value: later assignments do not change it.

    C1: `target` is a buffer, a function argument, the result of another assign,
    or movement operations other than `pad` and `expand` on one of these.

    ```mlir
    %new = tg.assign %target, %value : tensor<4x4xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$target, Tg_Tensor:$value);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = "$target `,` $value attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tg_AfterOp : Tg_Op<"after", [Pure, AllTypesMatch<["target", "result"]>]> {
  let summary = "the contents of memory at one time";
  let description = [{
    What the buffer or function argument `target` holds once `assign` is done or,
    without one, before any assignment. Elsewhere a read of memory means its
    contents at that place in the block, so that operations cannot be moved or
    merged across an assignment. `tg-order-assigns` therefore names the contents
    that each read means by this operation, and later passes need not care.

    C1: `target` is a buffer or a function argument. C2: `assign` is the result of
    a `tg.assign` to `target` or a view of it.

    ```mlir
    %old = tg.after %x : tensor<4xf32>
    %new = tg.after %x [%a : tensor<2xf32>] : tensor<4xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$target, Optional<Tg_Tensor>:$assign);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = [{
    $target (`[` $assign^ `:` type($assign) `]`)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TINYGRAD_DIALECT_TG_IR_TGTENSOROPS_TD
