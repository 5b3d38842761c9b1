//===- Passes.td - passes inside the tg dialect -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The passes that stay inside the dialect, in the order of the pipeline.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_TRANSFORMS_PASSES_TD
#define TINYGRAD_DIALECT_TG_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TgResolveAssigns : Pass<"tg-resolve-assigns", "::mlir::func::FuncOp"> {
  let summary = "Tell targets of assignments from reads of old contents";
  let description = [{
    Where a function argument is assigned to, its uses as a value, which mean what
    it held at the beginning, become uses of a `tg.after`. Targets become views of
    the argument itself, so that each use of the argument names memory.
    Assignments of no elements vanish.

    ```mlir
    %0 = tg.neg %x : tensor<4xf32>
    %1 = tg.assign %x, %0 : tensor<4xf32>
    // becomes
    %old = tg.after %x : tensor<4xf32>
    %0 = tg.neg %old : tensor<4xf32>
    %1 = tg.assign %x, %0 : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
}

def TgComposeViews : Pass<"tg-compose-views", "::mlir::func::FuncOp"> {
  let summary = "Chains of movement operations as one operation each";
  let description = [{
    What reads the result of a chain of movement operations reads a `tg.strided` of
    the value at its beginning. The targets of assignments, which name memory, stay
    movement operations. `tg.detach`, which means nothing to what runs, vanishes.

    ```mlir
    %0 = tg.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
    %1 = tg.pad %0 low [1, 0] high [0, 0] : tensor<6x4xf32> -> tensor<7x4xf32>
    %2 = tg.neg %1 : tensor<7x4xf32>
    // becomes
    %1 = tg.strided %x [#tg.view<[7, 4] strides [1, 6] offset -1 mask [1 to 7, 0 to 4]>]
        : tensor<4x6xf32> -> tensor<7x4xf32>
    %2 = tg.neg %1 : tensor<7x4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
}

def TgScatterSums : Pass<"tg-scatter-sums", "::mlir::func::FuncOp"> {
  let summary = "Turn sums of one-hot rows into scatters";
  let description = [{
    A sum over positions of values that are 0 but where an index, read at the
    position, equals the place along an axis of the result compares each index with
    each place. It becomes a `tg.scatter` that adds each value at its index. A
    product of floats with a one-hot row stays: 0 times an infinity is not 0.

    Many updates of few elements, which would come one after the other, become
    updates of copies, by a part of the positions each, and a reduction of the
    copies. How many there are depends on the shapes alone.

    ```mlir
    %p = tg.iota 1 : tensor<1000x64xi32>
    %i = tg.expand %x : tensor<1000x1xi32> -> tensor<1000x64xi32>
    %c = tg.cmpeq %p, %i : tensor<1000x64xi32>
    %o = tg.cast %c : tensor<1000x64xi1> -> tensor<1000x64xi32>
    %r = tg.reduce add %o axes [0] : tensor<1000x64xi32> -> tensor<1x64xi32>
    // becomes
    %0 = tg.reshape %x : tensor<1000x1xi32> -> tensor<1x1000xi32>
    %1 = tg.const(1 : i32) : tensor<1x1000xi32>
    %2 = tg.const(0 : i32) : tensor<1x64xi32>
    %r = tg.scatter add %2[%0], %1 axis 1
        : tensor<1x64xi32>, tensor<1x1000xi32>, tensor<1x1000xi32>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
}

def TgSplitReduce : Pass<"tg-split-reduce", "::mlir::func::FuncOp"> {
  let summary = "Split large reductions to few results into two steps";
  let description = [{
    A reduction of very many elements to few results gives too few independent
    work items. It becomes a reduction of equal parts, kept in memory, and one of
    the parts' results. How many parts depends on the shape alone, so that results
    do not depend on the number of threads.

    A reduction along an outer axis of a large tensor (from 32 MiB on) that is read
    straight from memory becomes one of 8 to 128 rows at a time, which are read
    side by side, and one of what these give. Outer is the axis in memory: the
    tensor may be read transposed. Small operands may be repeated, so that this
    holds for a row times a matrix, but not for a product of matrices.

    ```mlir
    %r = tg.reduce add %x axes [0] : tensor<1048576xf32> -> tensor<1xf32>
    // becomes
    %0 = tg.reshape %x : tensor<1048576xf32> -> tensor<256x4096xf32>
    %1 = tg.reduce add %0 axes [1] : tensor<256x4096xf32> -> tensor<256x1xf32>
    %2 = tg.contiguous %1 : tensor<256x1xf32>
    %3 = tg.reduce add %2 axes [0] : tensor<256x1xf32> -> tensor<1x1xf32>
    %r = tg.reshape %3 : tensor<1x1xf32> -> tensor<1xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
  let options = [
    Option<"threshold", "threshold", "int64_t", "262144",
           "Least number of reduced elements per result">,
    Option<"parts", "parts", "int64_t", "256", "Greatest number of parts">
  ];
}

def TgSchedule : Pass<"tg-schedule", "::mlir::ModuleOp"> {
  let summary = "Turn tensor graphs into host programs and kernels";
  let description = [{
    Each function over tensors becomes a host program over flat buffers that
    launches `tg.kernel` operations. Its arguments become buffers in the same
    order; it returns a buffer for each result: an argument or part of one where
    the result is just that, else a buffer of its own. Attributes of the function,
    its arguments and results stay, elements (`tg.input`) apart.

    Functions that consist of operations of other dialects alone stay as they are.
    Nothing may call a function that is scheduled.

    Movement operations become index expressions and masks. An intermediate gets
    a buffer only where computing it again at every use would cost more than
    storing and loading it, where it is asked for (`tg.contiguous`, results,
    copies to another device), or where a nested reduction would leave too few
    independent work items. Each decision is an optimization remark of the
    category `tg-schedule`. Kernels of a function that are equal are made once.
  }];
  let dependentDialects = ["::mlir::tg::TgDialect", "::mlir::func::FuncDialect"];
  let options = [
    Option<"device", "device", "std::string", "\"CPU\"",
           "Device of arguments that name none by a tg.device attribute">
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels created">,
    Statistic<"numBuffers", "buffers", "Intermediates given a buffer">
  ];
}

def TgFuseKernels : Pass<"tg-fuse-kernels", "::mlir::ModuleOp"> {
  let summary = "Merge launches into kernels with several results";
  let description = [{
    Two launches of a host program become one where their kernels work over the
    same positions, or over rows of them, and have loads or stores in common: both
    read a buffer at the same positions, or the second reads what the first stores
    there. That is then the stored value; if nothing else reads the buffer, it
    goes. So do copies of what a buffer held before it was assigned to, if they are
    read at the very positions that are written.

    Updates of different buffers over the same positions share their loop. Small
    kernels of the same ranges are merged without anything in common if they read
    what one other launch stores.

    Launches stay apart where something has to run between them, where one reads at
    other positions what the other one writes, where a tile of a matrix product
    would lose registers, and where little would be saved. Each decision is an
    optimization remark of the category `tg-fuse-kernels`.

    ```mlir
    tg.kernel @a(%out: memref<4xf32>, %x: memref<4xf32>) attributes {outputs = 1 : i64} {
      %i = tg.range 0 loop 4
      %0 = tg.load %x[%i] : memref<4xf32>
      %1 = tg.neg %0 : f32
      tg.store %1, %out[%i] : memref<4xf32>
    }
    tg.kernel @b(%out: memref<4xf32>, %x: memref<4xf32>) attributes {outputs = 1 : i64} {
      %i = tg.range 0 loop 4
      %0 = tg.load %x[%i] : memref<4xf32>
      %1 = tg.exp2 %0 : f32
      tg.store %1, %out[%i] : memref<4xf32>
    }
    tg.launch @a(%p, %x) : memref<4xf32>, memref<4xf32>
    tg.launch @b(%q, %x) : memref<4xf32>, memref<4xf32>
    // becomes
    tg.kernel @c(%p: memref<4xf32>, %q: memref<4xf32>, %x: memref<4xf32>) attributes {outputs = 2 : i64} {
      %i = tg.range 0 loop 4
      %0 = tg.load %x[%i] : memref<4xf32>
      %1 = tg.neg %0 : f32
      %2 = tg.exp2 %0 : f32
      tg.store %1, %p[%i] : memref<4xf32>
      tg.store %2, %q[%i] : memref<4xf32>
    }
    tg.launch @c(%p, %q, %x) : memref<4xf32>, memref<4xf32>, memref<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
  let statistics = [
    Statistic<"numMerged", "merged", "Launches that became part of another one">,
    Statistic<"numCopies", "copies", "Transfers that are not needed any more">
  ];
}

def TgStageCopies : Pass<"tg-stage-copies", "::mlir::ModuleOp"> {
  let summary = "Keep tiles of what a kernel overwrites instead of a copy";
  let description = [{
    An assignment that reads its target at other positions than it writes, as a
    stencil in place does, is scheduled as a copy of the old contents and a kernel
    that reads the copy. Where the kernel follows the rows of the target (its
    outermost range steps through what is read and written alike), and reads a
    bounded way before and behind each row, the kernel is cut into blocks of rows
    instead. Each block first copies its rows to a tile of local memory. What
    blocks read of their neighbours is saved by a kernel of its own before any of
    them writes; a target that fits into one tile needs none.

    Bounds follow from the linear forms of indices, masks left aside. Other
    kernels, and those with reductions, go on reading the copy. Each decision is an
    optimization remark of the category `tg-stage-copies`.

    ```mlir
    tg.kernel @k(%out: memref<8xf32>, %old: memref<8xf32>) attributes {in_place, outputs = 1 : i64} {
      %i = tg.range 0 loop 7
      %c1 = tg.const(1 : index) : index
      %j = tg.add %i, %c1 : index
      %0 = tg.load %old[%j] : memref<8xf32>
      tg.store %0, %out[%i] : memref<8xf32>
    }
    tg.transfer %x to %copy : memref<8xf32>, memref<8xf32>
    tg.launch @k(%x, %copy) : memref<8xf32>, memref<8xf32>
    // becomes
    tg.kernel @k_0(%out: memref<8xf32>) attributes {in_place, outputs = 1 : i64} {
      %p = tg.range 1 loop 8
      %i = tg.range 0 loop 7
      %0 = tg.load %out[%p] : memref<8xf32>
      %1 = tg.stage %0 over %p : memref<8xf32>
      %2 = tg.barrier %1 : memref<8xf32>
      %c1 = tg.const(1 : index) : index
      %j = tg.add %i, %c1 : index
      %3 = tg.load %2[%j] : memref<8xf32>
      tg.store %3, %out[%i] : memref<8xf32>
    }
    tg.launch @k_0(%x) : memref<8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
  let options = [
    Option<"tileBytes", "tile-bytes", "int64_t", "262144",
           "Greatest size of a tile, where there are several blocks">,
    Option<"wholeBytes", "whole-bytes", "int64_t", "65536",
           "Greatest size of what is one block">
  ];
  let statistics = [
    Statistic<"numCopies", "copies", "Copies that became tiles">
  ];
}

def TgNarrowBuffers : Pass<"tg-narrow-buffers", "::mlir::ModuleOp"> {
  let summary = "Give kernels only the part of a buffer that they read";
  let description = [{
    Where a kernel reads a part of a buffer, it is launched on a view of that
    part. Kernels that do the same with different parts, as the steps of an
    unrolled network do, thereby become equal.

    ```mlir
    tg.kernel @k(%out: memref<4xf32>, %a: memref<12xf32>) attributes {outputs = 1 : i64} {
      %i = tg.range 0 loop 4
      %c = tg.const(8 : index) : index
      %j = tg.add %i, %c : index
      %x = tg.load %a[%j] : memref<12xf32>
      tg.store %x, %out[%i] : memref<4xf32>
    }
    tg.launch @k(%b, %a) : memref<4xf32>, memref<12xf32>
    // becomes
    tg.kernel @k(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
      %i = tg.range 0 loop 4
      %x = tg.load %a[%i] : memref<4xf32>
      tg.store %x, %out[%i] : memref<4xf32>
    }
    %v = tg.subbuffer %a at (32) : memref<12xf32> -> memref<4xf32>
    tg.launch @k(%b, %v) : memref<4xf32>, memref<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
  let statistics = [
    Statistic<"numNarrowed", "narrowed", "Arguments of kernels made smaller">
  ];
}

def TgCollapseReduce : Pass<"tg-collapse-reduce", "::mlir::tg::KernelOp"> {
  let summary = "Replace reductions that select or count positions";
  let description = [{
    A sum over a range of values that are zero except where the range equals an
    index is the value at that index, or zero when the index is out of the range. A
    sum of a value that does not depend on the range, where comparisons of the range
    with index values hold, is the value times the number of positions for which they
    do: `max(min(last...) - max(first...), 0)`. Extents may be symbolic. Sums of floats
    are counted where products of the value and the count are exact, or where the
    type is f32 or f64.

    ```mlir
    %r = tg.range 1 loop 100
    %p = tg.cast %r : index -> i32
    %c = tg.cmpeq %p, %idx : i32
    %x = tg.load %table[%r] : memref<100xf32>
    %y = tg.where %c, %x, %zero : f32
    %s = tg.ranged_reduce add %y over %r : f32
    // becomes
    %i = tg.cast %idx : i32 -> index
    %m = 0 <= %i && %i < 100
    %s = tg.load %table[%i] mask %m : memref<100xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
}

def TgSimplifyIndex : Pass<"tg-simplify-index", "::mlir::tg::KernelOp"> {
  let summary = "Simplify the index arithmetic of kernels";
  let description = [{
    Applies the rules of `IndexRules.td` (see `docs/index-rules.md`) to index values,
    masks and comparisons, with what the extents of ranges and the bounds of
    variables say of them; inside a masked load or store and behind a `tg.where`
    also with what the condition says. One sweep over the kernel, in time linear in
    its size. Equal operations become one.

    ```mlir
    %i = tg.range 0 loop 6
    %j = tg.range 1 loop 8
    %0 = tg.mul %i, %c8 : index
    %1 = tg.add %0, %j : index
    %2 = tg.floordiv %1, %c8 : index
    %x = tg.load %a[%2] : memref<6xf32>
    // becomes
    %x = tg.load %a[%i] : memref<6xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
  let options = [
    Option<"checkMeasure", "check-measure", "bool", "false",
           "Fail if a rule does not make an expression smaller (always checked "
           "in debug builds)">
  ];
  let statistics = [
    Statistic<"numRewrites", "rewrites", "Rules applied">
  ];
}

def TgDedupKernels : Pass<"tg-dedup-kernels", "::mlir::ModuleOp"> {
  let summary = "Merge kernels of equal structure";
  let description = [{
    Kernels whose bodies, argument types and attributes are equal become one;
    launches are redirected to the first.
  }];
  let statistics = [
    Statistic<"numMerged", "merged", "Kernels replaced by an equal one">
  ];
}

def TgShareKernels : Pass<"tg-share-kernels", "::mlir::ModuleOp"> {
  let summary = "Merge kernels that differ in constants only";
  let description = [{
    Kernels that are equal but for the values of constants become one, which takes
    the constants that differ as `numbers` of its launches. It is for many kernels
    of a kind, whose compilation would take most of the time: where fewer than
    `fewest` are alike, each stays as it is.

    A constant takes part where code with the number in a register is as fast,
    and gives the same bits, as code for the number: as an operand of sums,
    products of floats, maxima, comparisons, selections and stores. Divisors of
    integers and powers, for which there are better instructions, do not, nor do
    0, 1, -1, infinities and NaNs, with which code generation may simplify, nor
    what positions and masks are computed from.

    ```mlir
    tg.kernel @E_4_n0(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
      %c = tg.const(0.5 : f32) : f32
      // ...
    }
    // Others with 1.5, 2.5, ...
    tg.launch @E_4_n0(%y, %x) : memref<4xf32>, memref<4xf32>
    ```
    becomes
    ```mlir
    tg.kernel @E_4_n0(%out: memref<4xf32>, %in: memref<4xf32>)
        attributes {numbers = [#tg.var<"~0", -2147483648, 2147483647>], outputs = 1 : i64} {
      %i = tg.dim(#tg.var<"~0", -2147483648, 2147483647>) : index
      %bits = tg.cast %i : index -> i32
      %c = tg.bitcast %bits : i32 -> f32
      // ...
    }
    tg.launch @E_4_n0(%y, %x) {numbers = array<i64: 1056964608>} : memref<4xf32>, memref<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
  let options = [
    Option<"fewest", "fewest", "int64_t", "4",
           "Kernels alike from which on they are shared">
  ];
  let statistics = [
    Statistic<"numMerged", "merged", "Kernels replaced by one with numbers">
  ];
}

def TgPlanMemory : Pass<"tg-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Place intermediates in arenas by lifetime";
  let description = [{
    Buffers of a host program that it does not return are placed in one arena per
    device, so that buffers which are never needed at the same time share memory.
    Results and arguments keep memory of their own.
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
  let options = [
    Option<"alignment", "alignment", "int64_t",
           "::mlir::tg::bufferAlignment", "Alignment of each buffer in bytes">
  ];
  let statistics = [
    Statistic<"numBytesSaved", "bytes-saved",
              "Bytes saved by sharing memory between buffers">
  ];
}

def TgOptimizeKernels : Pass<"tg-optimize-kernels", "::mlir::tg::KernelOp"> {
  let summary = "Choose how the ranges of each kernel are executed";
  let description = [{
    Splits ranges and gives each its kind: parallel work items, vector lanes,
    register tiles (unrolled copies), several accumulators in reductions. Keeps
    operands that lie far apart, and costly values that are needed twice, in tiles
    (`tg.stage`); writes large results past the caches (`nontemporal`) and asks for
    the next row ahead of time (`prefetch`), of such tiles and of large buffers
    whose rows are read with gaps between them. The choice depends on the shape
    of the kernel and the facts of the module's `#tg.target` only.
    Each choice is an optimization remark of the category `tg-optimize-kernels`.
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
  let options = [
    Option<"noOpt", "no-opt", "bool", "false",
           "Only mark parallel ranges; keep every loop scalar">
  ];
}

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_PASSES_TD
