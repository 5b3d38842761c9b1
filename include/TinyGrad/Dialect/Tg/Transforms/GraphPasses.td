//===- GraphPasses.td - passes on tensor graphs ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The passes on tensor graphs (level 1), in pipeline order.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_TRANSFORMS_GRAPHPASSES_TD
#define TINYGRAD_DIALECT_TG_TRANSFORMS_GRAPHPASSES_TD

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
    names sizes, too. Results of `tensor.concat`, `tensor.pad` and others whose sizes
    are computed from named ones (by `ReifyRankedShapedTypeOpInterface`) get an
    expression: `n + m`. A `?` that is neither stays, and with it the other sizes of
    its tensor, as do sizes that could be negative, and those that loops change.

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
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect", "::mlir::tg::TgDialect"
  ];
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

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_GRAPHPASSES_TD
