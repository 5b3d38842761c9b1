//===- Passes.td - Conversion passes -----------------------*- tablegen -*-===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the passes that lower scheduled kernels to LLVM's dialect, and those
/// between tensor graphs and upstream's dialects on tensors.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_PASSES_TD
#define TINYGRAD_CONVERSION_PASSES_TD

include "TinyGrad/Support/PassOption.td"

//===----------------------------------------------------------------------===//
// LinalgToTg
//===----------------------------------------------------------------------===//

def ConvertLinalgToTg : Pass<"convert-linalg-to-tg", "::mlir::ModuleOp"> {
  let summary = "Convert tensor programs of upstream's dialects to tensor graphs";
  let description = [{
    Turns functions over `linalg`, `tensor`, `arith` and `math` on tensors into
    tensor graphs (level 1), which `tg-run` runs and `tg-schedule-pipeline` compiles.

    * Structured operations, that is `linalg.generic` and all named ones
      (`linalg.matmul`, `linalg.conv_2d_nchw_fchw`, `linalg.map`, ...), have loops, an
      indexing map for each operand, and a body. Each operand becomes a tensor with
      an axis for each loop: by movement operations where the map lists loops and
      numbers, by a `tg.strided` where it has sums of loops times numbers, as those of
      windows. The body is evaluated on such tensors. What it combines with an output
      becomes a `tg.reduce` along the reduced loops; its result is combined with the
      initial value, unless that is the identity. `linalg.softmax` is decomposed as
      upstream does; `linalg.pack` and `linalg.unpack`, also of dynamic shapes, are
      padded or shrunk, reshaped and permuted.
    * Maps of outputs list each parallel loop once, and no reduced loop. Reductions are
      `addf`, `addi`, `mulf`, `muli`, the maxima and minima of `arith`, and of bools
      `andi`, `ori`, `xori`; a difference of the output and a term (`subf`, `subi`) is
      a sum.
    * A reduction may select elements: `select(condition, term, output)`, where the
      condition consists of comparisons of a term with an output that is a maximum or
      minimum by the same condition, or by an operation of `arith`. Other outputs select
      with it what belongs to that element, such as its index. Of equal elements it
      is the first or last one in the order of the loops, as the condition says.
      NaNs may be skipped, stay once they are taken, or be forgotten by the next
      element, and positions may go on behind them. What else depends on the order
      of NaNs is an error, such as a comparison of positions behind one.
    * Bodies, and functions around structured operations, consist of `linalg.index`,
      `arith.constant`, `arith.select`, comparisons, conversions, the other arithmetic of
      `arith` except products of 64 bits with two results and what scales, and of `math`
      `absf`, `absi`, `acos`, `asin`, `atan`, `atan2`, `cbrt`, `ceil`, `clampf`, `copysign`, `cos`, `ctlz`, `ctpop`, `cttz`, `erf`, `erfc`, `exp`, `exp2`,
      `expm1`, `floor`, `fma`, `ipowi`, `isfinite`, `isinf`, `isnan`, `isnormal`, `log`, `log10`, `log1p`, `log2`, `powf`,
      `round`, `roundeven`, `rsqrt`, `sin`, `sincos`, `sqrt`, `tan`, `tanh` and `trunc`; `acosh`, `asinh`,
      `atanh`, `cosh`, `fpowi` by a number and `sinh` are expanded as upstream does. `remf` is exact, with the
      sign of the dividend. Results of `cbrt` and `erfc` are the nearest numbers of f16 and
      bf16, and off by at most 0.51 units in the last place in f32; in f64 by 0.75 (`cbrt`)
      and 4.1 (`erfc`).
    * A body may read a tensor from outside of it with `tensor.extract`. An index
      that is a loop's is followed; any other selects by comparison with all positions, as
      a sum, which schedules recognize as an indexed load. An index outside of the
      tensor, which is undefined upstream, selects 0.
    * `tensor.empty`, `splat`, `from_elements`, `dim`, `cast`, `expand_shape`,
      `collapse_shape`, `reshape`, `pad`, `concat`, and `extract_slice`,
      `insert_slice` and `extract` at positions that are known become movement
      operations and constants. Elements of `tensor.empty` are zeros. `generate` is a
      body over all positions.
    * At computed positions, `extract`, `extract_slice` and `gather` select as a body
      does; `insert`, `insert_slice` and `scatter` compare their indices with all
      positions, and write nothing at those outside of the tensor. `pad` inserts where
      its amounts are computed or its values depend on the position. Sizes of parts and
      results are known, and strides are numbers.
    * `cf.assert` of what holds for all sizes is left out; sizes that it says to be
      equal are. Any other is an error, or left out with `ignore-assertions`: the
      program then computes something where upstream's ends.
    * Numbers become tensors of rank 0, and `index` becomes `i64`. Integers are
      signless there: operations say how they are read, and those that read
      them as unsigned work on a `tg.bitcast`.

    A `?` of an argument becomes a variable, from `min-size` to `max-size`, that is named by
    argument and axis: `arg0_1`. Other sizes are expressions of these: operations and
    `tensor.dim` say which. Where an operation needs equal sizes, variables are
    replaced, by other variables or by numbers; an equation that this does
    not solve is an error. Arguments may have a `#tg.shape` already.

    Results are those that upstream's dialects allow. Division by zero, a shift by too
    many bits, and a float that no integer of the type is near give what they
    give in `tg`. NaNs are as in upstream (`maximumf` and `maxnumf` differ); the sign of
    a zero that is a maximum, a minimum or a sum is not specified. `tg.reduce` may
    compute sums in a wider type and in any order.

    An operation that is not converted is an error that names it and the reason.

    ```mlir
    func.func @main(%a: tensor<4x8xf16>, %b: tensor<8x6xf16>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
      %0 = linalg.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x6xf16>)
          outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
      return %0 : tensor<4x6xf32>
    }
    ```
    becomes
    ```mlir
    func.func @main(%a: tensor<4x8xf16>, %b: tensor<8x6xf16>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
      %0 = tg.reshape %a : tensor<4x8xf16> -> tensor<4x1x8xf16>
      %1 = tg.permute %b [1, 0] : tensor<8x6xf16> -> tensor<6x8xf16>
      %2 = tg.reshape %1 : tensor<6x8xf16> -> tensor<1x6x8xf16>
      %3 = tg.cast %0 : tensor<4x1x8xf16> -> tensor<4x1x8xf32>
      %4 = tg.cast %2 : tensor<1x6x8xf16> -> tensor<1x6x8xf32>
      %5 = tg.expand %3 : tensor<4x1x8xf32> -> tensor<4x6x8xf32>
      %6 = tg.expand %4 : tensor<1x6x8xf32> -> tensor<4x6x8xf32>
      %7 = tg.mul %5, %6 : tensor<4x6x8xf32>
      %8 = tg.reduce add %7 axes [2] : tensor<4x6x8xf32> -> tensor<4x6x1xf32>
      %9 = tg.reshape %8 : tensor<4x6x1xf32> -> tensor<4x6xf32>
      %10 = tg.add %c, %9 : tensor<4x6xf32>
      return %10 : tensor<4x6xf32>
    }
    ```
  }];
  let options = [
    Tg_Option<"minSize", "min-size", "int64_t", "1",
              "The smallest size of a `?` of an argument">,
    Tg_Option<"maxSize", "max-size", "int64_t", "1024",
              "The largest size of a `?` of an argument; memory is laid out for it">,
    Tg_Option<"ignoreAssertions", "ignore-assertions", "bool", "false",
              "Leave out assertions (`cf.assert`) that are not known to hold">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
    "::mlir::tg::TgDialect"
  ];
}

