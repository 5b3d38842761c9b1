//===- TgDialect.td - the tg dialect, its attributes and enums -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The `tg` dialect itself, its attributes (symbolic dimensions, views, the
/// target) and the enums of its operations.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGDIALECT_TD
#define TINYGRAD_DIALECT_TG_IR_TGDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"

def Tg_Dialect : Dialect {
  let name = "tg";
  let summary = "Tensor graphs as micro-operations, from graph to kernel";
  let description = [{
    The `tg` dialect models a tensor program as a graph of a few dozen
    micro-operations. The same operations are used at three levels; lowering is a
    sequence of rewrites inside the dialect:

    1. **tensor graph**: pure operations on ranked tensors (elementwise, reduce,
       six movement operations, buffers);
    2. **kernels**: a host function that allocates buffers and launches isolated
       `tg.kernel` regions, in which scalars are computed at the positions spanned
       by `tg.range` values;
    3. **scheduled kernels**: the same, where every range has its final kind
       (loop, thread, upcast, unroll, ...), with tiles in local memory.

    Arithmetic semantics are the same at every level:

    * Integers are two's complement and wrap. `iN` is signed, `uiN` unsigned,
      `i1` is bool (its `add` and `max` are "or", its `mul` is "and").
    * Integer division by zero gives 0, and so does the remainder by zero; the
      most negative value divided by -1 wraps to itself with remainder 0.
    * A shift amount is read as unsigned; an amount of the bit width or more
      gives 0, or copies of the sign bit for a right shift of a signed integer.
    * Floating point follows IEEE 754 with round-to-nearest-even after every
      operation; `f16` and `bf16` operations are computed in `f32` and rounded.
      Subnormal numbers are kept. NaN payloads are unspecified, and so is the sign
      of the zero that `max` returns for `-0.0` and `+0.0`. `tg.reduce` may
      reassociate sums and products.
    * `index`, in kernels, is a signed 64-bit integer.
    * The fp8 types are storage types: only casts, bitcasts, `tg.where`, movement
      operations, constants, buffers and copies accept them.

    Tensors have a static shape, or a symbolic one whose dimensions the `#tg.shape`
    encoding lists; a `?` without this encoding is rejected. Canonicalization
    (`TgCanonicalization.td`, `TgFolds.cpp`) preserves these semantics to the bit,
    except where they are unspecified. It reduces a chain of movement operations
    without a `tg.reshape` to at most one each of shrink, pad, flip, permute and
    expand, in this order, except that a pad of an expanded axis stays after the
    expand.

    The dialect verifies its attributes on operations of other dialects and accepts
    only these:

    | attribute | attached to | value |
    |---|---|---|
    | `tg.target` | a module | a `#tg.target`: the processor that kernels are compiled for |
    | `tg.device` | a function argument | a string: the device that the argument is on |
    | `tg.input` | a function argument | dense elements: the value that `tg-run` passes; of the argument's type, or of its largest shape, of which the leading part is used |
    | `tg.name` | a function argument or result | a string, an identifier of C: its name in the header of a library |
    | `tg.variable` | a function argument, an index or integer | a `#tg.var`: the variable whose value the argument is, for `tg-outline` |
    | `tg.sizes` | a function argument, a tensor with sizes `?` | a `#tg.shape`: its sizes, for `tg-name-sizes` |
    | `tg.graph` | a function declaration that `tg-outline` makes | a symbol: the tensor graph that a call runs |
    | `tg.state` | a function argument | unit: a library keeps it in the state that its functions share, under its `tg.name` |
    | `tg.scratch_bytes` | a function that `convert-tg-host-to-llvm` makes | an i64: the bytes of memory that it takes for intermediates |
    | `tg.alignment` | an argument of a kernel | an i64, a power of two up to 64: its address is a multiple of as many bytes |
    | `tg.parallel_extent` | a function converted from a kernel | a dimension: the number of parallel positions, see `convert-tg-to-vector` |
    | `tg.groups` | a function that `convert-tg-to-gpu` makes | three dimensions: how many groups there are in the directions x, y and z |
    | `tg.resident_groups` | the same | an i64 from 1 to 1024: for how many groups that are resident on a compute unit at once there have to be registers |
    | `tg.outputs` | a function converted from a kernel | an i64: how many of the leading arguments are written |
    | `tg.variables` | the same, and a declaration with `tg.graph` | a list of `#tg.var`: the variables whose values the last arguments are |
    | `tg.in_place` | the same | unit: the kernel was marked `in_place` |
    | `tg.narrow_indices` | functions that `tg-prepare-gpu-functions` converts | unit: all indices fit into 32 bits |
  }];
  let cppNamespace = "::mlir::tg";
  // The sizes of results are computed in these.
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();

    /// For a name that is no operation: an error that says which are meant.
    std::optional<ParseOpHook>
    getParseOperationHook(::llvm::StringRef name) const override;
  }];
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

