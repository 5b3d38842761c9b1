//===- KernelPasses.td - passes on kernels -----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The passes that make kernels and those on kernels (levels 2 and 3), in pipeline
/// order.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_TRANSFORMS_KERNELPASSES_TD
#define TINYGRAD_DIALECT_TG_TRANSFORMS_KERNELPASSES_TD

include "TinyGrad/Support/PassOption.td"

def TgSchedule : Pass<"tg-schedule", "::mlir::ModuleOp"> {
  let summary = "Turn tensor graphs into host programs and kernels";
  let description = [{
    Each function over tensors becomes a host program over flat buffers that
    launches `tg.kernel` operations. Its arguments become buffers in the same
    order. It returns a buffer for each result: an argument or part of one where
    the result is exactly that, otherwise a buffer of its own. Attributes of the
    function, its arguments and its results are kept, except elements attributes
    (`tg.input`).

    Functions that contain only operations of other dialects are left unchanged.
    A function that is scheduled must have no callers.

    Movement operations become index expressions and masks. An intermediate gets
    a buffer only where recomputing it at every use would cost more than storing
    and loading it, where one is requested (`tg.contiguous`, results, copies to
    another device), or where a nested reduction would leave too few independent
    work items. Each decision is an optimization remark of the category
    `tg-schedule`. Equal kernels of a function are created once.
  }];
  let dependentDialects = ["::mlir::tg::TgDialect", "::mlir::func::FuncDialect"];
  let options = [
    Tg_Option<"device", "device", "std::string", "\"CPU\"",
              "Device of arguments without a tg.device attribute">
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels created">,
    Statistic<"numBuffers", "buffers", "Intermediates given a buffer">
  ];
}

