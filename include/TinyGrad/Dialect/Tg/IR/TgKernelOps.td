//===- TgKernelOps.td - host program and kernel operations -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Levels 2 and 3: the host program, kernels, ranges, loads and stores.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGKERNELOPS_TD
#define TINYGRAD_DIALECT_TG_IR_TGKERNELOPS_TD

include "TinyGrad/Dialect/Tg/IR/TgBase.td"

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"

def Tg_HostDoc : Tg_DocGroup<"Host programs", [{
The operations of a function whose tensor graph was scheduled: it allocates
buffers, launches kernels and copies. Buffers are flat memrefs; operations on them
run in program order.
}]>;
def Tg_KernelDoc : Tg_DocGroup<"Kernels", [{
The kernel and the operations of its body. Elementwise operations and `tg.const`
are allowed there too and work on scalars.
}]>;

//===----------------------------------------------------------------------===//
// Host program
//===----------------------------------------------------------------------===//

let opDocGroup = Tg_HostDoc in {

def Tg_AllocOp : Tg_Op<"alloc", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a new buffer of the host program";
  let description = [{
    Uninitialized memory on `device`. Buffers that the function returns are its
    outputs; `tg-plan-memory` places the others in an arena.

    ```mlir
    %b = tg.alloc on "CPU" : memref<16xf32>
    ```
  }];
  let arguments = (ins StrAttr:$device);
  let results = (outs Tg_Buffer:$result);
  let assemblyFormat = "`on` $device attr-dict `:` type($result)";
}

def Tg_LiteralOp : Tg_Op<"literal", [Pure]> {
  let summary = "a buffer with known contents";
  let description = [{
    A read-only buffer that holds the given elements in row-major order.

    C1: the value has the element type and the number of elements of the result.

    ```mlir
    %c = tg.literal dense<[1, 2, 3]> : tensor<3xi32> on "CPU" : memref<3xi32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value, StrAttr:$device);
  let results = (outs Tg_Buffer:$result);
  let assemblyFormat = "$value `on` $device attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tg_SubbufferOp : Tg_Op<"subbuffer", [Pure]> {
  let summary = "a part of a buffer";
  let description = [{
    The part of `source` that begins at a byte offset, read as the result type.
    The offset is a number, or an expression whose value is known when the program
    runs.

    C1: the part lies inside the source, for all values of variables. C2: the
    offset is a multiple of the size of the result's elements, and not negative. No
    part of it can overflow 64 bits. C3: both are in one memory space.

    ```mlir
    %v = tg.subbuffer %arena at (256) : memref<4096xi8> -> memref<16xf32>
    %w = tg.subbuffer %x at (#tg.var<"n", 0, 7> * 64) : memref<128xf32> -> memref<16xf32>
    ```
  }];
  let arguments = (ins Tg_Buffer:$source, Tg_DimAttr:$offset);
  let results = (outs Tg_Buffer:$result);
  let assemblyFormat = [{
    $source `at` ` ` `(` custom<Dim>($offset) `)` attr-dict `:` type($source) `->`
    type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$source,
                                 "::mlir::tg::Dim":$offset)>,
                  OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$source,
                                 "int64_t":$offset)>];
  let hasFolder = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    Dim getOffsetDim() { return Dim(getOffset()); }
  }];
}

def Tg_TransferOp : Tg_Op<"transfer", [SameTypeOperands]> {
  let summary = "a buffer copied into another";
  let description = [{
    Copies all of `source` to `dest`, across devices where they differ.

    C1: both have the same type. C2: `dest` is not part of a `tg.literal`. C3: they
    do not overlap (checked where both are parts of one buffer at known offsets).

    ```mlir
    tg.transfer %src to %dst : memref<16xf32>
    ```
  }];
  let arguments = (ins Arg<Tg_Buffer, "", [MemRead]>:$source,
                       Arg<Tg_Buffer, "", [MemWrite]>:$dest);
  let assemblyFormat = "$source `to` $dest attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Tg_SortOp : Tg_Op<"sort"> {
  let summary = "the positions of a buffer's elements, sorted by row";
  let description = [{
    Writes the result of `tg.argsort` to `positions` for each of `rows` rows, whose
    first `length` elements are sorted: as many positions as fit into a row of
    `positions`. The rows of a buffer are equally long. This is not a kernel: each
    device implements sorting in its own way.

    C1: the number of elements of each buffer is a multiple of `rows`, and
    `positions` has at most as many as `keys`. C2: `length` is at most the length of
    a row of `keys`, and never negative. C3: `positions` has elements of type `i32`
    or `i64`, is not part of a `tg.literal`, and does not overlap the keys (checked
    where both are parts of one buffer at known offsets).

    ```mlir
    tg.sort %keys to %positions rows 4 length (8) : memref<32xf32>, memref<32xi32>
    ```
  }];
  let arguments = (ins Arg<Tg_Buffer, "", [MemRead]>:$keys,
                       Arg<Tg_Buffer, "", [MemWrite]>:$positions,
                       ConfinedAttr<I64Attr, [IntPositive]>:$rows,
                       Tg_DimAttr:$length, UnitAttr:$descending);
  let assemblyFormat = [{
    $keys `to` $positions `rows` $rows `length` ` ` `(` custom<Dim>($length) `)`
    (`descending` $descending^)? attr-dict `:` type($keys) `,` type($positions)
  }];
  let hasVerifier = 1;
}

def Tg_LaunchOp : Tg_Op<"launch", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the execution of a kernel";
  let description = [{
    Runs the kernel on the buffers, in program order. `numbers` are the values of
    the variables that the kernel lists in its attribute of this name.

    C1: the symbol names a `tg.kernel` whose arguments have the operands' types.
    C2: a buffer that the kernel writes is not also passed for another argument,
    nor does it overlap one (checked where both are parts of one buffer at known
    offsets), unless the kernel is marked `in_place`. C3: the kernel writes to no
    part of a `tg.literal`. C4: all buffers are on one device (checked for
    `tg.alloc`, `tg.literal` and function arguments with `tg.device`). C5: there is
    one number, within its bounds, for each variable in the kernel's `numbers`.
    C6: a buffer begins at a multiple of the `tg.alignment` of the kernel's
    argument, provided that what it is a part of does (checked for known offsets).

    ```mlir
    tg.launch @E_16(%out, %a, %b) : memref<16xf32>, memref<16xf32>, memref<16xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Tg_Buffer>:$buffers,
                       OptionalAttr<DenseI64ArrayAttr>:$numbers);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$kernel,
                                 "::mlir::ValueRange":$buffers), [{
    build($_builder, $_state, kernel, buffers, ::mlir::DenseI64ArrayAttr());
  }]>];
  let assemblyFormat = [{
    $kernel `(` $buffers `)` attr-dict (`:` type($buffers)^)?
  }];
}

} // opDocGroup = Tg_HostDoc

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