def Tg_ReduceKind : I32EnumAttr<"ReduceKind", "the operator of a reduction", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"mul", 1>,
    I32EnumAttrCase<"max", 2>]> {
  let cppNamespace = "::mlir::tg";
  let genSpecializedAttr = 0;
}
def Tg_ReduceKindAttr : EnumAttr<Tg_Dialect, Tg_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "$value";
}

def Tg_ScanKind : I32EnumAttr<"ScanKind", "the operator of a scan", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"mul", 1>,
    I32EnumAttrCase<"max", 2>, I32EnumAttrCase<"logaddexp", 3>]> {
  let cppNamespace = "::mlir::tg";
  let genSpecializedAttr = 0;
}
def Tg_ScanKindAttr : EnumAttr<Tg_Dialect, Tg_ScanKind, "scan_kind"> {
  let assemblyFormat = "$value";
}

def Tg_UpdateKind : I32EnumAttr<"UpdateKind",
    "how an element and what is written to it are combined", [
    I32EnumAttrCase<"set", 0>, I32EnumAttrCase<"add", 1>,
    I32EnumAttrCase<"mul", 2>, I32EnumAttrCase<"max", 3>,
    I32EnumAttrCase<"min", 4>]> {
  let cppNamespace = "::mlir::tg";
  let genSpecializedAttr = 0;
}
def Tg_UpdateKindAttr : EnumAttr<Tg_Dialect, Tg_UpdateKind, "update_kind"> {
  let assemblyFormat = "$value";
}

def Tg_RangeKind : I32EnumAttr<"RangeKind", "how a range is executed", [
    I32EnumAttrCase<"loop", 0>, I32EnumAttrCase<"thread", 1>,
    I32EnumAttrCase<"global", 2>, I32EnumAttrCase<"local", 3>,
    I32EnumAttrCase<"upcast", 4>, I32EnumAttrCase<"unroll", 5>,
    I32EnumAttrCase<"group_reduce", 6>]> {
  let cppNamespace = "::mlir::tg";
  let genSpecializedAttr = 0;
}
def Tg_RangeKindAttr : EnumAttr<Tg_Dialect, Tg_RangeKind, "range_kind"> {
  let assemblyFormat = "$value";
}

def Tg_TileMemory : I32EnumAttr<"TileMemory", "whose memory a tile lives in", [
    I32EnumAttrCase<"item", 0>, I32EnumAttrCase<"group", 1>]> {
  let cppNamespace = "::mlir::tg";
  let genSpecializedAttr = 0;
}
def Tg_TileMemoryAttr : EnumAttr<Tg_Dialect, Tg_TileMemory, "tile_memory"> {
  let assemblyFormat = "$value";
}