def TgFuseKernels : Pass<"tg-fuse-kernels", "::mlir::ModuleOp"> {
  let summary = "Merge launches into kernels with several results";
  let description = [{
    Two launches of a host program become one if their kernels work over the same
    positions, or over rows of them, and have loads or stores in common: both read
    a buffer at the same positions, or the second reads what the first stores
    there. Such a load becomes the stored value, and a buffer that nothing else
    reads is removed. So is a copy of the previous contents of an assigned buffer
    that is read only at the positions that are written.

    Updates of different buffers over the same positions share their loop. Small
    kernels with the same ranges are merged even with nothing in common, if both
    read what one other launch stores.

    Launches stay separate where something has to run between them, where one reads
    what the other writes at other positions, where a register tile of a matrix
    product would lose registers, and where little would be saved. Each decision is
    an optimization remark of the category `tg-fuse-kernels`.

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
    Statistic<"numMerged", "merged", "Launches merged into another one">,
    Statistic<"numCopies", "copies", "Transfers that are no longer needed">
  ];
}

def TgStageCopies : Pass<"tg-stage-copies", "::mlir::ModuleOp"> {
  let summary = "Replace copies of overwritten memory by tiles";
  let description = [{
    An assignment that reads its target at other positions than it writes, such as
    an in-place stencil, is scheduled as a copy of the old contents and a kernel
    that reads the copy. If the kernel follows the rows of the target (its
    outermost range has the same stride in what is read and written) and each row
    reads a bounded distance before and after itself, the kernel is split into
    blocks of rows instead. Each block first copies its rows to a tile of local
    memory. A separate kernel saves what blocks read of their neighbors before any
    block writes; a target that fits into one tile needs none.

    Bounds come from the linear forms of the indices; masks are ignored. Other
    kernels, and those with reductions, keep reading the copy. Each decision is an
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
    Tg_Option<"tileBytes", "tile-bytes", "int64_t", "262144",
              "Maximum size of a tile if there are several blocks">,
    Tg_Option<"wholeBytes", "whole-bytes", "int64_t", "65536",
              "Maximum size of a target that is a single block">
  ];
  let statistics = [
    Statistic<"numCopies", "copies", "Copies replaced by tiles">
  ];
}

def TgNarrowBuffers : Pass<"tg-narrow-buffers", "::mlir::ModuleOp"> {
  let summary = "Pass kernels only the part of a buffer that they read";
  let description = [{
    A kernel that reads part of a buffer is launched on a `tg.subbuffer` of that
    part. Kernels that do the same to different parts, such as the steps of an
    unrolled network, thereby become equal.

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
    Statistic<"numNarrowed", "narrowed", "Kernel arguments made smaller">
  ];
}

def TgCollapseReduce : Pass<"tg-collapse-reduce", "::mlir::tg::KernelOp"> {
  let summary = "Replace reductions that select or count positions";
  let description = [{
    A sum over a range whose summand is zero except where the range equals an index
    becomes a load at that index, or zero if the index is out of range. A sum of a
    value that does not depend on the range, taken where comparisons of the range
    with index values hold, becomes the value times the number of positions for
    which they hold: `max(min(last...) - max(first...), 0)`. Extents may be
    symbolic. For floats, this requires that the product of the value and the count
    is exact, or that the type is f32 or f64.

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
    masks and comparisons, given the extents of ranges and the bounds of variables;
    for the operands of a masked load or store and of a `tg.where`, also given the
    condition. Equal operations are merged. The pass sweeps over the kernel once, in
    time linear in its size.

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
    Tg_Option<"checkMeasure", "check-measure", "bool", "false",
              "Fail if a rule does not make an expression smaller (always checked "
              "in debug builds)">
  ];
  let statistics = [
    Statistic<"numRewrites", "rewrites", "Rules applied">
  ];
}

def TgUnmaskFactors : Pass<"tg-unmask-factors", "::mlir::tg::KernelOp"> {
  let summary = "Load factors of products that are discarded without a mask";
  let description = [{
    In a sum of products that a condition selects, a factor may be anything where
    the condition does not hold. A load with no other condition than that loses its
    mask if what it reads is there at all positions. In the gradient of a
    convolution by its input, the weights then do not depend on the position, and
    are packed as those of the convolution itself.

    ```mlir
    %x = tg.load %a[%i] mask %c : memref<64xf32>
    %w = tg.load %b[%k] mask %c : memref<9xf32>
    %0 = tg.mul %x, %w : f32
    %1 = tg.where %c, %0, %zero : f32
    %2 = tg.ranged_reduce add %1 over %k : f32
    // becomes, where %k is less than 9
    %w = tg.load %b[%k] : memref<9xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
  let statistics = [
    Statistic<"numUnmasked", "unmasked", "Loads without their mask">
  ];
}

def TgDedupKernels : Pass<"tg-dedup-kernels", "::mlir::ModuleOp"> {
  let summary = "Merge kernels of equal structure";
  let description = [{
    Kernels with equal bodies, argument types and attributes become one; launches
    are redirected to the first.
  }];
  let statistics = [
    Statistic<"numMerged", "merged", "Kernels replaced by an equal one">
  ];
}

def TgShareKernels : Pass<"tg-share-kernels", "::mlir::ModuleOp"> {
  let summary = "Merge kernels that differ only in constants";
  let description = [{
    Kernels that are equal except for the values of constants become one, which
    takes the differing constants as `numbers` of its launches. This saves compile
    time where many kernels are alike; groups of fewer than `fewest` are left alone.

    A constant is shared where code that reads the number from a register is as
    fast as code for the constant and gives the same bits: as an operand of sums,
    products of floats, maxima, comparisons, selections and stores. Not shared are
    integer divisors and powers, for which there are better instructions; 0, 1, -1,
    infinities and NaNs, which code generation may simplify; and constants from
    which positions and masks are computed.

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
    Tg_Option<"fewest", "fewest", "int64_t", "4",
              "Minimum number of similar kernels to merge">
  ];
  let statistics = [
    Statistic<"numMerged", "merged", "Kernels replaced by a shared one">
  ];
}

def TgForwardCopies : Pass<"tg-forward-copies", "::mlir::ModuleOp"> {
  let summary = "Write results where they would be copied to";
  let description = [{
    A buffer of a host program that is copied as a whole to a part of another one
    becomes that part, and the copy is removed: all that is written to the other
    buffer before is elsewhere, and nothing changes either of them afterwards. Its
    first byte is at a multiple of the alignment of buffers. The other buffer, which
    now lives from the first of its parts on, must consist of such parts by half.

    ```mlir
    tg.launch @sum(%a, %x) : memref<16xf32>, memref<64xf32>
    %part = tg.subbuffer %all at (64) : memref<32xf32> -> memref<16xf32>
    tg.launch @copy(%part, %a) : memref<16xf32>, memref<16xf32>
    // becomes
    %part = tg.subbuffer %all at (64) : memref<32xf32> -> memref<16xf32>
    tg.launch @sum(%part, %x) : memref<16xf32>, memref<64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
  let statistics = [
    Statistic<"numForwarded", "forwarded", "Copies that were removed">
  ];
}

def TgOrderLaunches : Pass<"tg-order-launches", "::mlir::ModuleOp"> {
  let summary = "Run what only ends the use of intermediates early";
  let description = [{
    A launch that writes to arguments and results of the host program alone, such as
    the update of a weight, runs as soon as what it reads is there and what it
    overwrites is not needed any more, instead of at the end. Intermediates that it
    is the last to read then live shorter, and are still in a cache. Launches that
    write no more than a few numbers run early as well, since others wait for them.

    ```mlir
    tg.launch @gradient(%g, %x) : memref<16xf32>, memref<16xf32>
    tg.launch @other(%y, %x) : memref<16xf32>, memref<16xf32>
    tg.launch @update(%weight, %g) : memref<16xf32>, memref<16xf32>
    // becomes
    tg.launch @gradient(%g, %x) : memref<16xf32>, memref<16xf32>
    tg.launch @update(%weight, %g) : memref<16xf32>, memref<16xf32>
    tg.launch @other(%y, %x) : memref<16xf32>, memref<16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
  let statistics = [
    Statistic<"numMoved", "moved", "Launches that run earlier">
  ];
}

def TgPlanMemory : Pass<"tg-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Place intermediates in arenas by lifetime";
  let description = [{
    Intermediate buffers of a host program (those that it does not return) are
    placed in one arena for each memory space of each device, where buffers with
    disjoint lifetimes share memory. They are placed in the order of their first use,
    or by size, whichever takes less. Results and arguments keep memory of their own.
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
  let options = [
    Tg_Option<"alignment", "alignment", "int64_t",
              "::mlir::tg::kBufferAlignment", "Alignment of each buffer in bytes",
              text = "64">
  ];
  let statistics = [
    Statistic<"numBytesSaved", "bytes-saved",
              "Bytes saved by sharing memory between buffers">
  ];
}

def TgSizeBuffers : Pass<"tg-size-buffers", "::mlir::ModuleOp"> {
  let summary = "State how much memory kernels may rely on";
  let description = [{
    An argument or a result of which only the leading size is symbolic may be given
    memory of its actual size (`tg.elements`, which `tg-schedule` states), while
    buffers have the type of the largest one. An argument of a kernel that is such
    memory in some launch gets the attribute `tg.least_elements`: how many elements
    it has in every launch, for all values of variables. Reads without a mask, and
    what LLVM is told about the memory, stay within these; reads beyond them are of
    elements that the tensor has.

    ```mlir
    tg.kernel @k(%out: memref<512xf32>, %a: memref<512xf32>) attributes {outputs = 1 : i64} {}
    func.func @main(%x: memref<512xf32> {tg.elements = #tg.dim<mul, #tg.var<"n", 2, 64>, 8>}) {
      %y = tg.alloc on "CPU" : memref<512xf32>
      tg.launch @k(%y, %x) : memref<512xf32>, memref<512xf32>
      return
    }
    // the kernel becomes
    tg.kernel @k(%out: memref<512xf32>, %a: memref<512xf32> {tg.least_elements = 16 : i64})
        attributes {outputs = 1 : i64} {}
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
}

def TgAlignBuffers : Pass<"tg-align-buffers", "::mlir::ModuleOp"> {
  let summary = "State the alignment of the arguments of kernels for GPUs";
  let description = [{
    An argument gets the attribute `tg.alignment` if it is aligned to an access of a
    work item (`vector_bytes` of the module's `#tg.target`) in every launch: memory
    that is allocated is, arguments of the host program are (who runs it provides
    copies of those that are not), and a `tg.subbuffer` is if its offset is a
    multiple for all values of variables. Wide accesses that are not aligned are
    faults on GPUs. Does nothing for targets without groups of work items.

    ```mlir
    tg.kernel @k(%out: memref<8xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64} {}
    func.func @main(%x: memref<16xf32>, %y: memref<8xf32>) {
      %v = tg.subbuffer %x at (32) : memref<16xf32> -> memref<8xf32>
      tg.launch @k(%y, %v) : memref<8xf32>, memref<8xf32>
      return
    }
    // the kernel becomes
    tg.kernel @k(%out: memref<8xf32> {tg.alignment = 16 : i64},
                 %a: memref<8xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {}
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
}

def TgOptimizeKernels : Pass<"tg-optimize-kernels", "::mlir::tg::KernelOp"> {
  let summary = "Choose how the ranges of each kernel are executed";
  let description = [{
    Splits ranges and gives each its kind: parallel work items, vector lanes,
    register tiles (unrolled copies), several accumulators in reductions. Keeps
    operands that are far apart in memory, and costly values that are used twice, in
    tiles (`tg.stage`). Stores large results past the caches (`nontemporal`), and
    prefetches the next row (`prefetch`) of such tiles and of large buffers whose
    rows are read with gaps between them. The choice depends only on the shape of
    the kernel and the facts in the module's `#tg.target`.
    Each choice is an optimization remark of the category `tg-optimize-kernels`.

    All changes are schedule steps (`#tg.step`), which `scheduled` lists in the
    kernel afterwards. A kernel with a list in `schedule` gets these steps and no
    others; a step that the kernel does not admit is an error, which says why.

    There are several schedules for each kernel. The best one that is valid is
    taken: the kernel admits all steps, and verifies afterwards. For targets without
    groups of work items these are tiles and lanes; lanes alone; for others, the ways
    of sharing work in groups, in the order of preference. The last two are the same
    for all targets: only work items, and no steps. A schedule that is not valid is a
    fault of the heuristics, and a remark (`refused`).

    ```mlir
    tg.kernel @E_64(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64,
        schedule = [#tg.step<split [0] by 16 into [1, 2]>, #tg.step<set_kind [2] as upcast>]} {
      %i = tg.range 0 loop 64
      %x = tg.load %a[%i] : memref<64xf32>
      tg.store %x, %out[%i] : memref<64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
  let options = [
    Tg_Option<"noOpt", "no-opt", "bool", "false",
              "Only mark parallel ranges; keep every loop scalar">,
    Tg_Option<"checkSteps", "check-steps", "bool", "false",
              "Apply the list of steps to the kernel once more, and compare">,
    Tg_Option<"firstSchedule", "first-schedule", "unsigned", "0",
              "Number of the first schedule to try, of those from the best to the "
              "simplest one">,
    Tg_Option<"fallBack", "fall-back", "bool", "true",
              "Take a simpler schedule if one is not valid, which is an error "
              "otherwise">,
    Tg_Option<"refuse", "refuse", "unsigned", "0",
              "Treat as many schedules of each kernel as not valid, for tests">
  ];
}

def TgExpandComposed : Pass<"tg-expand-composed", "::mlir::tg::KernelOp"> {
  let summary = "Replace other dialects' operations by what they are composed of";
  let description = [{
    Elementwise operations of other dialects stay what they are until schedules are
    made, which weigh them by what their `ElementwiseOpInterface` says. Then each
    becomes what its `ComposedOpInterface` builds. Scheduled kernels consist of
    operations of the `tg` dialect alone: code generation, proofs and the caches need
    to know no others.
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
}

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_KERNELPASSES_TD
