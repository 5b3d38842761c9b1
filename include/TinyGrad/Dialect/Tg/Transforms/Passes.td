//===- Passes.td - passes inside the tg dialect -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The passes inside the dialect, in pipeline order.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_TRANSFORMS_PASSES_TD
#define TINYGRAD_DIALECT_TG_TRANSFORMS_PASSES_TD

include "TinyGrad/Support/PassOption.td"

def TgRequireLevel : Pass<"tg-require-level", "::mlir::ModuleOp"> {
  let summary = "Check how far a module has been compiled";
  let description = [{
    The first pass of each pipeline. A function or kernel below the level that is
    needed is an error, since it would be left behind. One above it is an error if
    nothing in the module is at the level: nothing would be done. A module of which
    only a part was compiled further is accepted, and what contains no operation of
    the dialect is ignored. Nothing is changed.

    With `level=1`, as in `tg-schedule-pipeline`:

    ```mlir
    // error: '@k' is a kernel without a schedule (level 2), but tensor graphs
    // (level 1) are needed
    tg.kernel @k(%out: memref<8xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64} {
      %i = tg.range 0 loop 8
      %x = tg.load %a[%i] : memref<8xf32>
      tg.store %x, %out[%i] : memref<8xf32>
    }
    ```
  }];
  let options = [
    Tg_Option<"level", "level", "::mlir::tg::ModuleLevel",
              "::mlir::tg::ModuleLevel::TensorGraph", "The level that is needed",
              [{::llvm::cl::values(
                clEnumValN(::mlir::tg::ModuleLevel::TensorGraph, "1",
                           "tensor graphs"),
                clEnumValN(::mlir::tg::ModuleLevel::Kernels, "2",
                           "kernels without a schedule"),
                clEnumValN(::mlir::tg::ModuleLevel::ScheduledKernels, "3",
                           "scheduled kernels"))}], text = "1">
  ];
}

def TgNameSizes : Pass<"tg-name-sizes", "::mlir::ModuleOp"> {
  let summary = "Turn unknown sizes of tensors into variables";
  let description = [{
    Each `?` of a function's arguments gets the name and bounds that the option
    `sizes` or the argument's attribute `tg.sizes` (a `#tg.shape`) gives it. They
    become a `#tg.shape` in the types of arguments, of what is computed, and of
    results. Functions of which no size is named stay as they are.

    Sizes that must be equal are one size, so one name is enough for them: those of
    operands of elementwise operations, of loops of `linalg`, and of both sides of a
    `tensor.cast`, also in regions that may not run. Tensors that regions take and
    yield, as those of `scf`, keep their sizes. A `#tg.shape` that is there already
    names sizes, too. A `?` that is not the size of an argument stays, and with it
    the other sizes of its tensor; `convert-linalg-to-tg` finds expressions.

    Errors: a size of an argument without name and bounds; one with two names, or
    that must be a number; a tensor of a loop or branch that has one size here and
    another there; a function that is called, calls others with such tensors, or
    has branches between blocks.

    With `sizes=arg0:0=n[1,512]`:

    ```mlir
    func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %0 = arith.addf %x, %y : tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    // becomes
    #n = #tg.var<"n", 1, 512>
    !t = tensor<?xf32, #tg.shape<#n>>
    func.func @main(%x: !t, %y: !t) -> !t {
      %0 = arith.addf %x, %y : !t
      return %0 : !t
    }
    ```
  }];
  let options = [
    Tg_Option<"entry", "entry", "std::string", "\"main\"",
              "The function that 'sizes' is about", text = "main">,
    Tg_Option<"sizes", "sizes", "std::string", "\"\"",
              "Sizes of arguments: arg0:0=n[1,512];arg0:1=m[1,8];arg1:0=n",
              text = "none">
  ];
  let dependentDialects = ["::mlir::tg::TgDialect"];
}

