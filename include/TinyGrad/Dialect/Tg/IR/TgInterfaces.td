//===- TgInterfaces.td - what passes ask of operations -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Interfaces of the operations of a tensor graph. Operations of the dialect
/// implement them, and those of other dialects may.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGINTERFACES_TD
#define TINYGRAD_DIALECT_TG_IR_TGINTERFACES_TD

include "mlir/IR/OpBase.td"

def Tg_ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let description = [{
    A function of scalars, applied to tensors of one shape element by element. The
    same operation works on scalars inside kernels: scheduling builds it again
    there, with its attributes, on scalars. So it takes and gives tensors as well as
    scalars of element types of the dialect. It has one result and the traits
    `Elementwise` and `Pure`.

    Scheduling and the optimization of kernels weigh the operation by what the
    interface says. What it computes, an operation of another dialect says with the
    `ComposedOpInterface`.
  }];
  let cppNamespace = "::mlir::tg";
  let methods = [
    InterfaceMethod<[{
      How long one element takes, as a multiple of an addition. Values that take
      longer are computed again less often: they get a buffer instead. 1 where an
      operation does not say.
    }], "int64_t", "getWork", (ins), "", "return 1;">,
    InterfaceMethod<[{
      How many registers the operation fills for one element: its result and what
      is needed on the way to it, constants included. A kernel with 16 or more of
      them computes fewer elements side by side. 1 where an operation does not say.
    }], "int64_t", "getRegisters", (ins), "", "return 1;">,
    InterfaceMethod<[{
      Whether it is computed by a polynomial and what goes with it, within a few
      ulp. Softmax and the like keep results of such functions in a tile rather
      than compute them twice. No where an operation does not say.
    }], "bool", "isTranscendental", (ins), "", "return false;">
  ];
  let verify = [{
    static_assert(ConcreteOp::template hasTrait<::mlir::OpTrait::Elementwise>(),
                  "an elementwise operation has the trait Elementwise");
    static_assert(ConcreteOp::template hasTrait<::mlir::OpTrait::OneResult>(),
                  "an elementwise operation has one result");
    static_assert(ConcreteOp::template hasTrait<::mlir::OpTrait::ZeroRegions>(),
                  "an elementwise operation has no regions");
    return ::mlir::success();
  }];
}

def Tg_ComposedOpInterface : OpInterface<"ComposedOpInterface"> {
  let description = [{
    An elementwise operation of another dialect, as a composition of elementwise
    operations of this one. This is what the operation means: kernels are compiled
    from it (`tg-expand-composed`, when schedules are made), and the interpreter and
    `foldElementwise` evaluate it. Such an operation implements the
    `ElementwiseOpInterface` too.
  }];
  let cppNamespace = "::mlir::tg";
  let methods = [
    InterfaceMethod<[{
      Builds the result for `operands`, which have the shape and the element types
      of the operation's own operands or are scalars of these types, from
      elementwise operations of the `tg` dialect, `tg.const`, and other composed
      operations.
    }], "::mlir::Value", "compose",
        (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands)>
  ];
  let verify = [{
    static_assert(ConcreteOp::template hasTrait<
                      ::mlir::tg::ElementwiseOpInterface::Trait>(),
                  "a composed operation implements ElementwiseOpInterface");
    return ::mlir::success();
  }];
}

def Tg_MovementOpInterface : OpInterface<"MovementOpInterface"> {
  let description = [{
    An operation whose result holds elements of its operand, or zeros, at other
    positions. It looks at no value, has one operand and one result of the same
    element type, and is `Pure`.

    It says where the elements are by views; `tg-compose-views`, with which
    scheduling begins, makes these of it, so that it costs index arithmetic and
    no copy. The interpreter and `foldMovement` read the same views.
  }];
  let cppNamespace = "::mlir::tg";
  let methods = [
    InterfaceMethod<[{
      Applies the operation to what a chain of views is now: with
      `ViewChain::transform`, as one of the operations that a `View` has, or with
      `ViewChain::append`, as a view over the positions of the operand. The chain
      has the operand's shape before and the result's shape afterwards. Sizes may be
      symbolic.
    }], "void", "applyTo", (ins "::mlir::tg::ViewChain &":$chain)>,
    InterfaceMethod<[{
      Whether there may be zeros in the result that are not elements of the
      operand. Yes where an operation does not say.
    }], "bool", "mayAddZeros", (ins), "", "return true;">,
    InterfaceMethod<[{
      Whether the result holds all elements of the operand in the same row-major
      order: in memory it is the same. No where an operation does not say.
    }], "bool", "keepsOrder", (ins), "", "return false;">,
    InterfaceMethod<[{
      Whether the result holds nothing but elements of the operand, none of them
      twice, so that `tg.assign` may write through it. No where an operation does
      not say.
    }], "bool", "mayBeTarget", (ins), "", "return false;">
  ];
  let verify = [{
    static_assert(ConcreteOp::template hasTrait<::mlir::OpTrait::OneOperand>(),
                  "a movement operation has one operand");
    static_assert(ConcreteOp::template hasTrait<::mlir::OpTrait::OneResult>(),
                  "a movement operation has one result");
    return ::mlir::success();
  }];
}

def Tg_DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let description = [{
    An operation of a tensor graph with a derivative: given the gradient of its
    result, it builds the gradients of its operands (reverse mode). It has one
    result. `differentiate` (Transforms/Differentiate.h) calls it.

    Integers and bools have no gradient, so that neither an operation with such a
    result nor such an operand needs one. An operation with a
    `ComposedOpInterface` needs no rule either: its composition is differentiated.
  }];
  let cppNamespace = "::mlir::tg";
  let methods = [
    InterfaceMethod<[{
      Builds the gradient of operand `number`, a tensor of floats, from that of the
      result, `gradient`, which has the result's type: the sum of the gradients of
      all elements of the result, each times its derivative. It has the operand's
      type. Null means zero. The builder stands behind the operation and behind
      `gradient`; what is built may be differentiated again. Where an operation has
      no derivative with its attributes, it reports that and fails.
    }], "::llvm::FailureOr<::mlir::Value>", "buildGradient",
        (ins "::mlir::OpBuilder &":$builder, "unsigned":$number,
             "::mlir::Value":$gradient)>
  ];
  let verify = [{
    static_assert(ConcreteOp::template hasTrait<::mlir::OpTrait::OneResult>(),
                  "a differentiable operation has one result");
    return ::mlir::success();
  }];
}

#endif // TINYGRAD_DIALECT_TG_IR_TGINTERFACES_TD