def Tg_DimOpKind : I32EnumAttr<"DimOpKind", "an operator on dimensions", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"mul", 1>,
    I32EnumAttrCase<"floordiv", 2>, I32EnumAttrCase<"mod", 3>,
    I32EnumAttrCase<"min", 4>, I32EnumAttrCase<"max", 5>]> {
  let cppNamespace = "::mlir::tg";
  let genSpecializedAttr = 0;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Tg_Attr<string name, string mnemonicName, list<Trait> traits = []>
    : AttrDef<Tg_Dialect, name, traits> {
  let mnemonic = mnemonicName;
}

def Tg_VarAttr : Tg_Attr<"Var", "var"> {
  let summary = "A named, bounded integer variable in a dimension";
  let description = [{
    `#tg.var<"n", 1, 4096>` is an integer known when a program runs. The name and
    both bounds (inclusive) are part of the attribute, so that nothing has to be
    looked up; two variables are the same exactly when all three agree. Within one
    program, a name has one pair of bounds.

    A graph that is being built may contain variables bound to a value for the next
    run: `#tg.var<"n", 1, 4096, 17>`. Variables with different values differ from
    each other and from the unbound variable, but what the graph computes is right
    for all values. Scheduling takes programs without bindings
    (`tg::eraseBindings`).

    Modules are printed with an alias for each variable, which has its name:

    ```mlir
    #n = #tg.var<"n", 1, 4096>
    func.func @main(%x: tensor<?x128xf32, #tg.shape<#n, 128>>) -> tensor<?x128xf32, #tg.shape<#n, 128>> {
      return %x : tensor<?x128xf32, #tg.shape<#n, 128>>
    }
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$min,
                        "int64_t":$max,
                        OptionalParameter<"std::optional<int64_t>">:$value);
  let builders = [AttrBuilder<(ins "::mlir::StringAttr":$name, "int64_t":$min,
                                   "int64_t":$max), [{
    return $_get($_ctxt, name, min, max, std::optional<int64_t>());
  }]>];
  let assemblyFormat = "`<` $name `,` $min `,` $max (`,` $value^)? `>`";
  let genVerifyDecl = 1;
}

def Tg_DimExprAttr : Tg_Attr<"DimExpr", "dim"> {
  let summary = "An operator applied to dimensions";
  let description = [{
    `#tg.dim<#n * 4 + 1>`, where `#n` is a variable. There are `+`, `-`, `*`,
    `floordiv` and `mod` as in `affine_map`, `min(a, b, ...)`, `max(a, b, ...)` and
    parentheses; `*`, `floordiv` and `mod` bind tighter, and all group from the left.
    Operands are integers, variables and dimension expressions. A space has to stand
    between an alias and a `-`, which could be part of its name. In lists of
    dimensions (`#tg.shape`, `#tg.view`, `tg.pad`) and in `tg.range`, `tg.dim` and
    the like, expressions stand without `#tg.dim< >`.

    Expressions are stored in normal form: a sum is
    one `add` of its products, a product is one `mul` of its factors, and the
    operands of `add`, `mul`, `min` and `max` have a fixed order in which a number
    is the last one (`(n + 1) * 4` is `n * 4 + 4`; a difference is a sum with
    factors of -1). So equal attributes mean equal
    dimensions. `tg::Dim` and the parser bring expressions into this form; build
    them through `tg::Dim`. An expression without variables is an integer. An
    expression that can overflow 64 bits is an error.

    Text is always read as the attribute that it was printed from. Where arithmetic
    on the operands would give another form of the same value, the printer puts
    `verbatim` before the operator, and the parser keeps the expression as it is
    written: `#tg.dim<verbatim max, ...>`. These are few, such as maxima of sums
    that have minima as terms. Without `verbatim`, this is an older way to write an
    expression, which is still read: `#tg.dim<mul, #n, 4>`.
  }];
  let parameters = (ins EnumParameter<Tg_DimOpKind>:$kind,
                        ArrayRefParameter<"::mlir::Attribute">:$operands);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let genStorageClass = 0;
  let extraClassDeclaration = [{
    /// The result of `tg::getDimSize`.
    const DimSize &getSize() const;
    /// The operands of `floordiv` and `mod`.
    ::mlir::Attribute getDividend() const { return getOperands()[0]; }
    ::mlir::Attribute getDivisor() const { return getOperands()[1]; }
  }];
}

def Tg_ShapeAttr : Tg_Attr<"Shape", "shape",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "The dimensions of a tensor of symbolic shape";
  let description = [{
    The encoding of a tensor type with symbolic dimensions. It lists every
    dimension: an integer for a static one, a `#tg.var` or `#tg.dim` for each
    `?`. A tensor of static shape has no encoding. No dimension may be negative for
    any value of its variables, and the number of elements of the largest shape
    fits into 63 bits. Long ones are printed with an alias.

    ```mlir
    #n = #tg.var<"n", 1, 8>
    !x = tensor<?x4xf32, #tg.shape<#n, 4>>
    !y = tensor<?xf32, #tg.shape<#n * 2 + 1>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$dims);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tg_ViewAttr : Tg_Attr<"View", "view"> {
  let summary = "Strides, offset and mask of a view of a row-major space";
  let description = [{
    A view selects elements of a row-major space (a tensor or another view) and
    gives them the view's shape. The element at an index is the one at position
    `offset + sum of index * stride` of the space; where the mask is false, it is
    zero and nothing is read. The mask gives for each axis the first index (inclusive)
    and the last (exclusive) that hold elements. All entries may be symbolic. An
    offset of 0 and a mask that is always true are omitted; the stride of an axis of
    size 1 is 0.

    ```mlir
    // Columns 1 and 2 are rows 1 and 2 of a 4x6 tensor, column 0 is zero.
    #tg.view<[6, 3] strides [1, 6] mask [0 to 6, 1 to 3]>
    // A part at a symbolic position.
    #p = #tg.var<"p", 0, 7>
    #tg.view<[4] strides [1] offset #p * 4>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$shape,
                        ArrayRefParameter<"::mlir::Attribute">:$strides,
                        "::mlir::Attribute":$offset,
                        ArrayRefParameter<"::mlir::Attribute">:$begin,
                        ArrayRefParameter<"::mlir::Attribute">:$end);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tg_TargetAttr : Tg_Attr<"Target", "target"> {
  let summary = "The processor that kernels are compiled for";
  let description = [{
    The name of a target and the facts about it on which scheduling and vector code
    generation depend: sizes of registers and caches in bytes, and costs. `TgTarget.h`
    documents each fact. The default of a fact is its value for CPUs with AVX-512.
    The pass `tg-attach-target` sets this attribute of a module as `tg.target`; a
    module without it has the defaults.

    ```mlir
    module attributes {tg.target = #tg.target<"cpu:x86-64-v3", vector_bytes = 32, vector_registers = 16>} {
    }
    ```
  }];
  let parameters = (ins StringRefParameter<"for messages">:$name,
                        AttrParameter<"::mlir::tg::TargetFacts", "",
                                      "const ::mlir::tg::TargetFacts &">:$facts);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // TINYGRAD_DIALECT_TG_IR_TGDIALECT_TD
