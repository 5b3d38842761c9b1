//===- Tg.h - the tg dialect ------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the `tg` dialect: dialect class, enums, attributes, operations.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TG_H
#define TINYGRAD_DIALECT_TG_IR_TG_H

#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "TinyGrad/Dialect/Tg/IR/TgDimMessages.h"
#include "TinyGrad/Dialect/Tg/IR/TgInterfaces.h"
#include "TinyGrad/Dialect/Tg/IR/TgInterval.h"
#include "TinyGrad/Dialect/Tg/IR/TgStep.h"
#include "TinyGrad/Dialect/Tg/IR/TgTarget.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "TinyGrad/Dialect/Tg/IR/TgDialect.h.inc"
#include "TinyGrad/Dialect/Tg/IR/TgEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "TinyGrad/Dialect/Tg/IR/TgAttrs.h.inc"

namespace mlir::tg {

/// Operations whose rule of differentiation is an expression in TableGen.
template <typename ConcreteType>
class HasDerivative : public OpTrait::TraitBase<ConcreteType, HasDerivative> {};

} // namespace mlir::tg

#define GET_OP_CLASSES
#include "TinyGrad/Dialect/Tg/IR/TgOps.h.inc"

namespace mlir::tg {

/// The largest id and extent of a `tg.range`. A loop of more positions would
/// not finish, and arithmetic with these does not overflow 64 bits.
inline constexpr int64_t kMaxRangeId = (int64_t(1) << 31) - 1;
inline constexpr int64_t kMaxRangeExtent = int64_t(1) << 53;

/// The maximum number of elements of a buffer. No machine addresses more
/// memory, and the number of its bits fits into 64 bits.
inline constexpr int64_t kMaxBufferSize = int64_t(1) << 53;

/// The device that a function argument is on, a string.
inline constexpr llvm::StringLiteral deviceAttrName = "tg.device";
/// What the address of a kernel's argument is a multiple of, in bytes.
inline constexpr llvm::StringLiteral alignmentAttrName = "tg.alignment";
/// The value of a function argument, for tools that run the function.
inline constexpr llvm::StringLiteral inputAttrName = "tg.input";
/// The name of a function's argument or result in the C interface of a library.
inline constexpr llvm::StringLiteral nameAttrName = "tg.name";
/// Set (unit) on a function argument that a library keeps in its state, by
/// name.
inline constexpr llvm::StringLiteral stateAttrName = "tg.state";
/// How many bytes of memory a lowered host program takes for intermediates.
inline constexpr llvm::StringLiteral scratchBytesAttrName = "tg.scratch_bytes";
/// Set (unit) on an operation of a tensor graph that no gradient flows through.
inline constexpr llvm::StringLiteral noGradientAttrName = "tg.no_gradient";
/// On a `tg.detach`: the number (i64) of a gradient that replaces its own, by
/// which the owner of the graph finds it.
inline constexpr llvm::StringLiteral gradientAttrName = "tg.gradient";

/// Whether `op` is a movement operation, one of the six or another dialect's;
/// `tg.strided`, which chains of them become, is none.
bool isMovementOp(Operation *op);

/// Whether `op` is elementwise and has a place in tensor graphs and kernels:
/// its code is known, or what it is composed of.
bool isElementwiseOp(Operation *op);

/// Whether `op` gives one number for all positions: a constant or a dimension,
/// in any type.
bool isNumber(Operation *op);

/// Whether `type` is bool, an integer, a float or an fp8 type of the dialect.
bool isElementType(Type type);

/// Whether `type` is that of a flat buffer: a memref of rank 1 and identity
/// layout, with an element type of the dialect and
/// at most `kMaxBufferSize` elements. Which memory it is follows from what made
/// it.
bool isBufferType(Type type);

/// Whether `type` (an element type) is a signed integer of the dialect.
bool isSignedInteger(Type type);

/// The identity of a reduction over `elementType`: 0, 1, or the lowest value.
TypedAttr getReduceIdentity(ReduceKind kind, Type elementType);

/// The identity of a scan over `elementType`, that of the reduction of the
/// name; -inf for `logaddexp`.
TypedAttr getScanIdentity(ScanKind kind, Type elementType);

/// Whether `type` is one of the fp8 types.
bool isFp8(Type type);

/// Number `value` as an attribute of a scalar type (float, integer or index).
TypedAttr getNumberAttr(Type type, double value);
TypedAttr getNumberAttr(Type type, int64_t value);

/// The bools of which `condition` is the conjunction, from left to right, each
/// once; `condition` itself if it is not a conjunction. Takes linear time even
/// if conjunctions share operands.
SmallVector<Value> getConjuncts(Value condition);

/// The memref type of a flat buffer of `count` elements.
MemRefType getBufferType(Type elementType, int64_t count,
                         Attribute memorySpace = {});

/// Bytes of a buffer of static size, whose elements take whole bytes; saturates
/// at INT64_MAX.
int64_t getBufferBytes(MemRefType type);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TG_H
