//===- TgDialect.td - the tg dialect, its attributes and enums -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The `tg` dialect itself, the attributes that carry symbolic dimensions, and
/// the enums its operations use.
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
    micro-operations. The same operations serve at three levels, and lowering
    is a sequence of rewrites inside the dialect:

    1. **tensor graph**: pure operations on ranked tensors (elementwise, reduce,
       six movement operations, buffers);
    2. **kernels**: a host function that allocates buffers and launches isolated
       `tg.kernel` regions, in which scalars are computed at index positions
       spanned by `tg.range` values;
    3. **scheduled kernels**: the same with every range given its final kind
       (loop, thread, upcast, unroll, ...) and with staged tiles.

    Arithmetic semantics are the same at every level:

    * Integers are two's complement and wrap. `iN` is signed, `uiN` unsigned,
      `i1` is bool (its `add` and `max` are "or", its `mul` is "and").
    * Integer division by zero gives 0, and so does the remainder by zero; the
      most negative value divided by -1 wraps to itself with remainder 0.
    * A shift amount is read as unsigned; an amount of the bit width or more
      gives 0, or the sign fill for a right shift of a signed integer.
    * Floating point follows IEEE 754 with round-to-nearest-even after every
      operation; `f16` and `bf16` operations are computed in `f32` and rounded.
      Denormal numbers are kept. NaN payloads and the sign of a zero that `max`
      returns for operands `-0.0` and `+0.0` are unspecified. Sums and products
      may be reassociated by `tg.reduce`.
    * `index`, in kernels, is a signed 64-bit integer.
    * The fp8 types are storage: only casts, bitcasts, `tg.where`, movement,
      constants, buffers and copies take them.

    Tensors have a static shape, or a symbolic one whose dimensions the `#tg.shape`
    encoding lists; a `?` without it is rejected. Canonicalization
    (`TgCanonicalization.td`, `TgFolds.cpp`) keeps these semantics to the bit, other
    than where they are unspecified. A chain of movement operations without a
    `tg.reshape` ends up as at most one each of shrink, pad, flip, permute and
    expand, in this order; only a pad of an expanded axis stays behind the expand.

    Attributes of the dialect on other operations are verified; there are no others
    than these:

    | attribute | of | value |
    |---|---|---|
    | `tg.device` | a function argument | a string: the device that the argument is on |
    | `tg.input` | a function argument | dense elements of its type, or of its largest shape, of which the leading part counts: the value that `tg-run` passes |
    | `tg.parallel_extent` | a function that was a kernel | a dimension, see `convert-tg-to-vector` |
    | `tg.outputs` | the same | an i64: how many leading arguments are written |
    | `tg.variables` | the same | a list of `#tg.var`: what the last arguments are the values of |
    | `tg.in_place` | the same | unit: the kernel was marked `in_place` |
  }];
  let cppNamespace = "::mlir::tg";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
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
    `#tg.var<"n", 1, 4096>` is an integer known when a program runs. Name and
    bounds (both inclusive) are part of the attribute, so that nothing has to be
    looked up and two variables are the same exactly when all three agree. In one
    program a name has one pair of bounds.

    A graph that is being built may hold variables that were given a value for the
    next run: `#tg.var<"n", 1, 4096, 17>`. These are different from each other and
    from the variable itself, and what is computed is still right for all values.
    Scheduling takes programs without such values (`tg::eraseBindings`).
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
  let summary = "An operator applied to two dimensions";
  let description = [{
    `#tg.dim<mul, #tg.var<"n", 1, 8>, 4>`: operands are integers, variables or
    dimension expressions. Sums and products are kept as polynomials (`(n + 1) * 4`
    is `n * 4 + 4`), with their terms in a fixed order, so that equal attributes
    mean equal dimensions: build expressions through `tg::Dim`, which brings them
    into this form, as the parser does. An expression without variables is an integer.
    What can leave 64 bits is an error.
  }];
  let parameters = (ins EnumParameter<Tg_DimOpKind>:$kind,
                        "::mlir::Attribute":$lhs, "::mlir::Attribute":$rhs);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let genStorageClass = 0;
  let extraClassDeclaration = [{
    /// What `tg::getDimSize` tells.
    const DimSize &getSize() const;
  }];
}

def Tg_ShapeAttr : Tg_Attr<"Shape", "shape",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "The dimensions of a tensor of symbolic shape";
  let description = [{
    The encoding of a tensor type with symbolic dimensions. It lists every
    dimension: an integer for a static one, a `#tg.var` or `#tg.dim` for each
    `?`. A tensor of static shape carries no encoding. No dimension can be
    negative, and the elements of the largest shape can be counted in 63 bits.

    ```mlir
    tensor<?x4xf32, #tg.shape<#tg.var<"n", 1, 8>, 4>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$dims);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tg_ViewAttr : Tg_Attr<"View", "view"> {
  let summary = "Strides, an offset and a mask: elements of a row-major space";
  let description = [{
    A tensor of the view's shape. Its element at an index is the one at position
    `offset + sum of index * stride` of the space that the view is over, in row-major
    order; where the mask does not hold, it is a zero and no position is looked at.
    The mask gives the indices of each axis that hold elements, from the first
    (inclusive) to the last (exclusive). All entries may be symbolic. An offset of 0
    and a mask that always holds are left out; the stride of an axis of size 1 is 0.

    ```mlir
    // Rows 1 and 2 of a tensor of 4x6 elements, transposed, a zero before each.
    #tg.view<[6, 3] strides [1, 6] mask [0 to 6, 1 to 3]>
    // A part at a symbolic position.
    #tg.view<[4] strides [1] offset #tg.var<"p", 0, 28>>
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
  let summary = "The processor that kernels are made for";
  let description = [{
    The name of a target, and what scheduling and vector code generation depend on:
    sizes of registers and caches in bytes, and costs. What is left out has the value
    that CPUs with AVX-512 have; `TgTarget.h` documents each fact. A module has this
    in its attribute `tg.target`, which the pass `tg-attach-target` sets; without
    one, all facts have these values.

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
