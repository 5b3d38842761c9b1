//===- TgTestOps.td - operations of another dialect -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A small dialect whose operations are scheduled, fused and compiled because
/// they implement the interfaces of tg, and two that are not.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TEST_LIB_DIALECT_TGTEST_TGTESTOPS_TD
#define TINYGRAD_TEST_LIB_DIALECT_TGTEST_TGTESTOPS_TD

include "TinyGrad/Dialect/Tg/IR/TgInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TgTest_Dialect : Dialect {
  let name = "tg_test";
  let cppNamespace = "::tgtest";
  let dependentDialects = ["::mlir::tg::TgDialect"];
  // Folding makes constants of tg.
  let hasConstantMaterializer = 1;
}

def TgTest_FloatLike
    : AnyTypeOf<[AnyFloat, RankedTensorOf<[AnyFloat]>], "floats">;

class TgTest_UnaryOp<string mnemonic, list<Trait> traits>
    : Op<TgTest_Dialect, mnemonic,
         !listconcat([Pure, Elementwise, Scalarizable, Vectorizable,
                      Tensorizable, SameOperandsAndResultType], traits)> {
  let arguments = (ins TgTest_FloatLike:$x);
  let results = (outs TgTest_FloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($result)";
}

def TgTest_SoftsignOp : TgTest_UnaryOp<"softsign", [
    DeclareOpInterfaceMethods<Tg_ElementwiseOpInterface, ["getWork"]>,
    DeclareOpInterfaceMethods<Tg_ComposedOpInterface>]> {
  let summary = "x / (1 + |x|)";
  let hasFolder = 1;
}

def TgTest_ClampOp : TgTest_UnaryOp<"clamp", [
    DeclareOpInterfaceMethods<Tg_ElementwiseOpInterface,
                              ["getWork", "getRegisters"]>,
    DeclareOpInterfaceMethods<Tg_ComposedOpInterface>]> {
  let summary = "the number between two bounds that is nearest to x";
  let arguments = (ins TgTest_FloatLike:$x, F64Attr:$low, F64Attr:$high);
  let assemblyFormat = "$x `from` $low `to` $high attr-dict `:` type($result)";
}

def TgTest_SwishOp : TgTest_UnaryOp<"swish", [
    DeclareOpInterfaceMethods<Tg_ElementwiseOpInterface,
                              ["getWork", "getRegisters", "isTranscendental"]>,
    DeclareOpInterfaceMethods<Tg_ComposedOpInterface>]> {
  let summary = "x / (1 + exp(-x)), clamped before, as softsign of exp(x)";
}

def TgTest_Rot180Op : Op<TgTest_Dialect, "rot180", [
    Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<Tg_MovementOpInterface,
                              ["mayAddZeros", "mayBeTarget"]>]> {
  let summary = "the last two axes from the end to the beginning";
  let arguments = (ins AnyRankedTensor:$x);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($result)";
  let hasFolder = 1;
}

def TgTest_FrameOp : Op<TgTest_Dialect, "frame", [
    Pure, DeclareOpInterfaceMethods<Tg_MovementOpInterface>]> {
  let summary = "a zero before and after each axis";
  let arguments = (ins AnyRankedTensor:$x);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
}

/// Elementwise, but what it computes is not said.
def TgTest_SecretOp : TgTest_UnaryOp<"secret", [Tg_ElementwiseOpInterface]>;

/// Elementwise without an interface.
def TgTest_OpaqueOp : TgTest_UnaryOp<"opaque", []>;

#endif // TINYGRAD_TEST_LIB_DIALECT_TGTEST_TGTESTOPS_TD
