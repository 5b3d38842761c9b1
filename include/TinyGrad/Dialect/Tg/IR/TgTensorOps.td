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

def Tg_CreationDoc : Tg_DocGroup<"Creation", [{
Tensors that depend on no other.
}]>;
def Tg_ReduceDoc : Tg_DocGroup<"Reduction", "">;
def Tg_OrderDoc : Tg_DocGroup<"Scan, scatter and sort", [{
Operations whose results depend on an order: of the positions along an axis, of
the updates of one element, or of the values. Each is computed into a buffer, by
steps of its own in the host program.
}]>;
def Tg_MovementDoc : Tg_DocGroup<"Movement operations", [{
The result holds elements of the operand, or zeros, at other positions. Movement
operations accept every element type and do not depend on values. None of them
copies: scheduling turns them into index arithmetic and masks.
}]>;
def Tg_BufferDoc : Tg_DocGroup<"Buffers and placement", [{
Where tensors are in memory, and when. These operations accept every element type
and change no value.
}]>;

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

let opDocGroup = Tg_CreationDoc in {

def Tg_ConstOp : Tg_Op<"const", [Pure, ConstantLike, Tg_InfersRanges]> {
  let summary = "a constant";
  let description = [{
    A scalar attribute is the value of every element; a dense attribute lists the
    elements. Inside kernels the result is a scalar.

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
    type as `tg.cast` does from `index` (integers wrap) or, for floats, rounded to
    nearest even.

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

def Tg_DimOp : Tg_Op<"dim", [Pure, Tg_InfersRanges]> {
  let summary = "the value of a dimension expression";
  let description = [{
    The value of a dimension, converted to the element type as `tg.cast` does from
    `index` (integers wrap); every element of the result has it. Inside kernels the
    result is an `index`. An expression without variables folds to a `tg.const`.

    C1: no part of the expression can overflow 64 bits.

    ```mlir
    %n = tg.dim(#tg.var<"n", 1, 8>) : tensor<4xi32>
    %c = tg.dim(#tg.var<"n", 1, 8> * 4) : index
    ```
  }];
  let arguments = (ins Tg_DimAttr:$dim);
  let results = (outs AnyTypeOf<[Index, Tg_NumTensor]>:$result);
  let assemblyFormat = "`(` custom<Dim>($dim) `)` attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

} // opDocGroup = Tg_CreationDoc

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

let opDocGroup = Tg_ReduceDoc in
def Tg_ReduceOp : Tg_Op<"reduce", [Pure, Tg_Differentiable,
    InferTypeOpAdaptor]> {
  let summary = "reduction along axes";
  let description = [{
    Combines all elements along `axes` with `add`, `mul` or `max`, as the
    operations of these names do: integers wrap, on bool `add` and `max` are "or"
    and `mul` is "and", and a NaN among the elements gives NaN. Reduced dimensions
    are kept, with size 1. The reduction of one element is that element; the
    reduction of none is the identity: 0, 1, or the lowest value (`-inf`, the
    smallest integer, false).

    The order of combination is unspecified but fixed for a program and a device:
    sums and products of floats may be reassociated and computed in a wider type,
    and a product that is summed may remain unrounded (fused multiply-add). The sign
    of a sum of zeros, and of a maximum of zeros, is unspecified.

    C1: axes are in range, strictly increasing. C2: the result has the shape of
    the operand with size 1 along the axes, and its element type.

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
// Scan, scatter and sort
//===----------------------------------------------------------------------===//

let opDocGroup = Tg_OrderDoc in {

def Tg_ScanOp : Tg_Op<"scan", [Pure, Tg_Differentiable, Tg_SameDims, SameOperandsAndResultType]> {
  let summary = "inclusive prefix reduction along an axis";
  let description = [{
    Element `i` along `axis` of the result combines the elements 0 to `i` of the
    operand. `add`, `mul` and `max` are those of `tg.reduce`; `logaddexp` is
    `log(exp(x) + exp(y))`, computed without intermediate overflow. For an exclusive
    scan, shift the result; for a scan from the end, flip operand and result.

    As for `tg.reduce`, the order of combination is unspecified but fixed for a
    shape and a device: sums and products of floats may be reassociated and
    computed in a wider type. The sign of a sum of zeros, and of a maximum of
    zeros, is unspecified.

    The gradient of a maximum goes to the first of equal elements.

    C1: `0 <= axis < rank`. C2: operand and result have the same type. C3:
    `logaddexp` requires floats.

    ```mlir
    %r = tg.scan add %x axis 1 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tg_ScanKindAttr:$kind, Tg_ArithTensor:$x,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$axis);
  let results = (outs Tg_ArithTensor:$result);
  let assemblyFormat = "`` $kind $x `axis` $axis attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tg_ScatterOp : Tg_Op<"scatter", [Pure, Tg_Differentiable,
    AllTypesMatch<["base", "result"]>]> {
  let summary = "a tensor with elements updated at listed positions";
  let description = [{
    The result begins as `base`. Then, for each position `p` along `axis` of `index`
    and `updates`, in increasing order, the element at position `index[p]` along
    the axis (and at the same positions along the others) is combined with
    `updates[p]`: replaced (`set`, so that the last update wins), added to,
    multiplied, or replaced by the larger (`max`) or smaller (`min`) of the two, as
    `tg.add`, `tg.mul` and `tg.max` do. An index that is negative, or not less than
    the size of the axis, updates nothing.

    Updates of floats are rounded one after the other in this order, or as in a
    `tg.reduce` of them. The gradient of a maximum or minimum is distributed evenly
    over equal elements, as for `tg.reduce`.

    C1: `0 <= axis < rank` of the base. C2: index and updates have the same shape,
    which is that of the base except along the axis. C3: the updates have the
    element type of the base; kinds other than `set` do not accept fp8.

    ```mlir
    %r = tg.scatter add %x[%i], %u axis 0
        : tensor<16x4xf32>, tensor<100x4xi32>, tensor<100x4xf32>
    ```
  }];
  let arguments = (ins Tg_UpdateKindAttr:$kind, Tg_Tensor:$base,
                       Tg_IntTensor:$index, Tg_Tensor:$updates,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$axis);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $base `[` $index `]` `,` $updates `axis` $axis attr-dict `:`
    type($base) `,` type($index) `,` type($updates)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tg_ArgsortOp : Tg_Op<"argsort", [Pure, Tg_SameDims]> {
  let summary = "the positions of the elements in ascending order";
  let description = [{
    Element `i` along the last axis of the result is the position in the operand's
    row of the element that is `i`-th in sorted order. The sort is stable, also with
    `descending`; `-0.0` and `+0.0` are equal. NaNs are equal to each other and
    larger than all numbers. false is less than true. A result with a shorter last
    axis holds the first positions of each row, which takes less time. Has no
    derivative: positions are integers.

    C1: the operand has an axis. C2: the result has the operand's shape, except that
    its last axis may be shorter, and its element type is `i32` or `i64`, wide enough
    for the positions.

    ```mlir
    %r = tg.argsort %x descending : tensor<4x8xf32> -> tensor<4x8xi32>
    %largest = tg.argsort %x descending : tensor<4x8xf32> -> tensor<4x2xi32>
    ```
  }];
  let arguments = (ins Tg_ArithTensor:$x, UnitAttr:$descending);
  let results = (outs Tg_TensorOf<AnyTypeOf<[I32, I64]>, "i32 or i64">:$result);
  let assemblyFormat = [{
    $x (`descending` $descending^)? attr-dict `:` type($x) `->` type($result)
  }];
  let hasVerifier = 1;
}

} // opDocGroup = Tg_OrderDoc

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// A movement operation: the result holds elements of the operand (or zeros) at
/// other positions. It never copies by itself.
class Tg_MovementOp<string mnemonic, list<Trait> traits = []>
    : Tg_Op<mnemonic, !listconcat([Pure,
          Tg_Differentiable,
          DeclareOpInterfaceMethods<Tg_MovementOpInterface>], traits)> {
  /// What the methods of MovementOpInterface give.
  bit mayAddZeros = 0;
  bit keepsOrder = 0;
  bit mayBeTarget = 0;
  let extraClassDeclaration =
      "bool mayAddZeros() { return " # !if(mayAddZeros, "true", "false") #
      "; }\nbool keepsOrder() { return " # !if(keepsOrder, "true", "false") #
      "; }\nbool mayBeTarget() { return " # !if(mayBeTarget, "true", "false") #
      "; }\n";
}

class Tg_InferredMovementOp<string mnemonic> : Tg_MovementOp<mnemonic, [
    InferTypeOpAdaptor]>;

let opDocGroup = Tg_MovementDoc in {

def Tg_ReshapeOp : Tg_MovementOp<"reshape"> {
  let summary = "the same elements in row-major order, in another shape";
  let keepsOrder = 1;
  let mayBeTarget = 1;
  let description = [{
    A tensor with one element may have any number of axes of size 1, or none.

    C1: operand and result have the same number of elements (for all values of
    variables) and the same element type.

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
  let mayBeTarget = 1;
  let description = [{
    Axis `i` of the result is axis `order[i]` of the operand.

    C1: `order` is a permutation of the axes. C2: the result has the permuted
    shape and the element type of the operand.

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
    The new size may be 0.

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
  let summary = "zeros added at both ends of each axis";
  let mayAddZeros = 1;
  let description = [{
    Along axis `i`, the result holds `low[i]` zeros (`+0.0` for floats, false for
    bool), the operand, and `high[i]` zeros. To pad with another value, use a
    `tg.where` on a padded mask.

    C1: `low` and `high` have one entry per axis, none negative (for any value of
    variables). C2: the result has the operand's sizes plus these, which must be
    provably not negative, and its element type.

    ```mlir
    %r = tg.pad %x low [0, 1] high [0, 1] : tensor<4x6xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$x, Tg_DimArrayAttr:$low,
                       Tg_DimArrayAttr:$high);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = [{
    $x `low` custom<Dims>($low) `high` custom<Dims>($high) attr-dict `:` type($x) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x,
      "::mlir::ArrayRef<int64_t>":$low, "::mlir::ArrayRef<int64_t>":$high)>];
  let hasFolder = 1;
}

def Tg_ShrinkOp : Tg_InferredMovementOp<"shrink"> {
  let summary = "the elements between two positions of each axis";
  let mayBeTarget = 1;
  let description = [{
    Axis `i` of the result holds positions `from[i]` (inclusive) to `to[i]`
    (exclusive) of the operand.

    C1: one entry per axis, `0 <= from[i] <= to[i] <= size[i]` (for all values of
    variables). C2: the sizes of the result are `to[i] - from[i]`; it has the
    element type of the operand.

    ```mlir
    %r = tg.shrink %x from [0, 2] to [4, 5] : tensor<4x6xf32> -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$x, Tg_DimArrayAttr:$from, Tg_DimArrayAttr:$to);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = [{
    $x `from` custom<Dims>($from) `to` custom<Dims>($to) attr-dict `:` type($x) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x,
      "::mlir::ArrayRef<int64_t>":$from, "::mlir::ArrayRef<int64_t>":$to)>];
  let hasFolder = 1;
}

def Tg_FlipOp : Tg_MovementOp<"flip", [Tg_SameDims, SameOperandsAndResultType]> {
  let summary = "reversal along axes";
  let mayBeTarget = 1;
  let description = [{
    Position `j` of a flipped axis of size `n` holds position `n - 1 - j` of the
    operand.

    C1: axes are in range, strictly increasing. C2: operand and result have the
    same type.

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

def Tg_StridedOp : Tg_MovementOp<"strided"> {
  let summary = "the elements selected by a chain of views";
  let extraClassDeclaration = [{
    bool mayAddZeros();
    bool keepsOrder();
  }];
  let description = [{
    The first view is over the row-major positions of the operand, each further view
    over those of the view before it. A single view expresses any sequence of
    movement operations, except that a reshape of elements that are no longer in
    row-major order needs a further view. Scheduling composes each chain of movement
    operations into one `tg.strided`. Other strides express what no movement
    operation does, such as overlapping windows.

    C1: the last view has the shape of the result. C2: operand and result have the
    same element type. C3: where its mask is true, each view stays inside the space
    that it is over, as far as this is known without the values of variables. C4:
    neither the entries of views nor the positions computed from them overflow 64
    bits.

    ```mlir
    %r = tg.strided %x [#tg.view<[6, 4] strides [1, 6]>]
        : tensor<4x6xf32> -> tensor<6x4xf32>
    %s = tg.strided %x [#tg.view<[6, 4] strides [1, 6]>, #tg.view<[24] strides [1]>]
        : tensor<4x6xf32> -> tensor<24xf32>
    %w = tg.strided %y [#tg.view<[8, 3] strides [1, 1]>]
        : tensor<10xf32> -> tensor<8x3xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$x, Tg_ViewArrayAttr:$views);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = "$x $views attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

} // opDocGroup = Tg_MovementDoc

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

let opDocGroup = Tg_BufferDoc in {

def Tg_BufferOp : Tg_Op<"buffer", [Pure]> {
  let summary = "the contents of a realized buffer";
  let description = [{
    Names memory that already holds values, row-major and contiguous. `id`
    identifies the buffer to the owner of the graph; two operations with the same id
    name the same memory. In a `.mlir` file, inputs are usually function arguments,
    which mean the same.

    ```mlir
    %x = tg.buffer 3 on "CPU" : tensor<4x4xf32>
    ```
  }];
  let arguments = (ins I64Attr:$id, StrAttr:$device);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = "$id `on` $device attr-dict `:` type($result)";
}

def Tg_CopyOp : Tg_Op<"copy", [Pure, Tg_Differentiable, Tg_SameDims, SameOperandsAndResultType]> {
  let summary = "the tensor on a device";
  let description = [{
    The operand in memory of the device. A copy to the device that the operand is
    already on is the operand itself.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.copy %x to "CPU" : tensor<4x4xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$x, StrAttr:$device);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = "$x `to` $device attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tg_ContiguousOp : Tg_Op<"contiguous", [Pure, Tg_Differentiable, Tg_SameDims, SameOperandsAndResultType]> {
  let summary = "the tensor in memory, row-major";
  let description = [{
    Requests a buffer that holds the operand, and thereby ends fusion. A buffer, or
    a contiguous part of one, needs no kernel.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.contiguous %x : tensor<4x4xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$x);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tg_DetachOp : Tg_Op<"detach", [Pure, Tg_Differentiable, Tg_SameDims, SameOperandsAndResultType]> {
  let summary = "the tensor, with no gradient through it";
  let description = [{
    Computes the identity; differentiation stops here. So it does at any other
    operation with the attribute `tg.no_gradient`.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.detach %x : tensor<4x4xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$x);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tg_WithDerivativeOp : Tg_Op<"with_derivative", [Pure, Tg_Differentiable, Tg_SameDims, SameOperandsAndResultType]> {
  let summary = "the tensor, with a given derivative";
  let description = [{
    Computes the identity of `x`, a function of each element of `of`. Its derivative
    with respect to `of` is `derivative`; differentiation uses this instead of what
    `x` was computed by, and goes on through neither `x` nor `derivative`. (The
    derivative of the gradient, in turn, goes through `derivative`.) For functions
    whose accurate evaluation is longer than their derivative. Scheduling drops the
    operation, and with it what only `derivative` needs.

    C1: all operands and the result have the same type, of floats.

    ```mlir
    %y = tg.mul %x, %x : tensor<4xf32>
    %d = tg.add %x, %x : tensor<4xf32>
    %r = tg.with_derivative %y of %x by %d : tensor<4xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$x, Tg_Tensor:$of, Tg_Tensor:$derivative);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = "$x `of` $of `by` $derivative attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tg_AssignOp : Tg_Op<"assign", [Tg_Differentiable, Tg_SameDims, SameOperandsAndResultType]> {
  let summary = "overwrites a buffer, or a view of one";
  let description = [{
    Writes `value` into the memory that `target` is a view of, and returns the
    values written. Assignments run in the order of the block. They change memory,
    not values: an operation that reads an argument or buffer, or a function that
    returns one, gets its contents at the beginning, wherever the operation is in
    the block, and later assignments do not change the result of this one.
    `tg.after` gives the contents of the whole memory after an assignment. All other
    operations can therefore be moved, merged and folded. Scheduling makes copies
    where the old contents are still needed. The gradient of the result is that of
    `value`.

    C1: `target` is a buffer, a function argument, the result of another assign,
    or movement operations that hold nothing else, and no element twice, on one of
    these: not `pad`, `expand` and `strided`.

    ```mlir
    %new = tg.assign %target, %value : tensor<4x4xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$target, Tg_Tensor:$value);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = "$target `,` $value attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tg_AfterOp : Tg_Op<"after", [Pure, Tg_Differentiable, AllTypesMatch<["target", "result"]>]> {
  let summary = "the contents of memory after an assignment";
  let description = [{
    The contents of the buffer or function argument `target` after `assign` or,
    without this operand, at the beginning. `target` itself means the latter too.

    C1: `target` is a buffer or a function argument. C2: `assign` is the result of
    a `tg.assign` to `target` or a view of it.

    ```mlir
    %old = tg.after %x : tensor<4xf32>
    %new = tg.after %x[%a : tensor<2xf32>] : tensor<4xf32>
    ```
  }];
  let arguments = (ins Tg_Tensor:$target, Optional<Tg_Tensor>:$assign);
  let results = (outs Tg_Tensor:$result);
  let assemblyFormat = [{
    $target (`[` $assign^ `:` type($assign) `]`)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

} // opDocGroup = Tg_BufferDoc

#endif // TINYGRAD_DIALECT_TG_IR_TGTENSOROPS_TD