//===----------------------------------------------------------------------===//
// MathToPolynomial
//===----------------------------------------------------------------------===//

def TgExpandMath : Pass<"tg-expand-math"> {
  let summary = "Replace transcendental functions by inline arithmetic";
  let description = [{
    Rewrites `math.exp2`, `exp`, `expm1`, `log2`, `log`, `log1p`, `sin`, `cos`,
    `tan`, `asin`, `acos`, `atan`, `tanh`, `erf` and `powf` on f64, f32, f16 and
    bf16, scalars or vectors of fixed shape, into arithmetic with fused
    multiply-adds. No library calls remain. Results are within 2 units in the last
    place over the whole range; subnormals, infinities, NaN, signed zeros and the
    special cases of pow follow Annex F of C; f16 and bf16 are computed in f32 and
    rounded. Operations on other types, tensors and scalable vectors are left
    unchanged.

    ```mlir
    %0 = math.exp2 %x : vector<16xf16>
    ```
    becomes
    ```mlir
    %x32 = arith.extf %x : vector<16xf16> to vector<16xf32>
    ... // clamps, a rounding to an integer, seven math.fma, two products
    %0 = arith.truncf %y32 : vector<16xf32> to vector<16xf16>
    ```

    Afterwards, run `convert-math-to-llvm` before `convert-math-to-libm`: the latter
    also turns `math.fma` and `math.floor` into calls.

    The arithmetic requires round-to-nearest and subnormals. On a processor set to
    flush subnormals, subnormal results become zeros.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// HostToLLVM
//===----------------------------------------------------------------------===//

def ConvertTgHostToLLVM : Pass<"convert-tg-host-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower host programs to functions in LLVM's dialect";
  let description = [{
    Turns every function that launches kernels (level 2 or 3) into a function in
    LLVM's dialect that calls them. It allocates nothing and returns nothing: it
    takes a pointer for each argument, a pointer for each result, the values of the
    program's variables in the order of their names, and a pointer to memory for
    intermediates, of which its attribute `tg.scratch_bytes` says the size. Memory
    of results and intermediates is aligned to 64 bytes. A result that is an
    argument, to which kernels write, has no pointer of its own.

    Kernels become declarations of their C interface: the code comes from
    `tg-compile --emit=obj`. With `kernels`, they are lowered for CPUs here, by
    `convert-tg-to-vector` and `tg-kernel-to-llvm-pipeline`, and the module has all
    code. Sorting and transfers between devices are the runtime's, and are errors
    here.

    A declaration with `tg.graph`, which `tg-outline` makes, gets a body that
    allocates memory for intermediates and calls the function. With
    `static-scratch`, these share static memory of the module instead, and one
    thread may call them at a time. Other functions without operations of the
    dialect stay as they are.

    ```mlir
    func.func @main(%x: memref<16xf32>) -> memref<16xf32> {
      %0 = tg.alloc on "CPU" : memref<16xf32>
      tg.launch @E_16_n0(%0, %x) : memref<16xf32>, memref<16xf32>
      return %0 : memref<16xf32>
    }
    ```
    becomes
    ```mlir
    llvm.func @main(%x: !llvm.ptr, %result: !llvm.ptr, %scratch: !llvm.ptr) {
      ... // the addresses of both in an array, on the stack
      llvm.call @E_16_n0(%buffers, %numbers, %zero, %extent) : ...
      llvm.return
    }
    llvm.func @E_16_n0(!llvm.ptr, !llvm.ptr, i64, i64)
    ```
  }];
  let options = [
    Tg_Option<"threads", "threads", "bool", "false",
              "Functions take a pointer to a context and to a function that runs parts "
              "of a kernel on several threads">,
    Tg_Option<"kernels", "kernels", "bool", "false",
              "Lower the kernels too, for CPUs">,
    Tg_Option<"staticScratch", "static-scratch", "bool", "false",
              "Calls of tg-outline keep intermediates in static memory, for one thread "
              "at a time">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"];
}

//===----------------------------------------------------------------------===//
// TgToLinalg
//===----------------------------------------------------------------------===//

def ConvertTgToLinalg : Pass<"convert-tg-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Convert tensor graphs to upstream's dialects";
  let description = [{
    Turns tensor graphs (level 1) into `linalg`, `tensor`, `arith` and `math` on
    tensors, which compilers built on MLIR take.

    * Elementwise operations become one `linalg.generic` each, which upstream's
      `linalg-fuse-elementwise-ops` fuses, with the semantics that the dialect documents:
      integer division by zero gives 0, conversions saturate, and so on. Those of other
      dialects (`ComposedOpInterface`) are composed first. `math` operations have the
      errors of what they are lowered to.
    * `tg.reduce` becomes a `linalg.generic` with reduced loops. Sums and products of
      f16 and bf16 are computed in f32.
    * `tg.reshape`, `permute`, `expand`, `pad` and `shrink` become `tensor.collapse_shape`
      and `expand_shape`, `linalg.transpose`, `linalg.broadcast`, `tensor.pad` and
      `tensor.extract_slice`. `tg.flip`, `tg.strided`, and movement operations of other
      dialects become a `linalg.generic` with an indexing map, or one that
      computes an index and reads it with `tensor.extract`, if there is a mask, a
      second view, or a symbolic size.
    * `tg.const`, `iota` and `dim` become constants, `linalg.index` and `tensor.dim`.
      `tg.contiguous`, `copy`, `detach` and `with_derivative` become their operand.
    * Unsigned integers become signless ones, as upstream's arithmetic wants. A `#tg.shape`
      is dropped: the size of a variable is asked of an argument that has it as
      an axis. A variable without one is an error. Attributes of `tg` are removed.

    Scans, scatters, sorts, assignments and buffers have no counterpart: each is an
    error that names it, as are operations of kernels. Other operations are left
    unchanged.

    ```mlir
    func.func @main(%x: tensor<4x8xf16>) -> tensor<4x1xf16> {
      %0 = tg.reduce add %x axes [1] : tensor<4x8xf16> -> tensor<4x1xf16>
      return %0 : tensor<4x1xf16>
    }
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<4x8xf16>) -> tensor<4x1xf16> {
      %cst = arith.constant 0.0 : f32
      %0 = tensor.empty() : tensor<4xf32>
      %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
      %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<4x8xf16>) outs(%1 : tensor<4xf32>) {
      ^bb0(%in: f16, %out: f32):
        %6 = arith.extf %in : f16 to f32
        %7 = arith.addf %out, %6 : f32
        linalg.yield %7 : f32
      } -> tensor<4xf32>
      ... // to f16
      %5 = tensor.expand_shape %4 [[0, 1]] output_shape [4, 1] : tensor<4xf16> into tensor<4x1xf16>
      return %5 : tensor<4x1xf16>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// TgToVector
//===----------------------------------------------------------------------===//

def ConvertTgToVector : Pass<"convert-tg-to-vector", "::mlir::ModuleOp"> {
  let summary = "Lower scheduled kernels to loops over vectors";
  let description = [{
    Turns every `tg.kernel` into a function that takes the kernel's buffers and two
    indices, and runs the positions from the first index to the second (exclusive)
    of the kernel's `thread` and `global` ranges; the attribute `tg.parallel_extent`
    is the number of these positions. The values of variables in extents are further
    arguments, ordered by name, which `tg.variables` lists; the last position of a
    symbolic range is peeled like any other. `loop` ranges become loops, `unroll`
    ranges copies of code, and `upcast` ranges the lanes of vectors.

    * Loop-invariant code is placed outside of the loop.
    * A reduction carries its accumulators through a loop nest in registers, one
      for each unrolled position of its result. Sums of products use fused
      multiply-adds.
    * Comparisons that the bounds of the loops decide are folded, so that the
      main part of a loop with `peel` has no masks.
    * Contiguous lanes are loaded and stored as vectors, masked where necessary.
    * Bool buffers become buffers of bytes; f16, bf16 and fp8 buffers become
      buffers of integers that hold their bits.

    Functions that launch kernels lose their meaning and are removed. An argument of
    a kernel that got less memory from some launch than its type says has the sizes
    of all launches as `tg.launched_elements`, for proofs. A module
    with tensor graphs, or without kernels but with functions that kernels were
    converted to, is an error.

    ```mlir
    tg.kernel @E_64(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
      %i = tg.range 0 loop 4
      %v = tg.range 1 upcast 16
      %c16 = tg.const(16 : index) : index
      %m = tg.mul %i, %c16 : index
      %p = tg.add %m, %v : index
      %x = tg.load %a[%p] : memref<64xf32>
      %y = tg.neg %x : f32
      tg.store %y, %out[%p] : memref<64xf32>
    }
    ```
    becomes
    ```mlir
    func.func @E_64(%out: memref<64xf32>, %a: memref<64xf32>, %begin: index, %end: index) {
      scf.for %i = %c0 to %c4 step %c1 {
        %p = arith.muli %i, %c16 : index
        %x = vector.load %a[%p] : memref<64xf32>, vector<16xf32>
        %y = arith.negf %x : vector<16xf32>
        vector.store %y, %out[%p] : memref<64xf32>, vector<16xf32>
      }
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def TgCheckBounds : Pass<"tg-check-bounds", "::mlir::ModuleOp"> {
  let summary = "Check every memory access of kernels at run time";
  let description = [{
    Takes the output of `convert-tg-to-vector`. An access outside of a buffer or
    tile of known size calls `tg_report_bounds` with the element, the size and the
    number of the buffer among the function's arguments (-1 for a tile), and is
    skipped: a load gives zeros. Each lane of a masked access is checked by itself.
    `SPEC=2` compiles kernels with this pass.

    ```mlir
    %x = memref.load %a[%i] : memref<8xf32>
    ```
    becomes
    ```mlir
    %inside = arith.cmpi ult, %i, %c8 : index
    %x = scf.if %inside -> (f32) {
      %0 = memref.load %a[%i] : memref<8xf32>
      scf.yield %0 : f32
    } else {
      ...
      func.call @tg_report_bounds(%element, %size, %number) : (i64, i64, i64) -> ()
      scf.yield %zero : f32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// TgToGPU
//===----------------------------------------------------------------------===//

def ConvertTgToGPU : Pass<"convert-tg-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Lower scheduled kernels to functions of GPU work items";
  let description = [{
    Turns every `tg.kernel` into a `gpu.func` of the `gpu.module` `kernels` that
    runs one work item. It takes the kernel's buffers, and the values of variables
    in extents, ordered by name, which `tg.variables` lists.

    * `global` and `thread` ranges become the numbers of groups: the innermost
      one is x, the next one y, and all others together are z. A grid that exceeds
      the limits of a direction is numbered through x and y instead.
    * `local` and `group_reduce` ranges become the numbers of the items of a group.
      Ranges of equal extent share a direction if no value depends on both.
    * `loop` ranges become loops, `unroll` ranges copies of code, and `upcast`
      ranges the lanes of vectors, which are loaded and stored as such where they
      are contiguous.
    * A reduction over `group_reduce` ranges is exchanged by `gpu.shuffle` within
      subgroups and through the memory of the group between them; all items get
      the same bits.
    * Tiles of a group are memory of the group, filled between barriers.
    * A sum on a matrix unit is computed by subgroups; factors of f32 that the unit
      multiplies as tf32 are rounded to nearest, ties away from zero.

    The number of items of a group, the size of a subgroup and the memory of a group
    are bounded by the module's `#tg.target`. Functions that launch kernels lose
    their meaning and are removed; the sizes of memory that they pass stay as
    `tg.launched_elements`, as in `convert-tg-to-vector`.

    ```mlir
    tg.kernel @E_64(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
      %g = tg.range 0 global 2
      %l = tg.range 1 local 32
      %c32 = tg.const(32 : index) : index
      %m = tg.mul %g, %c32 : index
      %p = tg.add %m, %l : index
      %x = tg.load %a[%p] : memref<64xf32>
      %y = tg.neg %x : f32
      tg.store %y, %out[%p] : memref<64xf32>
    }
    ```
    becomes
    ```mlir
    gpu.module @kernels {
      gpu.func @E_64(%out: memref<64xf32>, %a: memref<64xf32>) kernel
          attributes {known_block_size = array<i32: 32, 1, 1>, tg.outputs = 1 : i64} {
        %g = gpu.block_id x
        %l = gpu.thread_id x
        ...
        %x = memref.load %a[%p] : memref<64xf32>
        %y = arith.negf %x : f32
        memref.store %y, %out[%p] : memref<64xf32>
        gpu.return
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::amdgpu::AMDGPUDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// GPUToSim
//===----------------------------------------------------------------------===//

def ConvertGPUToSim : Pass<"convert-gpu-to-sim", "::mlir::ModuleOp"> {
  let summary = "Turn functions of GPU work items into functions for the simulator";
  let description = [{
    Takes the output of `convert-tg-to-gpu`. Every kernel function of a `gpu.module`
    becomes a function of the module that the simulator runs for each work item, on
    the host. Like the functions that `convert-tg-to-vector` makes, it takes buffers,
    two indices and the values of variables. The first index is the address of the
    work item's state, from which the numbers of the group and of the item are read;
    the second one is not used. The memory of the group is a further buffer.

    Barriers, shuffles, matrix operations and asynchronous copies become calls of
    the simulator, and every access to memory is announced to it by `tg_sim_access`,
    which checks it (see `Runtime/Devices/Simulator.h`). The registers that a matrix
    operation takes and gives go through memory of the work item.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// KernelToLLVM
//===----------------------------------------------------------------------===//

def TgAnnotateKernelFunctions
    : InterfacePass<"tg-annotate-kernel-functions",
                    "::mlir::FunctionOpInterface"> {
  let summary = "Annotate the buffers of kernels for LLVM";
  let description = [{
    Takes the output of `convert-tg-to-vector` or `convert-tg-to-gpu`. The buffers of a kernel that does
    not work in place become `llvm.noalias`: they do not overlap where one of them
    is written. Buffers that the kernel does not write become `llvm.readonly`, and
    buffers of known size `llvm.dereferenceable`: all of their type, or as much as
    `tg.least_elements` says, which is removed, as is `tg.launched_elements`. Other functions are left unchanged.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def TgCarryBuffers
    : InterfacePass<"tg-carry-buffers", "::mlir::FunctionOpInterface"> {
  let summary = "Carry the numbers of buffers that are filled ahead";
  let description = [{
    Takes the output of `convert-tg-to-gpu`. A loop whose tiles are filled by
    asynchronous copies computes which buffer it reads, and which one it fills, as
    the remainder of the number of the step. They become values that the loop
    carries, and so does the parity of the phase of an mbarrier that it waits for. LLVM would write the remainder as a difference, and add both parts of
    it to each address of a tile.

    ```mlir
    scf.for %step = %c0 to %n step %c1 {
      %number = arith.remui %step, %c3 : index
    ```
    becomes
    ```mlir
    scf.for %step = %c0 to %n step %c1 iter_args(%number = %c0) -> (index) {
      %0 = arith.addi %number, %c1 : index
      %1 = arith.remui %0, %c3 : index
      scf.yield %1 : index
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TgDistributePermutations
    : InterfacePass<"tg-distribute-permutations",
                    "::mlir::FunctionOpInterface"> {
  let summary = "Take what is constant out of permuted indices";
  let description = [{
    Takes the output of `convert-tg-to-gpu`. The elements of a tile for matrix units
    are in another order: that with number `x` is at `x xor (((x >> r) and m) << c)`
    (see `GroupLayout`). Rows of elements have that order again after
    `(m + 1) << r` elements, and the permutation of a sum without carries is the
    exclusive or of the permutations. So the permutation is computed of the part of
    an index that differs between work items, which does not change in a loop. The
    number of a buffer is added to it, then a constant, which becomes part of the
    instruction; what is left of the constant is flipped by another exclusive or.
    Whether a sum has carries follows from ranges of integers.

    ```mlir
    // %lane is less than 8
    %0 = arith.muli %lane, %c64 : index
    %1 = arith.muli %buffer, %c4096 : index
    %2 = arith.addi %0, %1 : index
    %3 = arith.addi %2, %c520 : index
    %4 = arith.shrui %3, %c6 : index
    %5 = arith.andi %4, %c7 : index
    %6 = arith.shli %5, %c3 : index
    %7 = arith.xori %3, %6 : index
    ```
    becomes, with 520 = 512 + 8,
    ```mlir
    %2 = arith.shrui %0, %c6 : index
    %3 = arith.andi %2, %c7 : index
    %4 = arith.shli %3, %c3 : index
    %5 = arith.xori %0, %4 : index
    %6 = arith.xori %5, %c8 : index
    %7 = arith.addi %6, %1 overflow<nsw, nuw> : index
    %8 = arith.addi %7, %c512 overflow<nsw, nuw> : index
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TgRequireFunctions : Pass<"tg-require-functions", "::mlir::ModuleOp"> {
  let summary = "Check that kernels have been converted to functions";
  let description = [{
    The first pass of `tg-kernel-to-llvm-pipeline` and `tg-gpu-to-llvm-pipeline`. Kernels
    and tensor graphs, which these pipelines would leave behind, are errors that name
    the level (see `tg-require-level`). Nothing is changed.
  }];
}

def ConvertKernelFunctionsToLLVM
    : Pass<"convert-kernel-functions-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert functions over vectors to LLVM's dialect";
  let description = [{
    Runs upstream's conversions of `arith`, `cf`, `func`, `math`, `memref`, `ub` and
    `vector` together, since one loop may carry values of several of these dialects.
    Buffers become plain pointers. Lower `scf` before.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def TgAddKernelInterface
    : Pass<"tg-add-kernel-interface", "::mlir::ModuleOp"> {
  let summary = "Add the C interface to kernels";
  let description = [{
    Each function converted from a kernel gets the suffix `.body` and becomes
    internal. A new function with the original name calls it. The new function takes
    a pointer to the addresses of the buffers, a pointer to the values of the
    variables, and the first and the last position (exclusive). Non-temporal stores
    are weakly ordered, so the function ends with a fence, before completion is
    reported.

    ```mlir
    llvm.func @E_64(%buffers: !llvm.ptr, %variables: !llvm.ptr, %begin: i64, %end: i64)
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

//===----------------------------------------------------------------------===//
// GPUToLLVM
//===----------------------------------------------------------------------===//

def TgPrepareGPUFunctions
    : Pass<"tg-prepare-gpu-functions", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Decide on the memory and the indices of GPU functions";
  let description = [{
    Takes the output of `convert-tg-to-gpu`, and says what it leaves open:

    * Buffers are in global memory, tiles of a work item in private memory, and the
      memory of a group is aligned to 16 bytes. If that is more than
      `max-static-bytes`, it becomes part of the memory that the launch provides.
    * Variables are passed as i64.
    * Tensor maps that are made of a buffer (`nvgpu.tma.create.descriptor`) become the
      last arguments; the attribute `tensor_maps` says what they are.
    * A function whose indices all fit into 32 bits, as their ranges prove, gets the
      attribute `tg.narrow_indices`. Ranges follow from the sizes of groups and of
      the grid, the bounds of loops and those of variables.
    * Sines, cosines and tangents of vectors of f64 become those of their elements.
    * Exponentials in f32 that are rounded to f16 or bf16 become the device's
      instruction (`llvm.intr.exp2`), whose error does not show in the result.
    * Loops say how they are unrolled (`llvm.loop_annotation`): inner loops without
      barriers until they load four times from global memory at once, others not. With
      barriers in straight code, compilers move arithmetic down over these, which the
      loads of its operands cannot cross, until registers run out.

    ```mlir
    gpu.func @E_64(%out: memref<64xf32>, %n: index) kernel
    ```
    becomes
    ```mlir
    gpu.func @E_64(%out: memref<64xf32, #gpu.address_space<global>>, %n: i64) kernel
        attributes {tg.narrow_indices} {
      %0 = arith.index_cast %n : i64 to index
    ```
  }];
  let options = [
    Tg_Option<"maxStaticBytes", "max-static-bytes", "int64_t", "0",
              "The most bytes of a group's memory that code can declare; 0: any">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"
  ];
}

def ConvertGPUFunctionsToLLVM
    : Pass<"convert-gpu-functions-to-llvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert functions of GPU work items to LLVM's dialect";
  let description = [{
    Runs upstream's conversions of `gpu` (to NVVM or ROCDL), `arith`, `cf`, `math`,
    `memref`, `ub` and `vector` together, for each function with the width of its
    indices. Buffers become plain pointers. Operations of `math` become intrinsics
    of LLVM, not calls of the vendor's library. Lower `scf` before. A function's
    `tg.resident_groups` bounds its registers: as `nvvm.minctasm`, or as the waves
    of each SIMD, `rocdl.waves_per_eu`.
  }];
  let options = [
    Tg_Option<"chip", "chip", "std::string", "\"sm_90\"",
              "The GPU: \"sm_90\", \"gfx942\"">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::ROCDL::ROCDLDialect"
  ];
}

#endif // TINYGRAD_CONVERSION_PASSES_TD