def TgDropSizes : Pass<"tg-drop-sizes", "::mlir::ModuleOp"> {
  let summary = "Turn symbolic sizes of tensors into unknown ones";
  let description = [{
    The inverse of `tg-name-sizes`: tensors lose their `#tg.shape`, which arguments of
    functions keep as the attribute `tg.sizes`. An operation of the dialect on such a
    tensor is an error.

    ```mlir
    #n = #tg.var<"n", 1, 512>
    func.func private @f(%x: tensor<?xf32, #tg.shape<#n>>)
    // becomes
    func.func private @f(%x: tensor<?xf32> {tg.sizes = #tg.shape<#n>})
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
}

def TgOutline : Pass<"tg-outline", "::mlir::ModuleOp"> {
  let summary = "Give tensor operations among others functions of their own";
  let description = [{
    In a function that also has operations of other dialects, operations of the
    dialect on tensors become functions that the pipelines accept, and calls of
    these. What one call computes, an island, is as large as it can be without
    another order of the other operations: operations of one block that use each
    other's results, until another operation, or one inside of it, uses one of
    these. Constants and positions belong to each island that uses them.

    Values go in and out through memory: a call takes flat buffers, with room for
    the largest sizes. `bufferization.to_buffer` gives that of an operand,
    `memref.alloc` that of a result, which `bufferization.to_tensor` turns into the
    tensor. A tensor of symbolic shape is copied. `convert-tg-host-to-llvm` gives
    the declaration that is called a body.

    The value of a variable is the size of an operand, or of an argument of the
    function, that has it; or that of an argument with the attribute
    `tg.variable`. `cf.assert` checks its bounds, and that sizes of one name are
    equal. A `tg.dim` that is an index becomes arithmetic on these values.

    A function that is a tensor graph stays as it is, unless it is called:
    upstream's `inline`, before this pass, joins tensor functions that call each
    other. A function that changes memory (`tg.assign`) or computes scalars with
    operations of the dialect is an error.

    ```mlir
    func.func @main(%m: memref<4xf32>) {
      %x = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
      %y = tg.exp2 %x : tensor<4xf32>
      bufferization.materialize_in_destination %y in writable %m
          : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    }
    ```
    becomes
    ```mlir
    func.func private @main_island(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = tg.exp2 %x : tensor<4xf32>
      return %y : tensor<4xf32>
    }
    func.func private @main_island_call(memref<4xf32>, memref<4xf32>)
        attributes {tg.graph = @main_island, tg.variables = []}
    func.func @main(%m: memref<4xf32>) {
      %x = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
      %in = bufferization.to_buffer %x read_only : tensor<4xf32> to memref<4xf32>
      %out = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
      call @main_island_call(%in, %out) : (memref<4xf32>, memref<4xf32>) -> ()
      %y = bufferization.to_tensor %out restrict writable
          : memref<4xf32> to tensor<4xf32>
      bufferization.materialize_in_destination %y in writable %m
          : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
    "::mlir::tg::TgDialect"];
}

def TgAutodiff : Pass<"tg-autodiff", "::mlir::ModuleOp"> {
  let summary = "Turn a function into one that returns gradients too (reverse mode)";
  let description = [{
    Differentiates results of the function `entry` by its arguments `wrt` and
    appends the gradients, in the order of `wrt`, to the results. If several results
    are differentiated, their gradients are added up. The gradient of a result
    with one element is its derivative. For any other result, the function gets
    one more argument, the cotangent: the factor of each element's derivative. A
    gradient is zero where no result depends on the argument.

    The pass runs on tensor graphs, before `tg-schedule-pipeline`. Sizes may be
    symbolic. Run it again for second derivatives.

    An operation without a derivative between the arguments and the results is an
    error with notes on the path from it to the argument. Values that are not
    floats end the search for such paths: what depends on an argument only through
    integers or bools, by casts, comparisons or bitcasts, has the gradient zero.

    ```mlir
    func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<1xf32> {
      %0 = tg.mul %x, %w : tensor<4xf32>
      %1 = tg.reduce add %0 axes [0] : tensor<4xf32> -> tensor<1xf32>
      return %1 : tensor<1xf32>
    }
    // becomes, with wrt=1
    func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>)
        -> (tensor<1xf32>, tensor<4xf32>) {
      %0 = tg.mul %x, %w : tensor<4xf32>
      %1 = tg.reduce add %0 axes [0] : tensor<4xf32> -> tensor<1xf32>
      %one = tg.const(1.0 : f32) : tensor<1xf32>
      %all = tg.expand %one : tensor<1xf32> -> tensor<4xf32>
      %2 = tg.mul %all, %x : tensor<4xf32>
      return %1, %2 : tensor<1xf32>, tensor<4xf32>
    }
    ```
  }];
  let options = [
    Tg_Option<"entry", "entry", "std::string", "\"main\"",
              "The function to differentiate">,
    ListOption<"wrt", "wrt", "unsigned",
               "The arguments to differentiate by, which must be tensors; all "
               "tensors of floats if not given">,
    ListOption<"of", "of", "unsigned",
               "The results to differentiate; the first tensor of floats if not given">,
    Tg_Option<"result", "result", "std::string", "\"\"",
              "The name of the new function; it replaces 'entry' if not given">,
    Tg_Option<"onlyGradients", "only-gradients", "bool", "false",
              "Return the gradients without the results">
  ];
  let dependentDialects = ["::mlir::tg::TgDialect"];
}

def TgLinearize : Pass<"tg-linearize", "::mlir::ModuleOp"> {
  let summary = "Turn a function into one that returns tangents too (forward mode)";
  let description = [{
    Appends a tangent argument for each argument in `wrt` and a tangent for each
    result in `of`: the derivative of the result in the direction of the tangents
    (a Jacobian-vector product). A tangent is zero where the result does not depend
    on the arguments. Conditions are those of `tg-autodiff`, whose rules it uses
    twice; operations that are left unused are removed.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tg.sin %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    // becomes
    func.func @main(%x: tensor<4xf32>, %dx: tensor<4xf32>)
        -> (tensor<4xf32>, tensor<4xf32>) {
      %0 = tg.sin %x : tensor<4xf32>
      %1 = tg.cos %x : tensor<4xf32>
      %2 = tg.mul %dx, %1 : tensor<4xf32>
      return %0, %2 : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let options = [
    Tg_Option<"entry", "entry", "std::string", "\"main\"",
              "The function to differentiate">,
    ListOption<"wrt", "wrt", "unsigned",
               "The arguments to differentiate by, which must be tensors; all "
               "tensors of floats if not given">,
    ListOption<"of", "of", "unsigned",
               "The results to differentiate; all tensors of floats if not given">,
    Tg_Option<"result", "result", "std::string", "\"\"",
              "The name of the new function; it replaces 'entry' if not given">
  ];
  let dependentDialects = ["::mlir::tg::TgDialect"];
}

def TgResolveAssigns : Pass<"tg-resolve-assigns", "::mlir::func::FuncOp"> {
  let summary = "Replace reads of assigned arguments by reads of tg.after";
  let description = [{
    Reading a function argument gives its contents at the beginning, even where the
    function assigns to it. Such reads become reads of a `tg.after`. The targets of
    assignments become movement operations on the argument itself, so that each
    remaining use of the argument names memory. Assignments of no elements are
    removed, and each `tg.with_derivative` becomes its operand.

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
  let summary = "Compose each chain of movement operations into a tg.strided";
  let description = [{
    An operation that reads the result of a chain of movement operations reads a
    `tg.strided` of the chain's source instead. The targets of assignments, which
    name memory, stay movement operations. `tg.detach`, which has no effect at run
    time, is removed.

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

def TgMergeReduces : Pass<"tg-merge-reduces", "::mlir::func::FuncOp"> {
  let summary = "Merge a sum over windows with the sum of products that it reads";
  let description = [{
    The gradient of a convolution by its input is, for each position of the window, a
    sum of products over the channels, and then the sum of these over the positions that
    overlap. Computed in this order, the products take as much memory as all windows.
    The pass makes one sum over channels and window of it, which is a convolution
    itself. It applies where this does not take much more arithmetic: not to windows with a
    stride, between whose elements are zeros.

    ```mlir
    %0 = tg.mul %g, %w : tensor<8x3x5xf32>
    %1 = tg.reduce add %0 axes [0] : tensor<8x3x5xf32> -> tensor<1x3x5xf32>
    %2 = tg.reshape %1 : tensor<1x3x5xf32> -> tensor<3x5xf32>
    %3 = tg.pad %2 low [0, 2] high [0, 2] : tensor<3x5xf32> -> tensor<3x9xf32>
    %4 = tg.strided %3 [#tg.view<[7, 3] strides [1, 10]>]
        : tensor<3x9xf32> -> tensor<7x3xf32>
    %5 = tg.reduce add %4 axes [1] : tensor<7x3xf32> -> tensor<7x1xf32>
    // becomes
    %0 = tg.mul %g, %w : tensor<8x3x5xf32>
    %1 = tg.strided %0 [#tg.view<[8, 3, 9] strides [15, 5, 1] offset -2 mask
        [0 to 8, 0 to 3, 2 to 7]>, #tg.view<[8, 7, 3] strides [27, 1, 10]>]
        : tensor<8x3x5xf32> -> tensor<8x7x3xf32>
    %2 = tg.reduce add %1 axes [0, 2] : tensor<8x7x3xf32> -> tensor<1x7x1xf32>
    %3 = tg.reshape %2 : tensor<1x7x1xf32> -> tensor<7x1xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
}

def TgJoinSums : Pass<"tg-join-sums", "::mlir::func::FuncOp"> {
  let summary = "Join the parts of sums, and the factors of sums of products";
  let description = [{
    What is selected at many positions of a tensor (`x[0]`, `x[1]`, ...) has a
    gradient that is a sum of tensors which are zeros except for a part. Each
    element would add up all of them. If eight or more parts along one axis do not
    overlap, they are selected by position instead, as a concatenation is, which
    the scheduler computes part by part.

    A weight that is used in each step of a sequence has a gradient that is a sum
    of products, one for each step. If these are eight or more of equal shapes,
    their factors are joined in memory along a new axis, over which the sum runs as
    well: one product of matrices. Only f32 and f64 are summed in this order. Factors
    that are neighboring parts of a tensor that was joined are read from there.

    ```mlir
    %3 = tg.add %p0, %p1 : tensor<32x512x128xf32>    // products, and so on
    %4 = tg.reduce add %3 axes [0] : tensor<32x512x128xf32> -> tensor<1x512x128xf32>
    // becomes
    %3 = tg.mul %a, %b : tensor<8x32x512x128xf32>    // of repeated, joined factors
    %4 = tg.reduce add %3 axes [0, 1] : tensor<8x32x512x128xf32> -> tensor<1x1x512x128xf32>
    %5 = tg.reshape %4 : tensor<1x1x512x128xf32> -> tensor<1x512x128xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
}

def TgScatterSums : Pass<"tg-scatter-sums", "::mlir::func::FuncOp"> {
  let summary = "Turn sums of one-hot rows into scatters";
  let description = [{
    Matches a sum over positions whose summand is 0 except where an index, read at
    the position, equals the coordinate along an axis of the result. As written, it
    compares each index with each coordinate. It becomes a `tg.scatter` that adds
    each value at its index. A product of floats with a one-hot row is left alone,
    since 0 times an infinity is NaN.

    What is added to a scatter into zeros becomes its base, unless the type has less
    than 32 bits or an element may be updated more than 1024 times: the updates are
    rounded one after the other.

    Many updates of few elements would run one after the other. The positions are
    divided into parts, each of which updates a copy of the result, and the copies
    are reduced. The number of parts depends on the shapes alone.

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

def TgPackWeights : Pass<"tg-pack-weights", "::mlir::func::FuncOp"> {
  let summary = "Store weights of convolutions with their channels innermost";
  let description = [{
    On targets with groups of work items, a group fills a tile with the weights of
    some channels at one position of the window. In memory, the positions are
    neighbors, so that an access of 32 bytes reads one or few weights that the tile
    needs. If each weight is used for 64 pixels or more, all of them are stored
    once with the channels that are added up innermost: then whole accesses of 16
    bytes fill the tile.

    A factor is taken for weights if it is repeated for all pixels, its last axes
    number the positions of a window of the other factor (or that one is the same
    for all of them, as in the gradient by the input), and an axis of 16 channels or
    more is added up. Weights that are converted to a wider type are stored before
    the conversion.

    ```mlir
    %0 = tg.reshape %w : tensor<128x64x3x3xf32> -> tensor<1x128x1x1x64x3x3xf32>
    %1 = tg.expand %0 : tensor<1x128x1x1x64x3x3xf32> -> tensor<8x128x28x28x64x3x3xf32>
    %2 = tg.mul %x, %1 : tensor<8x128x28x28x64x3x3xf32>
    %3 = tg.reduce add %2 axes [4, 5, 6] : tensor<8x128x28x28x64x3x3xf32> -> tensor<8x128x28x28x1x1x1xf32>
    // becomes, with the same %0,
    %1 = tg.permute %0 [0, 1, 2, 3, 5, 6, 4] : tensor<1x128x1x1x64x3x3xf32> -> tensor<1x128x1x1x3x3x64xf32>
    %2 = tg.contiguous %1 : tensor<1x128x1x1x3x3x64xf32>
    %3 = tg.permute %2 [0, 1, 2, 3, 6, 4, 5] : tensor<1x128x1x1x3x3x64xf32> -> tensor<1x128x1x1x64x3x3xf32>
    %4 = tg.expand %3 : tensor<1x128x1x1x64x3x3xf32> -> tensor<8x128x28x28x64x3x3xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
}

def TgSplitReduce : Pass<"tg-split-reduce", "::mlir::func::FuncOp"> {
  let summary = "Split large reductions to few results into two steps";
  let description = [{
    A reduction of very many elements to few results has too few independent work
    items. It becomes a reduction of equal parts, stored in memory, and a reduction
    of the parts' results. The number of parts depends on the shape alone, so that
    results do not depend on the number of threads. If no reduced axis is long enough,
    and the reduced axes are neighbors in the memory that is read, they become one
    axis first; on targets with groups, also if parts would divide the rows of a
    transposed tensor.

    A reduction along an outer axis of a large tensor (32 MiB or more) that is read
    straight from memory becomes a reduction of 8 to 128 rows at a time, read side
    by side, and a reduction of their results. "Outer" refers to the order of the
    axes in memory: the tensor may be read transposed. Small operands may be
    repeated, which covers a row times a matrix, but not a product of matrices.

    On targets with groups, a deep product of matrices (a sum of 1024 or more
    products) is split too if the blocks of its results are too few groups for the
    device. On processors without groups, a product is split if panels of its columns
    exceed the second-level cache (more than 4096 positions if that has 1 MiB). If
    kernels can add it up in passes (64 or more rows and columns, all sizes known), it
    is stored before anything is computed with it, and only split if it has more than
    8192 positions. The gradient of a convolution by its weights, a sum over images
    and positions in them, is split along the images if panels take more than twice
    that cache. Sums of parts of types with fewer than 32 bits are f32.

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
    Tg_Option<"threshold", "threshold", "int64_t", "262144",
              "Minimum number of reduced elements per result">,
    Tg_Option<"parts", "parts", "int64_t", "256", "Maximum number of parts">
  ];
}

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

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_PASSES_TD