let opDocGroup = Tg_KernelDoc in {

def Tg_KernelOp : Tg_Op<"kernel", [IsolatedFromAbove, FunctionOpInterface,
    NoTerminator, SingleBlock]> {
  let summary = "a kernel";
  let description = [{
    One isolated computation. Its arguments are flat buffers, of which the first
    `outputs` are written. Outputs are memory of their own, aligned to 64 bytes;
    with `in_place` they may also be read, may be other arguments of the program,
    and are only aligned to their elements. The body is one block without
    terminator: `tg.range` values span positions, pure scalar operations compute at
    each position, `tg.store` writes. An operation is evaluated once for each
    combination of positions of the ranges it depends on; the order of the ranges in
    the block is the order of the loops.

    C1: arguments are flat buffers, at least as many as `outputs`; there are no
    results. C2: range ids differ. C3: the body contains only tg operations that
    work on scalars, and none of the host program; before kernels are scheduled
    also operations composed of these (`ComposedOpInterface`). C4: a store depends on no range
    that a `tg.ranged_reduce` of the kernel closes: a range either spans the result
    or is reduced over, possibly by several reductions, between which values may
    depend on it. C5: stores write to the first `outputs` arguments, and loads do
    not read them unless the kernel is marked `in_place`, which a store with
    `update` requires too. C6: the number of positions that an operation is
    evaluated at, and that of all `thread` and `global` ranges together, fit into 63
    bits. C7: a variable's name has one pair of bounds. C8: the index of a store
    with `update` depends on each range of work items that can have more than one
    position other than through a loaded value, so that each element is updated by
    one work item. C9: `numbers` are variables without a value, with different
    names; each launch gives them values of its own, while other variables have one
    value in the program.

    An argument with `tg.alignment` is at a multiple of as many bytes. Others are
    aligned to their elements only, except for outputs of a kernel that is not
    `in_place`.

    `schedule` lists steps that tg-optimize-kernels has to apply, in place of those
    that it would choose; `scheduled` lists those that were applied to the kernel.

    ```mlir
    tg.kernel @E_16(%out: memref<16xf32>, %a: memref<16xf32>) attributes {outputs = 1 : i64} {
      %i = tg.range 0 loop 16
      %x = tg.load %a[%i] : memref<16xf32>
      %y = tg.neg %x : f32
      tg.store %y, %out[%i] : memref<16xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
      TypeAttrOf<FunctionType>:$function_type,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$outputs,
      OptionalAttr<DictArrayAttr>:$arg_attrs,
      OptionalAttr<DictArrayAttr>:$res_attrs,
      UnitAttr:$in_place,
      OptionalAttr<TypedArrayAttrBase<Tg_VarAttr, "array of variables">>:$numbers,
      OptionalAttr<Tg_StepArrayAttr>:$schedule,
      OptionalAttr<Tg_StepArrayAttr>:$scheduled);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
      "::mlir::TypeRange":$argTypes, "int64_t":$outputs)>];
  let extraClassDeclaration = [{
    // FunctionOpInterface.
    ::mlir::Type cloneTypeWith(::mlir::TypeRange inputs, ::mlir::TypeRange results);
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Tg_RangeOp : Tg_Op<"range", [Pure, Tg_InfersRanges]> {
  let summary = "all positions from 0 to an extent";
  let description = [{
    A value that takes every integer from 0 to `extent` (exclusive). `id`
    distinguishes ranges of the same extent. The kind says how the positions are
    executed: `loop` one after another; `thread` and `global` in parallel by work
    items; `local` in parallel by the items of one work-group, which share local
    memory; `upcast` as the lanes of one vector; `unroll` as copies of the code;
    `group_reduce` as a reduction shared by a work-group. With `peel`, the last
    `peel` positions of a loop get a copy of the code, so that conditions which
    hold for all other positions cost nothing there. For a symbolic range, `peel`
    may be an expression whose value is known when the kernel runs.

    C1: the extent is not negative, at most 2^53, and no part of it can overflow 64
    bits. C2: `0 <= peel <= extent` (the largest extent, if it is symbolic), and
    only the kinds `loop` and `thread` have a `peel` other than 0. C3:
    `0 <= id < 2^31`.

    ```mlir
    %i = tg.range 0 loop 16
    %j = tg.range 1 upcast 8
    %k = tg.range 2 loop 33 peel 1
    ```
  }];
  let arguments = (ins I64Attr:$id, Tg_RangeKindAttr:$kind, Tg_DimAttr:$extent,
      OptionalAttr<Tg_DimAttr>:$peel);
  let results = (outs Index:$result);
  let assemblyFormat =
      "$id `` $kind custom<Dim>($extent) (`peel` custom<Dim>($peel)^)? attr-dict";
  let builders = [OpBuilder<(ins "int64_t":$id, "::mlir::tg::RangeKind":$kind,
                                 "::mlir::tg::Dim":$extent)>,
                  OpBuilder<(ins "int64_t":$id, "::mlir::tg::RangeKind":$kind,
                                 "int64_t":$extent)>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The extent as a dimension, and the largest value that it can have.
    Dim getExtentDim() { return Dim(getExtent()); }
    int64_t getLargestExtent() { return getExtentDim().getMax(); }
    bool isSymbolic() { return !getExtentDim().isStatic(); }
    /// The number of peeled positions, 0 if there are none.
    Dim getPeelDim();
    void setPeelDim(Dim peel);
  }];
}

def Tg_RangedReduceOp : Tg_Op<"ranged_reduce", [Pure,
    AllTypesMatch<["value", "result"]>]> {
  let summary = "a value combined over all positions of ranges";
  let description = [{
    Combines `value` over every combination of positions of `ranges`, which the
    result does not depend on. Without ranges, the result is the value. Identities,
    special cases and order are those of `tg.reduce`.

    A sum of products with `on` is computed by a matrix operation of a GPU, in which
    the items of a subgroup, or of four, multiply two small matrices. It has the name of the
    operation in `Support/MatrixUnits.h`. Its last range is the depth of these
    matrices; the ranges that give an item its rows and columns are listed at the
    step `contract`. Sums of f16 and bf16 are added up in f32, in any order, and
    rounded once; NVIDIA's operations cut off what is much smaller than the largest
    term of an addition. Processors without the operation compute the same sum.

    C1: each range is the result of a `tg.range`, and they differ. C2: `on` names a
    matrix operation, the reduction is a sum over at least one range, the value is a
    product of two elements of tiles of a group, or of casts of two, and elements
    and result have types of the operation.

    ```mlir
    %s = tg.ranged_reduce add %x over %k : f32
    %t = tg.ranged_reduce add %y over %block, %depth on "mma_m16n8k16_f16" : f32
    ```
  }];
  let arguments = (ins Tg_ReduceKindAttr:$kind, Tg_Arith:$value,
                       Variadic<Index>:$ranges, OptionalAttr<StrAttr>:$unit);
  let results = (outs Tg_Arith:$result);
  let assemblyFormat = [{
    `` $kind $value `over` $ranges (`on` $unit^)? attr-dict `:` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::tg::ReduceKind":$kind,
                                 "::mlir::Value":$value,
                                 "::mlir::ValueRange":$ranges), [{
    build($_builder, $_state, kind, value, ranges, ::mlir::StringAttr());
  }]>];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tg_RangedScanOp : Tg_Op<"ranged_scan", [Pure,
    AllTypesMatch<["value", "result"]>]> {
  let summary = "inclusive prefix reduction over the positions of ranges";
  let description = [{
    Combines `value` over the positions of `ranges` from the first to the current
    one, in row-major order of the ranges. Like the value, the result depends on
    them. Operators and order are those of `tg.scan`.

    C1: each range is the result of a `tg.range`, and they differ. C2: they are of
    kind `loop`, except for the last one, which may be `upcast`. CPU code requires
    them to be the innermost loops around everything that depends on the result. C3:
    `logaddexp` requires floats.

    ```mlir
    %s = tg.ranged_scan add %x over %k : f32
    ```
  }];
  let arguments = (ins Tg_ScanKindAttr:$kind, Tg_Arith:$value,
                       Variadic<Index>:$ranges);
  let results = (outs Tg_Arith:$result);
  let assemblyFormat = "`` $kind $value `over` $ranges attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tg_LoadOp : Tg_Op<"load", [TypesMatchWith<
      "result is the element type of the buffer", "buffer", "result",
      // Also infers the type, before the buffer is verified.
      "::mlir::getElementTypeOrSelf($_self)">]> {
  let summary = "an element of a buffer";
  let description = [{
    Reads `buffer[index]`. Where the mask is false, nothing is read and the result
    is 0. `prefetch n` is a hint without effect on the result: the element at
    `index + n` will be read soon.

    C1: the index is inside the buffer wherever the mask is true (checked where it
    can be decided).

    ```mlir
    %x = tg.load %a[%i] : memref<16xf32>
    %y = tg.load %a[%i] mask %m : memref<16xf32>
    ```
  }];
  let arguments = (ins Arg<Tg_Buffer, "", [MemRead]>:$buffer, Index:$index,
                       Optional<I1>:$mask,
                       OptionalAttr<Tg_Distance>:$prefetch);
  let results = (outs Tg_Element:$result);
  let assemblyFormat = [{
    $buffer `[` $index `]` (`mask` $mask^)? (`prefetch` $prefetch^)? attr-dict
    `:` type($buffer)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$buffer, "::mlir::Value":$index,
                                 CArg<"::mlir::Value", "{}">:$mask)>];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tg_StoreOp : Tg_Op<"store", [AttrSizedOperandSegments, TypesMatchWith<
      "the value has the element type of the buffer", "buffer", "value",
      "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">]> {
  let summary = "a write to an element of a buffer";
  let description = [{
    Writes `value` to `buffer[index]` where the mask is true. `nontemporal` is a
    hint that the element is not read again while it would stay in a cache,
    `prefetch n` is a hint that the element at `index + n` will be written soon.
    With `as tma`, the items of a group on a GPU write their results to memory of
    the group, of which copies of boxes go to the buffer (the step `buffer ... as
    tma`).

    With `update`, the element is combined with the value, as by `tg.scatter`, once
    for each position of `ranges` and of the ranges that the operands depend on.
    Several positions may update the same element; they do so one after the other,
    in the order of the loops. If several stores of a kernel write the same
    elements, then for each work item each store writes at all of its positions
    before the next store in the block begins.

    C1: the index is inside the buffer wherever the mask is true (checked where it
    can be decided). C2: without `update`, different positions of the kernel's
    ranges write different elements (checked: without a mask, the index depends on
    every range that the value depends on). C3: an `update` other than `set` does
    not accept fp8, and an `update` is never `nontemporal` or `as tma`. C4: `ranges` are results
    of `tg.range`, they differ, and only an `update` has them.

    ```mlir
    tg.store %x, %out[%i] : memref<16xf32>
    tg.store %one, %counts[%bin] mask %inside update add over %k : memref<256xi32>
    ```
  }];
  let arguments = (ins Tg_Element:$value,
      Arg<Tg_Buffer, "", [MemWrite]>:$buffer, Index:$index, Optional<I1>:$mask,
      OptionalAttr<Tg_UpdateKindAttr>:$update, Variadic<Index>:$ranges,
      UnitAttr:$nontemporal,
      OptionalAttr<Tg_Distance>:$prefetch, UnitAttr:$as_tma);
  // As in version 0.1: TgKernelBytecode.cpp.
  let useCustomPropertiesEncoding = 1;
  let assemblyFormat = [{
    $value `,` $buffer `[` $index `]` (`mask` $mask^)?
    (`update` `` $update^)? (`over` $ranges^)? (`nontemporal` $nontemporal^)?
    (`prefetch` $prefetch^)? (`as` `tma` $as_tma^)? attr-dict `:` type($buffer)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$buffer,
                                 "::mlir::Value":$index,
                                 CArg<"::mlir::Value", "{}">:$mask)>];
  let hasVerifier = 1;
}

def Tg_StageOp : Tg_Op<"stage", [Pure, TypesMatchWith<
      "the tile has the type of the value", "tile", "value",
      "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">]> {
  let summary = "a tile of values kept in local memory";
  let description = [{
    Computes `value` at every position of `ranges` and keeps the results in local
    memory, in row-major order of the ranges. Loads of the tile after a
    `tg.barrier` see all of them.

    `memory` says whose memory it is. A tile of a work `item` is filled and read by
    that item alone. A tile of a `group` exists once for the work items of a group,
    that is, for all positions of the `local` ranges: each item fills the part of
    its own positions, and reads all. Where one thread runs all items of a group, as
    on a CPU, both are the memory of that thread. The memory space of the tile's
    type is the target's.

    With `buffers n`, there is memory for `n` tiles, so that a GPU can begin to fill
    the next ones while it reads this one. With `as tma`, copies of boxes fill them
    (the step `buffer ... as tma`), which with the attribute `tg.by_warpgroup` 128 further work items of the group begin.

    C1: the tile has as many elements as the ranges have positions. C2: each range
    is the result of a `tg.range`, and they differ. C3: a tile of an item has no
    `local` range, since its other positions are other items. C4: the value of a
    tile of a group depends on no `local` or `group_reduce` range that is not among
    `ranges`. C5: only
    a tile of a group has `buffers`, and only one with these is filled `as tma`.

    ```mlir
    %t = tg.stage %x over %i, %k : memref<128xf32>
    %b = tg.barrier %t : memref<128xf32>
    %y = tg.load %b[%j] : memref<128xf32>

    %shared = tg.stage %x over %local in group : memref<128xf32>
    %ahead = tg.stage %x over %local in group buffers 3 : memref<128xf32>
    ```
  }];
  let arguments = (ins Tg_Element:$value, Variadic<Index>:$ranges,
      DefaultValuedOptionalAttr<Tg_TileMemoryAttr,
                                "::mlir::tg::TileMemory::item">:$memory,
      OptionalAttr<ConfinedAttr<I64Attr, [IntMinValue<2>, IntMaxValue<8>]>>:$buffers,
      UnitAttr:$as_tma);
  // As in version 0.1: TgKernelBytecode.cpp.
  let useCustomPropertiesEncoding = 1;
  let results = (outs Tg_Buffer:$tile);
  let assemblyFormat = [{
    $value `over` $ranges (`in` `` $memory^)? (`buffers` $buffers^)?
    (`as` `tma` $as_tma^)? attr-dict `:` type($tile)
  }];
  let builders = [OpBuilder<(ins "::mlir::MemRefType":$tile,
      "::mlir::Value":$value, "::mlir::ValueRange":$ranges,
      CArg<"::mlir::tg::TileMemory", "::mlir::tg::TileMemory::item">:$memory)>];
  let skipDefaultBuilders = 1;
  let hasVerifier = 1;
}

def Tg_BarrierOp : Tg_Op<"barrier", [Pure, SameOperandsAndResultType]> {
  let summary = "a tile after all writes to it";
  let description = [{
    The tile once it is filled: a group's, once all its work items have written
    their part; an item's, once the item has.

    C1: the operand is the result of a `tg.stage`.

    ```mlir
    %b = tg.barrier %t : memref<128xf32>
    ```
  }];
  let arguments = (ins Tg_Buffer:$tile);
  let results = (outs Tg_Buffer:$result);
  let assemblyFormat = "$tile attr-dict `:` type($result)";
  let hasVerifier = 1;
}

} // opDocGroup = Tg_KernelDoc

#endif // TINYGRAD_DIALECT_TG_IR_TGKERNELOPS_TD
